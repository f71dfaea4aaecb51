//! The audio encoders: every sample that went in comes out at its place, packets are dated right, hostile input is refused.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use kinora::encode::{AudioCodec, AudioConfig, AudioEncoder, Quality, audio_encoder};
use kinora::error::ErrorKind;
use kinora::frame::{AudioBlock, Packet};
use kinora::units::Time;

const CODECS: [AudioCodec; 2] = [AudioCodec::Opus, AudioCodec::Aac];

/// Encodes interleaved samples in blocks of uneven length.
fn encode(
    codec: AudioCodec,
    quality: Quality,
    samples: &[f32],
) -> (Vec<Packet>, Box<dyn AudioEncoder>) {
    let mut encoder = audio_encoder(codec, quality).unwrap();
    let mut packets = Vec::new();
    let mut start = 0;
    for (i, block) in samples.chunks(2 * 777).enumerate() {
        assert!(i < 1_000_000);
        let block = AudioBlock {
            start,
            samples: block.to_vec(),
        };
        start += block.samples.len() as u64 / 2;
        encoder.encode(&block, &mut packets).unwrap();
    }
    encoder.finish(&mut packets).unwrap();
    (packets, encoder)
}

/// Decodes to interleaved samples with priming and padding cut away, as a player does.
fn decode(packets: &[Packet], config: &AudioConfig) -> Vec<f32> {
    let mut samples = match config {
        AudioConfig::Opus { .. } => decode_opus(packets),
        AudioConfig::Aac { config, .. } => decode_aac(packets, config),
    };
    let length: i64 = packets.iter().map(|p| p.duration.as_samples()).sum();
    samples.truncate(2 * length as usize);
    samples.drain(..2 * config.priming() as usize);
    samples
}

/// By ropus, whichever encoder made the packets.
fn decode_opus(packets: &[Packet]) -> Vec<f32> {
    let mut decoder = ropus::OpusDecoder::new(48_000, 2).unwrap();
    let mut samples = Vec::new();
    let mut buffer = vec![0.0; 2 * 5760];
    for packet in packets {
        let decoded = decoder.decode_float(Some(&packet.data), &mut buffer, 5760, false);
        assert_eq!(decoded, Ok(960));
        samples.extend_from_slice(&buffer[..2 * 960]);
    }
    samples
}

fn decode_aac(packets: &[Packet], config: &[u8]) -> Vec<f32> {
    use symphonia::core::codecs::audio::{
        AudioCodecParameters, AudioDecoderOptions, well_known::CODEC_ID_AAC,
    };
    use symphonia::core::packet::Packet as SymphoniaPacket;
    use symphonia::core::units::{Duration, Timestamp};
    let mut params = AudioCodecParameters::new();
    params
        .for_codec(CODEC_ID_AAC)
        .with_sample_rate(48_000)
        .with_extra_data(config.into());
    let mut decoder = symphonia::default::get_codecs()
        .make_audio_decoder(&params, &AudioDecoderOptions::default())
        .unwrap();
    let mut samples = Vec::new();
    for packet in packets {
        let packet = SymphoniaPacket::new(
            0,
            Timestamp::new(0),
            Duration::new(1024),
            packet.data.clone(),
        );
        let decoded = decoder.decode(&packet).unwrap();
        let mut block: Vec<f32> = Vec::new();
        decoded.copy_to_vec_interleaved(&mut block);
        assert_eq!(block.len(), 2 * 1024);
        samples.append(&mut block);
    }
    samples
}

/// Two tones, one a channel.
fn tones(n: usize) -> Vec<f32> {
    (0..n)
        .flat_map(|i| {
            let t = i as f32 / 48_000.0 * std::f32::consts::TAU;
            [0.4 * (t * 440.0).sin(), 0.3 * (t * 1000.0).sin()]
        })
        .collect()
}

#[test]
fn an_impulse_comes_back_at_its_place() {
    for codec in CODECS {
        for at in [0usize, 1, 959, 1024, 5000, 9_999] {
            let mut samples = vec![0.0; 2 * 10_000];
            (samples[2 * at], samples[2 * at + 1]) = (0.9, 0.9);
            let (packets, encoder) = encode(codec, Quality::High, &samples);
            let decoded = decode(&packets, &encoder.config());
            assert_eq!(decoded.len(), samples.len(), "{}", encoder.name());
            let loudest =
                (0..10_000).max_by(|&a, &b| decoded[2 * a].abs().total_cmp(&decoded[2 * b].abs()));
            assert_eq!(loudest, Some(at), "{}", encoder.name());
        }
    }
}

