//! Silence: stretches without voice and music in a video that has sound elsewhere, found from file lengths or in the mix.

use std::ops::Range;

use crate::audio::Mixer;
use crate::error::{Result, Warning};
use crate::job::Job;
use crate::media::{Facts, SoundFlaw};
use crate::plan::mix::MixPlan;
use crate::plan::{self, Plan};
use crate::units::{MIX_RATE_HZ, Time};

/// Warning code of silences.
const CODE: &str = "silence";
/// Shorter silences count as pauses.
const LEAST: u64 = 2 * MIX_RATE_HZ as u64;
/// Samples below this are silence: -60 dBFS.
const QUIET: f32 = 0.001;
/// Larger deviations from the target loudness are reported.
const OFF_TARGET_LU: f64 = 0.5;
/// Maximum number of samples analyzed.
const MOST_HEARD: u64 = 15 * 60 * MIX_RATE_HZ as u64;
/// Maximum number of silences reported.
const MOST_TOLD: usize = 8;

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
        warning.code == CODE && warning.at.is_some_and(|at| at < heard_until)
    }
}

/// Returns silences that follow from the lengths of the sounds. A sound of unknown length is assumed to reach the end.
pub(super) fn from_facts(plan: &Plan, facts: &Facts) -> Vec<Warning> {
    let n = plan.mix.n_samples;
    let audible = plan.mix.tracks.iter().filter(|track| track.is_heard(n));
    let mut spans: Vec<Range<u64>> = audible
        .map(|track| plan::heard_span(track, facts))
        .map(|span| span.start.min(n)..span.end.min(n))
        .filter(|span| !span.is_empty())
        .collect();
    if spans.is_empty() {
        return Vec::new();
    }
    spans.sort_by_key(|span| span.start);
    let (mut gaps, mut at) = (Vec::new(), 0);
    for span in spans {
        gaps.push(at..span.start.max(at));
        at = at.max(span.end);
    }
    gaps.push(at..n);
    told(&gaps)
}

/// Returns warnings about sounds that play although their files have flaws.
pub(super) fn flaws(plan: &Plan, facts: &Facts) -> Vec<Warning> {
    let flawed = plan.mix.tracks.iter().filter_map(|track| {
        let known = facts.sounds.get(&track.asset)?;
        Some((track, known, known.flaw?))
    });
    flawed
        .map(|(track, known, flaw)| {
            let (code, what) = match flaw {
                SoundFlaw::Cut => {
                    let length = known.duration.map_or(String::new(), |d| {
                        format!("the first {:.1} s of it are there and are used; ", d.as_secs())
                    });
                    ("cut_sound", format!("is cut off: {length}copy or download it again"))
                }
                SoundFlaw::IntegerScale => (
                    "sound_scale",
                    "has floats of the size of integers, which would be far too loud: it is brought to full scale; export it with samples from -1 to 1"
                        .to_owned(),
                ),
            };
            Warning::new(code, &track.path, format!("`{}` {what}", track.asset))
        })
        .collect()
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
        warnings.extend(told(&gaps));
    }
    Ok(Heard { warnings, n_heard })
}

/// Returns a warning if the mix misses the requested loudness.
fn off_target(wanted: Option<f64>, reached: Option<f64>) -> Option<Warning> {
    let (wanted, reached) = wanted.zip(reached)?;
    let message = format!(
        "{wanted} LUFS are out of reach, the mix comes to {reached:.1}: its peaks are far above its loudness; compress the voice, or ask for less"
    );
    let is_off = (wanted - reached).abs() > OFF_TARGET_LU;
    is_off.then(|| Warning::new("loudness", "audio.loudness", message))
}

fn told(gaps: &[Range<u64>]) -> Vec<Warning> {
    let long = gaps.iter().filter(|gap| gap.end - gap.start > LEAST);
    long.take(MOST_TOLD)
        .map(|gap| {
            let [from, to] = [gap.start, gap.end].map(|n| Time::from_samples(n as i64));
            let message = format!(
                "nothing is heard from {:.1} to {:.1} s: add or loop music, move the voice, or shorten the shots there",
                from.as_secs(),
                to.as_secs()
            );
            let mut warning = Warning::new(CODE, "audio", message);
            warning.at = Some(from);
            warning
        })
        .collect()
}
