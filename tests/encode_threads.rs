//! An encoder that is dropped midway ends at once and takes its threads along. One test, so that no other starts threads.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod video_streams;

use std::time::Duration;

use kinora::encode::{
    Quality, VideoCodec, VideoEncoderName, VideoSettings, available, video_encoder,
};
use kinora::units::{FrameRate, Size};
use video_streams::{moving_gradient, nothing_known};

#[test]
fn an_encoder_dropped_midway_leaves_no_threads() {
    let mut names = vec![VideoEncoderName::Rav1e, VideoEncoderName::OpenH264];
    for (name, encoder) in [
        ("SVT-AV1", VideoEncoderName::SvtAv1),
        ("x264", VideoEncoderName::X264),
    ] {
        let infos = available();
        let info = infos.iter().find(|info| info.name == name).unwrap();
        match &info.version {
            Ok(_) => names.push(encoder),
            Err(reason) => println!("skipped: {reason}"),
        }
    }
    for encoder in names {
        for n_frames in [0, 1, 30] {
            drop_midway(encoder, n_frames);
        }
    }
}

fn drop_midway(name: VideoEncoderName, n_frames: u64) {
    let settings = VideoSettings {
        codec: match name {
            VideoEncoderName::OpenH264 | VideoEncoderName::X264 => VideoCodec::H264,
            _ => VideoCodec::Av1,
        },
        encoder: name,
        quality: Quality::Low,
        size: Size::new(128, 96).unwrap(),
        rate: FrameRate::new(30, 1).unwrap(),
        threads: 3,
        n_frames: 70,
        keyframes: vec![0, 10, 20, 40],
    };
    let before = n_threads();
    let mut encoder = video_encoder(&settings).unwrap();
    let mut out = Vec::new();
    for index in 0..n_frames {
        let frame = moving_gradient(index, settings.size);
        encoder.encode(&frame, &nothing_known(), &mut out).unwrap();
    }
    drop(encoder);
    // Threads of a pool end on their own a moment after the pool.
    for _ in 0..100 {
        if n_threads() <= before {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!(
        "{name:?} after {n_frames} frames: {before} threads before, {} after",
        n_threads()
    );
}

/// Threads of this process; 0 where the system does not tell.
fn n_threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}