#[test]
fn tones_come_back_at_any_length() {
    for codec in CODECS {
        for n in [1usize, 100, 648, 649, 960, 1024, 1025, 48_000] {
            let samples = tones(n);
            let (packets, encoder) = encode(codec, Quality::Medium, &samples);
            let decoded = decode(&packets, &encoder.config());
            assert_eq!(decoded.len(), samples.len(), "{} {n}", encoder.name());
            if n < 48_000 {
                continue;
            }
            let power: f64 = samples.iter().map(|x| f64::from(x * x)).sum();
            let noise: f64 = samples
                .iter()
                .zip(&decoded)
                .map(|(a, b)| f64::from(a - b).powi(2))
                .sum();
            let snr = 10.0 * (power / noise).log10();
            println!("{}: {snr:.1} dB", encoder.name());
            assert!(snr > 15.0, "{}: {snr} dB", encoder.name());
        }
    }
}

#[test]
fn packets_are_dated_without_gaps_and_end_with_the_sound() {
    for codec in CODECS {
        let n = 30_001;
        let (packets, encoder) = encode(codec, Quality::Low, &tones(n));
        let mut at = Time::ZERO;
        for (i, packet) in packets.iter().enumerate() {
            assert_eq!((packet.pts, packet.dts), (at, at));
            assert!(packet.is_sync && !packet.data.is_empty());
            let whole = Time::from_samples(encoder.packet_samples().into());
            assert!(packet.duration > Time::ZERO && packet.duration <= whole);
            assert!(packet.duration == whole || i + 1 == packets.len());
            at = at + packet.duration;
        }
        assert_eq!(
            at.as_samples(),
            i64::from(encoder.config().priming()) + n as i64
        );
    }
}

#[test]
fn bytes_follow_the_bitrate_and_not_the_blocks() {
    for codec in CODECS {
        let samples: Vec<f32> = tones(96_000)
            .iter()
            .zip(noise(192_000))
            .map(|(a, b)| a + 0.2 * b)
            .collect();
        let mut n_bytes_before = 0;
        for quality in [Quality::Low, Quality::Medium, Quality::High] {
            let (packets, encoder) = encode(codec, quality, &samples);
            let n_bytes: usize = packets.iter().map(|p| p.data.len()).sum();
            println!("{}: {} kbit/s", encoder.name(), n_bytes * 8 / 2000);
            assert!(n_bytes > n_bytes_before, "{}", encoder.name());
            n_bytes_before = n_bytes;
            let mut whole = audio_encoder(codec, quality).unwrap();
            let mut at_once = Vec::new();
            let block = AudioBlock {
                start: 0,
                samples: samples.clone(),
            };
            whole.encode(&block, &mut at_once).unwrap();
            whole.finish(&mut at_once).unwrap();
            assert!(at_once == packets, "{}", encoder.name());
        }
    }
}

/// The same white noise every time.
fn noise(n: usize) -> Vec<f32> {
    let mut state = 0x1234_5678_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..n).map(next).collect()
}

#[test]
fn the_container_learns_what_it_must_know() {
    let opus = audio_encoder(AudioCodec::Opus, Quality::Medium).unwrap();
    assert_eq!(opus.config(), AudioConfig::Opus { pre_skip: 312 });
    assert_eq!(opus.packet_samples(), 960);
    let aac = audio_encoder(AudioCodec::Aac, Quality::Medium).unwrap();
    let AudioConfig::Aac {
        config, bitrate, ..
    } = aac.config()
    else {
        panic!("AAC has a configuration");
    };
    // AAC-LC (2), 48 kHz (index 3), two channels (ISO/IEC 14496-3, section 1.6.2.1).
    assert_eq!(config[..2], [0x11, 0x90]);
    assert_eq!(bitrate, 160_000);
    assert_eq!(aac.packet_samples(), 1024);
}

#[test]
fn full_scale_and_beyond_is_taken() {
    for codec in CODECS {
        let samples: Vec<f32> = tones(5000).iter().map(|x| x * 10.0).collect();
        let (packets, encoder) = encode(codec, Quality::Medium, &samples);
        let decoded = decode(&packets, &encoder.config());
        assert!(decoded.iter().all(|x| x.is_finite()), "{}", encoder.name());
    }
}

#[test]
fn silence_without_samples_makes_no_packets() {
    for codec in CODECS {
        let (packets, _) = encode(codec, Quality::Medium, &[]);
        assert!(packets.is_empty());
    }
}

#[test]
fn broken_blocks_are_refused() {
    for codec in CODECS {
        for (start, samples, reason) in [
            (5, vec![0.0; 4], "sample 0 was expected"),
            (0, vec![0.0; 3], "half a stereo sample"),
            (0, vec![0.0, 0.0, f32::NAN, 0.0], "sample 1 "),
            (0, vec![f32::INFINITY, 0.0], "sample 0 "),
        ] {
            let mut encoder = audio_encoder(codec, Quality::Low).unwrap();
            let error = encoder
                .encode(&AudioBlock { start, samples }, &mut Vec::new())
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Encoder);
            assert!(error.to_string().contains(reason), "{error}");
        }
    }
}
