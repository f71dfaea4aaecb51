//! Goldens: every `tests/golden/<topic>/<name>@<seconds>.png` is what `<name>.json` shows at that instant, on both back ends.
//!
//! To add one, write `<name>.json` (pictures are those of `tests/scenery`), make an empty file `<name>@<seconds>.png`, and run `UPDATE=1 cargo test --test golden`.
//! Then look at the picture: whatever it shows from then on counts as right.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod scenery;

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{Rgb, RgbImage};
use kinora::compose::Backend;
use kinora::frame::Frame;
use kinora::media::MemoryAssets;
use kinora::text::Fonts;
use kinora::units::Time;
use kinora::{ErrorKind, Job, Render};

/// Greatest mean difference of two pictures' bytes: about half a code of the frame, since one of luma is 1.2 here and one of chroma up to 1.9.
/// Other processors and math libraries round differently.
const MOST_MEAN: f64 = 0.7;
/// Greatest difference of a byte ...
const MOST: u8 = 6;
/// ... except in this part of the pixels, at the edges of glyphs and masks.
const MOST_OUTLIERS: f64 = 0.005;
const MOST_BYTES: usize = 40 * 1024;
const MOST_SIDE: u32 = 360;

/// One instant of one document.
struct Golden {
    /// `topic/name`.
    document: String,
    at: Time,
    picture: PathBuf,
}

impl Golden {
    fn name(&self) -> String {
        let file = self.picture.file_stem().unwrap().to_string_lossy();
        format!("{}/{file}", self.document.split('/').next().unwrap())
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Where failures are written: `golden` in the target folder.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .unwrap()
        .join("golden")
}

fn is_update() -> bool {
    std::env::var("UPDATE").is_ok_and(|value| value == "1")
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

/// Every golden; fails on a document without pictures and on a picture without document.
fn goldens() -> Vec<Golden> {
    let mut goldens = Vec::new();
    for topic in sorted(&folder()) {
        let topic_name = topic.file_name().unwrap().to_string_lossy().into_owned();
        let mut documents = Vec::new();
        for path in sorted(&topic) {
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            if path.extension().is_some_and(|e| e == "json") {
                documents.push(format!("{topic_name}/{stem}"));
                continue;
            }
            let (name, at) = stem
                .split_once('@')
                .unwrap_or_else(|| panic!("{}: no @ and seconds in its name", path.display()));
            let at = at.parse().ok().and_then(Time::from_secs);
            goldens.push(Golden {
                document: format!("{topic_name}/{name}"),
                at: at.unwrap_or_else(|| panic!("{}: no seconds after the @", path.display())),
                picture: path,
            });
        }
        for document in &documents {
            assert!(
                goldens.iter().any(|golden| golden.document == *document),
                "{document}.json has no picture: make an empty file {document}@SECONDS.png and run with UPDATE=1"
            );
        }
        let topic_start = format!("{topic_name}/");
        for golden in goldens
            .iter()
            .filter(|golden| golden.document.starts_with(&topic_start))
        {
            assert!(
                documents.contains(&golden.document),
                "{} has no document",
                golden.name()
            );
        }
    }
    goldens
}

/// The scenery, drawn once.
fn assets() -> Arc<MemoryAssets> {
    static ASSETS: OnceLock<Arc<MemoryAssets>> = OnceLock::new();
    Arc::clone(ASSETS.get_or_init(|| Arc::new(scenery::assets())))
}

/// The fonts, read once.
fn fonts() -> Fonts {
    static FONTS: OnceLock<Fonts> = OnceLock::new();
    FONTS.get_or_init(Fonts::default).clone()
}

/// What a golden shows.
fn drawn(golden: &Golden, backend: Backend) -> kinora::Result<RgbImage> {
    let text = fs::read_to_string(folder().join(format!("{}.json", golden.document))).unwrap();
    let job = Job::from_json(&text, assets(), fonts())
        .unwrap_or_else(|e| panic!("{}: {e}", golden.name()));
    assert!(
        golden.at < job.plan().duration(),
        "{}: after the end",
        golden.name()
    );
    let options = Render {
        backend,
        threads: 1,
        ..Render::default()
    };
    job.still(golden.at, &options).map(|frame| rgb(&frame))
}

/// BT.709 limited range to sRGB, chroma repeated.
fn rgb(frame: &Frame) -> RgbImage {
    let [luma, u, v] = frame.planes();
    let width = frame.size.width;
    RgbImage::from_fn(width, frame.size.height, |x, y| {
        let chroma = (y / 2 * (width / 2) + x / 2) as usize;
        let y = (f32::from(luma[(y * width + x) as usize]) - 16.0) * 255.0 / 219.0;
        let [u, v] = [u, v].map(|plane| (f32::from(plane[chroma]) - 128.0) * 255.0 / 224.0);
        Rgb([y + 1.5748 * v, y - 0.1873 * u - 0.4681 * v, y + 1.8556 * u].map(|c| (c + 0.5) as u8))
    })
}

fn png(picture: &RgbImage) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Best, FilterType::Adaptive);
    picture.write_with_encoder(encoder).unwrap();
    bytes.into_inner()
}

