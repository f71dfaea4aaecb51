//! Small files of known content. All but HE-AAC were made by `ffmpeg -bitexact` 5.1 from
//! `aevalsrc='0.4*sin(2*PI*(200+600*t)*t)':d=0.5:s=48000` (those named `six`: six tones of 0.1 in 5.1), each with the encoder in its name;
//! HE-AAC by syom 0.9.

use std::f64::consts::TAU;

use super::{decode, media, wav};
use crate::units::Time;

/// Generates the sweep that the files contain.
fn sweep(rate_hz: u32) -> Vec<f32> {
    (0..rate_hz / 2)
        .map(|i| {
            let t = f64::from(i) / f64::from(rate_hz);
            (0.4 * (TAU * (200.0 + 600.0 * t) * t).sin()) as f32
        })
        .collect()
}

/// Returns the ratio in dB of the sweep, starting at `at`, to its difference from the samples; only the middle counts, where codecs have settled.
fn ratio_db(samples: &[f32], sweep: &[f32], at: isize) -> f64 {
    let (mut signal, mut rest) = (0.0, 0.0);
    for i in sweep.len() / 8..sweep.len() * 7 / 8 {
        let found = samples[(i as isize + at) as usize];
        signal += f64::from(sweep[i]).powi(2);
        rest += f64::from(sweep[i] - found).powi(2);
    }
    10.0 * (signal / rest).log10()
}

/// Name; first sample of the sweep; frames after its end that a format cannot mark as padding; minimum ratio in dB.
const FILES: &[(&str, isize, usize, f64)] = &[
    ("silk.opus", 0, 0, 8.0),
    ("hybrid.opus", 0, 0, 8.0),
    ("celt.opus", 0, 0, 20.0),
    // Matroska stores the padding of Opus and MP3 in a way that the demuxer does not report; for AAC not even the delay.
    ("opus.webm", 0, 648, 8.0),
    ("opus.mp4", 0, 0, 8.0),
    ("vbr.mp3", 1_105, 1_105, 20.0),
    ("low.mp3", 0, 0, 15.0),
    ("aac.mka", 1_024, 1_024, 9.0),
    ("fragments.mp4", 1_024, 1_024, 9.0),
    ("alac.caf", 0, 0, 80.0),
    // Sound that begins half a second after the pictures; the movie's clock counts milliseconds.
    ("late.mp4", 23_968, 32, 9.0),
    // The pictures of this one also begin 3 ms late.
    ("video.webm", 144, 144, 9.0),
];

#[test]
fn every_sample_is_where_it_belongs() {
    for (name, at, padding, least_db) in FILES {
        let decoded = decode(media(&format!("sounds/{name}"))).unwrap();
        let rate_hz = decoded.facts.rate_hz;
        let (sweep, left) = (sweep(rate_hz), decoded.channel(0));
        let best = (at - 40..=at + 40)
            .filter(|at| *at >= -1_000)
            .max_by(|a, b| ratio_db(&left, &sweep, *a).total_cmp(&ratio_db(&left, &sweep, *b)));
        let best = best.unwrap();
        let db = ratio_db(&left, &sweep, best);
        println!("{name}: at {best}, {db:.1} dB, {} frames", left.len());
        assert!((best - at).abs() <= 6, "{name} begins at {best}");
        assert!(db > *least_db, "{name}: {db} dB");
        let expected = sweep.len() + *at as usize + padding;
        assert!(
            left.len().abs_diff(expected) <= 1_100.min(padding + 40),
            "{name}: {} frames, {expected} expected",
            left.len()
        );
        let told = decoded.facts.duration.unwrap().as_secs();
        let heard = left.len() as f64 / f64::from(rate_hz);
        assert!((told - heard).abs() < 0.03, "{name}: {told} s, {heard} s");
    }
}

#[test]
fn he_aac_sounds_at_its_whole_rate() {
    for name in ["he1.aac", "he1.m4a", "he2.m4a"] {
        let decoded = decode(media(&format!("sounds/{name}"))).unwrap();
        assert_eq!(decoded.facts.rate_hz, 48_000, "{name}");
        assert_eq!(decoded.n_channels, 2, "{name}");
        let (sweep, left) = (sweep(48_000), decoded.channel(0));
        // Delay of the encoder and of SBR.
        let best = (2_000..4_500)
            .max_by(|a, b| ratio_db(&left, &sweep, *a).total_cmp(&ratio_db(&left, &sweep, *b)));
        let db = ratio_db(&left, &sweep, best.unwrap());
        assert!(db > 9.0, "{name}: {db} dB at {best:?}");
    }
}

