//! Frames per second of the video encoders and samples per second of the audio encoders: `encode/what/size`.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kinora::encode::{
    AudioCodec, Quality, VideoCodec, VideoEncoderName, VideoSettings, audio_encoder, video_encoder,
};
use kinora::frame::{AudioBlock, Frame};
use kinora::scene::draw::DrawList;
use kinora::units::{Color, FrameRate, Size};

const N_FRAMES: u64 = 30;

fn settings(codec: VideoCodec, encoder: VideoEncoderName) -> VideoSettings {
    VideoSettings {
        codec,
        encoder,
        quality: Quality::Medium,
        size: Size::new(360, 640).unwrap(),
        rate: FrameRate::new(30, 1).unwrap(),
        threads: 2,
        n_frames: N_FRAMES,
        keyframes: vec![0, N_FRAMES / 2],
    }
}

/// A picture with some texture that drifts.
fn frames(size: Size) -> Vec<Frame> {
    let width = size.width as usize;
    let texture = |x: usize, y: usize| ((x * x / 7 + y * y / 5 + x * y / 11) % 160) as u8 + 40;
    (0..N_FRAMES)
        .map(|index| {
            let mut frame = Frame::black(size);
            frame.index = index;
            for (i, sample) in frame.planes_mut()[0].iter_mut().enumerate() {
                *sample = texture(i % width / 8 + index as usize, i / width / 8);
            }
            frame
        })
        .collect()
}

fn video(c: &mut Criterion) {
    let known = DrawList {
        frame: 0,
        background: Color::BLACK,
        layers: Vec::new(),
    };
    let mut group = c.benchmark_group("encode");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(N_FRAMES));
    for (name, codec, encoder) in [
        ("svt-av1", VideoCodec::Av1, VideoEncoderName::SvtAv1),
        ("rav1e", VideoCodec::Av1, VideoEncoderName::Rav1e),
        ("openh264", VideoCodec::H264, VideoEncoderName::OpenH264),
    ] {
        let settings = settings(codec, encoder);
        if let Err(reason) = video_encoder(&settings) {
            println!("skipped: {reason}");
            continue;
        }
        let frames = frames(settings.size);
        group.bench_function(format!("{name}/{}", settings.size), |b| {
            b.iter(|| {
                let mut encoder = video_encoder(&settings).unwrap();
                let mut out = Vec::new();
                for frame in &frames {
                    encoder.encode(frame, &known, &mut out).unwrap();
                }
                encoder.finish(&mut out).unwrap();
                black_box(out)
            });
        });
    }
}

fn audio(c: &mut Criterion) {
    let block = AudioBlock {
        start: 0,
        samples: (0..96_000)
            .map(|i| (i as f32 * 0.031).sin() * 0.4)
            .collect(),
    };
    let mut group = c.benchmark_group("encode");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(48_000));
    for (name, codec) in [("opus", AudioCodec::Opus), ("aac", AudioCodec::Aac)] {
        group.bench_function(format!("{name}/48000"), |b| {
            b.iter(|| {
                let mut encoder = audio_encoder(codec, Quality::Medium).unwrap();
                let mut out = Vec::new();
                encoder.encode(&block, &mut out).unwrap();
                encoder.finish(&mut out).unwrap();
                black_box(out)
            });
        });
    }
}

criterion_group!(benches, video, audio);
criterion_main!(benches);
