//! Silence: stretches without voice and music in a video that has sound elsewhere; and sounds with flaws.

use std::ops::Range;

use crate::error::Warning;
use crate::facts::{Facts, SoundFlaw};
use crate::plan::{self, Plan};
use crate::units::{MIX_RATE_HZ, Time};

/// Warning code of silences.
pub(crate) const CODE: &str = "silence";
/// Shorter silences count as pauses.
const LEAST: u64 = 2 * MIX_RATE_HZ as u64;
/// Maximum number of silences reported.
const MOST_TOLD: usize = 8;

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
    warnings(&gaps)
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
                        format!("its first {:.1} s are intact and are used; ", d.as_secs())
                    });
                    ("cut_sound", format!("is cut off: {length}copy or download it again"))
                }
                SoundFlaw::IntegerScale => (
                    "sound_scale",
                    "has floating-point samples on an integer scale, which would be far too loud: it is scaled down to full scale; export it with samples from -1 to 1"
                        .to_owned(),
                ),
            };
            Warning::new(code, &track.path, format!("`{}` {what}", track.asset))
        })
        .collect()
}

/// Returns warnings for the gaps longer than a pause.
pub(crate) fn warnings(gaps: &[Range<u64>]) -> Vec<Warning> {
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
