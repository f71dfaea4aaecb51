//! The limiter, before and after lossy encoding.

use kinora::audio::Mixer;
use kinora::encode::{AudioCodec, Quality, audio_encoder};
use kinora::frame::AudioBlock;
use kinora::scene::mix::Level;

use crate::signals::*;

/// How hot the material is that goes through the encoders: 6 dB of limiting. What an encoder adds to the peaks depends on how much of the signal
/// is noise; 12 dB of limiting on drums makes Opus overshoot by 2 dB, more than any sensible ceiling leaves room for.
const CODEC_GAIN_DB: f64 = 6.0;

/// A soft minor chord, mono at 44.1 kHz.
fn chord(n: usize) -> Vec<f32> {
    let tones = [220.0, 261.6, 329.6].map(|hz| sine(44_100, hz, 0.05, n));
    (0..n).map(|i| tones.iter().map(|t| t[i]).sum()).collect()
}

/// A busy signal with a bed, lifted by `gain_db`, stereo, 4 s.
fn hot_mix(gain_db: f64) -> Vec<f32> {
    hot_mix_for(gain_db, 1.0)
}

/// The same for an encoder whose peaks may rise by `overshoot_db`.
fn hot_mix_for(gain_db: f64, overshoot_db: f64) -> Vec<f32> {
    let mut voice = track("voice");
    voice.level = Level::GainDb(gain_db);
    let mut bed = track("bed");
    bed.level = Level::GainDb(gain_db);
    let files = assets([
        ("voice", wav(RATE, 1, &busy(11, 1.0, 192_000))),
        ("bed", wav(44_100, 1, &chord(176_400))),
    ]);
    let mut whole = plan(192_000, [voice, bed]);
    whole.fade_out = 24_000;
    let mut mixer = Mixer::for_encoder(&whole, &files, overshoot_db, &|| Ok(())).unwrap();
    let mut samples = Vec::new();
    while let Some(block) = mixer.next_block().unwrap() {
        samples.extend(block.samples);
    }
    samples
}

#[test]
fn the_true_peak_stays_below_the_ceiling() {
    let mix = hot_mix(12.0);
    let peak = true_peak_db(&mix);
    assert!(peak <= -1.9, "{peak} dBTP");
    assert!(peak >= -3.0, "{peak} dBTP: needlessly quiet");
    // A quarter of the sample rate, off phase: its peaks lie between samples, 3 dB above them.
    let between: Vec<f32> = (0..48_000)
        .map(|i| (std::f64::consts::FRAC_PI_2 * (f64::from(i) + 0.5)).sin() as f32 * 1.2)
        .collect();
    let files = assets([("a", wav(RATE, 1, &between))]);
    let peak = true_peak_db(&mixed(&plan(48_000, [track("a")]), &files).unwrap());
    assert!(peak <= -1.9, "{peak} dBTP");
}

#[test]
fn the_gain_moves_without_clicks_and_comes_back() {
    // A soft tone with one loud burst: the tone must sink and return smoothly.
    let hz = 200.0;
    let mut sound = sine(RATE, hz, 0.2, 96_000);
    for (i, s) in sine(RATE, hz, 2.0, 4_800).into_iter().enumerate() {
        sound[24_000 + i] += s;
    }
    let files = assets([("a", wav(RATE, 1, &sound))]);
    let mix = left(&mixed(&plan(96_000, [track("a")]), &files).unwrap());
    let slope = std::f64::consts::TAU * hz / 48_000.0;
    // Twice the slope of a full-scale sine leaves room for the gain's own motion and none for a click.
    assert!(f64::from(greatest_step(&mix)) < 2.0 * slope);
    assert_eq!(mix[..23_000], sound[..23_000], "untouched before the burst");
    let back = rms(&mix[72_000..95_000]) / (0.2 / 2f64.sqrt());
    assert!((back - 1.0).abs() < 0.01, "{back}");
    assert_eq!(mix[95_000], sound[95_000], "transparent again");
}

#[test]
fn short_loud_sounds_are_limited_too() {
    for n in [1, 10, 300] {
        let files = assets([("a", wav(RATE, 1, &vec![8.0; n]))]);
        let mix = mixed(&plan(n as u64 + 5, [track("a")]), &files).unwrap();
        assert!(mix.iter().all(|s| s.abs() <= 0.8), "{n}");
    }
}

#[test]
fn after_aac_the_true_peak_is_at_most_minus_1() {
    let mix = hot_mix(CODEC_GAIN_DB);
    let planes: [Vec<f32>; 2] =
        [0, 1].map(|c| mix.iter().skip(c).step_by(2).copied().collect::<Vec<_>>());
    let options = syom::EncodeOptions::default().with_bitrate_bps(160_000);
    let bytes = syom::encode_with(&planes, RATE, &options).unwrap();
    let decoded = syom::decode_with(&bytes, &syom::DecodeOptions::audio()).unwrap();
    let pairs = decoded.channels[0].iter().zip(&decoded.channels[1]);
    let back: Vec<f32> = pairs.flat_map(|(l, r)| [*l, *r]).collect();
    let peak = true_peak_db(&back);
    println!("after AAC {peak:.2} dBTP");
    assert!(peak <= -1.0, "{peak} dBTP");
}

#[test]
fn after_opus_the_true_peak_is_at_most_minus_1() {
    for quality in [Quality::Low, Quality::Medium, Quality::High] {
        let mut encoder = audio_encoder(AudioCodec::Opus, quality).unwrap();
        let mix = hot_mix_for(CODEC_GAIN_DB, encoder.overshoot_db());
        let mut packets = Vec::new();
        let block = AudioBlock {
            start: 0,
            samples: mix.clone(),
        };
        encoder.encode(&block, &mut packets).unwrap();
        encoder.finish(&mut packets).unwrap();
        // Another decoder than the encoder's, where the machine has libopus.
        let mut decoder = ropus::OpusDecoder::new(48_000, 2).unwrap();
        let (mut back, mut frame) = (Vec::new(), vec![0.0; 1_920]);
        for packet in &packets {
            let decoded = decoder.decode_float(Some(&packet.data), &mut frame, 960, false);
            assert_eq!(decoded, Ok(960));
            back.extend_from_slice(&frame);
        }
        let (before, after) = (true_peak_db(&mix), true_peak_db(&back));
        println!("{}: {before:.2} to {after:.2} dBTP", encoder.name());
        assert!(after <= -1.0, "{}: {after} dBTP", encoder.name());
    }
}
