//! A good document that uses everything, files good and bad, and ways to change and check it.

use std::io::{self, Cursor};
use std::sync::{Arc, LazyLock};

use image::{ImageFormat, RgbaImage};
use kinora::Job;
use kinora::error::{ErrorKind, Problem};
use kinora::media::{AssetRead, Assets, MemoryAssets};
use kinora::text::Fonts;
use serde_json::Value;

/// A document in which all is well.
pub const GOOD: &str = r##"{
  "version": 1,
  "output": { "width": 180, "height": 320, "fps": 30, "background": "#102030" },
  "seed": 3,
  "transition": { "name": "fade", "duration": 0.4 },
  "motion": { "name": "floating", "amount": 1 },
  "shots": [
    { "picture": "a.png", "duration": 2 },
    { "picture": "b.png", "duration": 2, "fit": "contain", "focus": [0.2, 0.8], "transition": "none" },
    { "picture": "a.png", "words": 3, "motion": "still" }
  ],
  "captions": {
    "style": { "size": 60, "shadows": [{}], "panel": { "padding": [4, 2] } },
    "words": [
      { "text": "one", "start": 4.0, "end": 4.5 },
      { "text": "two", "start": 4.5, "end": 5.0 },
      { "text": "three", "start": 5.0, "end": 5.5 }
    ]
  },
  "audio": { "voice": { "file": "tone.ogg" }, "music": { "file": "tone.ogg" } },
  "layers": [
    { "draw": { "picture": { "picture": "logo.png", "place": { "width": 0.2 } } }, "opacity": 0.5 },
    { "draw": { "text": { "text": "title", "place": { "y": 0.2 } } }, "end": 3 },
    { "draw": { "box": { "color": "#fff", "radius": 8 } }, "start": 1, "blend": "screen" },
    { "draw": { "group": { "layers": [ { "draw": { "box": { "color": "#000" } } } ] } } }
  ]
}"##;

/// Files in memory, one of which may not be opened.
struct Files(MemoryAssets);

impl Assets for Files {
    fn open(&self, name: &str) -> io::Result<Box<dyn AssetRead>> {
        if name == "locked.png" {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        self.0.open(name)
    }

    fn closest(&self, name: &str) -> Option<String> {
        self.0.closest(name)
    }
}

pub fn png(width: u32, height: u32) -> Vec<u8> {
    let picture = RgbaImage::from_fn(width, height, |x, y| {
        image::Rgba([x as u8 * 3, y as u8 * 4, 90, 255])
    });
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

static FILES: LazyLock<Arc<Files>> = LazyLock::new(|| {
    let mut files = MemoryAssets::default();
    files.insert("a.png", png(64, 48));
    files.insert("b.png", png(48, 64));
    files.insert("logo.png", png(32, 16));
    files.insert("cut.png", &png(64, 48)[..20]);
    let clip = include_bytes!("../clips/fixtures/h264-25.mp4");
    files.insert("clip.mp4", &clip[..]);
    files.insert("cut.mp4", &clip[..clip.len() / 2]);
    files.insert(
        "hevc.mp4",
        &include_bytes!("../clips/fixtures/hevc.mp4")[..],
    );
    files.insert(
        "locked.mp4",
        &include_bytes!("../clips/fixtures/h264-encrypted.mp4")[..],
    );
    files.insert("page.png", &b"<!DOCTYPE html><p>404"[..]);
    files.insert("x.psd", &b"8BPS\0\x01"[..]);
    // A GIF's screen: 65,535 px a side.
    files.insert(
        "big.gif",
        &b"GIF89a\xff\xff\xff\xff\0\0\0,\0\0\0\0\xff\xff\xff\xff\0\x02\0;"[..],
    );
    let face = &include_bytes!("../../assets/fonts/Righteous-Regular.ttf")[..];
    files.insert("face.ttf", face);
    files.insert("cut.ttf", &face[..2000]);
    files.insert("tone.ogg", &include_bytes!("../media/tone.ogg")[..]);
    Arc::new(Files(files))
});

static FONTS: LazyLock<Fonts> = LazyLock::new(Fonts::default);

/// The document resolved.
pub fn job(text: &str) -> kinora::Result<Job> {
    Job::from_json(text, FILES.clone(), FONTS.clone())
}

/// Everything wrong with a document, each with a message worth reading.
pub fn problems_of(text: &str) -> Vec<Problem> {
    match job(text) {
        Ok(_) => Vec::new(),
        Err(e) => {
            assert_eq!(e.kind(), ErrorKind::Document, "{e}");
            assert!(!e.problems().is_empty(), "{e}");
            for problem in e.problems() {
                let n = problem.message.len();
                assert!((5..1000).contains(&n), "{problem}");
            }
            e.problems().to_vec()
        }
    }
}

/// Problems as `code@path`.
pub fn found(problems: &[Problem]) -> Vec<String> {
    let shown = |p: &Problem| format!("{}@{}", p.code, p.path);
    problems.iter().map(shown).collect()
}

/// The good document with something else at each JSON pointer; `-` takes the value out.
pub fn changed(changes: &[(&str, &str)]) -> String {
    let mut document: Value = serde_json::from_str(GOOD).unwrap();
    for (pointer, json) in changes {
        let Some((parent, key)) = pointer.rsplit_once('/') else {
            document = serde_json::from_str(json).unwrap();
            continue;
        };
        let parent = document.pointer_mut(parent).expect("a place that is there");
        match (parent, *json) {
            (Value::Object(map), "-") => drop(map.remove(key).expect("a field that is there")),
            (Value::Object(map), json) => {
                map.insert(key.into(), serde_json::from_str(json).unwrap());
            }
            (Value::Array(items), json) => {
                items[key.parse::<usize>().unwrap()] = serde_json::from_str(json).unwrap();
            }
            (other, _) => panic!("{pointer} is inside {other}"),
        }
    }
    document.to_string()
}
