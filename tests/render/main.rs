//! Whole renders in one process: every encoder's file, threads, cancelling, failing outputs and assets, lengths, frames, colors.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod codec;
mod colors;
mod failures;
mod files;
mod frames;
mod lengths;
mod lipsync;
mod outfiles;
#[path = "../scenery/mod.rs"]
mod scenery;
#[path = "../audio_mix/signals.rs"]
#[allow(dead_code, reason = "the mixer's tests use more of it")]
mod signals;
mod sound;
#[path = "../video_streams/mod.rs"]
mod video_streams;

use std::io::Cursor;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use kinora::compose::Backend;
use kinora::encode::{VideoCodec, VideoEncoderName, available};
use kinora::media::{Assets, MemoryAssets};
use kinora::mux::{self, FileFacts};
use kinora::text::Fonts;
use kinora::{Control, Job, Render, Report};
use serde_json::{Value, json};

/// The encoders of this machine; SVT-AV1 and x264 only where their libraries are.
fn encoders() -> Vec<Render> {
    let mut all = vec![
        (VideoCodec::H264, VideoEncoderName::OpenH264),
        (VideoCodec::Av1, VideoEncoderName::Rav1e),
    ];
    for (name, encoder) in [
        ("SVT-AV1", VideoEncoderName::SvtAv1),
        ("x264", VideoEncoderName::X264),
    ] {
        let infos = available();
        let info = infos.iter().find(|info| info.name == name).unwrap();
        match &info.version {
            Ok(_) => all.push((info.codec, encoder)),
            Err(reason) => println!("skipped: {reason}"),
        }
    }
    let render = |(codec, encoder)| Render {
        codec: Some(codec),
        encoder,
        ..quick()
    };
    all.into_iter().map(render).collect()
}

/// The quickest way to a file, the same on every machine.
fn quick() -> Render {
    Render {
        backend: Backend::Cpu,
        codec: Some(VideoCodec::H264),
        encoder: VideoEncoderName::OpenH264,
        threads: 2,
        ..Render::default()
    }
}

/// Three shots with every default, captions and sound: 128x96 at 24 fps, cuts at the frames 12 and 30.
fn document() -> Value {
    json!({
        "version": 1,
        "seed": 9,
        "output": { "width": 128, "height": 96, "fps": 24 },
        "shots": [
            { "picture": "photo-a.png", "duration": 0.5 },
            { "picture": "photo-b.png", "duration": 0.75 },
            { "picture": "bars.png", "duration": 0.5 },
        ],
        "captions": { "words": [
            { "text": "Every", "start": 0.1, "end": 0.6 },
            { "text": "evening.", "start": 0.6, "end": 1.2 },
        ] },
        "layers": [{ "draw": { "picture": { "picture": "alpha.png", "place": { "x": 0.85, "y": 0.2, "width": 0.2 } } } }],
        "audio": { "voice": { "file": "tone.flac" }, "music": { "file": "tone.ogg" } },
    })
}

/// One still picture for `n_frames` at 24 fps, 64x64, silent.
fn still_document(n_frames: u32) -> Value {
    json!({
        "version": 1,
        "motion": "still",
        "output": { "width": 64, "height": 64, "fps": 24 },
        "shots": [{ "picture": "photo-a.png", "duration": f64::from(n_frames) / 24.0 }],
    })
}

fn assets() -> MemoryAssets {
    let mut assets = scenery::assets();
    assets.insert("tone.flac", &include_bytes!("../media/tone.flac")[..]);
    assets.insert("tone.ogg", &include_bytes!("../media/tone.ogg")[..]);
    assets
}

fn job_with(document: &Value, assets: impl Assets + 'static) -> Job {
    Job::from_json(&document.to_string(), Arc::new(assets), Fonts::default()).unwrap()
}

fn job(document: &Value) -> Job {
    job_with(document, assets())
}

/// The file's bytes, its strict check, and the report.
fn rendered(job: &Job, options: &Render) -> (Vec<u8>, FileFacts, Report) {
    let (file, report) = job
        .render(Cursor::new(Vec::new()), options, &Control::default())
        .unwrap();
    let file = file.into_inner();
    let facts = mux::check(Cursor::new(&file)).unwrap();
    (file, facts, report)
}

/// What `work` gives; fails instead of waiting for ever.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, waiting) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let _ = done.send(work());
    });
    match waiting.recv_timeout(Duration::from_secs(120)) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(thread.join().unwrap_err())
        }
    }
}
