//! What a substitute made is taken again only while those for whom it stood in still cannot; a run that goes on after a crash asks nobody again.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod cast;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use kinora_studio::failure::{Failure, FailureKind, Stage};
use kinora_studio::providers::chain::Chain;
use kinora_studio::providers::{Answer, Call, Picture, PictureAsk, PictureProvider};
use kinora_studio::stages::{Brief, Watch};

/// Paints when it is up, and counts how often it is asked.
#[derive(Default)]
struct First {
    is_up: AtomicBool,
    n_asked: AtomicUsize,
}

impl PictureProvider for First {
    fn name(&self) -> &str {
        "first"
    }

    fn model(&self) -> &str {
        "1"
    }

    fn paint(&self, _: &PictureAsk, _: &[Vec<u8>], _: &Call) -> Result<Answer<Picture>, Failure> {
        self.n_asked.fetch_add(1, Ordering::SeqCst);
        if !self.is_up.load(Ordering::SeqCst) {
            return Err(Failure::new(
                Stage::Pictures,
                FailureKind::Unavailable,
                "down",
            ));
        }
        let mut file = std::io::Cursor::new(Vec::new());
        let picture = image::RgbImage::from_pixel(300, 300, image::Rgb([1, 2, 3]));
        picture
            .write_to(&mut file, image::ImageFormat::Png)
            .unwrap();
        Ok(Answer::plain(Picture {
            file: file.into_inner(),
            width: 300,
            height: 300,
        }))
    }
}

#[test]
fn the_first_is_asked_once_more_in_a_new_run_and_nobody_is_paid_twice() {
    let temp = tempfile::tempdir().unwrap();
    let first = Arc::new(First::default());
    let mut studio = cast::studio(temp.path());
    studio.pictures = Arc::new(Chain::<dyn PictureProvider>::of(vec![
        first.clone(),
        studio.pictures.clone(),
    ]));
    let brief = cast::brief();
    let asked = || {
        let calls = cast::calls(temp.path());
        let second: usize = calls
            .iter()
            .filter(|(call, _)| call.starts_with("picture"))
            .map(|(_, n)| n)
            .sum();
        (first.n_asked.swap(0, Ordering::SeqCst), second)
    };
    let run = |is_up: bool, brief: &Brief| {
        first.is_up.store(is_up, Ordering::SeqCst);
        studio.produce(brief, &Watch::default()).unwrap()
    };
    let production = run(false, &brief);
    let n = production.script.scenes.len();
    assert_eq!(asked(), (n, n), "the second stands in");
    assert!(
        production
            .notes
            .iter()
            .any(|note| note.contains("first failed"))
    );
    run(true, &brief);
    assert_eq!(
        asked(),
        (0, n),
        "not finished: it goes on with what there is"
    );
    production.finish().unwrap();
    run(false, &brief);
    assert_eq!(
        asked(),
        (n, n),
        "still down: the first only, and what was made stays"
    );
    let other = Brief {
        captions: None,
        ..brief.clone()
    };
    let better = run(true, &other);
    assert_eq!(
        asked(),
        (n, n),
        "another run with the same pictures: the first makes them"
    );
    assert!(better.notes.iter().all(|note| !note.contains("failed")));
    run(false, &brief);
    assert_eq!(asked(), (0, n), "what the first made is kept for all");
}
