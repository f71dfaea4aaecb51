//! Resamples any rate to 48 kHz, as a stream, sample-aligned and with exact length.

use rubato::audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Fft, FixedSync, Resampler as _};

use crate::units::MIX_RATE_HZ;

/// Minimum filter length on its shorter side, in samples: at 44.1 kHz the pass band then reaches 21.4 kHz.
const MIN_FILTER: usize = 1024;

/// Converts one stream with sinc filters applied by FFT (rubato): linear phase, with the delay removed here.
#[derive(Debug)]
pub(crate) struct Resampler {
    n_channels: usize,
    rate_hz: u32,
    /// `None` at 48 kHz: samples pass unchanged.
    fft: Option<Fft<f32>>,
    waiting: Vec<f32>,
    converted: Vec<f32>,
    /// Frames of delay left to drop.
    skip: usize,
    n_in: u64,
    n_out: u64,
}

impl Resampler {
    /// Creates a resampler for interleaved samples of `n_channels` at `rate_hz`; the decoder has checked both.
    pub(crate) fn new(rate_hz: u32, n_channels: usize) -> Resampler {
        let fft = (rate_hz != MIX_RATE_HZ).then(|| {
            let (from, to) = (rate_hz as usize, MIX_RATE_HZ as usize);
            Fft::new_custom(
                from,
                to,
                chunk_frames(from, to),
                1,
                n_channels,
                rubato::WindowFunction::BlackmanHarris2,
                FixedSync::Both,
            )
            .expect("rates and chunk are above zero")
        });
        let skip = fft.as_ref().map_or(0, |f| f.output_delay());
        let room = fft.as_ref().map_or(0, |f| f.output_frames_max());
        Resampler {
            n_channels,
            rate_hz,
            fft,
            waiting: Vec::new(),
            converted: vec![0.0; room * n_channels],
            skip,
            n_in: 0,
            n_out: 0,
        }
    }

    /// Takes samples and appends those that are ready to `out`.
    pub(crate) fn push(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        if self.fft.is_none() {
            out.extend_from_slice(samples);
            return;
        }
        self.n_in += (samples.len() / self.n_channels) as u64;
        self.waiting.extend_from_slice(samples);
        self.convert(u64::MAX, out);
    }

    /// Ends the stream: appends the rest, so that `n` frames give `round(n * 48000 / rate)` frames in total.
    pub(crate) fn finish(&mut self, out: &mut Vec<f32>) {
        let Some(fft) = &self.fft else { return };
        let step = fft.input_frames_next() * self.n_channels;
        let rate = u128::from(self.rate_hz);
        let total = (u128::from(self.n_in) * u128::from(MIX_RATE_HZ) + rate / 2) / rate;
        let total = u64::try_from(total).unwrap_or(u64::MAX);
        while self.n_out < total {
            let n = self.waiting.len().div_ceil(step).max(1) * step;
            self.waiting.resize(n, 0.0);
            self.convert(total, out);
        }
    }

    /// Converts every complete waiting chunk, up to a total of `total` frames.
    fn convert(&mut self, total: u64, out: &mut Vec<f32>) {
        let Some(fft) = &mut self.fft else { return };
        let n = self.n_channels;
        let frames_in = fft.input_frames_next();
        let step = frames_in * n;
        let n_whole = self.waiting.len() / step * step;
        for chunk in self.waiting[..n_whole].chunks_exact(step) {
            let room = self.converted.len() / n;
            let from =
                InterleavedSlice::new(chunk, n, frames_in).expect("a chunk holds frames_in frames");
            let mut to = InterleavedSlice::new_mut(&mut self.converted, n, room)
                .expect("the buffer holds room frames");
            let (_, made) = fft
                .process_into_buffer(&from, &mut to, None)
                .expect("both buffers have the size that the resampler asked for");
            let skipped = self.skip.min(made);
            self.skip -= skipped;
            let wanted = (made - skipped).min((total - self.n_out) as usize);
            self.n_out += wanted as u64;
            out.extend_from_slice(&self.converted[skipped * n..(skipped + wanted) * n]);
        }
        self.waiting.drain(..n_whole);
    }
}

