//! Material for machines without photographs: 12 drawn pictures with a photograph's level of detail, a humming voice, soft music, and words.

use std::f64::consts::TAU;
use std::path::Path;
use std::{fs, io};

use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage};
use rayon::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use crate::failure::Failure;
use crate::noise::{clouds, lattice};

const WIDTH: u32 = 1620;
const HEIGHT: u32 = 2880;
const RATE_HZ: u32 = 24_000;
const WORD_SECS: f64 = 0.36;
const TEXT: &str = "Every frame of this film is drawn by the machine that you are measuring now, and the words that you read \
    are here to be set, shaped and painted as a narrator would speak them.";

/// Creates a temporary folder in the layout of `--media`.
pub(super) fn folder() -> Result<TempDir, Failure> {
    let temp = tempfile::tempdir()
        .map_err(|e| Failure::Io(format!("cannot create a temporary folder: {e}")))?;
    fill(temp.path()).map_err(|e| {
        Failure::Io(format!(
            "cannot draw the material in {}: {e}",
            temp.path().display()
        ))
    })?;
    Ok(temp)
}

fn fill(folder: &Path) -> Result<(), image::ImageError> {
    (1..=12_u32).into_par_iter().try_for_each(|n| {
        let mut bytes = Vec::new();
        picture(n).write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, 90))?;
        fs::write(folder.join(format!("{n:02}.jpg")), bytes)?;
        Ok::<(), image::ImageError>(())
    })?;
    write_wav(&folder.join("voice.wav"), 60.0, voice)?;
    write_wav(&folder.join("music.wav"), 12.0, music)?;
    let words: Vec<_> = TEXT
        .split_whitespace()
        .cycle()
        .take((60.0 / WORD_SECS) as usize)
        .enumerate()
        .map(|(i, word)| json!({ "word": word, "start": i as f64 * WORD_SECS, "end": (i + 1) as f64 * WORD_SECS }))
        .collect();
    fs::write(folder.join("words.json"), json!(words).to_string())?;
    Ok(())
}

/// Draws clouds over ridges, with grain: smooth areas, edges and texture in a photograph's proportions.
fn picture(n: u32) -> RgbImage {
    let hue = f64::from(n) * 0.61;
    let tint = |phase: f64| 0.55 + 0.45 * ((hue + phase) * TAU).cos();
    let tints = [tint(0.0), tint(0.33), tint(0.66)];
    let across = |x: u32| f64::from(x) / f64::from(WIDTH);
    let crests: Vec<[f64; 4]> = (0..WIDTH).map(|x| crests_at(across(x), n)).collect();
    RgbImage::from_fn(WIDTH, HEIGHT, |x, y| {
        let (u, v) = (across(x), across(y));
        let ridge = crests[x as usize].iter().rposition(|crest| v > *crest);
        let light = match ridge {
            Some(i) => {
                0.6 - 0.15 * i as f64 + 0.35 * (clouds([u * 24.0, v * 24.0], n + i as u32, 4) - 0.5)
            }
            None => 0.85 - 0.25 * v + 0.35 * (clouds([u * 3.0, v * 3.0], n, 5) - 0.5),
        };
        let light = light + 0.03 * (lattice(i64::from(x), i64::from(y), n) - 0.5);
        Rgb(tints.map(|tint| (255.0 * (light * (0.6 + 0.4 * tint))).clamp(0.0, 255.0) as u8))
    })
}

/// Returns the heights of four ridges, farthest first.
fn crests_at(u: f64, n: u32) -> [f64; 4] {
    [1_u32, 2, 3, 4]
        .map(|i| 0.75 + 0.2 * f64::from(i) + 0.3 * (clouds([u * 4.0, 0.5], n + 40 * i, 5) - 0.5))
}

/// Returns a sample of a hum that swells once per word.
fn voice(secs: f64) -> f64 {
    let swell = (secs / WORD_SECS * std::f64::consts::PI).sin().abs();
    let pitch = 130.0;
    (1..=12)
        .map(|k| (TAU * pitch * f64::from(k) * secs).sin() / f64::from(k))
        .sum::<f64>()
        * 0.2
        * swell
}

/// Returns a sample of three chords (A B A) of four seconds each. Every partial completes whole periods, so the loop has no seam.
fn music(secs: f64) -> f64 {
    let chords = [
        [110.0, 165.0, 220.0, 277.0],
        [98.0, 147.0, 196.0, 247.0],
        [110.0, 165.0, 220.0, 277.0],
    ];
    let swell = (secs / 4.0 * std::f64::consts::PI).sin().abs();
    let chord = chords[(secs / 4.0) as usize % 3];
    chord.iter().map(|hz| (TAU * hz * secs).sin()).sum::<f64>() * 0.1 * swell
}

/// Writes mono 16-bit PCM as a WAV file.
fn write_wav(path: &Path, secs: f64, sound: fn(f64) -> f64) -> io::Result<()> {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: RATE_HZ,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut file = hound::WavWriter::create(path, spec).map_err(io::Error::other)?;
    for i in 0..(secs * f64::from(RATE_HZ)) as u32 {
        let value = sound(f64::from(i) / f64::from(RATE_HZ)).clamp(-1.0, 1.0);
        file.write_sample((value * 32767.0) as i16)
            .map_err(io::Error::other)?;
    }
    file.finalize().map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sounds_are_heard_and_never_clip() {
        for sound in [voice as fn(f64) -> f64, music] {
            let peak = (0..48_000)
                .map(|i| sound(f64::from(i) / 24_000.0).abs())
                .fold(0.0, f64::max);
            assert!((0.05..1.0).contains(&peak), "{peak}");
        }
    }
}
