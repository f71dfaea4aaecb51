//! The log-mel spectrogram that whisper hears (openai/whisper, `whisper/audio.py`, `log_mel_spectrogram`).

use realfft::RealFftPlanner;

use crate::error::LocalError;

/// Samples per second.
pub(crate) const RATE_HZ: usize = 16_000;
/// Samples between two frames: a hundred frames per second.
pub(crate) const HOP: usize = 160;
/// Samples of a frame.
const N_FFT: usize = 400;
/// Frames that are computed between two questions to `stop`.
const CHUNK: usize = 1000;

/// A log-mel spectrogram: for each frame (10 ms) the loudness of each band, about -1 to 2.
pub(crate) struct Mel {
    pub n_bands: usize,
    pub n_frames: usize,
    /// Frame after frame, `n_frames * n_bands`.
    values: Vec<f32>,
}

impl Mel {
    /// The spectrogram of samples (16 kHz), scaled by the loudest of all. Silence follows the samples, as in the reference, which
    /// pads them by a window: the last frames see it, and it is heard by the floor of the scale only.
    ///
    /// # Errors
    /// `Stopped`.
    pub(crate) fn new(
        samples: &[f32],
        n_bands: usize,
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, LocalError> {
        let filters = filters(n_bands);
        let window: Vec<f32> = (0..N_FFT)
            .map(|index| {
                let turn = std::f64::consts::TAU * index as f64 / N_FFT as f64;
                (0.5 - 0.5 * turn.cos()) as f32
            })
            .collect();
        let fft = RealFftPlanner::<f32>::new().plan_fft_forward(N_FFT);
        let (mut frame, mut spectrum) = (fft.make_input_vec(), fft.make_output_vec());
        let n_frames = samples.len() / HOP;
        let mut values = Vec::with_capacity(n_frames * n_bands);
        for index in 0..n_frames {
            if index % CHUNK == 0 && stop() {
                return Err(LocalError::stopped());
            }
            for (offset, (value, weight)) in frame.iter_mut().zip(&window).enumerate() {
                *value = weight * sample(samples, (index * HOP + offset) as isize);
            }
            fft.process(&mut frame, &mut spectrum).map_err(|error| {
                LocalError::unreadable(format!("the spectrum cannot be computed: {error}"))
            })?;
            let power: Vec<f32> = spectrum.iter().map(|bin| bin.norm_sqr()).collect();
            values.extend(filters.iter().map(|filter| {
                let loudness: f32 = filter
                    .weights
                    .iter()
                    .zip(&power[filter.first..])
                    .map(|(weight, power)| weight * power)
                    .sum();
                loudness.max(1e-10).log10()
            }));
        }
        let top = values.iter().copied().fold(-10.0, f32::max);
        for value in &mut values {
            *value = (value.max(top - 8.0) + 4.0) / 4.0;
        }
        Ok(Self {
            n_bands,
            n_frames,
            values,
        })
    }

    /// `n` frames from a frame on, band after band (`n_bands * n`); zeros where there are no more.
    pub(crate) fn window(&self, first: usize, n: usize) -> Vec<f32> {
        let mut out = vec![0.0; self.n_bands * n];
        let end = self.n_frames.min(first + n);
        for frame in first..end {
            for band in 0..self.n_bands {
                out[band * n + frame - first] = self.values[frame * self.n_bands + band];
            }
        }
        out
    }
}

/// The sample under a place of the windows, the first of which is centered on the first sample: mirrored before it, silence after the last
/// and for what is no number.
fn sample(samples: &[f32], place: isize) -> f32 {
    let index = place - (N_FFT / 2) as isize;
    let value = samples.get(index.unsigned_abs()).copied();
    value.filter(|value| value.is_finite()).unwrap_or(0.0)
}

/// One band: weights of the bins of the spectrum from `first` on.
struct Filter {
    first: usize,
    weights: Vec<f32>,
}

/// Triangles evenly spaced on Slaney's mel scale from 0 Hz to 8 kHz, each of the same area: librosa 0.10, `librosa.filters.mel` with
/// `norm="slaney"` and `htk=False`, which `whisper/assets/mel_filters.npz` was made with.
fn filters(n_bands: usize) -> Vec<Filter> {
    let top = mel_from_hz(RATE_HZ as f64 / 2.0);
    let corners: Vec<f64> = (0..n_bands + 2)
        .map(|index| hz_from_mel(top * index as f64 / (n_bands + 1) as f64))
        .collect();
    let bin_hz = RATE_HZ as f64 / N_FFT as f64;
    corners
        .windows(3)
        .map(|corner| {
            let area = 2.0 / (corner[2] - corner[0]);
            let weight = |bin: usize| {
                let hz = bin as f64 * bin_hz;
                let rise = (hz - corner[0]) / (corner[1] - corner[0]);
                let fall = (corner[2] - hz) / (corner[2] - corner[1]);
                (rise.min(fall).max(0.0) * area) as f32
            };
            let first = (corner[0] / bin_hz).floor() as usize;
            let last = ((corner[2] / bin_hz).ceil() as usize).min(N_FFT / 2);
            Filter {
                first,
                weights: (first..=last).map(weight).collect(),
            }
        })
        .collect()
}

/// Hertz to Slaney's mel: linear below 1 kHz, logarithmic above (Auditory Toolbox, 1998; librosa's `hz_to_mel`).
fn mel_from_hz(hz: f64) -> f64 {
    if hz < 1000.0 {
        hz * 3.0 / 200.0
    } else {
        15.0 + (hz / 1000.0).ln() * 27.0 / 6.4_f64.ln()
    }
}

fn hz_from_mel(mel: f64) -> f64 {
    if mel < 15.0 {
        mel * 200.0 / 3.0
    } else {
        1000.0 * ((mel - 15.0) * 6.4_f64.ln() / 27.0).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_have_the_area_of_librosa() {
        // librosa.filters.mel(sr=16000, n_fft=400, n_mels=80): row 0 begins 0, 0.02486259; row 79 peaks at 0.00180531 (bin 195).
        let filters = filters(80);
        assert_eq!(filters.len(), 80);
        assert!((filters[0].weights[1] - 0.024_862_59).abs() < 1e-7);
        assert!(
            filters
                .iter()
                .all(|filter| filter.weights.iter().any(|weight| *weight > 0.0))
        );
    }

    #[test]
    fn silence_is_flat_and_no_sound_has_no_frames() {
        let mel = Mel::new(&[0.0; 1600], 80, &|| false).unwrap();
        assert_eq!(mel.n_frames, 10);
        assert!(mel.values.iter().all(|value| *value == -1.5));
        assert_eq!(Mel::new(&[], 80, &|| false).unwrap().n_frames, 0);
        assert_eq!(mel.window(8, 4)[..4], [-1.5, -1.5, 0.0, 0.0]);
    }
}
