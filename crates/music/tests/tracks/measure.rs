//! What can be said of a sound without ears: loudness, gaps, balance of the spectrum, tempo, likeness to another.

use ebur128::{EbuR128, Mode};
use fundsp::fft::real_fft;

/// Samples per second.
pub const RATE: f64 = 48_000.0;

/// Samples between two looks at the spectrum: 10 ms.
const HOP: usize = 480;

/// Samples of a look: 43 ms.
const WINDOW: usize = 2048;

/// Borders of the bands in Hz.
pub const BANDS: [f64; 8] = [30.0, 120.0, 300.0, 700.0, 1500.0, 3500.0, 8000.0, 20_000.0];

/// Borders of the octaves from 88 Hz to 5.7 kHz, over which the slope is told.
const OCTAVES: [f64; 7] = [88.4, 176.8, 353.6, 707.1, 1414.2, 2828.4, 5656.9];

/// A rendered track.
pub struct Sound {
    pub samples: Vec<[f32; 2]>,
}

/// All that is measured.
pub struct Report {
    pub secs: f64,
    pub lufs: f64,
    pub peak_dbtp: f64,
    /// Longest time below -60 dBFS.
    pub gap_secs: f64,
    pub dc: f64,
    /// The step from the end to the start, against the largest step nearby.
    pub seam: f64,
    /// Share of the energy in each band.
    pub bands: [f64; 7],
    /// Share of the energy below 100 Hz.
    pub lows: f64,
    /// How the spectral density falls from 88 Hz to 5.7 kHz, in dB an octave.
    pub slope: f64,
    /// Beats per minute that explain most onsets.
    pub tempo: f64,
    /// Onsets per second.
    pub onset_rate: f64,
    /// What another track is compared by.
    pub features: Vec<f64>,
}

impl Sound {
    /// Samples of a 16-bit stereo WAV.
    pub fn from_wav(bytes: &[u8]) -> Sound {
        let data = bytes.windows(4).position(|name| name == b"data").unwrap() + 8;
        let side = |pair: &[u8]| f32::from(i16::from_le_bytes([pair[0], pair[1]])) / 32_768.0;
        let samples = bytes[data..]
            .chunks_exact(4)
            .map(|frame| [side(&frame[..2]), side(&frame[2..])])
            .collect();
        Sound { samples }
    }

    /// Measures everything.
    pub fn report(&self) -> Report {
        let (lufs, peak_dbtp) = self.loudness();
        let spectra = self.spectra();
        let flux = flux(&spectra);
        let (tempo, onset_rate) = (tempo(&flux), onset_rate(&flux));
        let power = mean_power(&spectra);
        let bands = shares(&power);
        Report {
            secs: self.samples.len() as f64 / RATE,
            lufs,
            peak_dbtp,
            gap_secs: self.gap_secs(),
            dc: self.dc(),
            seam: self.seam(),
            bands,
            lows: energy(&power, 0.0, 100.0) / energy(&power, 0.0, RATE),
            slope: slope(&power),
            tempo,
            onset_rate,
            features: features(&spectra, &bands, onset_rate, tempo),
        }
    }

    fn loudness(&self) -> (f64, f64) {
        let mut meter = EbuR128::new(2, RATE as u32, Mode::I | Mode::TRUE_PEAK).unwrap();
        // Once more from the start, as a player that loops would.
        let again = self.samples.len().min(48_000);
        meter.add_frames_f32(self.samples.as_flattened()).unwrap();
        let lufs = meter.loudness_global().unwrap();
        meter
            .add_frames_f32(self.samples[..again].as_flattened())
            .unwrap();
        let peak = meter.true_peak(0).unwrap().max(meter.true_peak(1).unwrap());
        (lufs, 20.0 * peak.log10())
    }

