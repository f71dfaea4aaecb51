//! The balance of lows and highs: each mix is tilted against its excess or lack, so that none is dull or boomy.
//!
//! Finished music falls by some 3 to 6 dB an octave from 100 Hz to 4 kHz (Pestana, Ma, Reiss, Barbosa and Black, Spectral Characteristics of Popular Commercial
//! Recordings, AES 135, 2013). A mix within this range keeps its balance, others come to the nearest border: dark tracks stay darker than bright ones.

use fundsp::fft::{inverse_fft, real_fft};
use num_complex::Complex32;

use super::Stereo;
use crate::synth::SAMPLE_RATE;

/// Points of a Fourier transform.
const N_FFT: usize = 8192;
/// Frames filtered per transform; the rest of the transform holds the filter's tails.
const BLOCK: usize = N_FFT / 2;
/// Range to which slopes are brought, in dB an octave of spectral density.
const SLOPES: [f64; 2] = [-5.4, -3.6];
/// Edges of the octaves from which the slope is measured: 88 Hz to 5.7 kHz.
const OCTAVES: [f64; 7] = [88.4, 176.8, 353.6, 707.1, 1414.2, 2828.4, 5656.9];
/// Limits of the tilt of a mix, in dB an octave.
const TILTS: [f64; 2] = [-2.0, 4.5];
/// The tilt turns around the pivot and is level outside [`TILTED_HZ`].
const PIVOT_HZ: f64 = 700.0;
const TILTED_HZ: [f64; 2] = [60.0, 9000.0];
/// Largest share of the energy below [`LOW_HZ`], and the deepest cut of those lows.
const LOW_SHARE: f64 = 0.28;
const LOW_HZ: f64 = 100.0;
const DEEPEST_CUT_DB: f64 = -14.0;
/// Content below this is rumble and is removed.
const LOWEST_HZ: f64 = 34.0;
/// Frequencies above this are softened by [`AIR_DB`].
const AIR_HZ: f64 = 9500.0;
const AIR_DB: f64 = -3.0;

/// A curve of gains over frequency.
#[derive(Clone, Copy, Debug, Default)]
struct Curve {
    /// dB an octave.
    tilt: f64,
    /// dB below [`LOW_HZ`].
    lows: f64,
}

impl Curve {
    /// Returns the curve that corrects the power spectrum of a mix.
    fn of(power: &[f64]) -> Curve {
        let mut curve = Curve::default();
        // The cut of the lows bends the slope, and the tilt moves the lows: a few rounds settle both.
        for _ in 0..8 {
            let now = slope(power, &curve);
            let wanted = now.clamp(SLOPES[0], SLOPES[1]);
            curve.tilt = (curve.tilt + wanted - now).clamp(TILTS[0], TILTS[1]);
            while low_share(power, &curve) > LOW_SHARE && curve.lows > DEEPEST_CUT_DB {
                curve.lows -= 0.5;
            }
        }
        curve
    }

    /// Returns the gain in dB.
    fn db(&self, hz: f64) -> f64 {
        let octaves = (hz.clamp(TILTED_HZ[0], TILTED_HZ[1]) / PIVOT_HZ).log2();
        let step = |from: f64, to: f64| {
            let x = ((hz / from).log2() / (to / from).log2()).clamp(0.0, 1.0);
            x * x * (3.0 - 2.0 * x)
        };
        let lows = self.lows * (1.0 - step(0.7 * LOW_HZ, 1.5 * LOW_HZ));
        let rumble = -40.0 * (1.0 - step(0.5 * LOWEST_HZ, LOWEST_HZ));
        self.tilt * octaves + lows + rumble + AIR_DB * step(AIR_HZ, 1.6 * AIR_HZ)
    }

    fn power(&self, hz: f64) -> f64 {
        10_f64.powf(self.db(hz) / 10.0)
    }
}

fn hz_of(bin: usize) -> f64 {
    bin as f64 * f64::from(SAMPLE_RATE) / N_FFT as f64
}

/// Returns the energy of a mix between two frequencies after a curve.
fn energy(power: &[f64], curve: &Curve, from_hz: f64, to_hz: f64) -> f64 {
    let bins = power.iter().enumerate().map(|(bin, p)| (hz_of(bin), p));
    let within = bins.filter(|(hz, _)| (from_hz..to_hz).contains(hz));
    within.map(|(hz, p)| p * curve.power(hz)).sum()
}

fn low_share(power: &[f64], curve: &Curve) -> f64 {
    let all = energy(power, curve, 1.0, f64::MAX);
    energy(power, curve, 1.0, LOW_HZ) / all.max(1e-30)
}

/// Returns the slope of the spectral density over [`OCTAVES`], in dB an octave, by least squares.
fn slope(power: &[f64], curve: &Curve) -> f64 {
    let levels = OCTAVES.windows(2).map(|edges| {
        let sum = energy(power, curve, edges[0], edges[1]);
        10.0 * (sum + 1e-30).log10()
    });
    let middle = (OCTAVES.len() - 2) as f64 / 2.0;
    let away = |i: usize| i as f64 - middle;
    let (mut products, mut squares) = (0.0, 0.0);
    for (i, level) in levels.enumerate() {
        products += away(i) * level;
        squares += away(i) * away(i);
    }
    // An octave is twice as wide as the one before.
    products / squares - 10.0 * 2_f64.log10()
}