/// Why two pictures count as different; `None` when they agree.
fn difference(actual: &RgbImage, expected: &RgbImage) -> Option<String> {
    if actual.dimensions() != expected.dimensions() {
        return Some(format!(
            "is {:?} px instead of {:?}",
            actual.dimensions(),
            expected.dimensions()
        ));
    }
    let (mut sum, mut worst, mut n_outliers) = (0u64, 0, 0u32);
    for (a, b) in actual.pixels().zip(expected.pixels()) {
        let off = [0, 1, 2].map(|i| a[i].abs_diff(b[i]));
        sum += off.iter().map(|d| u64::from(*d)).sum::<u64>();
        let most = off.into_iter().max().unwrap();
        worst = worst.max(most);
        n_outliers += u32::from(most > MOST);
    }
    let n_pixels = f64::from(actual.width()) * f64::from(actual.height());
    let (mean, outliers) = (
        sum as f64 / (3.0 * n_pixels),
        f64::from(n_outliers) / n_pixels,
    );
    (mean > MOST_MEAN || outliers > MOST_OUTLIERS).then(|| {
        format!("differs by {mean:.2} in the mean, {worst} at most, more than {MOST} in {:.2} % of the pixels", outliers * 100.0)
    })
}

/// Actual, expected and their difference (8 times) as files to look at.
fn show(name: &str, actual: &RgbImage, expected: &RgbImage) -> String {
    let at = target().join(name);
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    let diff = RgbImage::from_fn(actual.width(), actual.height(), |x, y| {
        let (a, b) = (actual.get_pixel(x, y), expected.get_pixel_checked(x, y));
        let off = |i: usize| b.map_or(255, |b| a[i].abs_diff(b[i]).saturating_mul(8));
        Rgb([off(0), off(1), off(2)])
    });
    for (what, picture) in [("actual", actual), ("expected", expected), ("diff", &diff)] {
        fs::write(format!("{}.{what}.png", at.display()), png(picture)).unwrap();
    }
    format!("{}.{{actual,expected,diff}}.png", at.display())
}

fn written(golden: &Golden) -> RgbImage {
    let bytes = fs::read(&golden.picture).unwrap();
    assert!(
        !bytes.is_empty(),
        "{} is empty; fill it with UPDATE=1",
        golden.picture.display()
    );
    assert!(
        bytes.len() <= MOST_BYTES,
        "{} has {} bytes, {MOST_BYTES} are allowed",
        golden.picture.display(),
        bytes.len()
    );
    image::load_from_memory(&bytes).unwrap().to_rgb8()
}

/// Writes the golden anew.
fn update(golden: &Golden, actual: &RgbImage) {
    let (width, height) = actual.dimensions();
    assert!(
        width.max(height) <= MOST_SIDE,
        "{}: {width}x{height} is too large for a golden",
        golden.name()
    );
    let bytes = png(actual);
    assert!(
        bytes.len() <= MOST_BYTES,
        "{}: {} bytes are too many for a golden",
        golden.name(),
        bytes.len()
    );
    fs::write(&golden.picture, bytes).unwrap();
}

#[test]
fn the_cpu_draws_every_golden() {
    let mut wrong = Vec::new();
    for golden in goldens() {
        let actual = drawn(&golden, Backend::Cpu).unwrap();
        if is_update() {
            update(&golden, &actual);
            continue;
        }
        let expected = written(&golden);
        if let Some(why) = difference(&actual, &expected) {
            wrong.push(format!(
                "{} {why}\n  see {}",
                golden.name(),
                show(&golden.name(), &actual, &expected)
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nif the new pictures are right: UPDATE=1 cargo test --test golden",
        wrong.join("\n")
    );
}

#[test]
fn every_caption_style_has_three_instants_in_both_aspects() {
    for style in kinora::plan::looks::caption_styles() {
        for aspect in ["tall", "wide"] {
            let name = format!("styles/{}-{aspect}", style.name);
            let instants = goldens().iter().filter(|g| g.document == name).count();
            assert!(instants >= 3, "{name}: {instants} instants");
        }
    }
}

#[test]
fn the_gpu_agrees_with_the_cpu_on_every_golden() {
    let mut wrong = Vec::new();
    for golden in goldens() {
        let actual = match drawn(&golden, Backend::Gpu) {
            Ok(actual) => actual,
            Err(e) if e.kind() == ErrorKind::Device => {
                println!("skipped: {e}");
                return;
            }
            Err(e) => panic!("{}: {e}", golden.name()),
        };
        let expected = drawn(&golden, Backend::Cpu).unwrap();
        if let Some(why) = difference(&actual, &expected) {
            let files = show(&format!("{}.gpu", golden.name()), &actual, &expected);
            wrong.push(format!("{} on the GPU {why}\n  see {files}", golden.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_difference_is_noticed() {
    let expected = RgbImage::from_fn(40, 40, |x, y| Rgb([(x * 6) as u8, (y * 6) as u8, 90]));
    assert_eq!(difference(&expected, &expected), None);
    let mut spot = expected.clone();
    (0..9).for_each(|i| spot.put_pixel(10 + i % 3, 10 + i / 3, Rgb([255, 0, 255])));
    assert!(difference(&spot, &expected).is_some());
    let lighter = RgbImage::from_fn(40, 40, |x, y| {
        Rgb(expected.get_pixel(x, y).0.map(|v| v.saturating_add(1)))
    });
    assert!(difference(&lighter, &expected).is_some());
    assert!(difference(&RgbImage::new(40, 41), &expected).is_some());
}
