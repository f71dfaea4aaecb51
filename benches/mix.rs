//! How fast a voice and a looped music bed are mixed: decoding, resampling, ducking, loudness, limiting.
#![allow(clippy::unwrap_used, missing_docs)]

use std::f32::consts::TAU;
use std::io::Cursor;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kinora::audio::Mixer;
use kinora::media::MemoryAssets;
use kinora::scene::mix::{Ducking, Level, MixPlan, Role, Speech, Track};

/// Sound of the mix, in seconds.
const SECS: u32 = 600;

/// A 16-bit WAV of a tone that swells and sinks.
fn tone_wav(rate: u32, channels: u16, secs: u32) -> Vec<u8> {
    let spec = hound::WavSpec {
        channels,
        sample_rate: rate,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut file = Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut file, spec).unwrap();
    for i in 0..rate * secs {
        let t = i as f32 / rate as f32;
        let swell = (TAU * 1.7 * t.fract()).sin().abs();
        let sample = (20_000.0 * swell * (TAU * (220.0 * t).fract()).sin()) as i16;
        for _ in 0..channels {
            writer.write_sample(sample).unwrap();
        }
    }
    writer.finalize().unwrap();
    file.into_inner()
}

fn mix_all(plan: &MixPlan, assets: &MemoryAssets) -> f32 {
    let mut mixer = Mixer::new(plan, assets).unwrap();
    let mut last = 0.0;
    while let Some(block) = mixer.next_block().unwrap() {
        last = block.samples[0];
    }
    last
}

fn bench(c: &mut Criterion) {
    let mut assets = MemoryAssets::default();
    assets.insert("voice", tone_wav(44_100, 1, SECS));
    assets.insert("music", tone_wav(44_100, 2, 150));
    let voice = Track {
        role: Role::Voice,
        level: Level::Normalized { gain_db: 0.0 },
        ..Track::new("voice", "")
    };
    let music = Track {
        level: Level::RelativeToVoice { volume: 0.3 },
        looped: true,
        ducking: Some(Ducking {
            amount_db: 9.0,
            attack: 12_000,
            hold: 28_800,
            release: 38_400,
        }),
        ..Track::new("music", "")
    };
    let n_samples = u64::from(SECS) * 48_000;
    // Phrases of 4 s with pauses of 2 s.
    let phrases = (0..n_samples / 288_000).map(|i| 288_000 * i..288_000 * i + 192_000);
    let plan = MixPlan {
        tracks: vec![voice, music],
        speech: Speech::Spans(phrases.collect()),
        loudness: Some(-14.0),
        fade_out: 48_000,
        ..MixPlan::silent(n_samples)
    };
    let mut group = c.benchmark_group("mix/voice+music");
    group.throughput(Throughput::Elements(plan.n_samples));
    group.sample_size(10);
    group.bench_function(format!("{SECS}s"), |b| b.iter(|| mix_all(&plan, &assets)));
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