/// Returns the mean power of each bin over a mix, both sides together.
fn power_of(mix: &[[f32; 2]]) -> Vec<f64> {
    let mut power = vec![0.0; N_FFT / 2];
    let window: Vec<f32> = (0..N_FFT).map(hann).collect();
    let mut data = vec![0.0_f32; N_FFT];
    for start in (0..mix.len()).step_by(BLOCK) {
        for side in [0, 1] {
            for (i, value) in data.iter_mut().enumerate() {
                *value = window[i] * mix[(start + i) % mix.len()][side];
            }
            for (sum, bin) in power.iter_mut().zip(real_fft(&mut data)).skip(1) {
                *sum += f64::from(bin.re * bin.re + bin.im * bin.im);
            }
        }
    }
    power
}

/// A Hann window over [`N_FFT`] points.
fn hann(i: usize) -> f32 {
    0.5 - 0.5 * (std::f32::consts::TAU * i as f32 / N_FFT as f32).cos()
}

/// Returns the loop with corrected balance. The filter has no delay and wraps around the end.
pub(super) fn balanced(mix: &[[f32; 2]]) -> Stereo {
    if mix.is_empty() {
        return Stereo::new();
    }
    let curve = Curve::of(&power_of(mix));
    let gains = gains(&curve);
    let mut out = vec![[0.0; 2]; mix.len()];
    let mut data = vec![Complex32::default(); N_FFT];
    for start in (0..mix.len()).step_by(BLOCK) {
        let block = &mix[start..mix.len().min(start + BLOCK)];
        data.fill(Complex32::default());
        // The left side is the real part, the right one the imaginary part. The filter keeps them apart, as its gains are real and even.
        for (value, [left, right]) in data.iter_mut().zip(block) {
            *value = Complex32::new(*left, -*right);
        }
        // The forward transform, as the inverse of the conjugate. The gains include its scale factor.
        inverse_fft(&mut data);
        for (value, gain) in data.iter_mut().zip(&gains) {
            *value = value.conj() * *gain;
        }
        inverse_fft(&mut data);
        // Half of the filter's tails lies before the block.
        let half = BLOCK / 2;
        for (i, value) in data.iter().enumerate() {
            let away = match i < BLOCK + half {
                true => i,
                false => mix.len() * N_FFT + i - N_FFT,
            };
            let to = &mut out[(start + away) % mix.len()];
            to[0] += value.re;
            to[1] += value.im;
        }
    }
    out
}

/// Returns the gain of each bin for a filter that is no longer than half of a transform.
fn gains(curve: &Curve) -> Vec<f32> {
    let gain = |bin: usize| {
        let bin = bin.min(N_FFT - bin);
        10_f64.powf(curve.db(hz_of(bin).max(1.0)) / 20.0) as f32
    };
    let mut data: Vec<Complex32> = (0..N_FFT)
        .map(|bin| Complex32::new(gain(bin), 0.0))
        .collect();
    inverse_fft(&mut data);
    for (i, value) in data.iter_mut().enumerate() {
        let away = i.min(N_FFT - i);
        let window = match away < BLOCK / 2 {
            true => hann(N_FFT / 2 + 2 * away),
            false => 0.0,
        };
        *value = Complex32::new(value.re * window, 0.0);
    }
    // The filter is real and even, so the inverse transform is the forward one up to a factor. `factor` also includes the signal's.
    inverse_fft(&mut data);
    let factor = (N_FFT * N_FFT) as f32;
    data.iter().map(|value| value.re * factor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::chance::Chance;

    /// Returns noise whose density falls with the number of poles, roughly: one-pole filters in a row.
    fn noise(n: usize, poles: usize) -> Stereo {
        let mut chance = Chance::new(3, "noise");
        let mut lows = [[0.0_f32; 2]; 4];
        (0..n)
            .map(|_| {
                let mut value = [0.0; 2].map(|_: f32| 0.2 * chance.signed() as f32);
                for low in &mut lows[..poles] {
                    for (low, value) in low.iter_mut().zip(&mut value) {
                        *low += 0.03 * (*value - *low);
                        *value = *low;
                    }
                }
                value
            })
            .collect()
    }

    #[test]
    fn bright_and_dark_mixes_come_to_the_borders() {
        for poles in 0..3 {
            let mix = noise(300_001, poles);
            let before = slope(&power_of(&mix), &Curve::default());
            let after = slope(&power_of(&balanced(&mix)), &Curve::default());
            let wanted = before.clamp(SLOPES[0], SLOPES[1]) - before;
            let tilted = wanted.clamp(TILTS[0], TILTS[1]);
            let off = after - before - tilted;
            assert!(off.abs() < 0.3, "{poles}: {before} to {after}");
        }
    }

    #[test]
    fn nothing_is_delayed_and_the_end_goes_on_at_the_start() {
        let mut mix = vec![[0.0_f32; 2]; 50_000];
        mix[49_990] = [1.0, -0.5];
        let made = balanced(&mix);
        let peak = (0..made.len()).max_by(|a, b| made[*a][0].abs().total_cmp(&made[*b][0].abs()));
        assert_eq!(peak, Some(49_990));
        assert!((made[49_990][1] / made[49_990][0] + 0.5).abs() < 1e-3);
        let energy =
            |range: std::ops::Range<usize>| made[range].iter().map(|v| v[0] * v[0]).sum::<f32>();
        assert!(energy(0..60) > 1e-9 && energy(10_000..40_000) < 1e-9);
    }
}
