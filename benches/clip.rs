//! Frames per second of clips, on one core: `clip/decode/CODEC-1080p` with conversion to RGBA, and `clip/rgba/LAYOUT-1080p` alone.
//!
//! The clips are made by ffmpeg; without it only the conversion is measured.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kinora::media::FolderAssets;
use kinora::media::clip::{
    ChromaSiting, ClipColor, ClipFrame, ClipLimits, ClipReader, ColorMatrix, ColorRange, Plane,
    Subsampling,
};

const N_FRAMES: u64 = 60;

/// At 4 Mb/s, as clips of phones and generators of pictures come.
const CLIPS: [(&str, &str); 3] = [
    ("h264-1080p.mp4", "libx264 -preset medium -b:v 4M"),
    (
        "vp9-1080p.webm",
        "libvpx-vp9 -deadline realtime -cpu-used 6 -b:v 4M",
    ),
    ("av1-1080p.mp4", "libsvtav1 -preset 10 -b:v 4M"),
];

fn is_made(path: &Path, codec: &str) -> bool {
    let source = "mandelbrot=s=1920x1080:r=30,noise=alls=4:allf=t,format=yuv420p";
    let mut command = Command::new("ffmpeg");
    command
        .args(["-v", "quiet", "-nostdin", "-f", "lavfi", "-i", source])
        .args(["-frames:v", &N_FRAMES.to_string(), "-c:v"])
        .args(codec.split(' '))
        .arg(path);
    command.status().is_ok_and(|status| status.success())
}

fn decode(c: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let assets = FolderAssets::new(folder.path());
    let mut group = c.benchmark_group("clip/decode");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(N_FRAMES));
    for (name, codec) in CLIPS {
        if !is_made(&folder.path().join(name), codec) {
            println!("{name} is left out: ffmpeg cannot make it");
            continue;
        }
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut clip = ClipReader::of_asset(name, &assets, &ClipLimits::default()).unwrap();
                let starts = Arc::clone(&clip.facts().starts);
                for start in starts.iter() {
                    black_box(clip.frame_at(*start).unwrap().to_rgba());
                }
            });
        });
    }
}

fn rgba(c: &mut Criterion) {
    let plane = |width: u32, height: u32| Plane {
        width,
        height,
        data: (0..width * height).map(|i| (i * 7 / 3) as u8).collect(),
    };
    let upright = ClipFrame {
        planes: [plane(1920, 1080), plane(960, 540), plane(960, 540)],
        subsampling: Subsampling::Yuv420,
        color: ClipColor {
            matrix: ColorMatrix::Bt709,
            range: ColorRange::Limited,
            siting: ChromaSiting::Left,
        },
        is_mirrored: false,
        quarter_turns: 0,
        pixel_aspect: (1, 1),
    };
    let turned = ClipFrame {
        quarter_turns: 1,
        ..upright.clone()
    };
    let mut group = c.benchmark_group("clip/rgba");
    group.throughput(Throughput::Elements(1));
    for (name, frame) in [("420-1080p", &upright), ("420-1080p-turned", &turned)] {
        group.bench_function(name, |b| b.iter(|| black_box(frame.to_rgba())));
    }
}

criterion_group!(benches, decode, rgba);
criterion_main!(benches);
