//! Ducking: lowers the gain of a track, as a curve that is known before the first sample is mixed.
//!
//! Because the speech spans are known in advance, the track is already down when a word begins, and it can rise without delay.

use std::f64::consts::PI;
use std::ops::Range;

use crate::scene::mix::Ducking;

/// The depth of a track's ducking over time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve {
    amount_db: f64,
    /// Sample positions and depths (0 not at all, 1 fully), ascending in time. Between two points the depth follows half a period of a cosine; before
    /// the first and after the last it is constant.
    points: Vec<(i64, f64)>,
}

impl Curve {
    /// Builds the curve for `speech` (ascending spans of samples).
    pub(crate) fn new(speech: &[Range<u64>], ducking: &Ducking) -> Curve {
        let (attack, release) = (ducking.attack as i64, ducking.release as i64);
        let mut points: Vec<(i64, f64)> = Vec::new();
        let mut last_end = None;
        for span in merged(speech, ducking.hold) {
            let (start, end) = (span.start as i64, span.end as i64);
            match last_end {
                // The release is cut short by the next attack: the curve turns where the two meet.
                Some(last) if start - last < attack + release => {
                    let way = (start - last) as f64 / (attack + release) as f64;
                    let meets = last + (way * release as f64).round() as i64;
                    points.extend([(last, 1.0), (meets, 1.0 - way)]);
                }
                Some(last) => {
                    points.extend([(last, 1.0), (last + release, 0.0), (start - attack, 0.0)])
                }
                None => points.push((start - attack, 0.0)),
            }
            points.push((start, 1.0));
            last_end = Some(end);
        }
        if let Some(last) = last_end {
            points.extend([(last, 1.0), (last + release, 0.0)]);
        }
        Curve {
            amount_db: ducking.amount_db,
            points,
        }
    }

    /// Computes the amplitudes of `n` samples from `start` on, or a single one if all are equal.
    pub(crate) fn amplitudes(&self, start: u64, n: usize, out: &mut Vec<f32>) {
        out.clear();
        let (first, end) = (start as i64, start as i64 + n as i64);
        let mut next = self.points.partition_point(|point| point.0 <= first);
        let is_flat = |next: usize| {
            let (before, after) = self.around(next);
            before.1 == after.1
        };
        let reaches = self.points.get(next).is_none_or(|point| point.0 >= end);
        if reaches && is_flat(next) {
            out.push(self.amplitude(self.around(next).0.1));
            return;
        }
        for at in first..end {
            while self.points.get(next).is_some_and(|point| point.0 <= at) {
                next += 1;
            }
            let (before, after) = self.around(next);
            let depth = if before.1 == after.1 {
                before.1
            } else {
                let progress = (at - before.0) as f64 / (after.0 - before.0) as f64;
                before.1 + (after.1 - before.1) * (0.5 - 0.5 * (PI * progress).cos())
            };
            out.push(self.amplitude(depth));
        }
    }

    /// Returns the points on both sides of a position before point `next`.
    fn around(&self, next: usize) -> ((i64, f64), (i64, f64)) {
        let before = next.checked_sub(1).and_then(|i| self.points.get(i));
        let after = self.points.get(next);
        let before_all = after.or(before).copied().unwrap_or((0, 0.0));
        let after_all = before.copied().unwrap_or(before_all);
        (
            before.copied().unwrap_or(before_all),
            after.copied().unwrap_or(after_all),
        )
    }

    fn amplitude(&self, depth: f64) -> f32 {
        10f64.powf(-self.amount_db * depth / 20.0) as f32
    }
}

/// Merges spans that are separated by pauses of up to `hold`.
fn merged(speech: &[Range<u64>], hold: u64) -> Vec<Range<u64>> {
    let mut merged: Vec<Range<u64>> = Vec::new();
    for span in speech {
        match merged.last_mut() {
            Some(last) if span.start <= last.end.saturating_add(hold) => {
                last.end = last.end.max(span.end);
            }
            _ => merged.push(span.clone()),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUCKING: Ducking = Ducking {
        amount_db: 12.0,
        attack: 100,
        hold: 200,
        release: 300,
    };

    fn db(curve: &Curve, at: u64) -> f64 {
        let mut one = Vec::new();
        curve.amplitudes(at, 1, &mut one);
        20.0 * f64::from(one[0]).log10()
    }

    #[test]
    fn it_is_down_when_speech_begins_and_back_within_the_release() {
        let curve = Curve::new(&[1000..2000, 2150..3000], &DUCKING);
        for (at, expected) in [
            (0, 0.0),
            (900, 0.0),
            (950, -6.0),
            (1000, -12.0),
            (2100, -12.0),
            (3000, -12.0),
            (3150, -6.0),
            (3300, 0.0),
            (9000, 0.0),
        ] {
            assert!(
                (db(&curve, at) - expected).abs() < 1e-4,
                "{at}: {}",
                db(&curve, at)
            );
        }
    }

    #[test]
    fn short_rises_turn_back_without_a_step() {
        let curve = Curve::new(&[1000..2000, 2300..3000], &DUCKING);
        let mut before = db(&curve, 1900);
        let mut highest = before;
        for at in 1901..3000 {
            let now = db(&curve, at);
            assert!((now - before).abs() < 0.25, "{at}: {before} to {now} dB");
            (before, highest) = (now, highest.max(now));
        }
        assert!(highest > -5.0 && highest < -1.0, "{highest}");
    }

    #[test]
    fn blocks_and_single_samples_agree() {
        for speech in [vec![0..50, 1000..2000, 2250..2300, 90_000..90_001], vec![]] {
            for ducking in [
                DUCKING,
                Ducking {
                    attack: 0,
                    release: 0,
                    hold: 0,
                    ..DUCKING
                },
            ] {
                let curve = Curve::new(&speech, &ducking);
                let mut block = Vec::new();
                for start in (0..4000).step_by(40) {
                    curve.amplitudes(start, 40, &mut block);
                    for i in 0..40 {
                        let one = f64::from(if block.len() == 1 { block[0] } else { block[i] });
                        assert!((20.0 * one.log10() - db(&curve, start + i as u64)).abs() < 1e-5);
                    }
                }
            }
        }
    }
}
