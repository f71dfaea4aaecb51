//! Damaged and hostile clips: cut anywhere or changed anywhere, they are refused or read, soon and within bounds.

use std::time::{Duration, Instant};

use kinora::media::MemoryAssets;
use kinora::media::clip::{ClipLimits, ClipReader};

use crate::fixtures;

/// Of every container and codec.
const SEEDS: [&str; 6] = [
    "h264-25.mp4",
    "h264-fragmented.mp4",
    "h264-matroska.mkv",
    "av1-25.mp4",
    "av1-in-webm.webm",
    "vp9-25.webm",
];

fn bytes_of(name: &str) -> Vec<u8> {
    use kinora::media::Assets;
    use std::io::Read;
    let mut bytes = Vec::new();
    fixtures()
        .open(name)
        .unwrap()
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

/// Reads all frames, up to a bound; gives how many were read.
fn read_all(bytes: Vec<u8>) -> usize {
    let mut assets = MemoryAssets::default();
    assets.insert("clip", bytes);
    let mut limits = ClipLimits::strict();
    limits.n_frames = 1000;
    let Ok(mut clip) = ClipReader::of_asset("clip", &assets, &limits) else {
        return 0;
    };
    let starts = clip.facts().starts.clone();
    let read = starts.iter().map_while(|start| clip.frame_at(*start).ok());
    read.count()
}

/// A small generator of chance (SplitMix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// Up to eight bytes set, bits turned, pieces moved or lost, half of them where headers and tables lie.
fn mutant(seed: &[u8], number: u64) -> Vec<u8> {
    let mut chance = Chance(number);
    let mut bytes = seed.to_vec();
    // Many small harms reach the decoders; many at once rarely get past the tables.
    for _ in 0..[1, 1, 2, 8][chance.below(4)] {
        let n = bytes.len();
        let near = |chance: &mut Chance| match chance.below(4) {
            0 => chance.below(n.min(1024)),
            1 => n - 1 - chance.below(n.min(4096)),
            _ => chance.below(n),
        };
        let at = near(&mut chance);
        match chance.below(10) {
            0 | 1 => bytes[at] ^= 1 << chance.below(8),
            2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][chance.below(5)],
            3..=5 => bytes[at] = chance.below(256) as u8,
            6 => {
                let end = (at + 4).min(n);
                bytes[at..end].fill([0, 0xff, 0x7f][chance.below(3)]);
            }
            7 => {
                let from = near(&mut chance);
                let length = chance.below(64).min(n - at).min(n - from);
                bytes.copy_within(from..from + length, at);
            }
            8 => {
                bytes.drain(at..(at + chance.below(16)).min(n));
            }
            _ => bytes.truncate(at.max(64)),
        }
    }
    bytes
}

/// Runs mutants of each seed; the slowest and its name.
fn run(numbers: std::ops::Range<u64>) -> (Duration, String) {
    let mut slowest = (Duration::ZERO, String::new());
    for name in SEEDS {
        let seed = bytes_of(name);
        let mut n_good = 0;
        for number in numbers.clone() {
            let bytes = mutant(&seed, number);
            if std::env::var_os("MUTANT").is_some() {
                std::fs::write("/tmp/mini/last", format!("{name} {number}")).unwrap();
            }
            let begun = Instant::now();
            n_good += usize::from(read_all(bytes) > 0);
            let took = begun.elapsed();
            if took > slowest.0 {
                slowest = (took, format!("{name} {number}"));
            }
        }
        println!(
            "{name}: {n_good} of {} show something",
            numbers.clone().count()
        );
    }
    slowest
}

#[test]
fn mutants_are_read_or_refused() {
    let (took, name) = run(0..300);
    assert!(took < Duration::from_secs(20), "{name} took {took:?}");
}

/// With `--ignored`, in release: no more than 2 s and 512 MiB.
#[test]
#[ignore = "minutes"]
fn thousands_of_mutants_are_read_or_refused() {
    println!("slowest: {:?}", run(1000..6000));
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM"));
    println!("{}", peak.unwrap_or_default());
}

#[test]
fn clips_cut_anywhere_are_read_or_refused() {
    for name in SEEDS {
        let whole = bytes_of(name);
        let n_whole = read_all(whole.clone());
        assert_eq!(n_whole, 100, "{name}");
        for n in (0..whole.len())
            .step_by(41)
            .chain(whole.len() - 16..whole.len())
        {
            assert!(read_all(whole[..n].to_vec()) <= 100, "{name} cut to {n}");
        }
    }
}

/// `av1-25.mp4` with an OBU more in its configuration record: every box around it grows.
fn with_config_obu(obu: &[u8]) -> Vec<u8> {
    let mut bytes = bytes_of("av1-25.mp4");
    assert!(
        bytes.windows(4).position(|w| w == b"mdat") < bytes.windows(4).position(|w| w == b"moov")
    );
    let around: [&[u8]; 8] = [
        b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", b"av01", b"av1C",
    ];
    let (mut at, mut end) = (0, 0);
    for kind in around {
        at += bytes[at..].windows(4).position(|w| w == kind).unwrap();
        let size = u32::from_be_bytes(bytes[at - 4..at].try_into().unwrap());
        end = at - 4 + size as usize;
        bytes[at - 4..at].copy_from_slice(&(size + obu.len() as u32).to_be_bytes());
    }
    bytes.splice(end..end, obu.iter().copied());
    bytes
}

/// The first of these ended the whole process: the decoder of that time panicked where no panic can be caught.
#[test]
fn metadata_in_the_configuration_harms_nothing() {
    for obu in [
        &[0x2a, 5, 4, 0x80, 0, 0, 0][..],
        &[0x2a, 1, 4],
        &[0x2a, 3, 1, 0, 0],
        &[0x2a, 0],
        &[0x2a, 0x7f, 4],
        &[0x7a, 4, 1, 2, 3, 4],
        &[0x42, 2, 0, 0],
        &[0x2e, 0],
    ] {
        assert_eq!(read_all(with_config_obu(obu)), 100, "{obu:02x?}");
    }
}
