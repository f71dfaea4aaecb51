//! Each encoder through each decoder: the sound is not late, loses little, and the decoders agree.

use super::*;

const FRAME: usize = 960;
const SETTINGS: Settings = Settings {
    bitrate: 128_000,
    complexity: 10,
};

/// Returns ropus, and libopus if the machine has it.
fn codecs() -> Vec<Codec> {
    let library = Library::get().map(Codec::Library);
    let missing = library.as_ref().err();
    missing.inspect(|why| println!("only ropus is tested: {why}"));
    library.ok().into_iter().chain([Codec::BuiltIn]).collect()
}

fn stereo() -> Layout {
    Layout {
        n_streams: 1,
        n_coupled: 1,
        mapping: vec![0, 1],
    }
}

/// Encodes interleaved stereo, followed by enough silence to push all of it out.
fn encode(codec: Codec, samples: &[f32]) -> (Vec<Vec<u8>>, usize) {
    let mut encoder = codec.encoder(SETTINGS).unwrap();
    let lookahead = usize::from(encoder.lookahead());
    let mut padded = samples.to_vec();
    padded.resize(
        (samples.len() + 2 * lookahead).next_multiple_of(2 * FRAME),
        0.0,
    );
    let mut buffer = [0; 1276];
    let packets = padded.chunks_exact(2 * FRAME).map(|frame| {
        let n = encoder.encode(frame, &mut buffer).unwrap();
        buffer[..n].to_vec()
    });
    (packets.collect(), lookahead)
}

/// Decodes packets and drops the priming samples.
fn decode(codec: Codec, packets: &[Vec<u8>], lookahead: usize) -> Vec<f32> {
    let mut decoder = codec.decoder(&stereo()).unwrap();
    let (mut samples, mut room) = (Vec::new(), vec![0.0; 2 * MAX_FRAMES]);
    for packet in packets {
        let n = decoder.decode(packet, &mut room).unwrap();
        assert_eq!(n, FRAME);
        samples.extend_from_slice(&room[..2 * n]);
    }
    samples.drain(..2 * lookahead);
    samples
}

/// Generates 4 s of chords that change four times a second, with a little noise.
fn music() -> Vec<f32> {
    let mut noise = 1_u32;
    (0..192_000)
        .flat_map(|i| {
            let t = i as f32 / 48_000.0;
            let root = 110.0 * [1.0, 1.2, 1.5, 1.333][(4.0 * t) as usize % 4];
            let age = (4.0 * t).fract();
            let tone = |k: f32| (std::f32::consts::TAU * root * k * t).sin() / k;
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let hiss = (noise >> 8) as f32 / (1 << 23) as f32 - 1.0;
            let sound = 0.2 * (tone(1.0) + tone(2.0) + tone(3.0)) * (1.0 - 0.7 * age);
            [sound + 0.003 * hiss, 0.8 * sound - 0.003 * hiss]
        })
        .collect()
}

fn ratio_db(samples: &[f32], decoded: &[f32]) -> f64 {
    let power: f64 = samples.iter().map(|x| f64::from(*x).powi(2)).sum();
    let pairs = samples.iter().zip(decoded);
    let rest: f64 = pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum();
    10.0 * (power / rest.max(1e-20)).log10()
}

#[test]
fn music_comes_back_through_every_pair() {
    let samples = music();
    for encoder in codecs() {
        let (packets, lookahead) = encode(encoder, &samples);
        let n_bytes: usize = packets.iter().map(Vec::len).sum();
        println!("{}: {} kbit/s", encoder.name(), n_bytes * 8 / 4_000);
        let decoded: Vec<_> = codecs()
            .into_iter()
            .map(|decoder| (decoder.name(), decode(decoder, &packets, lookahead)))
            .collect();
        for (decoder, decoded) in &decoded {
            let db = ratio_db(&samples, decoded);
            println!("  by {decoder}: {db:.1} dB");
            assert!(db > 20.0, "{} by {decoder}: {db} dB", encoder.name());
            let level = |s: &[f32]| s.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
            let gain_db = 10.0 * (level(&decoded[..samples.len()]) / level(&samples)).log10();
            assert!(gain_db.abs() < 0.1, "{}: {gain_db} dB", encoder.name());
        }
        if let [(_, one), (_, other)] = &decoded[..] {
            let db = ratio_db(one, other);
            println!("  the decoders agree by {db:.1} dB");
            assert!(db > 60.0, "{db} dB");
        }
    }
}

#[test]
fn an_impulse_comes_back_at_its_place() {
    for encoder in codecs() {
        for at in [0, 1, 647, 5_000, 9_599] {
            let mut samples = vec![0.0; 2 * 9_600];
            (samples[2 * at], samples[2 * at + 1]) = (0.9, 0.9);
            let (packets, lookahead) = encode(encoder, &samples);
            for decoder in codecs() {
                let decoded = decode(decoder, &packets, lookahead);
                let loud = |i: &usize| (decoded[2 * i].abs() * 1e6) as i64;
                let loudest = (0..9_600).max_by_key(loud);
                let pair = format!("{} by {}", encoder.name(), decoder.name());
                assert_eq!(loudest, Some(at), "{pair}");
            }
        }
    }
}

#[test]
fn the_bitrate_follows_the_sound() {
    let music = music();
    for codec in codecs() {
        let size = |samples: &[f32]| {
            let (packets, _) = encode(codec, samples);
            packets.iter().map(Vec::len).sum::<usize>()
        };
        let (silent, full) = (size(&vec![0.0; music.len()]), size(&music));
        println!("{}: {silent} and {full} bytes", codec.name());
        assert!(silent * 10 < full, "{}: {silent} {full}", codec.name());
    }
}

#[test]
fn channels_are_mapped_and_bad_packets_are_errors() {
    let (packets, lookahead) = encode(Codec::BuiltIn, &music()[..2 * 9_600]);
    for codec in codecs() {
        let swapped = Layout {
            mapping: vec![1, 255, 0],
            ..stereo()
        };
        let plain = decode(codec, &packets, 0);
        let mut decoder = codec.decoder(&swapped).unwrap();
        let mut room = vec![0.0; 3 * MAX_FRAMES];
        for (i, packet) in packets.iter().enumerate() {
            let n = decoder.decode(packet, &mut room).unwrap();
            let expected = plain[2 * FRAME * i..].chunks_exact(2);
            for (frame, expected) in room[..3 * n].chunks_exact(3).zip(expected) {
                assert_eq!(frame, [expected[1], 0.0, expected[0]], "{}", codec.name());
            }
        }
        assert!(decoder.decode(&[0xff, 0xff, 0xff], &mut room).is_err());
        let again = decoder.decode(&packets[0], &mut room);
        assert_eq!(again, Ok(FRAME), "{}", codec.name());
    }
    assert_eq!(lookahead, 312);
}

#[test]
fn the_version_is_the_one_that_is_built_in() {
    let pinned = format!("ropus = \"={}\"", built_in::VERSION);
    let manifest = include_str!("../../Cargo.toml");
    assert!(manifest.lines().any(|line| line == pinned), "{pinned}");
}
