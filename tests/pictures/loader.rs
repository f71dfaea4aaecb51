//! Loading ahead: order, bound, sharing, going back, errors, stopping.

use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use image::ImageFormat;
use kinora::error::ErrorKind;
use kinora::media::{AssetRead, Assets, Loader, MemoryAssets, load_frame};
use kinora::scene::PictureUse;
use kinora::scene::draw::PictureId;

use crate::samples::{assets, blocks, encoded, whole};

/// Assets that write down what is opened, and hold back the opening while the gate is shut.
struct Watched {
    files: MemoryAssets,
    state: Mutex<(Vec<String>, bool)>,
    changed: Condvar,
}

impl Watched {
    fn new(n: usize, open: bool) -> Arc<Watched> {
        let png = encoded(&blocks(1, 1), ImageFormat::Png);
        let names: Vec<String> = (0..n).map(|i| format!("{i}.png")).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(|n| (n.as_str(), &png[..])).collect();
        Arc::new(Watched {
            files: assets(&files),
            state: Mutex::new((Vec::new(), open)),
            changed: Condvar::new(),
        })
    }

    fn opened(&self) -> Vec<String> {
        self.state.lock().unwrap().0.clone()
    }

    /// Waits until `n` were opened, and then a little for one more that should not come.
    fn after(&self, n: usize) -> Vec<String> {
        let state = self.state.lock().unwrap();
        drop(self.changed.wait_while(state, |s| s.0.len() < n).unwrap());
        thread::sleep(Duration::from_millis(30));
        self.opened()
    }

    fn open_gate(&self) {
        self.state.lock().unwrap().1 = true;
        self.changed.notify_all();
    }
}

impl Assets for Watched {
    fn open(&self, name: &str) -> io::Result<Box<dyn AssetRead>> {
        let mut state = self.state.lock().unwrap();
        state.0.push(name.to_owned());
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |s| !s.1).unwrap());
        self.files.open(name)
    }
}

/// Picture `i` is shown for 10 frames from frame `10 * i`.
fn slideshow(n: usize) -> Vec<PictureUse> {
    (0..n)
        .map(|i| PictureUse {
            first_frame: i as u64 * 10,
            end_frame: i as u64 * 10 + 10,
            ..whole(&format!("{i}.png"), 8, 8)
        })
        .collect()
}

#[test]
fn pictures_come_in_order_and_never_far_ahead() {
    let files = Watched::new(6, true);
    let mut uses = slideshow(6);
    // The order in the plan need not be the order in time.
    uses.swap(1, 4);
    let mut loader = Loader::start((&uses, &[]), files.clone(), 2).unwrap();
    let mut alive = Vec::new();
    for shot in 0..6 {
        let id = PictureId([0, 4, 2, 3, 1, 5][shot]);
        for frame in [shot as u64 * 10, shot as u64 * 10 + 9] {
            let pictures = loader.for_frame(frame).unwrap();
            assert_eq!(
                pictures.keys().copied().collect::<Vec<_>>(),
                [id],
                "frame {frame}"
            );
            alive.push((shot, Arc::downgrade(&pictures[&id])));
        }
        let opened = files.after((shot + 3).min(6));
        let expected: Vec<String> = (0..(shot + 3).min(6)).map(|i| format!("{i}.png")).collect();
        assert_eq!(opened, expected);
        for (of_shot, picture) in &alive {
            assert_eq!(
                picture.strong_count() > 0,
                *of_shot == shot,
                "{of_shot} in {shot}"
            );
        }
    }
    assert!(loader.for_frame(60).unwrap().is_empty());
    assert!(alive.iter().all(|(_, picture)| picture.strong_count() == 0));
}

#[test]
fn overlaps_are_there_together_and_equal_uses_are_one() {
    let files = Watched::new(2, true);
    let mut uses = slideshow(2);
    uses[1].first_frame = 5;
    uses.push(PictureUse {
        first_frame: 10,
        end_frame: 30,
        ..uses[0].clone()
    });
    uses.push(PictureUse {
        blur_px: 3.0,
        width: 4,
        height: 4,
        ..uses[0].clone()
    });
    let mut loader = Loader::start((&uses, &[]), files.clone(), 3).unwrap();
    let pictures = loader.for_frame(7).unwrap();
    assert_eq!(pictures.len(), 4);
    assert!(Arc::ptr_eq(
        &pictures[&PictureId(0)],
        &pictures[&PictureId(2)]
    ));
    assert_eq!(pictures[&PictureId(3)].width, 4);
    assert!(loader.for_frame(29).unwrap().contains_key(&PictureId(2)));
    assert_eq!(files.opened().len(), 2);
}

#[test]
fn any_frame_may_come_next() {
    let files = Watched::new(5, true);
    let uses = slideshow(5);
    let mut loader = Loader::start((&uses, &[]), files.clone(), 1).unwrap();
    for shot in [4, 0, 3, 3, 1, 4, 2] {
        let pictures = loader.for_frame(shot * 10 + 3).unwrap();
        assert!(pictures.contains_key(&PictureId(shot as u32)));
        let alone = load_frame((&uses, &[]), shot * 10 + 3, &*files).unwrap();
        assert_eq!(alone.len(), 1);
        assert_eq!(
            alone[&PictureId(shot as u32)].rgba,
            pictures[&PictureId(shot as u32)].rgba
        );
    }
}

#[test]
fn a_failure_is_told_at_its_frame_and_names_the_file() {
    let files = Watched::new(2, true);
    let mut loader = Loader::start((&slideshow(3), &[]), files, 3).unwrap();
    assert!(loader.for_frame(0).is_ok());
    assert!(loader.for_frame(19).is_ok());
    for _ in 0..2 {
        let e = loader.for_frame(20).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Media);
        assert!(
            e.to_string().contains("shots[0].picture of 2.png: `2.png`"),
            "{e}"
        );
    }
}

#[test]
fn assets_that_panic_fail_only_their_frame() {
    struct Panicking;
    impl Assets for Panicking {
        fn open(&self, _: &str) -> io::Result<Box<dyn AssetRead>> {
            panic!("an embedder's mistake")
        }
    }
    let mut loader = Loader::start((&slideshow(1), &[]), Arc::new(Panicking), 1).unwrap();
    assert_eq!(loader.for_frame(0).unwrap_err().kind(), ErrorKind::Internal);
    assert!(loader.for_frame(10).unwrap().is_empty());
}

#[test]
fn dropping_while_loading_ends_the_threads() {
    let files = Watched::new(50, false);
    let loader = Loader::start((&slideshow(50), &[]), files.clone(), 3).unwrap();
    files.after(1);
    let gate = files.clone();
    let opener = thread::spawn(move || gate.open_gate());
    drop(loader);
    opener.join().unwrap();
    assert!(files.opened().len() <= 4);
    assert_eq!(
        Arc::strong_count(&files),
        1,
        "a thread still holds the assets"
    );
}
