//! Every encoder ends, whatever the size, the number of threads and frames, and wherever the key frames are. SVT-AV1 3.1 waited for ever.
//! `KINORA_ENCODER_CASES` sets the number of cases for each encoder (default 8; those of releases are made with 500).
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod video_streams;

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use kinora::encode::{Quality, VideoEncoderName, VideoSettings, available, video_encoder};
use kinora::units::{FrameRate, Size};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use video_streams::{moving_gradient, nothing_known};

/// An encoder is stuck when no packet comes for so long while the process does next to no work. A slow one on a busy machine still works.
const PATIENCE: Duration = Duration::from_secs(30);
/// CPU seconds that waiting threads may take in that time.
const IDLE_CPU_SECS: f64 = 1.0;
/// Pixels of all frames of a case together.
const MOST_PIXELS: u64 = 60_000_000;

#[derive(Clone, Debug)]
struct Case {
    size: (u32, u32),
    threads: usize,
    n_frames: u64,
    keyframes: Vec<u64>,
    quality: Quality,
}

/// Sides from 64 to 3840, mostly small ones, so that there are many frames; even numbers, as frames have.
fn cases() -> impl Strategy<Value = Case> {
    // openh264 takes no shorter side above 2160.
    let side = |most| prop_oneof![3 => 32..160u32, 2 => 160..960u32, 1 => 960..=most];
    let quality = prop_oneof![
        Just(Quality::Low),
        Just(Quality::Medium),
        Just(Quality::High)
    ];
    let length = prop_oneof![2 => 1..20u64, 3 => 20..300u64, 1 => 300..=3000u64];
    let (longer, shorter) = (side(1920u32), side(1080u32));
    (longer, shorter, 1..=16usize, length, quality, any::<u64>()).prop_map(
        |(longer, shorter, threads, length, quality, seed)| {
            let (longer, shorter) = (longer * 2, shorter * 2);
            let (width, height) = match seed.is_multiple_of(2) {
                true => (shorter, longer),
                false => (longer, shorter),
            };
            let most = (MOST_PIXELS / u64::from(width * height)).max(1);
            let n_frames = length.min(most);
            Case {
                size: (width, height),
                threads,
                n_frames,
                keyframes: keyframes(n_frames, seed),
                quality,
            }
        },
    )
}

/// Key frames at irregular distances up to 60, as the plan makes them; every other time none of them are near each other.
fn keyframes(n_frames: u64, seed: u64) -> Vec<u64> {
    let (mut state, mut at, mut all) = (seed | 1, 0, Vec::new());
    let nearest = if seed % 4 < 2 { 1 } else { 16 };
    while at < n_frames {
        all.push(at);
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let distance = state >> 33;
        let distance = match distance % 4 {
            0 => 1 + (distance >> 2) % 8,
            1 => 1 + (distance >> 2) % 60,
            _ => 60,
        };
        at += distance.max(nearest);
    }
    all
}

/// Encodes a case on a thread of its own; gives the number of packets, or says that nothing came for too long.
fn encode_within_time(name: VideoEncoderName, case: &Case) -> Result<u64, String> {
    let codec = match name {
        VideoEncoderName::SvtAv1 | VideoEncoderName::Rav1e => kinora::encode::VideoCodec::Av1,
        _ => kinora::encode::VideoCodec::H264,
    };
    let settings = VideoSettings {
        codec,
        encoder: name,
        quality: case.quality,
        size: Size::new(case.size.0, case.size.1).unwrap(),
        rate: FrameRate::new(30, 1).unwrap(),
        threads: case.threads,
        n_frames: case.n_frames,
        keyframes: case.keyframes.clone(),
    };
    let (to, from) = channel();
    std::thread::spawn(move || {
        let mut encoder = video_encoder(&settings).unwrap();
        let (mut out, known) = (Vec::new(), nothing_known());
        for index in 0..settings.n_frames {
            let frame = moving_gradient(index, settings.size);
            encoder.encode(&frame, &known, &mut out).unwrap();
            to.send(out.len() as u64).unwrap();
        }
        encoder.finish(&mut out).unwrap();
        drop(encoder);
        to.send(out.len() as u64).unwrap();
    });
    let mut n_packets = 0;
    loop {
        let cpu_secs = process_cpu_secs();
        match from.recv_timeout(PATIENCE) {
            Ok(n) => n_packets = n,
            Err(RecvTimeoutError::Disconnected) => return Ok(n_packets),
            Err(RecvTimeoutError::Timeout) if process_cpu_secs() - cpu_secs > IDLE_CPU_SECS => {}
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!(
                    "nothing came for {PATIENCE:?} after {n_packets} packets"
                ));
            }
        }
    }
}

/// CPU time of all threads of this process so far: `utime` and `stime` of proc(5), in ticks of 10 ms.
fn process_cpu_secs() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let (_, after_name) = stat.rsplit_once(')').unwrap();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks.map(|n| n.parse::<f64>().unwrap()).sum::<f64>() / 100.0
}

fn check(name: VideoEncoderName, n_cases: u32) {
    let mut runner = TestRunner::new(Config {
        cases: n_cases,
        failure_persistence: None,
        // A case that waits for ever takes half a minute.
        max_shrink_iters: 4,
        ..Config::default()
    });
    let ran = runner.run(&cases(), |case| {
        let n_packets = encode_within_time(name, &case);
        prop_assert_eq!(n_packets, Ok(case.n_frames), "{:?} {:?}", name, case);
        Ok(())
    });
    if let Err(e) = ran {
        panic!("{name:?}: {e}");
    }
}

#[test]
fn every_encoder_ends_whatever_it_is_asked_for() {
    let cases = std::env::var("KINORA_ENCODER_CASES");
    let n_cases = cases.map_or(8, |n| n.parse().expect("KINORA_ENCODER_CASES is a number"));
    check(VideoEncoderName::OpenH264, n_cases);
    check(VideoEncoderName::Rav1e, n_cases.div_ceil(4));
    match &available()[0].version {
        Ok(version) => {
            println!("SVT-AV1 {version}");
            check(VideoEncoderName::SvtAv1, n_cases);
        }
        Err(reason) => println!("skipped: {reason}"),
    }
}