    fn gap_secs(&self) -> f64 {
        let (mut longest, mut run) = (0_usize, 0);
        // Twice round: a gap may lie over the seam.
        for chunk in self.samples.chunks(HOP).chain(self.samples.chunks(HOP)) {
            let power = chunk
                .iter()
                .flatten()
                .map(|v| f64::from(v * v))
                .sum::<f64>()
                / (2 * chunk.len()) as f64;
            run = if power < 1e-6 { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        longest as f64 * HOP as f64 / RATE
    }

    fn dc(&self) -> f64 {
        let mean = |side: usize| {
            self.samples.iter().map(|s| f64::from(s[side])).sum::<f64>() / self.samples.len() as f64
        };
        mean(0).abs().max(mean(1).abs())
    }

    fn seam(&self) -> f64 {
        let n = self.samples.len();
        let step = |i: usize| {
            let (a, b) = (self.samples[(i + n - 1) % n], self.samples[i % n]);
            f64::from((a[0] - b[0]).abs().max((a[1] - b[1]).abs()))
        };
        let nearby = (n - 2_000..n)
            .chain(1..2_000)
            .map(step)
            .fold(1e-4, f64::max);
        step(n) / nearby
    }

    /// Power spectra of the middle signal, every [`HOP`], around the circle.
    fn spectra(&self) -> Vec<Vec<f32>> {
        let n = self.samples.len();
        let window: Vec<f32> = (0..WINDOW)
            .map(|i| 0.5 - 0.5 * (std::f32::consts::TAU * i as f32 / WINDOW as f32).cos())
            .collect();
        (0..n)
            .step_by(HOP)
            .map(|start| {
                let mut data: Vec<f32> = (0..WINDOW)
                    .map(|i| {
                        let sample = self.samples[(start + i) % n];
                        window[i] * 0.5 * (sample[0] + sample[1])
                    })
                    .collect();
                let spectrum = real_fft(&mut data);
                spectrum[1..WINDOW / 2]
                    .iter()
                    .map(|bin| bin.norm_sqr())
                    .collect()
            })
            .collect()
    }
}

fn hz_of(bin: usize) -> f64 {
    (bin + 1) as f64 * RATE / WINDOW as f64
}

fn band_of(hz: f64) -> Option<usize> {
    BANDS
        .windows(2)
        .position(|edges| (edges[0]..edges[1]).contains(&hz))
}

/// The mean of spectra.
fn mean_power(spectra: &[Vec<f32>]) -> Vec<f64> {
    let mut sums = vec![0.0; WINDOW / 2 - 1];
    for spectrum in spectra {
        for (sum, power) in sums.iter_mut().zip(spectrum) {
            *sum += f64::from(*power);
        }
    }
    sums.iter().map(|sum| sum / spectra.len() as f64).collect()
}

/// Share of the energy in each band.
fn shares(power: &[f64]) -> [f64; 7] {
    let mut sums = [0.0; 7];
    for (bin, power) in power.iter().enumerate() {
        if let Some(band) = band_of(hz_of(bin)) {
            sums[band] += power;
        }
    }
    let total: f64 = sums.iter().sum();
    sums.map(|sum| sum / total)
}

/// The energy between two frequencies.
fn energy(power: &[f64], from_hz: f64, to_hz: f64) -> f64 {
    let bins = power.iter().enumerate();
    let within = bins.filter(|(bin, _)| (from_hz..to_hz).contains(&hz_of(*bin)));
    within.map(|(_, power)| power).sum()
}

/// The line through the levels of the octaves, less the 3 dB by which each is wider than the one before.
fn slope(power: &[f64]) -> f64 {
    let (mut products, mut squares) = (0.0, 0.0);
    for (i, edges) in OCTAVES.windows(2).enumerate() {
        let away = i as f64 - (OCTAVES.len() - 2) as f64 / 2.0;
        products += away * 10.0 * energy(power, edges[0], edges[1]).log10();
        squares += away * away;
    }
    products / squares - 3.01
}

/// Growth of the spectrum in decibels from look to look, summed over third-octave-like bands: high at onsets.
fn flux(spectra: &[Vec<f32>]) -> Vec<f64> {
    let band = |hz: f64| (4.0 * (hz / 40.0).log2()).floor();
    let n_bands = band(12_000.0) as usize;
    let bands: Vec<Option<usize>> = (0..WINDOW / 2 - 1)
        .map(|bin| band(hz_of(bin)))
        .map(|at| (at >= 0.0 && at as usize <= n_bands).then_some(at as usize))
        .collect();
    let levels: Vec<Vec<f64>> = spectra
        .iter()
        .map(|spectrum| {
            let mut sums = vec![0.0_f32; n_bands + 1];
            for (band, power) in bands.iter().zip(spectrum) {
                if let Some(band) = band {
                    sums[*band] += power;
                }
            }
            sums.iter()
                .map(|sum| f64::from(30.0 * sum).ln_1p())
                .collect()
        })
        .collect();
    let n = levels.len();
    let raw: Vec<f64> = (0..n)
        .map(|i| {
            levels[i]
                .iter()
                .zip(&levels[(i + n - 2) % n])
                .map(|(now, before)| (now - before).max(0.0))
                .sum()
        })
        .collect();
    let mean = raw.iter().sum::<f64>() / n as f64;
    raw.iter().map(|value| (value - mean).max(0.0)).collect()
}

/// Likeness of the onsets to themselves, so many looks later.
fn likeness(flux: &[f64], lag: f64) -> f64 {
    let n = flux.len();
    let (whole, part) = (lag.floor() as usize, lag.fract());
    (0..n)
        .map(|i| {
            flux[i] * ((1.0 - part) * flux[(i + whole) % n] + part * flux[(i + whole + 1) % n])
        })
        .sum()
}

/// The tempo from 40 to 240 whose beat and its multiples explain the onsets best; slow ones must earn their place.
fn tempo(flux: &[f64]) -> f64 {
    let whole = likeness(flux, 0.0);
    let score = |bpm: f64| {
        let beat = 60.0 / bpm * RATE / HOP as f64;
        let repeats: f64 = [1.0, 2.0, 3.0, 4.0]
            .iter()
            .map(|times| likeness(flux, beat * times))
            .sum();
        let usual = (-0.5 * ((bpm / 110.0).log2() / 1.1).powi(2)).exp();
        repeats / whole * usual
    };
    let candidates = (0..=650).map(|i| 40.0 * (f64::from(i) * 0.004).exp2());
    let scored = candidates.map(|bpm| (score(bpm), bpm));
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap().1
}

fn onset_rate(flux: &[f64]) -> f64 {
    let n = flux.len();
    let limit = 1.5 * flux.iter().sum::<f64>() / n as f64;
    let is_onset = |i: usize| {
        let near = (0..7)
            .map(|away| flux[(i + n + away - 3) % n])
            .fold(0.0, f64::max);
        flux[i] > limit && flux[i] >= near
    };
    (0..n).filter(|i| is_onset(*i)).count() as f64 / (n as f64 * HOP as f64 / RATE)
}

/// Balance over time, harmony, motion: each scaled so that a clear difference is about 1.
fn features(spectra: &[Vec<f32>], bands: &[f64; 7], onset_rate: f64, tempo: f64) -> Vec<f64> {
    const PARTS: usize = 6;
    let db = |share: f64| 10.0 * (share + 1e-5).log10();
    let mut features: Vec<f64> = bands.iter().map(|share| db(*share) / 8.0).collect();
    let whole = mean_power(spectra);
    for part in spectra.chunks(spectra.len().div_ceil(PARTS)) {
        let power = mean_power(part);
        features.push((level(&power) - level(&whole)) / 6.0);
        features.extend(
            shares(&power)
                .iter()
                .zip(bands)
                .map(|(now, mean)| (db(*now) - db(*mean)) / 16.0),
        );
    }
    features.extend(chroma(&whole).iter().map(|share| share * 5.0));
    features.push(onset_rate.ln_1p() * 1.2);
    features.push((tempo / 60.0).log2());
    features
}

fn level(power: &[f64]) -> f64 {
    10.0 * (power.iter().sum::<f64>() + 1e-9).log10()
}

/// Share of each pitch class.
fn chroma(power: &[f64]) -> [f64; 12] {
    let mut sums = [0.0; 12];
    for (bin, power) in power.iter().enumerate() {
        let hz = hz_of(bin);
        if (180.0..2_500.0).contains(&hz) {
            let pitch = 69.0 + 12.0 * (hz / 440.0).log2();
            sums[pitch.round().rem_euclid(12.0) as usize] += power;
        }
    }
    let total: f64 = sums.iter().sum();
    sums.map(|sum| sum / total)
}

/// How unlike two tracks are.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b) * (a - b))
        .sum::<f64>()
        .sqrt()
}
