//! Signals, WAV files and meters for these tests.

use std::f64::consts::TAU;
use std::io::Cursor;

use ebur128::{EbuR128, Mode};
use kinora::audio::Mixer;
use kinora::error::Result;
use kinora::media::{Assets, MemoryAssets};
use kinora::scene::mix::{MixPlan, Role, Track};

pub const RATE: u32 = 48_000;

/// `n` mono samples of a sine, beginning at phase 0.
pub fn sine(rate: u32, hz: f64, amplitude: f64, n: usize) -> Vec<f32> {
    (0..n)
        .map(|i| (amplitude * (TAU * hz * i as f64 / f64::from(rate)).sin()) as f32)
        .collect()
}

/// White noise from a fixed seed.
pub fn noise(seed: u64, amplitude: f32, n: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..n)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            amplitude * ((state >> 40) as f32 / (1u32 << 23) as f32 - 1.0)
        })
        .collect()
}

/// Something like a voice over drums: bursts of harmonics with gaps, noise hits, hot enough to need limiting.
pub fn busy(seed: u64, gain: f32, n: usize) -> Vec<f32> {
    let mut dark = 0.0;
    let hits: Vec<f32> = noise(seed, 3.0, n)
        .into_iter()
        .map(|s| {
            dark += 0.15 * (s - dark);
            dark
        })
        .collect();
    (0..n)
        .map(|i| {
            let t = i as f64 / f64::from(RATE);
            let syllable = (TAU * 3.1 * t).sin().max(0.0).powi(2);
            let pitch = 120.0 + 30.0 * (TAU * 0.7 * t).sin();
            let voice: f64 = (1..12)
                .map(|k| (TAU * pitch * f64::from(k) * t).sin() / f64::from(k))
                .sum();
            let since = (t * 2.0).fract() / 2.0;
            let hit = (-80.0 * since).exp() * (1.0 - (-since / 0.003).exp());
            gain * (0.25 * syllable * voice + 0.5 * hit * f64::from(hits[i])) as f32
        })
        .collect()
}

/// A WAV file of 32-bit floats, interleaved.
pub fn wav(rate: u32, channels: u16, samples: &[f32]) -> Vec<u8> {
    let spec = hound::WavSpec {
        channels,
        sample_rate: rate,
        bits_per_sample: 32,
        sample_format: hound::SampleFormat::Float,
    };
    let mut file = Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut file, spec).unwrap();
    samples
        .iter()
        .for_each(|&s| writer.write_sample(s).unwrap());
    writer.finalize().unwrap();
    file.into_inner()
}

/// A WAV file whose header says whatever is wanted of channels and bytes per frame (32 bits a sample).
pub fn wav_with(
    format: u16,
    rate: u32,
    (channels, align): (u16, u16),
    n_bytes: u32,
    data: &[u8],
) -> Vec<u8> {
    let mut file = b"RIFF".to_vec();
    file.extend(n_bytes.saturating_add(36).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0");
    file.extend(format.to_le_bytes());
    file.extend(channels.to_le_bytes());
    file.extend(rate.to_le_bytes());
    file.extend(rate.wrapping_mul(u32::from(align)).to_le_bytes());
    file.extend(align.to_le_bytes());
    file.extend(32u16.to_le_bytes());
    file.extend(b"data");
    file.extend(n_bytes.to_le_bytes());
    file.extend(data);
    file
}

/// Assets of the given names and bytes.
pub fn assets<const N: usize>(files: [(&str, Vec<u8>); N]) -> MemoryAssets {
    let mut assets = MemoryAssets::default();
    for (name, bytes) in files {
        assets.insert(name, bytes);
    }
    assets
}

/// A track as it is, from the start.
pub fn track(asset: &str) -> Track {
    Track::new(asset, format!("audio.{asset}.file"))
}

/// A track of the voice, as it is.
pub fn voice(asset: &str) -> Track {
    Track {
        role: Role::Voice,
        ..track(asset)
    }
}

/// A plan without a fade-out that leaves levels as they are.
pub fn plan<const N: usize>(n_samples: u64, tracks: [Track; N]) -> MixPlan {
    MixPlan {
        tracks: tracks.into(),
        ..MixPlan::silent(n_samples)
    }
}

/// The whole mix, its blocks checked for their places and sizes.
pub fn mixed(plan: &MixPlan, assets: &dyn Assets) -> Result<Vec<f32>> {
    let mut mixer = Mixer::new(plan, assets)?;
    let mut all = Vec::new();
    while let Some(block) = mixer.next_block()? {
        let left = plan.n_samples - block.start;
        assert_eq!(block.start, all.len() as u64 / 2);
        assert_eq!(block.samples.len() as u64, 2 * left.min(960));
        all.extend(block.samples);
    }
    assert_eq!(all.len() as u64, 2 * plan.n_samples);
    Ok(all)
}

/// Left samples of an interleaved mix.
pub fn left(mix: &[f32]) -> Vec<f32> {
    mix.iter().step_by(2).copied().collect()
}

/// Integrated loudness in LUFS.
pub fn lufs(mix: &[f32]) -> f64 {
    let mut meter = EbuR128::new(2, RATE, Mode::I).unwrap();
    meter.add_frames_f32(mix).unwrap();
    meter.loudness_global().unwrap()
}

/// Greatest true peak of both channels in dBTP.
pub fn true_peak_db(mix: &[f32]) -> f64 {
    let mut meter = EbuR128::new(2, RATE, Mode::TRUE_PEAK).unwrap();
    meter.add_frames_f32(mix).unwrap();
    let peak = meter.true_peak(0).unwrap().max(meter.true_peak(1).unwrap());
    20.0 * peak.log10()
}

/// Greatest step between neighboring samples.
pub fn greatest_step(samples: &[f32]) -> f32 {
    samples
        .windows(2)
        .map(|w| (w[1] - w[0]).abs())
        .fold(0.0, f32::max)
}

/// Root of the mean square.
pub fn rms(samples: &[f32]) -> f64 {
    let sum: f64 = samples.iter().map(|s| f64::from(*s).powi(2)).sum();
    (sum / samples.len().max(1) as f64).sqrt()
}
