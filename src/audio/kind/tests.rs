//! No file of another kind, and no random data, is taken for a sound.

use std::io::{Cursor, ErrorKind};

use super::*;

fn kind(bytes: &[u8]) -> io::Result<Kind> {
    kind_of(&mut Cursor::new(bytes))
}

/// Generates pseudorandom bytes (xorshift64*).
fn random(seed: u64, n: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(n + 8);
    while bytes.len() < n {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        bytes.extend(state.wrapping_mul(0x2545_f491_4f6c_dd1d).to_le_bytes());
    }
    bytes.truncate(n);
    bytes
}

#[test]
fn random_bytes_are_never_a_sound() {
    for seed in 0..200 {
        let n = [0, 1, 3, 10, 417, 4_000, 40_000, 300_000][seed as usize % 8] + seed as usize;
        assert!(kind(&random(seed, n)).is_err(), "{n} bytes of seed {seed}");
    }
    // The bits that begin a frame occur a hundred times as often.
    for seed in 0..100 {
        let mut bytes = random(seed, 100_000);
        for at in 0..bytes.len() {
            if bytes[at] < 10 {
                bytes[at] = 0xff;
            } else if at > 0 && bytes[at - 1] == 0xff && bytes[at] < 40 {
                bytes[at] = 0xfb;
            }
        }
        assert!(kind(&bytes).is_err(), "seed {seed}");
    }
}

#[test]
fn a_magic_decides_whatever_follows() {
    // Frames that would suffice on their own.
    let frames = mpeg_frames(8);
    assert_eq!(kind(&frames).unwrap(), Kind::Mpeg(0));
    for (magic, said) in [
        (&b"wvpk"[..], "WavPack"),
        (b"MAC ", "Monkey's Audio"),
        (b"TTA1", "True Audio"),
        (b"MP+", "Musepack"),
        (b"#!AMR\n", "AMR"),
        (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "Windows Media"),
        (b"\x0b\x77", "AC-3"),
    ] {
        let e = kind(&[magic, &[0; 20], &frames].concat()).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Unsupported, "{e}");
        let said_both = e.to_string().contains(said) && e.to_string().contains("convert");
        assert!(said_both, "{e}");
    }
    for (magic, said) in [
        (&b"\xff\xd8\xff\xe0\0\x10JFIF"[..], "a JPEG picture"),
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "a WebP picture"),
        (b"GIF89a", "a GIF picture"),
        (b"BM\x10\0\0\0\0\0\0\0", "a BMP picture"),
        (b"II*\0", "a TIFF picture"),
        (b"\0\0\0\x18ftypheic\0\0\0\0", "a HEIC picture"),
        (b"\0\0\0\x18ftypavif\0\0\0\0", "an AVIF picture"),
        (b"\0\x01\0\0\0\x0f\0\x80", "a font"),
        (b"OTTO", "a font"),
        (b"wOF2", "a web font"),
        (b"%PDF-1.7", "a PDF"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"MThd", "a MIDI file"),
    ] {
        let e = kind(&[magic, &[0; 20], &frames].concat()).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::InvalidData, "{e}");
        assert!(e.to_string().contains(said), "{said}: {e}");
    }
    let page = kind(b"<!DOCTYPE html><p>404").unwrap_err().to_string();
    assert!(page.contains("web page"), "{page}");
    let text = kind(&b"Once upon a time. ".repeat(1000)).unwrap_err();
    assert!(text.to_string().contains("is text"), "{text}");
}

#[test]
fn streams_in_ogg_are_named() {
    let page = |packet: &[u8]| {
        let mut page = b"OggS\0\x02".to_vec();
        page.extend([0; 20]);
        page.extend([1, packet.len() as u8]);
        page.extend(packet);
        page
    };
    let speex = kind(&page(b"Speex   1.2rc1  ")).unwrap_err();
    assert_eq!(speex.kind(), ErrorKind::Unsupported);
    assert!(speex.to_string().contains("Speex"), "{speex}");
    let both = [page(b"Speex   1.2rc1  "), page(b"OpusHead")].concat();
    assert_eq!(kind(&both).unwrap(), Kind::Ogg);
}

#[test]
fn frames_are_found_behind_padding_and_short_files_are_taken() {
    let frames = mpeg_frames(4);
    let padded = [vec![0; 3_000], frames.clone()].concat();
    assert_eq!(kind(&padded).unwrap(), Kind::Mpeg(3_000));
    assert_eq!(kind(&mpeg_frames(2)).unwrap(), Kind::Mpeg(0));
    let tagged = [mpeg_frames(2), b"TAG".to_vec(), vec![0; 125]].concat();
    assert_eq!(kind(&tagged).unwrap(), Kind::Mpeg(0));
    assert!(kind(&mpeg_frames(1)).is_err());
    assert!(kind(&[vec![1; 50], mpeg_frames(2)].concat()).is_err());
    // The second of three has a different rate.
    let mut wrong = frames;
    wrong[417 + 2] ^= 4;
    assert_ne!(kind(&wrong).ok(), Some(Kind::Mpeg(0)));
    let adts = [0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc].map(|b: u8| b);
    let frame = [&adts[..], &[7; 9]].concat();
    assert_eq!(kind(&frame.repeat(3)).unwrap(), Kind::Adts(0));
}

/// Generates MPEG-1 layer III frames, 128 kbit/s at 44.1 kHz: 417 bytes each.
fn mpeg_frames(n: usize) -> Vec<u8> {
    let mut frame = vec![0; 417];
    frame[..4].copy_from_slice(&[0xff, 0xfb, 0x90, 0x64]);
    frame.repeat(n)
}
