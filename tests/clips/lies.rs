//! Files that lie: each is refused for what is wrong with it, before anything of the size that it claims is made.

use std::io::Read;
use std::time::{Duration, Instant};

use kinora::media::clip::{ClipLimits, ClipReader};
use kinora::media::{Assets, MemoryAssets};

use crate::fixtures;

fn bytes_of(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut stream = fixtures().open(name).unwrap();
    stream.read_to_end(&mut bytes).unwrap();
    bytes
}

/// Sets bytes at `offset` from the body of the first box (or other mark) `kind`.
fn with(name: &str, kind: &[u8], offset: usize, change: &[u8]) -> Vec<u8> {
    let mut bytes = bytes_of(name);
    let at = bytes.windows(kind.len()).position(|w| w == kind).unwrap() + kind.len() + offset;
    bytes[at..at + change.len()].copy_from_slice(change);
    bytes
}

/// What is said of a clip that cannot be read to its end.
fn refusal(bytes: Vec<u8>) -> String {
    let mut assets = MemoryAssets::default();
    assets.insert("clip", bytes);
    let begun = Instant::now();
    let read =
        ClipReader::of_asset("clip", &assets, &ClipLimits::default()).and_then(|mut clip| {
            let starts = clip.facts().starts.clone();
            starts
                .iter()
                .try_for_each(|start| clip.frame_at(*start).map(|_| ()))
        });
    assert!(begun.elapsed() < Duration::from_secs(10));
    let message = read.map_err(|e| e.to_string()).expect_err("a lie");
    assert!(message.starts_with("`clip` "), "{message}");
    message
}

#[test]
fn lies_of_mp4_are_found() {
    let h264 = "h264-25.mp4";
    let fragmented = "h264-fragmented.mp4";
    for (bytes, words) in [
        (with(h264, b"mdhd", 12, &[0; 4]), "0 units per second"),
        (
            with(h264, b"stsz", 8, &[0xff; 4]),
            "4294967295 frames; at most 1000000",
        ),
        (with(h264, b"stsz", 8, &[0, 0, 0x40, 0]), "table ends early"),
        (with(h264, b"stsz", 4, &[0, 1, 0, 0]), "do not fit into it"),
        (with(h264, b"stsz", 12, &[0x7f; 4]), "lie beyond its end"),
        (with(h264, b"stco", 8, &[0x7f; 4]), "lie beyond its end"),
        (with(h264, b"stco", 4, &[0xff; 4]), "ends early"),
        (with(h264, b"stsc", 8, &[0; 4]), "numbered from 0"),
        (with(h264, b"stsc", 12, &[0; 4]), "do not say where"),
        (
            with(h264, b"stsc", 16, &[0, 0, 0, 2]),
            "changes its codec settings",
        ),
        (with(h264, b"stts", 8, &[0, 0, 0, 1]), "do not say when"),
        (with(h264, b"stts", 12, &[0x7f; 4]), "at most 14400.000 s"),
        (with(h264, b"ctts", 12, &[0x7f; 4]), "at most 14400.000 s"),
        (
            with(h264, b"elst", 4, &[0, 0, 0xff, 0xff]),
            "too many entries (65535)",
        ),
        (with(h264, b"elst", 12, &[0x7f; 4]), "shows no frame"),
        (with(h264, b"elst", 16, &[0, 2, 0, 0]), "changes its speed"),
        (with(h264, b"avcC", 5, &[0xe0]), "no H.264 parameter set"),
        (with(h264, b"avcC", 4, &[0xfe]), "key frame"),
        (with(h264, b"stsd", 94, &[0x7f; 4]), "avcC box is larger"),
        (with(h264, b"hdlr", 8, b"data"), "has no video track"),
        (with(h264, b"moov", 0, &[0x7f; 4]), "box is larger"),
        (with(h264, b"stbl", 4, b"none"), "has no stsd box"),
        (with(h264, b"ftyp", 0, b"heic"), "HEIC picture"),
        (with(fragmented, b"trun", 4, &[0x7f; 4]), "at most 1000000"),
        (
            with(fragmented, b"tfdt", 0, &[1, 0, 0, 0, 0x7f]),
            "at an impossible time",
        ),
        (
            with(fragmented, b"trun", 8, &[0xff, 0, 0, 0]),
            "before the file",
        ),
    ] {
        let message = refusal(bytes);
        assert!(message.contains(words), "{words}: {message}");
    }
}

#[test]
fn lies_of_matroska_are_found() {
    let vp9 = "vp9-25.webm";
    let avc = "h264-matroska.mkv";
    for (bytes, words) in [
        // Numbers of RFC 9559: TimestampScale, Cluster, Tracks; then VP9's sync code.
        (
            with(vp9, &[0x2a, 0xd7, 0xb1], 1, &[0, 0, 0]),
            "time unit is 0 ns",
        ),
        (with(vp9, b"V_VP", 0, b"8"), "contains VP8"),
        (with(vp9, b"V_VP", 0, b"7"), "V_VP7"),
        (
            with(
                vp9,
                &[0x1f, 0x43, 0xb6, 0x75],
                0,
                &[0x08, 0xff, 0xff, 0xff, 0xff],
            ),
            "missing at its end",
        ),
        (
            with(
                vp9,
                &[0, 0x16, 0x54, 0xae, 0x6b],
                0,
                &[0x08, 0xff, 0xff, 0xff, 0xff],
            ),
            "impossibly long",
        ),
        (
            with(vp9, &[0x49, 0x83, 0x42], 1, &[0xff; 4]),
            "px; at most 4096 px per side",
        ),
        (with(avc, b"V_MPEG4/ISO/A", 0, b"S"), "MPEG-4 Part 2"),
    ] {
        let message = refusal(bytes);
        assert!(message.contains(words), "{words}: {message}");
    }
}

#[test]
fn a_clip_that_ends_early_says_so() {
    for name in [
        "h264-25.mp4",
        "h264-fast-start.mp4",
        "h264-matroska.mkv",
        "vp9-25.webm",
        "av1-25.mp4",
    ] {
        let whole = bytes_of(name);
        let message = refusal(whole[..whole.len() - 700].to_vec());
        assert!(
            message.contains("damaged or cut short"),
            "{name}: {message}"
        );
        let message = refusal(whole[..whole.len() / 2].to_vec());
        assert!(
            message.contains("damaged or cut short"),
            "{name}: {message}"
        );
    }
}
