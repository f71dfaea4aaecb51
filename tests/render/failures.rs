//! Renders that fail: cancelled, an output that breaks, pictures and assets that turn out bad on the way. Always an error that says where, never a hang.

use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use kinora::media::{AssetRead, Assets, MemoryAssets};
use kinora::{CancelToken, Control, ErrorKind, Job};

use super::{assets, document, encoders, in_time, job, job_with, quick, rendered, still_document};

#[test]
fn a_cancelled_render_stops_soon() {
    for options in encoders() {
        let last = Arc::new(AtomicU64::new(0));
        let (seen, cancel) = (Arc::clone(&last), CancelToken::default());
        let token = cancel.clone();
        let control = Control {
            cancel,
            progress: Some(Box::new(move |progress| {
                seen.store(progress.frame, Ordering::Relaxed);
                if progress.frame == 10 {
                    token.cancel();
                }
            })),
        };
        let job = job(&still_document(1200));
        let error = in_time(move || {
            job.render(Cursor::new(Vec::new()), &options, &control)
                .unwrap_err()
        });
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
        // What the encoder and the channels hold may still come out.
        let last = last.load(Ordering::Relaxed);
        assert!((10..300).contains(&last), "frame {last}");
    }
}

#[test]
fn a_render_cancelled_before_it_begins_writes_nothing_of_use() {
    let control = Control::default();
    control.cancel.cancel();
    let error = job(&document())
        .render(Cursor::new(Vec::new()), &quick(), &control)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
}

/// Takes so many bytes, then breaks.
struct Breaking {
    inner: Cursor<Vec<u8>>,
    left: usize,
}

impl Write for Breaking {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::new(
                io::ErrorKind::StorageFull,
                "the disk is full",
            ));
        }
        let n_bytes = bytes.len().min(self.left);
        self.left -= n_bytes;
        self.inner.write(&bytes[..n_bytes])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Breaking {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

#[test]
fn a_full_disk_is_an_error_wherever_it_comes() {
    let job = job(&document());
    let n_bytes = rendered(&job, &quick()).0.len();
    for left in [0, 1, 40, 2000, n_bytes / 2, n_bytes - 200, n_bytes - 1] {
        let (job, out) = (
            job.clone(),
            Breaking {
                inner: Cursor::default(),
                left,
            },
        );
        let result = in_time(move || job.render(out, &quick(), &Control::default()).map(|_| ()));
        let error = result.expect_err("the disk was full");
        assert_eq!(error.kind(), ErrorKind::Io, "{left} bytes: {error}");
        assert!(
            error.to_string().contains("the disk is full"),
            "{left} bytes: {error}"
        );
    }
}

/// A file of which the second half is missing.
fn cut(bytes: &[u8]) -> Vec<u8> {
    bytes[..bytes.len() / 2].to_vec()
}

#[test]
fn a_picture_cut_short_is_named_with_its_frame() {
    let mut assets = assets();
    assets.insert(
        "photo-b.png",
        cut(&super::scenery::png(&super::scenery::harbor(320, 480))),
    );
    // The header is whole, so the document is accepted; the damage shows when the picture is decoded.
    let job = job_with(&document(), assets);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.mp4");
    let error = kinora::render_to_file(&job, &path, &quick(), &Control::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Media, "{error}");
    let said = error.to_string();
    // The fade to the second shot begins before the cut.
    assert!(
        said.starts_with("frame ") && said.contains("shots[1].picture"),
        "{said}"
    );
    assert!(
        said.contains("`photo-b.png` is damaged or cut short"),
        "{said}"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let error = job.frames(&quick()).unwrap().find_map(Result::err).unwrap();
    assert_eq!(error.to_string(), said);
}

/// Assets that serve the checks and do something else from then on.
struct Turning<F> {
    assets: MemoryAssets,
    n_opened: AtomicUsize,
    n_good: usize,
    then: F,
}

impl<F: Fn() -> io::Error + Send + Sync> Assets for Turning<F> {
    fn open(&self, name: &str) -> io::Result<Box<dyn AssetRead>> {
        if self.n_opened.fetch_add(1, Ordering::Relaxed) < self.n_good {
            self.assets.open(name)
        } else {
            Err((self.then)())
        }
    }
}

fn turning(then: impl Fn() -> io::Error + Send + Sync + 'static) -> Job {
    let assets = Turning {
        assets: assets(),
        n_opened: AtomicUsize::new(0),
        n_good: 1,
        then,
    };
    job_with(&still_document(48), assets)
}

#[test]
fn assets_that_panic_are_an_error() {
    let job = turning(|| panic!("a fault of the embedder"));
    let error = in_time(move || {
        job.render(Cursor::new(Vec::new()), &quick(), &Control::default())
            .unwrap_err()
    });
    assert_eq!(error.kind(), ErrorKind::Internal, "{error}");
    let said = error.to_string();
    // The frame and its shot, the place in the document, what was said, and where in the code.
    assert!(
        said.starts_with("frame 0 (shots[0]): shots[0].picture: "),
        "{said}"
    );
    assert!(
        said.contains("a fault of the embedder (tests/render/failures.rs:"),
        "{said}"
    );
}

#[test]
fn assets_that_panic_are_an_error_wherever_they_do() {
    let job = turning(|| panic!("a fault of the embedder"));
    let still = job.still(kinora::units::Time::from_millis(500), &quick());
    let first = job.frames(&quick()).unwrap().next().unwrap();
    let assets = Turning {
        assets: assets(),
        n_opened: AtomicUsize::new(0),
        n_good: 0,
        then: || panic!("a fault of the embedder"),
    };
    let text = still_document(48).to_string();
    let prepared = Job::from_json(&text, Arc::new(assets), kinora::text::Fonts::default());
    for error in [
        still.unwrap_err(),
        first.unwrap_err(),
        prepared.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Internal, "{error}");
        let said = error.to_string();
        assert!(
            said.contains("a fault of the embedder (tests/render/failures.rs:"),
            "{said}"
        );
    }
}

#[test]
fn assets_that_keep_waiting_and_then_fail_are_an_error() {
    let job = turning(|| {
        std::thread::sleep(Duration::from_millis(300));
        io::Error::new(io::ErrorKind::TimedOut, "the store did not answer")
    });
    let error = in_time(move || {
        job.render(Cursor::new(Vec::new()), &quick(), &Control::default())
            .unwrap_err()
    });
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    let said = error.to_string();
    assert!(
        said.contains("photo-a.png") && said.contains("the store did not answer"),
        "{said}"
    );
}

#[test]
fn every_problem_of_a_document_and_its_assets_comes_at_once() {
    let mut written = document();
    written["output"]["width"] = 127.into();
    written["shots"][1]["picture"] = "photo-c.png".into();
    written["audio"]["voice"]["file"] = "nothing.flac".into();
    let made = Job::from_json(
        &written.to_string(),
        Arc::new(assets()),
        kinora::text::Fonts::default(),
    );
    let error = made.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Document);
    for path in ["output.width", "shots[1].picture", "audio.voice.file"] {
        let found = error
            .problems()
            .iter()
            .filter(|problem| problem.path == path)
            .count();
        assert_eq!(found, 1, "{path}: {error}");
    }
}
