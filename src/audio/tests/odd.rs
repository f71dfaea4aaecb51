//! Good sounds in unusual files: wrong metadata, missing parts, rare formats. Each was once rejected or decoded wrongly.

use super::{Decoded, decode, media, wav, wav_of};
use crate::facts::SoundFlaw;

fn same(name: &str, one: &Decoded, other: &Decoded) {
    assert_eq!(one.facts, other.facts, "{name}");
    assert!(one.samples == other.samples, "{name}");
}

fn le(n: usize) -> [u8; 4] {
    (n as u32).to_le_bytes()
}

/// Builds a WAV from these chunks, unchanged.
fn riff(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut bytes = b"RIFF\0\0\0\0WAVE".to_vec();
    for (id, body) in chunks {
        bytes.extend(*id);
        bytes.extend(le(body.len()));
        bytes.extend(*body);
        bytes.resize(bytes.len().next_multiple_of(2), 0);
    }
    let n = bytes.len() - 8;
    bytes[4..8].copy_from_slice(&le(n));
    bytes
}

/// Builds kind, channels, rate, bytes per second, bytes per frame, bits.
fn format(kind: u16, channels: u16, rate_hz: u32, bits: u16) -> Vec<u8> {
    let align = channels * bits / 8;
    let mut body = [kind, channels].map(u16::to_le_bytes).concat();
    body.extend(rate_hz.to_le_bytes());
    body.extend((rate_hz * u32::from(align)).to_le_bytes());
    body.extend([align, bits].map(u16::to_le_bytes).concat());
    body
}

#[test]
fn chunks_beside_the_samples_of_a_wav_do_not_matter() {
    let plain = wav();
    let (fmt, data) = (plain[20..36].to_vec(), plain[44..].to_vec());
    let odd: &[u8] = b"INFOISFT\x0b\0\0\0Lavf56.1.0\0";
    let wrong: &[u8] = b"INFOISFT\xff\xff\xff\x7fLavf";
    for list in [odd, wrong, b"IN", b""] {
        let bytes = riff(&[
            (b"LIST", list),
            (b"fmt ", &fmt),
            (b"fact", b"ab"),
            (b"LIST", list),
            (b"data", &data),
            (b"LIST", list),
        ]);
        same(
            "LIST",
            &decode(bytes).unwrap(),
            &decode(plain.clone()).unwrap(),
        );
    }
}

