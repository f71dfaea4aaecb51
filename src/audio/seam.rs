//! Finds where a sound can be repeated without an audible break.
//!
//! A file that was made to loop is left unchanged: its end continues into its start, in waveform and beat. Any other file is cut while it still plays
//! at full level, at the position near its end that most resembles its beginning in rhythm and sound, and crossfaded there. Only the first and the
//! last seconds are examined, so the time does not grow with the length of the sound.

use std::ops::Range;

use super::library::{CHUNK, Recording};
use super::looped::Seam;
use super::loudness::STEP;
use super::rhythm::{HOP, Rhythm};
use crate::units::MIX_RATE_HZ;

const SECOND: u64 = MIX_RATE_HZ as u64;
/// Shorter sounds are beats or effects that were cut to loop; silence in them is rhythm.
const SHORT: u64 = 8 * SECOND;
/// Frames per crossfade: 50 ms.
const FADE: u64 = SECOND / 20;
/// Frames examined at the start and at the end.
const HEAD: u64 = 12 * SECOND;
const TAIL: u64 = 40 * SECOND;
/// Frames that are compared to judge a position.
const ALIKE: u64 = 4 * SECOND;
/// A sound plays at full level while it is at most this far below its own loudness, in LU.
const FULL_LU: f64 = 12.0;
/// Threshold for short fades at either end, below the surrounding loudness, in LU.
const FADED_LU: f64 = 5.0;
/// Level below its loudness at which a sound counts as paused, in LU. At an unchanged join a pause may be as long as elsewhere, plus 2 steps.
const PAUSE_LU: f64 = 10.0;
const MORE_STEPS: usize = 2;
/// Maximum shift of the beat at an unchanged join, in seconds.
const MAX_SHIFT_SECS: f64 = 0.03;

/// Finds the seam for `part` of a recording.
pub(crate) fn find(recording: &Recording, part: Range<u64>) -> Seam {
    let n = part.end - part.start;
    let sound = Mono { recording };
    let Some(lufs) = recording.profile.integrated(part.clone()) else {
        return Seam::exact(part.start, part.end);
    };
    if recording.chunks.is_none() {
        return sound.crossfade(part.start, full_end(recording, &part, lufs));
    }
    if n < SHORT {
        return match sound.continues(&part) {
            true => Seam::exact(part.start, part.end),
            false => sound.crossfade(part.start, part.end),
        };
    }
    let head = Rhythm::of(&sound.read(part.start..part.start + HEAD.min(n)));
    let first_of_tail = part.end - TAIL.min(n);
    let tail = Rhythm::of(&sound.read(first_of_tail..part.end));
    if is_full_at_join(recording, &part, lufs) && sound.continues(&part) {
        let shift = tail.shift_to(&head);
        if shift.is_none_or(|secs| secs.abs() < MAX_SHIFT_SECS) {
            return Seam::exact(part.start, part.end);
        }
    }
    let start = begin(recording, &part, lufs);
    let end = full_end(recording, &part, lufs);
    let place = Place {
        head: &head,
        head_from: part.start,
        tail: &tail,
        tail_from: first_of_tail,
    };
    match place.best(start, end) {
        Some(at) => sound.aligned(start, at),
        None => sound.crossfade(start, end),
    }
}

/// Returns whether the pause where the end meets the start is no longer than pauses elsewhere.
fn is_full_at_join(recording: &Recording, part: &Range<u64>, lufs: f64) -> bool {
    let steps = part.start.div_ceil(STEP)..part.end / STEP;
    let pauses = |step: u64| recording.profile.momentary(step as usize) < lufs - PAUSE_LU;
    let before = steps.clone().rev().take_while(|step| pauses(*step)).count();
    let after = steps.clone().take_while(|step| pauses(*step)).count();
    let (mut longest, mut now) = (0, 0);
    for step in steps.start + after as u64..steps.end.saturating_sub(before as u64) {
        now = if pauses(step) { now + 1 } else { 0 };
        longest = longest.max(now);
    }
    before + after <= longest + MORE_STEPS
}

/// Returns the loudness that a fade near a position is compared with.
fn around(recording: &Recording, place: Range<u64>, lufs: f64) -> f64 {
    let loudness = recording.profile.integrated(place);
    loudness.map_or(lufs, |loudness| loudness.min(lufs))
}

/// Returns the first frame after silence and fade-in.
fn begin(recording: &Recording, part: &Range<u64>, lufs: f64) -> u64 {
    let least = around(
        recording,
        part.start + SECOND / 2..part.start + 5 * SECOND / 2,
        lufs,
    ) - FADED_LU;
    let steps = part.start.div_ceil(STEP)..(part.start + HEAD / 2).min(part.end) / STEP;
    let mut full = steps.filter(|step| recording.profile.momentary(*step as usize) > least);
    match full.next() {
        // Up to 40 ms of softer sound count as the attack.
        Some(step) if step * STEP > part.start + 2 * STEP => step * STEP,
        _ => part.start,
    }
}

