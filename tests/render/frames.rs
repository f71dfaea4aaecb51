//! Frames for those who bring an encoder of their own: all of them, in order, the same as one by one; with the embedder's assets and fonts.

use std::io;
use std::sync::{Arc, Mutex};

use kinora::compose::Backend;
use kinora::media::{AssetRead, Assets, MemoryAssets};
use kinora::text::Fonts;
use kinora::units::Time;
use kinora::{ErrorKind, Job, Render};

use super::video_streams::psnr;
use super::{assets, document, job, job_with, quick, rendered, still_document};

#[test]
fn frames_are_the_stills_of_their_times() {
    let job = job(&document());
    let frames: Vec<_> = job.frames(&quick()).unwrap().map(Result::unwrap).collect();
    assert_eq!(frames.len() as u64, job.plan().n_frames);
    for (i, frame) in frames.iter().enumerate() {
        assert_eq!((frame.index, frame.size), (i as u64, job.plan().size));
    }
    let rate = job.plan().rate;
    // A shot's first frame, the middle of a fade, captions, the last one.
    for index in [0, 11, 12, 20, 30, 41] {
        let options = Render {
            threads: 1,
            ..quick()
        };
        let still = job.still(rate.time_of(index), &options).unwrap();
        assert!(still == frames[index as usize], "frame {index}");
    }
    // A frame is on screen until the next begins; times outside show the nearest frame.
    let just_before = Time(rate.time_of(13).0 - 1);
    assert!(job.still(just_before, &quick()).unwrap() == frames[12]);
    assert!(job.still(Time(-5), &quick()).unwrap() == frames[0]);
    assert!(job.still(Time(i64::MAX), &quick()).unwrap() == frames[41]);
}

/// The GPU keeps several frames in flight; none is lost, doubled or out of order.
#[test]
fn the_gpu_gives_every_frame_in_order() {
    let job = job(&document());
    let options = Render {
        backend: Backend::Gpu,
        ..quick()
    };
    let frames: Vec<_> = match job.frames(&options) {
        Ok(frames) => frames.map(Result::unwrap).collect(),
        Err(e) => {
            assert_eq!(e.kind(), ErrorKind::Device, "{e}");
            println!("skipped: {e}");
            return;
        }
    };
    let due: Vec<_> = job.frames(&quick()).unwrap().map(Result::unwrap).collect();
    assert_eq!(frames.len(), due.len());
    for (frame, due) in frames.iter().zip(&due) {
        assert_eq!(frame.index, due.index);
        let quality = psnr(frame.as_bytes(), due.as_bytes());
        assert!(quality > 45.0, "frame {}: {quality:.1} dB", due.index);
    }
    let (_, facts, report) = rendered(&job, &options);
    assert_eq!(facts.tracks[0].n_samples, report.n_frames);
}

/// Names that were asked for, served from elsewhere.
struct Store {
    inner: MemoryAssets,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Assets for Store {
    fn open(&self, name: &str) -> io::Result<Box<dyn AssetRead>> {
        self.asked.lock().unwrap().push(name.to_owned());
        self.inner
            .open(name.strip_prefix("store:").ok_or(io::ErrorKind::NotFound)?)
    }
}

#[test]
fn an_embedder_brings_assets_of_its_own() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let store = Store {
        inner: assets(),
        asked: Arc::clone(&asked),
    };
    let mut written = still_document(3);
    written["shots"][0]["picture"] = "store:photo-a.png".into();
    let own = job_with(&written, store)
        .still(Time::ZERO, &quick())
        .unwrap();
    assert!(own == job(&still_document(3)).still(Time::ZERO, &quick()).unwrap());
    let asked = asked.lock().unwrap();
    assert!(asked.len() >= 2 && asked.iter().all(|name| name == "store:photo-a.png"));
}

#[test]
fn an_embedder_brings_fonts_of_its_own() {
    let mut written = still_document(3);
    let text = |font: &str| serde_json::json!([{ "draw": { "text": { "text": "Hi", "style": { "font": font, "size": 400 } } } }]);
    let drawn = |written: &serde_json::Value, fonts| {
        let job = Job::from_json(&written.to_string(), Arc::new(assets()), fonts).unwrap();
        (
            job.still(Time::ZERO, &quick()).unwrap(),
            job.warnings().len(),
        )
    };
    written["layers"] = text("Montserrat");
    let (bundled, n_warnings) = drawn(&written, Fonts::default());
    assert_eq!(n_warnings, 0);
    let renamed = renamed(include_bytes!(
        "../../assets/fonts/Montserrat-ExtraBold.ttf"
    ));
    written["layers"] = text("Montserrqt");
    let (missing, n_warnings) = drawn(&written, Fonts::default());
    assert!(n_warnings > 0 && missing != bundled);
    let (own, n_warnings) = drawn(&written, Fonts::default().with_font(renamed).unwrap());
    assert_eq!(n_warnings, 0);
    // Another rasterizer draws faces of strangers, alike but for rounding at edges.
    let pairs = own.as_bytes().iter().zip(bundled.as_bytes());
    let off: Vec<u8> = pairs.map(|(a, b)| a.abs_diff(*b)).collect();
    let n_off = off.iter().filter(|off| **off > 4).count();
    assert!(
        own != missing && n_off * 200 < off.len(),
        "{n_off} of {}: {:?}",
        off.len(),
        off.iter().max()
    );
}

/// The same font under another family name of the same length.
fn renamed(font: &[u8]) -> Vec<u8> {
    let wide = |name: &str| {
        name.encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect::<Vec<u8>>()
    };
    let mut font = font.to_vec();
    for (from, to) in [
        (b"Montserrat".to_vec(), b"Montserrqt".to_vec()),
        (wide("Montserrat"), wide("Montserrqt")),
    ] {
        let starts: Vec<usize> = (0..font.len() - from.len())
            .filter(|&at| font[at..].starts_with(&from))
            .collect();
        for at in starts {
            font[at..at + to.len()].copy_from_slice(&to);
        }
    }
    font
}
