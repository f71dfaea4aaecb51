//! The rhythm of a stretch of sound: onsets and the levels of three bands every 10 ms, and its beat.

use crate::units::MIX_RATE_HZ;

/// Frames between points: 10 ms.
pub(crate) const HOP: usize = MIX_RATE_HZ as usize / 100;
/// Corner frequencies of the bands, in Hz.
const CORNERS_HZ: [f32; 2] = [200.0, 2000.0];
/// Range of beat periods, in points: 40 to 240 beats per minute.
const PERIODS: [usize; 2] = [25, 150];
/// Minimum correlation of the onsets with themselves for a beat.
const IS_BEAT: f32 = 0.25;
/// Strength (root mean square) in dB from which onsets count in full; those of a sustained sound count less.
const STRONG_DB: f32 = 6.0;
/// Distance between bands, in dB, that outweighs identical onsets.
const FAR_DB: f32 = 8.0;
/// Number of points in which the beat's phase is searched: 8 s.
const PHASE_POINTS: usize = 800;

/// A stretch of sound at points 10 ms apart.
pub(crate) struct Rhythm {
    /// Rise of the level of all bands together, in dB.
    onsets: Vec<f32>,
    /// Levels of the bands, in dB.
    bands: Vec<[f32; 3]>,
}

impl Rhythm {
    /// Analyzes mono samples.
    pub(crate) fn of(samples: &[f32]) -> Rhythm {
        Rhythm::at_rate(samples, MIX_RATE_HZ as usize)
    }

    /// Analyzes mono samples at a rate that is a multiple of 100 Hz.
    pub(crate) fn at_rate(samples: &[f32], rate_hz: usize) -> Rhythm {
        let factors =
            CORNERS_HZ.map(|hz| 1.0 - (-std::f32::consts::TAU * hz / rate_hz as f32).exp());
        let hop = rate_hz / 100;
        let (mut low, mut middle) = (0f32, 0f32);
        let mut bands = Vec::with_capacity(samples.len() / hop);
        for hop in samples.chunks_exact(hop) {
            let mut energies = [1e-9f32; 3];
            for s in hop {
                low += factors[0] * (s - low);
                middle += factors[1] * (s - middle);
                let parts = [low, middle - low, s - middle];
                energies = [0, 1, 2].map(|i| energies[i] + parts[i] * parts[i]);
            }
            bands.push(energies.map(|e| 10.0 * (e / hop.len() as f32).log10()));
        }
        let rise = |pair: &[[f32; 3]]| (0..3).map(|i| (pair[1][i] - pair[0][i]).max(0.0)).sum();
        let mut onsets: Vec<f32> = bands.windows(2).map(rise).collect();
        onsets.insert(0, 0.0);
        Rhythm { onsets, bands }
    }

    /// Returns the similarity of the `n` points from `at` on to those of `other` from `first` on: the correlation of the onsets, weighted by their strength,
    /// minus the distance of the bands. `None` when either has too few points.
    pub(crate) fn likeness(
        &self,
        at: usize,
        other: &Rhythm,
        first: usize,
        n: usize,
    ) -> Option<f32> {
        let (here, there) = (
            self.onsets.get(at..at + n)?,
            other.onsets.get(first..first + n)?,
        );
        let bands = self
            .bands
            .get(at..at + n)?
            .iter()
            .zip(&other.bands[first..first + n]);
        let distance: f32 = bands
            .map(|(a, b)| (0..3).map(|i| (a[i] - b[i]).abs().min(30.0)).sum::<f32>())
            .sum();
        let n = n.max(1) as f32;
        let strength = (there.iter().map(|onset| onset * onset).sum::<f32>() / n).sqrt();
        let weight = (strength / STRONG_DB).min(1.0);
        Some(weight * correlation(here, there) - distance / (3.0 * FAR_DB * n))
    }

    /// Returns by how many seconds the beat of `next` is off when it is played right after this; `None` without a beat.
    pub(crate) fn shift_to(&self, next: &Rhythm) -> Option<f64> {
        let period = self.period()?;
        let n = self.onsets.len();
        let from = n.saturating_sub(PHASE_POINTS);
        let here = phase(&self.onsets[from..], period);
        let there = phase(&next.onsets[..next.onsets.len().min(PHASE_POINTS)], period);
        // Expected position of the beat after the end, compared with its actual position.
        let off = (there + (n - from) as f64 - here) / period;
        Some((off - off.round()) * period * HOP as f64 / f64::from(MIX_RATE_HZ))
    }

    /// Returns the rise of the level at each point, in dB: of all bands together, and of the lowest.
    pub(crate) fn rises(&self) -> (&[f32], Vec<f32>) {
        let low = self
            .bands
            .windows(2)
            .map(|pair| (pair[1][0] - pair[0][0]).max(0.0));
        (&self.onsets, std::iter::once(0.0).chain(low).collect())
    }

    /// Returns the beat's period in points, with a fraction.
    fn period(&self) -> Option<f64> {
        let alike = |lag: usize| {
            let n = self.onsets.len().checked_sub(lag).filter(|n| *n > lag)?;
            Some(correlation(&self.onsets[..n], &self.onsets[lag..]))
        };
        let lags = PERIODS[0]..=PERIODS[1];
        let scored = lags.filter_map(|lag| Some((lag, alike(lag)?)));
        let (mut lag, found) = scored.max_by(|a, b| a.1.total_cmp(&b.1))?;
        if found < IS_BEAT {
            return None;
        }
        // Measured over eight periods, the period is eight times as precise.
        let mut period = lag as f64;
        for n in [2, 4, 8] {
            let near = (period * n as f64).round() as usize;
            let around = near.saturating_sub(2)..=near + 2;
            let scored = around.filter_map(|lag| Some((lag, alike(lag)?)));
            let Some((best, _)) = scored.max_by(|a, b| a.1.total_cmp(&b.1)) else {
                break;
            };
            (lag, period) = (best, best as f64 / n as f64);
        }
        (lag > 0).then_some(period)
    }
}

/// Returns the position of the first beat: where onsets at whole periods have the greatest sum, smoothed over 30 ms.
fn phase(onsets: &[f32], period: f64) -> f64 {
    let at = |place: f64| {
        let i = place.round() as usize;
        let near = onsets.get(i.saturating_sub(1)..(i + 2).min(onsets.len()));
        near.map_or(0.0, |near| near.iter().sum::<f32>())
    };
    let strength = |start: usize| {
        let n = ((onsets.len() as f64 - start as f64) / period) as usize;
        (0..n)
            .map(|k| at(start as f64 + k as f64 * period))
            .sum::<f32>()
    };
    let starts = 0..period as usize;
    let best = starts.max_by(|a, b| strength(*a).total_cmp(&strength(*b)));
    best.unwrap_or(0) as f64
}

/// Computes Pearson's correlation.
pub(crate) fn correlation(a: &[f32], b: &[f32]) -> f32 {
    let n = a.len().max(1) as f32;
    let (mean_a, mean_b) = (a.iter().sum::<f32>() / n, b.iter().sum::<f32>() / n);
    let (mut dot, mut of_a, mut of_b) = (0f32, 1e-6f32, 1e-6f32);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (a - mean_a, b - mean_b);
        dot += a * b;
        of_a += a * a;
        of_b += b * b;
    }
    dot / (of_a * of_b).sqrt()
}
