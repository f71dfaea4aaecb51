//! Converts samples to the features that the search compares: every 10 ms the loudness, the balance of high and low, and a few cepstral coefficients.

use std::io;

use crate::cancel::CancelToken;
use crate::units::within;
use realfft::RealFftPlanner;

/// Samples per second of the input.
pub(crate) const RATE_HZ: usize = 16_000;
/// Frames per second.
pub(super) const FRAMES_PER_SEC: usize = 100;
/// Samples between frames.
const HOP: usize = RATE_HZ / FRAMES_PER_SEC;
/// Samples per window: 25 ms.
const WINDOW: usize = RATE_HZ / 40;
/// Length of the transform.
const FFT: usize = 512;
/// Frames between two looks at whether the work was cancelled: a few milliseconds.
pub(super) const FRAMES_PER_CHECK: usize = 512;
/// Number of triangular bands, evenly spaced on the mel scale.
const N_BANDS: usize = 22;
/// Number of cepstral coefficients kept, from the first.
const N_CEPSTRA: usize = 8;
/// Number of values that describe a frame.
pub(super) const N_DIMS: usize = 3 + N_CEPSTRA;

/// Loudness from 0 (the quietest in the file) to 1 (loud speech), high against low, rise of the loudness, cepstra. All but the first have mean 0
/// and deviation 1 over the louder frames.
pub(super) type Frame = [f32; N_DIMS];

/// Computes the frames of mono samples at 16 kHz; frame `i` is centered on `(i + 0.5) / 100` seconds.
///
/// # Errors
/// `Interrupted` when it was cancelled.
pub(super) fn frames(samples: &[f32], cancel: &CancelToken) -> io::Result<Vec<Frame>> {
    let n = samples.len() / HOP;
    let mut spectra = Spectra::new();
    let bands: Vec<[f32; N_BANDS]> = (0..n)
        .map(|i| {
            if i % FRAMES_PER_CHECK == 0 {
                cancel.check_io()?;
            }
            Ok(spectra.at(samples, (i * HOP + HOP / 2) as isize))
        })
        .collect::<io::Result<_>>()?;
    let mut frames: Vec<Frame> = bands.iter().map(described).collect();
    scale_loudness(&mut frames);
    let loud: Vec<f32> = frames.iter().map(|f| f[0]).collect();
    for (i, frame) in frames.iter_mut().enumerate() {
        let (before, after) = (i.saturating_sub(2), (i + 2).min(n - 1));
        frame[2] = loud[after] - loud[before];
    }
    normalize(&mut frames);
    Ok(frames)
}

/// Computes loudness in dB, balance in dB, a placeholder for the rise, cepstra.
fn described(bands: &[f32; N_BANDS]) -> Frame {
    let db = |part: &[f32]| 10.0 * part.iter().sum::<f32>().max(1e-10).log10();
    let logs = bands.map(|b| b.max(1e-10).ln());
    let mut frame = [0.0; N_DIMS];
    frame[0] = db(bands);
    // Below 1 kHz and above 2.7 kHz: both are still present in sound sampled at 8 kHz.
    frame[1] = db(&bands[15..]) - db(&bands[..8]);
    for (k, c) in frame[3..].iter_mut().enumerate() {
        let step = std::f32::consts::PI * (k + 1) as f32 / N_BANDS as f32;
        let terms = logs.iter().enumerate();
        *c = terms
            .map(|(b, l)| l * (step * (b as f32 + 0.5)).cos())
            .sum();
    }
    frame
}

/// Maps the quietest twentieth to 0 and the loudest to 1. They are at least 25 dB apart, so that mere hiss does not count as speech.
fn scale_loudness(frames: &mut [Frame]) {
    let mut sorted: Vec<f32> = frames.iter().map(|f| f[0]).collect();
    sorted.sort_by(f32::total_cmp);
    let at = |part: f32| sorted[((sorted.len() - 1) as f32 * part) as usize];
    if sorted.is_empty() {
        return;
    }
    let top = at(0.95);
    let floor = within(at(0.05), top - 60.0, top - 25.0);
    for frame in frames {
        frame[0] = ((frame[0] - floor) / (top - floor)).clamp(-0.2, 1.3);
    }
}

fn normalize(frames: &mut [Frame]) {
    for dim in 1..N_DIMS {
        let loud = frames.iter().filter(|f| f[0] > 0.4).map(|f| f[dim]);
        let (mut n, mut sum, mut squares) = (1e-6_f32, 0.0, 0.0);
        for x in loud {
            n += 1.0;
            sum += x;
            squares += x * x;
        }
        let mean = sum / n;
        let deviation = (squares / n - mean * mean).max(1e-6).sqrt();
        for frame in frames.iter_mut() {
            frame[dim] = ((frame[dim] - mean) / deviation).clamp(-4.0, 4.0);
        }
    }
}

/// Computes the energies of mel bands at a point in time.
struct Spectra {
    transform: std::sync::Arc<dyn realfft::RealToComplex<f32>>,
    input: Vec<f32>,
    output: Vec<realfft::num_complex::Complex<f32>>,
    window: Vec<f32>,
    /// For each bin its band and its share in it; the rest belongs to the next band.
    shares: Vec<Option<(usize, f32)>>,
}

impl Spectra {
    fn new() -> Spectra {
        let transform = RealFftPlanner::new().plan_fft_forward(FFT);
        let turn = std::f32::consts::TAU / WINDOW as f32;
        let mel = |hz: f32| 1127.0 * (1.0 + hz / 700.0).ln();
        let (low, high) = (mel(80.0), mel(7_600.0));
        let shares = (0..=FFT / 2)
            .map(|bin| {
                let hz = bin as f32 * RATE_HZ as f32 / FFT as f32;
                let place = (mel(hz) - low) / (high - low) * (N_BANDS - 1) as f32;
                (0.0..(N_BANDS - 1) as f32)
                    .contains(&place)
                    .then(|| (place as usize, 1.0 - place.fract()))
            })
            .collect();
        Spectra {
            input: transform.make_input_vec(),
            output: transform.make_output_vec(),
            window: (0..WINDOW)
                .map(|i| 0.5 - 0.5 * (turn * (i as f32 + 0.5)).cos())
                .collect(),
            transform,
            shares,
        }
    }

    fn at(&mut self, samples: &[f32], center: isize) -> [f32; N_BANDS] {
        self.input.fill(0.0);
        let from = center - (WINDOW / 2) as isize;
        for (i, w) in self.window.iter().enumerate() {
            let at = usize::try_from(from + i as isize).ok();
            self.input[i] = w * at.and_then(|at| samples.get(at)).copied().unwrap_or(0.0);
        }
        let mut bands = [0.0; N_BANDS];
        let done = self.transform.process(&mut self.input, &mut self.output);
        done.expect("the buffers are the transform's own");
        for (bin, share) in self.output.iter().zip(&self.shares) {
            if let Some((band, part)) = share {
                let power = bin.norm_sqr();
                bands[*band] += power * part;
                bands[band + 1] += power * (1.0 - part);
            }
        }
        bands
    }
}