#[test]
fn companded_wav_and_mpeg_in_wav_are_read() {
    let samples: Vec<u8> = (0..8_000).map(|i| (i * 31 % 251) as u8).collect();
    for kind in [6_u16, 7] {
        let mut short = format(kind, 2, 8_000, 8);
        short.extend([0, 0]);
        let mut long = format(0xfffe, 2, 8_000, 8);
        long.extend([22_u16, 16].map(u16::to_le_bytes).concat());
        long.extend(3_u32.to_le_bytes());
        long.extend(kind.to_le_bytes());
        long.extend(b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71");
        let [short, long] =
            [short, long].map(|fmt| decode(riff(&[(b"fmt ", &fmt), (b"data", &samples)])).unwrap());
        assert_eq!(short.n_frames(), 4_000);
        same("extensible", &long, &short);
    }
    let mpeg = media("tone.mp3");
    let mut fmt = format(0x55, 1, 44_100, 0);
    fmt.extend(b"\x0c\0\x01\0\x02\0\0\0\x80\x04\x01\0\x71\x05");
    let inside = riff(&[(b"fmt ", &fmt), (b"data", &mpeg), (b"LIST", b"INFO")]);
    same(
        "MP3 in WAV",
        &decode(inside).unwrap(),
        &decode(mpeg).unwrap(),
    );
}

#[test]
fn blocks_of_a_flac_do_not_matter() {
    let plain = media("tone.flac");
    assert_eq!(plain[4] & 0x7f, 0);
    let mut bytes = plain[..4 + 4 + 34].to_vec();
    // Cue sheet, picture, comment, seek table, application, another stream description: all broken.
    for kind in [5, 6, 4, 3, 2, 0] {
        bytes.extend([kind, 0, 0, 9]);
        bytes.extend([0xfe; 9]);
    }
    bytes.extend(&plain[4 + 4 + 34..]);
    same("FLAC", &decode(bytes).unwrap(), &decode(plain).unwrap());
}

#[test]
fn chapters_and_tags_of_matroska_do_not_matter() {
    let plain = media("sounds/aac.mka");
    let mut bytes = plain.clone();
    // The empty space after the seek head.
    let void = bytes.windows(2).position(|w| w == [0xec, 0x01]).unwrap();
    for id in [
        *b"\x10\x43\xa7\x70",
        *b"\x12\x54\xc3\x67",
        *b"\x19\x41\xa4\x69",
    ] {
        let size = bytes[void + 1..void + 9].to_vec();
        let n = u64::from_be_bytes(size.try_into().unwrap()) & 0xff_ffff_ffff_ffff;
        bytes[void..void + 4].copy_from_slice(&id);
        bytes[void + 4..void + 9].copy_from_slice(&[0x08, 0, 0, 0, n as u8]);
        bytes[void + 9..void + 14].copy_from_slice(b"\x45\xb9\x48\xff\xff");
        same(
            "Matroska",
            &decode(bytes.clone()).unwrap(),
            &decode(plain.clone()).unwrap(),
        );
        bytes.clone_from(&plain);
    }
}

/// Builds an M4A whose `moov` precedes the samples.
fn table_first() -> (Vec<u8>, usize) {
    let plain = media("tone.m4a");
    let moov_at = plain.windows(4).position(|w| w == b"moov").unwrap() - 4;
    let mdat_at = plain.windows(4).position(|w| w == b"mdat").unwrap() - 4;
    let mut moov = plain[moov_at..].to_vec();
    let n = moov.len() as u32;
    let table = moov.windows(4).position(|w| w == b"stco").unwrap() + 8;
    let n_chunks = u32::from_be_bytes(moov[table..table + 4].try_into().unwrap());
    for i in 0..n_chunks as usize {
        let at = table + 4 + 4 * i;
        let offset = u32::from_be_bytes(moov[at..at + 4].try_into().unwrap());
        moov[at..at + 4].copy_from_slice(&(offset + n).to_be_bytes());
    }
    let head = &plain[..mdat_at];
    let whole = [head, &moov, &plain[mdat_at..moov_at]].concat();
    (whole, mdat_at + moov.len())
}

#[test]
fn an_m4a_cut_inside_its_samples_is_heard_as_far_as_it_goes() {
    let whole = decode(media("tone.m4a")).unwrap();
    let (bytes, mdat_at) = table_first();
    same("table first", &decode(bytes.clone()).unwrap(), &whole);
    let half = (mdat_at + bytes.len()) / 2;
    let cut = decode(bytes[..half].to_vec()).unwrap();
    assert_eq!(cut.facts.flaw, Some(SoundFlaw::Cut));
    let share = cut.n_frames() as f64 / whole.n_frames() as f64;
    assert!((0.3..0.7).contains(&share), "{share}");
    assert!(cut.samples == whole.samples[..cut.samples.len()]);
    let told = cut.facts.duration.unwrap().as_secs();
    let heard = cut.n_frames() as f64 / f64::from(cut.facts.rate_hz);
    assert!((told - heard).abs() < 0.05, "{told} {heard}");
}

#[test]
fn a_cut_wav_is_told_and_a_stream_is_not() {
    let whole = wav();
    let cut = decode(whole[..whole.len() / 2].to_vec()).unwrap();
    assert_eq!(cut.facts.flaw, Some(SoundFlaw::Cut));
    let mut stream = whole;
    stream[40..44].copy_from_slice(&[0xff; 4]);
    assert_eq!(decode(stream).unwrap().facts.flaw, None);
}

#[test]
fn tags_of_an_mp4_do_not_matter() {
    let whole = decode(media("tone.m4a")).unwrap();
    let mut tags = media("tone.m4a");
    let udta = tags.windows(4).position(|w| w == b"udta").unwrap() + 4;
    tags[udta..udta + 8].fill(0xff);
    same("udta", &decode(tags).unwrap(), &whole);
}

/// Computes the checksum of an Ogg page (RFC 3533, 6).
fn crc(page: &[u8]) -> u32 {
    page.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte) << 24, |crc: u32, _| {
            crc << 1 ^ if crc >> 31 == 1 { 0x04c1_1db7 } else { 0 }
        })
    })
}

#[test]
fn opus_of_early_encoders_keeps_its_beginning() {
    for name in ["sounds/silk.opus", "sounds/celt.opus"] {
        let whole = decode(media(name)).unwrap();
        let mut bytes = media(name);
        let head = bytes.windows(8).position(|w| w == b"OpusHead").unwrap();
        bytes[head + 8] = 0;
        let end = head + 19;
        bytes[22..26].fill(0);
        let sum = crc(&bytes[..end]).to_le_bytes();
        bytes[22..26].copy_from_slice(&sum);
        same(name, &decode(bytes).unwrap(), &whole);
    }
}

#[test]
fn floats_of_the_size_of_integers_are_brought_to_scale() {
    let samples: Vec<i16> = (0..48_000)
        .map(|i| ((i * 7919) % 40_001 - 20_000) as i16)
        .collect();
    let expected = decode(wav_of(1, samples.iter().copied())).unwrap();
    let bytes: Vec<u8> = samples
        .iter()
        .flat_map(|s| f32::from(*s).to_le_bytes())
        .collect();
    let fmt = format(3, 1, 48_000, 32);
    let scaled = decode(riff(&[(b"fmt ", &fmt), (b"data", &bytes)])).unwrap();
    assert_eq!(scaled.facts.flaw, Some(SoundFlaw::IntegerScale));
    assert!(scaled.samples == expected.samples);
    let loud: Vec<u8> = samples
        .iter()
        .flat_map(|s| (f32::from(*s) / 8_000.0).to_le_bytes())
        .collect();
    let loud = decode(riff(&[(b"fmt ", &fmt), (b"data", &loud)])).unwrap();
    assert_eq!(loud.facts.flaw, None, "2.5 times full scale is just loud");
}
