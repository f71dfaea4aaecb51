//! Damaged and hostile files: refused with an error, never with a panic, a hang or memory without bound.

use std::io::Cursor;
use std::path::Path;

use kinora::error::ErrorKind;
use kinora::mux::{check, probe};

use super::streams::{aac, av1, opus, reordered, write};

/// (offset, size, kind) of every box that holds others or tables, found by the test's own walk.
fn boxes(file: &[u8], from: usize, to: usize, found: &mut Vec<(usize, usize, [u8; 4])>) {
    let mut at = from;
    while at + 8 <= to {
        let size = u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        let kind: [u8; 4] = file[at + 4..at + 8].try_into().unwrap();
        found.push((at, size, kind));
        let header = match &kind {
            b"moov" | b"trak" | b"mdia" | b"minf" | b"stbl" | b"dinf" | b"edts" => Some(8),
            b"stsd" | b"dref" => Some(16),
            b"av01" | b"avc1" => Some(86),
            b"Opus" | b"mp4a" => Some(36),
            _ => None,
        };
        if let Some(header) = header {
            boxes(file, at + header, at + size, found);
        }
        at += size;
    }
    assert_eq!(at, to);
}

fn files() -> Vec<Vec<u8>> {
    vec![
        write(&av1(), Some(&opus(38_400))),
        write(&reordered(), Some(&aac(23_040))),
    ]
}

fn is_good(file: &[u8]) -> bool {
    check(Cursor::new(file)).is_ok()
}

#[test]
fn a_file_cut_at_any_box_is_refused() {
    for file in files() {
        assert!(is_good(&file));
        let mut found = Vec::new();
        boxes(&file, 0, file.len(), &mut found);
        assert!(found.len() > 40, "{}", found.len());
        for (at, size, kind) in found {
            for n in [at, at + 4, at + 8, at + size - 1] {
                let cut = &file[..n];
                let name = kind.escape_ascii();
                assert!(!is_good(cut), "cut at {n} in {name}");
            }
        }
    }
}

#[test]
fn every_wrong_size_is_refused() {
    for file in files() {
        let mut found = Vec::new();
        boxes(&file, 0, file.len(), &mut found);
        for (at, size, kind) in found {
            let is_last = at + size == file.len();
            for wrong in [
                0,
                1,
                7,
                8,
                size - 1,
                size + 1,
                size - 8,
                size + 8,
                2 * size,
                0xffff_ffff,
            ] {
                // Size 0 of the last box means "to the end", which is where it ends.
                if wrong == size || (wrong == 0 && is_last) {
                    continue;
                }
                let mut file = file.clone();
                file[at..at + 4].copy_from_slice(&(wrong as u32).to_be_bytes());
                assert!(
                    !is_good(&file),
                    "{} of {size} as {wrong}",
                    kind.escape_ascii()
                );
            }
        }
    }
}

#[test]
fn every_wrong_byte_of_a_table_is_refused() {
    let tables = [
        *b"stts", *b"ctts", *b"stsz", *b"stsc", *b"stco", *b"stss", *b"elst",
    ];
    for file in files() {
        let mut found = Vec::new();
        boxes(&file, 0, file.len(), &mut found);
        for (at, size, kind) in found.into_iter().filter(|found| tables.contains(&found.2)) {
            // After the header, version and flags.
            for i in at + 12..at + size {
                for flip in [0x01, 0x80] {
                    let mut file = file.clone();
                    file[i] ^= flip;
                    assert!(
                        !is_good(&file),
                        "{} byte {} ^ {flip}",
                        kind.escape_ascii(),
                        i - at
                    );
                }
            }
        }
    }
}

#[test]
fn missing_and_doubled_boxes_are_refused() {
    for file in files() {
        let mut found = Vec::new();
        boxes(&file, 0, file.len(), &mut found);
        for (at, _, kind) in found {
            // btrt, colr, pasp and roll groups are optional by the standard.
            let optional = [*b"free", *b"btrt", *b"colr", *b"pasp"];
            let mut file = file.clone();
            file[at + 4..at + 8].copy_from_slice(b"zzzz");
            assert!(!is_good(&file), "{} renamed", kind.escape_ascii());
            file[at + 4..at + 8].copy_from_slice(b"skip");
            if !optional.contains(&kind) && !matches!(&kind, b"sbgp" | b"sgpd") {
                assert!(!is_good(&file), "{} as skip", kind.escape_ascii());
            }
        }
    }
}

#[test]
fn no_flipped_byte_panics() {
    for file in files() {
        let data = file.windows(4).position(|bytes| bytes == b"mdat").unwrap();
        let index_end = file.windows(4).position(|bytes| bytes == b"free").unwrap();
        let samples = (data..file.len()).step_by(11);
        for i in (0..index_end).chain(samples) {
            for flip in [0x01, 0x80, 0xff] {
                let mut file = file.clone();
                file[i] ^= flip;
                replay(&file);
            }
        }
    }
}

/// The fuzz body: whatever the bytes, both ways to read give facts or an error of a kind that fits.
fn replay(file: &[u8]) {
    match probe(Cursor::new(file)) {
        Ok(facts) => {
            assert!(!facts.to_string().is_empty());
            assert!(serde_json::to_string(&facts).is_ok());
        }
        Err(error) => assert_eq!(error.kind(), ErrorKind::Media, "{error}"),
    }
    if let Err(error) = check(Cursor::new(file)) {
        assert_eq!(error.kind(), ErrorKind::Internal, "{error}");
    }
}

#[test]
fn the_corpus_is_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/mp4");
    let mut n = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = std::fs::read(&path).unwrap();
        replay(&file);
        assert!(!is_good(&file), "{}", path.display());
        n += 1;
    }
    assert!(n >= 10, "{n} files");
}

#[test]
fn what_is_no_mp4_says_so() {
    for file in [
        &b""[..],
        b"short",
        b"\x89PNG\r\n\x1a\n and more",
        b"{\"version\": 1, \"shots\": []}",
        &[0; 4096],
    ] {
        let error = probe(Cursor::new(file)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Media);
        let message = error.to_string();
        assert!(
            message.contains("not an MP4") || message.contains("no moov"),
            "{message}"
        );
    }
}
