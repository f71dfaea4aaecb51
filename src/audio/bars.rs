//! The bars of a song: the tempo from periodic onsets, the downbeat from the strongest ones.

use super::rhythm::{Rhythm, correlation};

/// Points per second.
const POINTS_PER_SEC: f64 = 100.0;
/// Range of beat periods, in points: 60 to 180 beats per minute; slower and faster tempos are found as their double and half.
const PERIODS: [usize; 2] = [33, 100];
/// Minimum correlation of the onsets with themselves one beat later for a clear tempo.
const IS_CLEAR: f32 = 0.3;
/// Preferred period in points (the tempo at which people tap), and the distance from it in octaves that halves the score.
const TAPPED: (f64, f64) = (50.0, 1.0);
/// Distances in beats over which the beat's length is measured, so that it is accurate over a whole song.
const FAR: [usize; 5] = [2, 4, 8, 16, 32];
/// Weight of a rise of the lowest band relative to all bands together: basses and chords change with the bar.
const LOW: f32 = 2.0;

/// Length of a bar and start of the first one, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bars {
    pub secs: f64,
    pub first: f64,
    /// Number of beats per bar.
    pub n_beats: usize,
}

impl Bars {
    /// Finds the bars of mono samples; returns `None` if there is no clear tempo.
    pub fn of(samples: &[f32], rate_hz: usize) -> Option<Bars> {
        let rhythm = Rhythm::at_rate(samples, rate_hz);
        let (onsets, low) = rhythm.rises();
        let beat = beat(onsets)?;
        let first = strongest(onsets, beat, 1);
        let accents: Vec<f32> = onsets
            .iter()
            .zip(&low)
            .map(|(all, low)| all + LOW * low)
            .collect();
        let each: Vec<f32> = places(first, beat, onsets.len())
            .map(|place| around(&accents, place))
            .collect();
        let (n_beats, down) = meter(&each)?;
        Some(Bars {
            secs: beat * n_beats as f64 / POINTS_PER_SEC,
            first: (first + beat * down as f64) / POINTS_PER_SEC,
            n_beats,
        })
    }

    /// Returns bar lines that divide `secs` seconds into stretches of a whole number of bars, as close as possible to `every_secs` in ratio.
    pub fn cuts(&self, secs: f64, every_secs: f64) -> Vec<f64> {
        let off = |n: &usize| (*n as f64 * self.secs / every_secs).ln().abs();
        let n_bars = [1, 2, 3, 4, 6, 8]
            .into_iter()
            .min_by(|a, b| off(a).total_cmp(&off(b)));
        let step = self.secs * n_bars.unwrap_or(1) as f64;
        let least = step * 0.6;
        let lines = (0..).map(|i| self.first + step * f64::from(i));
        lines
            .skip_while(|line| *line < least)
            .take_while(|line| secs - line >= least)
            .collect()
    }
}

/// Returns the beat's period in points, with a fraction; `None` if there is no clear beat.
fn beat(onsets: &[f32]) -> Option<f64> {
    let alike = |lag: usize| {
        let n = onsets.len().checked_sub(lag).filter(|n| *n > lag)?;
        Some(correlation(&onsets[..n], &onsets[lag..]))
    };
    let (tapped, octaves) = TAPPED;
    let worth = |lag: usize| {
        let off = (lag as f64 / tapped).log2() / octaves;
        Some(alike(lag)? * 0.5f64.powf(off * off) as f32)
    };
    let lags = PERIODS[0]..=PERIODS[1];
    let scored = lags.filter_map(|lag| Some((lag, worth(lag)?)));
    let (lag, _) = scored.max_by(|a, b| a.1.total_cmp(&b.1))?;
    if alike(lag)? < IS_CLEAR {
        return None;
    }
    // Measured over `n` beats, the period is `n` times as precise.
    let mut period = lag as f64;
    for n in FAR {
        let near = (period * n as f64).round() as usize;
        let around = near.saturating_sub(2)..=near + 2;
        let scored = around.filter_map(|lag| Some((lag, alike(lag)?)));
        match scored.max_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((best, likeness)) if likeness > 0.0 => period = best as f64 / n as f64,
            _ => break,
        }
    }
    Some(period)
}