/// Measures the amplitude of a whole number of Hz in part of `samples`.
fn amplitude(samples: &[f32], hz: f64) -> f64 {
    let part = &samples[4_800..19_200];
    let (mut re, mut im) = (0.0, 0.0);
    for (i, s) in part.iter().enumerate() {
        let phase = TAU * hz * i as f64 / 48_000.0;
        re += f64::from(*s) * phase.cos();
        im += f64::from(*s) * phase.sin();
    }
    2.0 * re.hypot(im) / part.len() as f64
}

#[test]
fn surround_is_mixed_down_whatever_the_order_of_its_channels() {
    for name in ["six.opus", "six.m4a"] {
        let decoded = decode(media(&format!("sounds/{name}"))).unwrap();
        assert_eq!(decoded.facts.channels, 6, "{name}");
        let (left, right) = (decoded.channel(0), decoded.channel(1));
        // Left, right, center, low frequency, and the two rear channels.
        for (hz, to_left, to_right) in [
            (300.0, 0.1, 0.0),
            (400.0, 0.0, 0.1),
            (500.0, 0.0707, 0.0707),
            (60.0, 0.0, 0.0),
            (700.0, 0.0707, 0.0),
            (800.0, 0.0, 0.0707),
        ] {
            let found = [amplitude(&left, hz), amplitude(&right, hz)];
            let off = (found[0] - to_left).abs().max((found[1] - to_right).abs());
            assert!(off < 0.02, "{name}: {hz} Hz is {found:?}");
        }
    }
}

#[test]
fn what_cannot_be_decoded_is_named() {
    let said = |bytes| decode(bytes).err().unwrap().to_string();
    // Symphonia 0.6.1 mixes up the channels of these.
    let vorbis = said(media("sounds/six.ogg"));
    assert!(
        vorbis.contains("surround Vorbis") && vorbis.contains("convert"),
        "{vorbis}"
    );
    let ac3 = said(media("sounds/ac3.mp4"));
    assert!(ac3.contains("AC-3") && ac3.contains("Opus"), "{ac3}");
    let mut bytes = media("sounds/six.m4a");
    let entry = bytes.windows(4).position(|w| w == b"mp4a").unwrap();
    bytes[entry..entry + 4].copy_from_slice(b"enca");
    let encrypted = said(bytes.clone());
    assert!(encrypted.contains("encrypted"), "{encrypted}");
    bytes[entry..entry + 4].copy_from_slice(b"dtsc");
    let unknown = said(bytes);
    assert!(unknown.contains("`dtsc`"), "{unknown}");
}

#[test]
fn wrong_lengths_in_a_wav_are_put_right() {
    let whole = decode(wav()).unwrap();
    assert_eq!(whole.facts.duration, Time::from_secs(0.5));
    for (riff, data) in [
        (0, 0),
        (u32::MAX, u32::MAX),
        (96_036, u32::MAX),
        (96_036, 0),
        (100, 96_000),
        (96_036, 5_000),
        (1 << 30, 1 << 30),
    ] {
        let mut bytes = wav();
        bytes[4..8].copy_from_slice(&u32::to_le_bytes(riff));
        bytes[40..44].copy_from_slice(&u32::to_le_bytes(data));
        let mended = decode(bytes).unwrap();
        assert_eq!(mended.samples, whole.samples, "{riff} {data}");
        assert_eq!(mended.facts, whole.facts, "{riff} {data}");
    }
}

#[test]
fn mp3_files_in_a_row_are_heard_whole() {
    let one = decode(media("tone.mp3")).unwrap();
    let two = decode(media("tone.mp3").repeat(2)).unwrap();
    assert!(
        two.n_frames() > one.n_frames() * 2 - 100,
        "{}",
        two.n_frames()
    );
    let told = two.facts.duration.unwrap().as_secs();
    let heard = two.n_frames() as f64 / f64::from(two.facts.rate_hz);
    assert!((told - heard).abs() < 0.06, "{told} {heard}");
}

#[test]
fn a_huge_picture_in_the_tags_is_passed_over() {
    let sound = media("tone.mp3");
    let picture = vec![0x55; 3 << 20];
    let sizes = |n: usize| [21, 14, 7, 0].map(|shift| (n >> shift & 127) as u8);
    let mut frame = b"APIC".to_vec();
    frame.extend(sizes(picture.len() + 13));
    frame.extend(b"\0\0\0image/png\0\x03\0");
    frame.extend(&picture);
    let mut bytes = b"ID3\x04\0\0".to_vec();
    bytes.extend(sizes(frame.len()));
    bytes.extend(frame);
    bytes.extend(&sound);
    let (plain, tagged) = (decode(sound).unwrap(), decode(bytes).unwrap());
    assert_eq!(plain.samples, tagged.samples);
}
