//! Truncated, modified and malicious files: each gives sound or an error, quickly and in little memory.

use std::time::{Duration, Instant};

use super::{decode, media, wav};

/// Returns one file of every format.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let mut files: Vec<_> = [
        "tone.flac",
        "tone.mp3",
        "tone.ogg",
        "tone.m4a",
        "sounds/celt.opus",
        "sounds/silk.opus",
        "sounds/six.opus",
        "sounds/six.ogg",
        "sounds/opus.webm",
        "sounds/opus.mp4",
        "sounds/aac.mka",
        "sounds/video.webm",
        "sounds/six.m4a",
        "sounds/fragments.mp4",
        "sounds/alac.caf",
        "sounds/he1.aac",
        "sounds/he2.m4a",
    ]
    .map(|name| (name, media(name)))
    .into();
    files.push(("wav", wav()));
    files.push(("aiff", aiff()));
    files
}

/// Builds a short AIFF of 16-bit mono.
fn aiff() -> Vec<u8> {
    let mut bytes = b"FORM\0\0\x13\xb6AIFFCOMM\0\0\0\x12\0\x01\0\0\x09\xc4\0\x10\x40\x0e\xbb\x80\0\0\0\0\0\0SSND\0\0\x13\x90\0\0\0\0\0\0\0\0".to_vec();
    bytes.extend((0..2_500_i32).flat_map(|i| ((i * 37 % 2_000) as i16).to_be_bytes()));
    bytes
}

/// Pseudorandom numbers (xorshift64*).
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }
}

/// Changes a few bytes, bits, words or pieces of a file, mostly near its start, where the headers are.
fn mutant(whole: &[u8], seed: u64) -> Vec<u8> {
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut bytes = whole.to_vec();
    for _ in 0..=chance.below(6) {
        let room = match chance.below(3) {
            0 => bytes.len(),
            _ => bytes.len().min(600),
        };
        let at = chance.below(room);
        match chance.below(6) {
            0 => bytes[at] ^= 1 << chance.below(8),
            1 => bytes[at] = chance.below(256) as u8,
            2 => {
                let extreme = [0_u32, u32::MAX, 0x7fff_ffff, 0x8000_0000, 1][chance.below(5)];
                let end = (at + 4).min(bytes.len());
                bytes[at..end].copy_from_slice(&extreme.to_be_bytes()[..end - at]);
            }
            3 => {
                let end = (at + 1 + chance.below(40)).min(bytes.len());
                let from = chance.below(bytes.len() - (end - at) + 1);
                bytes.copy_within(from..from + (end - at), at);
            }
            4 if bytes.len() > 100 => drop(bytes.drain(at..(at + chance.below(30)).min(room))),
            _ => bytes.insert(at, chance.below(256) as u8),
        }
    }
    bytes
}

/// Decodes many mutants of every file; returns the longest time for one.
fn run(n_mutants: u64) -> (Duration, String) {
    let mut worst = (Duration::ZERO, String::new());
    for (name, whole) in files() {
        let (mut n_sounds, start) = (0, Instant::now());
        for seed in 0..n_mutants {
            let bytes = mutant(&whole, seed);
            let n_bytes = bytes.len();
            let began = Instant::now();
            if let Ok(decoded) = decode(bytes) {
                n_sounds += 1;
                assert!(
                    decoded.samples.iter().all(|s| s.is_finite()),
                    "{name} {seed}"
                );
                // Guards against endless files: no format has more frames than this per byte.
                assert!(
                    decoded.n_frames() < 1_000_000 + n_bytes * 70_000,
                    "{name} {seed}"
                );
            }
            if began.elapsed() > worst.0 {
                worst = (began.elapsed(), format!("{name} {seed}"));
            }
        }
        println!(
            "{name}: {n_sounds} of {n_mutants} are sounds, {:?}",
            start.elapsed()
        );
    }
    worst
}

#[test]
fn mutants_end_in_sound_or_an_error() {
    let (took, which) = run(60);
    println!("longest {took:?}: {which}");
}

/// Run by `cargo test --release --lib broken:: -- --ignored --nocapture`; on an idle core no mutant should take 2 s.
#[test]
#[ignore = "minutes; run when a decoder or its version changes"]
fn five_thousand_mutants_of_each_format() {
    let (took, which) = run(5_000);
    println!("longest {took:?}: {which}");
}

#[test]
fn files_cut_anywhere_end_in_sound_or_an_error() {
    for (name, whole) in files() {
        let step = (whole.len() / 60).max(1);
        let cuts = (0..whole.len().min(64)).chain((64..whole.len()).step_by(step));
        let mut n_sounds = 0;
        for n in cuts {
            match decode(whole[..n].to_vec()) {
                Ok(_) => n_sounds += 1,
                Err(e) => assert!(!e.to_string().is_empty(), "{name} cut at {n}"),
            }
        }
        println!("{name}: {n_sounds} cuts are sounds");
    }
}
