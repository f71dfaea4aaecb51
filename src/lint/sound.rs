//! Silence and loudness, measured in the mix.

use crate::audio::Mixer;
use crate::error::{Result, Warning};
use crate::job::Job;
use crate::preflight::silence;
use crate::scene::mix::MixPlan;
use crate::units::{MIX_RATE_HZ, Time};

/// Samples below this are silence: -60 dBFS.
const QUIET: f32 = 0.001;
/// Larger deviations from the target loudness are reported.
const OFF_TARGET_LU: f64 = 0.5;
/// Maximum number of samples analyzed.
const MOST_HEARD: u64 = 15 * 60 * MIX_RATE_HZ as u64;

/// Result of analyzing the mix.
pub(super) struct Heard {
    /// The silences.
    pub(super) warnings: Vec<Warning>,
    /// Number of samples analyzed.
    n_heard: u64,
}

impl Heard {
    /// Returns whether the analyzed mix supersedes this warning.
    pub(super) fn replaces(&self, warning: &Warning) -> bool {
        let heard_until = Time::from_samples(self.n_heard as i64);
        warning.code == silence::CODE && warning.at.is_some_and(|at| at < heard_until)
    }
}

/// Finds silences in the mix, except in the final fade-out, and checks whether its loudness is as requested.
pub(super) fn heard(job: &Job) -> Result<Heard> {
    let mix = &job.plan().mix;
    let n_heard = mix.n_samples.min(MOST_HEARD);
    if !mix.tracks.iter().any(|track| track.is_heard(mix.n_samples)) {
        return Ok(Heard {
            warnings: Vec::new(),
            n_heard,
        });
    }
    let mix = MixPlan {
        n_samples: n_heard,
        fade_out: 0,
        ..mix.clone()
    };
    let mut mixer = Mixer::new(&mix, &**job.assets())?;
    let mut warnings = Vec::from_iter(off_target(mix.loudness, mixer.loudness()));
    let (mut gaps, mut silent_from, mut is_heard) = (Vec::new(), 0, false);
    while let Some(block) = mixer.next_block()? {
        let loud = |sample: &f32| sample.abs() > QUIET;
        if block.samples.iter().any(loud) {
            gaps.push(silent_from..block.start.max(silent_from));
            silent_from = block.start + block.samples.len() as u64 / 2;
            is_heard = true;
        }
    }
    gaps.push(silent_from..n_heard.max(silent_from));
    if is_heard {
        warnings.extend(silence::warnings(&gaps));
    }
    Ok(Heard { warnings, n_heard })
}

/// Returns a warning if the mix misses the requested loudness.
fn off_target(wanted: Option<f64>, reached: Option<f64>) -> Option<Warning> {
    let (wanted, reached) = wanted.zip(reached)?;
    let message = format!(
        "{wanted} LUFS cannot be reached, the mix is at {reached:.1}: its peaks are far above its loudness; compress the voice, or choose a lower loudness"
    );
    let is_off = (wanted - reached).abs() > OFF_TARGET_LU;
    is_off.then(|| Warning::new("loudness", "audio.loudness", message))
}
