//! x264 in its own program: killed or stopped in the middle of a video, and its files read by ffmpeg. Skipped where the program or libx264 is absent.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod video_streams;

use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use kinora::encode::{
    Quality, VideoCodec, VideoEncoder, VideoEncoderName, VideoSettings, available, video_encoder,
};
use kinora::error::{Error, ErrorKind};
use kinora::mux::{Layout, Mp4Writer};
use kinora::units::{FrameRate, Size};
use video_streams::{encode, moving_gradient, nothing_known};

/// Tests that look for this process's children take turns.
static TURN: Mutex<()> = Mutex::new(());

fn is_here() -> bool {
    let infos = available();
    let info = infos.iter().find(|info| info.name == "x264").unwrap();
    match &info.version {
        Ok(_) => true,
        Err(reason) => {
            println!("skipped: {reason}");
            false
        }
    }
}

fn settings() -> VideoSettings {
    VideoSettings {
        codec: VideoCodec::H264,
        encoder: VideoEncoderName::X264,
        quality: Quality::Medium,
        size: Size::new(178, 98).unwrap(),
        rate: FrameRate::new(30_000, 1001).unwrap(),
        threads: 3,
        n_frames: 150,
        keyframes: vec![0, 40, 80, 120],
    }
}

/// The encoder after some frames, and the programs that work for it.
fn midway() -> (Box<dyn VideoEncoder>, Vec<String>) {
    let settings = settings();
    let mut encoder = video_encoder(&settings).unwrap();
    for index in 0..70 {
        let frame = moving_gradient(index, settings.size);
        encoder
            .encode(&frame, &nothing_known(), &mut Vec::new())
            .unwrap();
    }
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let children = children();
        if !children.is_empty() {
            return (encoder, children);
        }
        assert!(Instant::now() < until, "no program was started");
    }
}

/// Child processes of this one that run `kinora-x264`.
fn children() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let children = tasks
        .filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("children")).ok());
    let children: Vec<String> = children
        .flat_map(|text| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    let runs_x264 = |pid: &String| {
        std::fs::read_to_string(format!("/proc/{pid}/comm"))
            .is_ok_and(|name| name.starts_with("kinora-x264"))
    };
    children.into_iter().filter(runs_x264).collect()
}

fn signal(name: &str, children: &[String]) {
    for child in children {
        // It may have ended meanwhile.
        let _ = Command::new("kill").args([name, child]).status();
    }
}

fn rest_of(encoder: &mut dyn VideoEncoder) -> Result<(), Error> {
    let mut out = Vec::new();
    for index in 70..150 {
        let frame = moving_gradient(index, settings().size);
        encoder.encode(&frame, &nothing_known(), &mut out)?;
    }
    encoder.finish(&mut out)
}

#[test]
fn a_program_that_is_killed_is_an_error_that_names_it() {
    let _turn = TURN.lock();
    if !is_here() {
        return;
    }
    let (mut encoder, children) = midway();
    signal("-STOP", &children);
    signal("-KILL", &children);
    let error = rest_of(&mut *encoder).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Encoder);
    let text = error.to_string();
    assert!(
        text.contains("kinora-x264") && text.contains("signal: 9"),
        "{text}"
    );
}

#[test]
fn a_program_that_hangs_holds_up_no_cancelling_and_leaves_nothing() {
    let _turn = TURN.lock();
    if !is_here() {
        return;
    }
    let (encoder, stopped) = midway();
    signal("-STOP", &stopped);
    let clock = Instant::now();
    drop(encoder);
    assert!(clock.elapsed() < Duration::from_secs(5));
    assert_eq!(children(), Vec::<String>::new());
}

#[test]
fn ffmpeg_reads_every_frame_at_its_time() {
    let _turn = TURN.lock();
    if !is_here() {
        return;
    }
    let settings = settings();
    let encoded = encode(&settings, moving_gradient);
    let layout = Layout {
        size: settings.size,
        rate: settings.rate,
        n_frames: settings.n_frames,
        n_samples: None,
        packet_samples: 0,
    };
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut writer = Mp4Writer::new(file.reopen().unwrap(), &layout).unwrap();
    for packet in encoded.packets {
        writer.video(packet).unwrap();
    }
    writer.finish(&encoded.config, None).unwrap();
    let facts = kinora::mux::check(file.reopen().unwrap()).unwrap();
    assert_eq!(facts.tracks[0].n_samples, 150);
    assert!(facts.tracks[0].is_reordered, "B-frames are made");
    let probe = Command::new("ffprobe")
        .args([
            "-v",
            "error",
            "-select_streams",
            "v",
            "-show_entries",
            "frame=pts_time,key_frame",
            "-of",
            "csv=p=0",
        ])
        .arg(file.path())
        .output();
    let Ok(probe) = probe else {
        println!("skipped: no ffprobe on this machine");
        return;
    };
    assert_eq!(String::from_utf8_lossy(&probe.stderr), "");
    let text = String::from_utf8(probe.stdout).unwrap();
    let mut n_frames = 0;
    for (index, line) in text.lines().enumerate() {
        let (is_key, time) = line.split_once(',').unwrap();
        let due = index as f64 * 1001.0 / 30_000.0;
        let time: f64 = time.trim_end_matches(',').parse().unwrap();
        assert!((time - due).abs() < 1e-5, "frame {index}: {line}");
        let is_due = settings.keyframes.contains(&(index as u64));
        assert_eq!(is_key == "1", is_due, "frame {index}: {line}");
        n_frames += 1;
    }
    assert_eq!(n_frames, 150);
}
