//! Documents with captions on a gray picture, and their frames.

use std::io::Cursor;
use std::sync::mpsc;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use image::{ImageFormat, Rgb, RgbImage};
use kinora::compose::Backend;
use kinora::frame::Frame;
use kinora::media::MemoryAssets;
use kinora::text::Fonts;
use kinora::units::Time;
use kinora::{Job, Render, Result};
use serde_json::{Value, json};

/// Nothing here may take longer: what does hangs. Far above what anything takes on a busy machine.
const HANG: Duration = Duration::from_secs(120);

pub static FONTS: LazyLock<Fonts> = LazyLock::new(Fonts::default);

static GRAY: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut bytes = Cursor::new(Vec::new());
    RgbImage::from_pixel(1080, 1920, Rgb([110, 110, 110]))
        .write_to(&mut bytes, ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
});

/// A gray picture, and font files.
pub fn assets(files: &[(&str, &[u8])]) -> Arc<MemoryAssets> {
    let mut assets = MemoryAssets::default();
    assets.insert("gray.png", GRAY.clone());
    for (name, bytes) in files {
        assets.insert(*name, bytes.to_vec());
    }
    Arc::new(assets)
}

/// Words of half a second each in a style.
pub fn document(style: &Value, words: &[&str], size: [u32; 2]) -> Value {
    let words: Vec<Value> = words
        .iter()
        .enumerate()
        .map(|(i, text)| json!({ "text": text, "start": i as f64 * 0.5, "end": (i + 1) as f64 * 0.5 }))
        .collect();
    json!({
        "version": 1,
        "output": { "width": size[0], "height": size[1], "fps": 30 },
        "shots": [{ "picture": "gray.png", "duration": words.len().max(2) as f64 * 0.5 + 1.0, "motion": "still" }],
        "captions": { "style": style, "position": "center", "words": words },
    })
}

pub fn job(document: &Value) -> Result<Job> {
    Job::from_json(&document.to_string(), assets(&[]), FONTS.clone())
}

pub fn still(job: &Job, secs: f64, backend: Backend) -> Result<Frame> {
    let options = Render {
        backend,
        ..Render::default()
    };
    job.still(Time::from_secs(secs).unwrap(), &options)
}

/// Runs `work` and fails where it hangs.
pub fn in_time<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = mpsc::channel();
    let thread = std::thread::spawn(move || done.send(work()));
    match result.recv_timeout(HANG) {
        Ok(value) => value,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("{name} hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            let cause = thread.join().unwrap_err();
            let text = cause.downcast_ref::<String>().cloned();
            panic!("{name} panicked: {}", text.unwrap_or_default());
        }
    }
}