/// Returns the end of the part at full level: before its fade-out or the ringing after its last note, and rarely before its middle.
fn full_end(recording: &Recording, part: &Range<u64>, lufs: f64) -> u64 {
    let window = SECOND * 2 / 5;
    let middle = part.start + (part.end - part.start) / 2;
    let mut end = part.end;
    while end - window > middle {
        let loudness = recording.profile.integrated(end - window..end);
        if loudness.is_some_and(|loudness| loudness > lufs - FULL_LU) {
            break;
        }
        end -= STEP;
    }
    // The remaining fade, however short.
    let least = around(
        recording,
        end.saturating_sub(5 * SECOND / 2)..end - SECOND / 2,
        lufs,
    ) - FADED_LU;
    let steps = (end - window) / STEP..end / STEP;
    let mut full = steps
        .rev()
        .filter(|step| recording.profile.momentary(*step as usize) > least);
    full.next().map_or(end, |step| ((step + 1) * STEP).min(end))
}

/// Searches the best position for the cut.
struct Place<'a> {
    head: &'a Rhythm,
    head_from: u64,
    tail: &'a Rhythm,
    tail_from: u64,
}

impl Place<'_> {
    /// Returns the frame before `end` from which the sound is most like that from `start`; `None` when there is too little to compare.
    fn best(&self, start: u64, end: u64) -> Option<u64> {
        let hop = HOP as u64;
        let first = ((start - self.head_from) / hop) as usize;
        let n = (ALIKE.min((end - start) / 8) / hop) as usize;
        let least = (start + (end - start) / 2).max(self.tail_from) - self.tail_from;
        let most = (end.checked_sub(self.tail_from)? / hop) as usize;
        let places = least.div_ceil(hop) as usize..most.checked_sub(n)?;
        let likeness = |at: usize| self.tail.likeness(at, self.head, first, n);
        let scored = places.filter_map(|at| Some((at, likeness(at)?)));
        let best = scored.max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(self.tail_from + best.0 as u64 * hop)
    }
}

/// The samples of a recording, averaged over both channels.
struct Mono<'a> {
    recording: &'a Recording,
}

impl Mono<'_> {
    fn read(&self, span: Range<u64>) -> Vec<f32> {
        let (mut stereo, mut at) = (Vec::new(), span.start);
        while at < span.end {
            let chunks = self.recording.chunks.as_ref();
            let Some(chunk) = chunks.and_then(|c| c.get((at / CHUNK as u64) as usize)) else {
                break;
            };
            let before = stereo.len();
            let from = (at % CHUNK as u64) as usize;
            chunk.copy(from, (span.end - at) as usize, &mut stereo);
            if stereo.len() == before {
                break;
            }
            at += (stereo.len() - before) as u64 / 2;
        }
        stereo
            .chunks_exact(2)
            .map(|f| 0.5 * (f[0] + f[1]))
            .collect()
    }

    /// Returns whether the end continues into the start: the step between them is no greater than the steps around it.
    fn continues(&self, part: &Range<u64>) -> bool {
        let n = (part.end - part.start).min(SECOND / 500);
        let (last, first) = (
            self.read(part.end - n..part.end),
            self.read(part.start..part.start + n),
        );
        let (Some(end), Some(start)) = (last.last(), first.first()) else {
            return false;
        };
        let steps = |samples: &[f32]| {
            let steps = samples.windows(2).map(|w| (w[1] - w[0]).abs());
            steps.fold(0f32, f32::max)
        };
        (start - end).abs() <= 1.2 * steps(&last).max(steps(&first)) + 1e-4
    }

    /// Returns the seam from frame `at` to `start`, with `at` moved by up to 10 ms to where the waveforms are most alike.
    fn aligned(&self, start: u64, at: u64) -> Seam {
        let reach = SECOND / 100;
        let fade = FADE as usize;
        let from = at.saturating_sub(reach);
        let wanted = self.read(start..start + FADE);
        let there = self.read(from..at + reach + FADE);
        if wanted.len() < fade || there.len() < fade {
            return self.crossfade(start, at + FADE);
        }
        let mut best = (0, f64::NEG_INFINITY);
        for place in 0..=there.len() - fade {
            let found = likeness(&wanted, &there[place..place + fade]);
            if found > best.1 {
                best = (place, found);
            }
        }
        Seam {
            start,
            end: from + best.0 as u64 + FADE,
            fade: FADE,
            correlation: best.1.clamp(0.0, 1.0),
        }
    }

    /// Returns the seam from `end` to `start`.
    fn crossfade(&self, start: u64, end: u64) -> Seam {
        let fade = FADE.min((end - start) / 2);
        let (old, new) = (self.read(end - fade..end), self.read(start..start + fade));
        Seam {
            start,
            end,
            fade,
            correlation: likeness(&old, &new).clamp(0.0, 1.0),
        }
    }
}

/// Computes the normalized correlation, -1 to 1.
fn likeness(a: &[f32], b: &[f32]) -> f64 {
    let (mut dot, mut of_a, mut of_b) = (0f32, 1e-12f32, 1e-12f32);
    for (a, b) in a.iter().zip(b) {
        dot += a * b;
        of_a += a * a;
        of_b += b * b;
    }
    f64::from(dot / (of_a * of_b).sqrt())
}