/// Returns the positions of the beats, in points.
fn places(first: f64, period: f64, n: usize) -> impl Iterator<Item = f64> {
    (0..)
        .map(move |i| first + period * f64::from(i))
        .take_while(move |place| *place < n as f64)
}

/// Returns the strength at a position, including the points beside it.
fn around(strengths: &[f32], place: f64) -> f32 {
    let at = place.round() as usize;
    let end = (at + 3).min(strengths.len());
    strengths
        .get(at.saturating_sub(2)..end)
        .map_or(0.0, |near| near.iter().sum())
}

/// Returns the first beat, in whole points, for which the strengths at all following beats have the greatest sum.
fn strongest(strengths: &[f32], period: f64, from: usize) -> f64 {
    let sum = |first: usize| -> f32 {
        places(first as f64, period, strengths.len())
            .map(|place| around(strengths, place))
            .sum()
    };
    let starts = from - 1..period.round() as usize;
    let best = starts.max_by(|a, b| sum(*a).total_cmp(&sum(*b)));
    best.unwrap_or(0) as f64
}

/// Returns the beats per bar and the first downbeat: the number (three or four) that repeats best, and its strongest beat.
fn meter(each: &[f32]) -> Option<(usize, usize)> {
    let again = |n: usize| {
        let m = each.len().checked_sub(n).filter(|m| *m > n)?;
        Some(correlation(&each[..m], &each[n..]))
    };
    let n = match (again(3)?, again(4)?) {
        // Most songs have four beats per bar.
        (three, four) if three > four + 0.1 => 3,
        _ => 4,
    };
    let mean = |down: usize| {
        let of = each.iter().skip(down).step_by(n);
        of.clone().sum::<f32>() / of.count().max(1) as f32
    };
    let down = (0..n).max_by(|a, b| mean(*a).total_cmp(&mean(*b)))?;
    Some((n, down))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE_HZ: usize = 16_000;

    /// Generates clicks at `beats` per minute from `first` seconds on, every `n`th one low and loud.
    fn clicks(beats: f64, first: f64, n: usize) -> Vec<f32> {
        let mut samples = vec![0.0; RATE_HZ * 40];
        for i in 0.. {
            let at = ((first + i as f64 * 60.0 / beats) * RATE_HZ as f64) as usize;
            if at + 1600 > samples.len() {
                break;
            }
            let (hz, level) = if i % n == 0 {
                (80.0, 0.8)
            } else {
                (1200.0, 0.3)
            };
            for k in 0..1600 {
                let t = k as f32 / RATE_HZ as f32;
                samples[at + k] +=
                    (t * hz * std::f32::consts::TAU).sin() * level * (-t * 30.0).exp();
            }
        }
        samples
    }

    #[test]
    fn tempo_meter_and_downbeat_are_found() {
        for (beats, first, n) in [
            (120.0, 0.25, 4),
            (96.5, 0.4, 4),
            (90.0, 0.1, 3),
            (74.0, 0.7, 4),
        ] {
            let bars = Bars::of(&clicks(beats, first, n), RATE_HZ).expect("clear");
            assert_eq!(bars.n_beats, n, "{beats}: {bars:?}");
            let secs = n as f64 * 60.0 / beats;
            assert!((bars.secs / secs - 1.0).abs() < 0.002, "{beats}: {bars:?}");
            let off = (bars.first - first) / secs;
            assert!((off - off.round()).abs() * secs < 0.03, "{beats}: {bars:?}");
            let cuts = bars.cuts(40.0, 5.0);
            assert!(
                cuts.windows(2).all(|w| (3.0..8.1).contains(&(w[1] - w[0]))),
                "{cuts:?}"
            );
        }
    }

    #[test]
    fn without_a_beat_there_are_no_bars() {
        assert_eq!(Bars::of(&vec![0.0; RATE_HZ * 20], RATE_HZ), None);
        let mut state = 1_u32;
        let noise = (0..RATE_HZ * 20).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        });
        let noise: Vec<f32> = noise.collect();
        assert_eq!(Bars::of(&noise, RATE_HZ), None);
        assert_eq!(Bars::of(&[], RATE_HZ), None);
    }
}
