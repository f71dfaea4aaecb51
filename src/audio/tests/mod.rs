//! Runs the decoder on files of every format: correct samples at the correct time, and an error for broken files.

mod broken;
mod compared;
mod formats;
mod odd;

use std::io::{self, Cursor};
use std::path::PathBuf;

use super::decode::Decoder;
use crate::facts::SoundFacts;

/// A fully decoded sound.
struct Decoded {
    facts: SoundFacts,
    /// Interleaved samples of `n_channels`.
    samples: Vec<f32>,
    n_channels: usize,
}

impl Decoded {
    fn n_frames(&self) -> usize {
        self.samples.len() / self.n_channels
    }

    fn channel(&self, channel: usize) -> Vec<f32> {
        let of = self.samples.iter().skip(channel);
        of.step_by(self.n_channels).copied().collect()
    }
}

fn decode(bytes: Vec<u8>) -> io::Result<Decoded> {
    let mut decoder = Decoder::open(Box::new(Cursor::new(bytes)))?;
    let mut samples = Vec::new();
    while decoder.read(&mut samples)? {}
    Ok(Decoded {
        facts: decoder.facts(),
        samples,
        n_channels: decoder.n_out(),
    })
}

fn media(name: &str) -> Vec<u8> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    std::fs::read(root.join("tests/media").join(name)).unwrap()
}

/// Builds 0.5 s of 16-bit stereo noise and tone as WAV, as a basis for test cases.
fn wav() -> Vec<u8> {
    let samples = (0..24_000_u32).flat_map(|i| {
        let tone = (f64::from(i) * 0.05).sin() * 9_000.0;
        [tone as i16, (i.wrapping_mul(2_654_435_761) >> 20) as i16]
    });
    wav_of(2, samples)
}

/// Builds a WAV file at 48 kHz from interleaved samples.
pub(super) fn wav_of(channels: u16, samples: impl Iterator<Item = i16>) -> Vec<u8> {
    let spec = hound::WavSpec {
        channels,
        sample_rate: 48_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut file = Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut file, spec).unwrap();
    samples.for_each(|sample| writer.write_sample(sample).unwrap());
    writer.finalize().unwrap();
    file.into_inner()
}