/// Returns the input frames per chunk: a whole number of the ratio's periods, even so that the delay is whole, and no shorter than the filter on
/// either side. Many short periods are rounded up to a multiple of 8, for which the transforms are faster.
fn chunk_frames(from: usize, to: usize) -> usize {
    let divisor = gcd(from, to);
    let (unit_in, unit_out) = (from / divisor, to / divisor);
    let n_units = MIN_FILTER.div_ceil(unit_in.min(unit_out));
    n_units.next_multiple_of(if n_units >= 4 { 8 } else { 2 }) * unit_in
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn resampled(rate_hz: u32, samples: &[f32], piece: usize) -> Vec<f32> {
        let mut resampler = Resampler::new(rate_hz, 1);
        let mut out = Vec::new();
        for piece in samples.chunks(piece) {
            resampler.push(piece, &mut out);
        }
        resampler.finish(&mut out);
        out
    }

    fn sine(rate_hz: u32, hz: f64, n: usize) -> Vec<f32> {
        (0..n)
            .map(|i| (0.5 * (TAU * hz * i as f64 / f64::from(rate_hz)).sin()) as f32)
            .collect()
    }

    /// Measures the amplitude of `hz` in the middle half of 48 kHz samples, by a Hann-windowed Fourier sum.
    fn amplitude(samples: &[f32], hz: f64) -> f64 {
        let part = &samples[samples.len() / 4..samples.len() * 3 / 4];
        let (mut re, mut im, mut sum) = (0.0, 0.0, 0.0);
        for (i, s) in part.iter().enumerate() {
            let w = 0.5 - 0.5 * (TAU * i as f64 / part.len() as f64).cos();
            let phase = TAU * hz * i as f64 / 48_000.0;
            re += w * f64::from(*s) * phase.cos();
            im += w * f64::from(*s) * phase.sin();
            sum += w;
        }
        2.0 * re.hypot(im) / sum
    }

    #[test]
    fn length_is_exact_for_any_rate_length_and_cut() {
        for rate in [
            8_000, 11_025, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000,
        ] {
            for n in [0_usize, 1, 2, 147, 1023, 1024, 5000, 44_099] {
                let expected = (n as f64 * 48_000.0 / f64::from(rate)).round() as usize;
                assert_eq!(
                    resampled(rate, &vec![0.1; n], 777).len(),
                    expected,
                    "{n} at {rate}"
                );
            }
        }
        assert_eq!(resampled(44_101, &vec![0.1; 44_101], 4096).len(), 48_000);
        assert_eq!(resampled(47_999, &vec![0.1; 100], 100).len(), 100);
    }

    #[test]
    fn cutting_the_stream_changes_nothing() {
        let input = sine(44_100, 997.0, 20_000);
        assert_eq!(
            resampled(44_100, &input, 1),
            resampled(44_100, &input, 20_000)
        );
    }

    #[test]
    fn pass_band_is_flat_and_frequency_kept() {
        for rate in [8_000_u32, 22_050, 44_100, 96_000] {
            let top = f64::from(rate.min(44_100)) * 0.45;
            for hz in [100.0, 1000.0, top] {
                let out = resampled(rate, &sine(rate, hz, rate as usize), 1000);
                let db = 20.0 * (amplitude(&out, hz) / 0.5).log10();
                assert!(db.abs() < 0.1, "{hz} Hz at {rate}: {db} dB");
            }
        }
    }

    #[test]
    fn impulse_lands_where_it_was() {
        for rate in [8_000_usize, 22_050, 44_100, 96_000] {
            for at in [0, rate / 10, rate / 3] {
                let mut input = vec![0.0; rate];
                input[at] = 1.0;
                let out = resampled(rate as u32, &input, 4000);
                let peak = (0..out.len())
                    .max_by(|a, b| out[*a].abs().total_cmp(&out[*b].abs()))
                    .expect("there are samples");
                let expected = at as f64 * 48_000.0 / rate as f64;
                assert!(
                    (peak as f64 - expected).abs() <= 1.0,
                    "{at} at {rate}: {peak}"
                );
            }
        }
    }

    #[test]
    fn aliases_and_images_are_80_db_down() {
        // 30 kHz at 96 kHz would fold to 18 kHz.
        let out = resampled(96_000, &sine(96_000, 30_000.0, 96_000), 5000);
        let rms = |s: &[f32]| {
            (s.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / s.len() as f64).sqrt()
        };
        let middle = &out[12_000..36_000];
        let db = 20.0 * (rms(middle) / (0.5 / 2f64.sqrt())).log10();
        assert!(db < -80.0, "alias at {db} dB");
        // 3 kHz at 8 kHz has its first image at 5 kHz.
        let out = resampled(8_000, &sine(8_000, 3_000.0, 8_000), 500);
        let db = 20.0 * (amplitude(&out, 5_000.0) / 0.5).log10();
        assert!(db < -80.0, "image at {db} dB");
    }
}
