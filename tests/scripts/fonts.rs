//! Font files that a document names.

use kinora::Job;
use kinora::compose::Backend;
use kinora::error::Problem;
use kinora::text::Fonts;
use serde_json::{Value, json};

use super::fixture::{assets, document, in_time, still};

const FACE: &[u8] = include_bytes!("../../assets/fonts/Righteous-Regular.ttf");

/// A face whose `B` would take 2·10¹³ calls of subroutines to draw (`UPDATE=1 cargo test --lib the_face_for_tests` writes it).
const LATE_BOMB: &[u8] = include_bytes!("late_bomb.otf");

/// The face under another family's name, of the same length.
fn renamed() -> Vec<u8> {
    let mut bytes = FACE.to_vec();
    let wide = |text: &str| {
        text.encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect::<Vec<u8>>()
    };
    for (from, to) in [
        (wide("Righteous"), wide("Lighteous")),
        (b"Righteous".to_vec(), b"Lighteous".to_vec()),
    ] {
        while let Some(at) = bytes.windows(from.len()).position(|part| part == from) {
            bytes[at..at + to.len()].copy_from_slice(&to);
        }
    }
    bytes
}

fn resolve(document: &Value, files: &[(&str, &[u8])]) -> Result<Job, Vec<Problem>> {
    let job = Job::from_json(&document.to_string(), assets(files), Fonts::default());
    job.map_err(|e| e.problems().to_vec())
}

#[test]
fn a_font_of_the_document_sets_its_captions() {
    let style = |font: &str| json!({ "font": font, "weight": 400 });
    let mut document = document(&style("Lighteous"), &["Hamburg"], [360, 640]);
    let bare = resolve(&document, &[]).unwrap();
    assert_eq!(bare.warnings()[0].code, "missing_font");
    document["fonts"] = json!(["own/face.ttf"]);
    let files = [("own/face.ttf", &*renamed())];
    let own = resolve(&document, &files).unwrap();
    assert_eq!(own.warnings(), []);
    document["captions"]["style"] = style("Righteous");
    let bundled = resolve(&document, &files).unwrap();
    let frames = [&bare, &own, &bundled].map(|job| still(job, 0.4, Backend::Cpu).unwrap());
    assert!(
        frames[0] != frames[1],
        "the face is not that which stands in"
    );
    // Another rasterizer draws faces of strangers, alike but for rounding at edges.
    let (a, b) = (frames[1].planes()[0], frames[2].planes()[0]);
    let most = a.iter().zip(b.iter()).map(|(a, b)| a.abs_diff(*b)).max();
    assert!(most.unwrap() <= 16, "{most:?}");
}

#[test]
fn fonts_that_are_none_are_problems_at_their_place() {
    let cut = &FACE[..FACE.len() / 2];
    let mut wide = FACE.to_vec();
    wide[12..16].copy_from_slice(b"nope");
    let files = [
        ("cut.ttf", cut),
        ("page.html", &b"<!DOCTYPE html>"[..]),
        ("web.woff2", b"wOF2\0\0\0\0"),
        ("empty.ttf", b""),
        ("good.ttf", FACE),
    ];
    let mut document = document(&json!("default"), &["word"], [360, 640]);
    for (names, code, path, says) in [
        (json!(["cut.ttf"]), "not_a_font", "fonts[0]", "cut short"),
        (
            json!(["good.ttf", "page.html"]),
            "not_a_font",
            "fonts[1]",
            "TrueType",
        ),
        (json!(["web.woff2"]), "not_a_font", "fonts[0]", "unpacked"),
        (json!(["empty.ttf"]), "not_a_font", "fonts[0]", "0 bytes"),
        (json!(["good.tff"]), "missing_file", "fonts[0]", "good.tff"),
        (json!(vec!["good.ttf"; 17]), "too_many", "fonts", "16"),
    ] {
        document["fonts"] = names;
        let problems = resolve(&document, &files).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
        let problem = &problems[0];
        assert_eq!((problem.code, &*problem.path), (code, path), "{problem}");
        assert!(problem.message.contains(says), "{problem}");
        assert!(problem.hint.is_some() || code == "too_many", "{problem}");
    }
}

#[test]
fn an_endless_font_is_refused() {
    in_time("a font of 129 MiB", || {
        let huge = vec![0_u8; 129 << 20];
        let mut document = document(&json!("default"), &["word"], [360, 640]);
        document["fonts"] = json!(["huge.ttf"]);
        let problems = resolve(&document, &[("huge.ttf", &huge)]).unwrap_err();
        assert_eq!(problems[0].code, "too_large", "{problems:?}");
    });
}

#[test]
fn a_letter_that_takes_for_ever_is_left_out_with_a_warning() {
    in_time("a font with a hostile letter", || {
        let style = json!({ "font": "Lighteous", "weight": 400, "stroke": { "width": 6 } });
        let mut document = document(&style, &["A", "AB"], [360, 640]);
        document["fonts"] = json!(["bomb.otf"]);
        let job = resolve(&document, &[("bomb.otf", LATE_BOMB)]).unwrap();
        let warnings = job.warnings();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert_eq!(warnings[0].code, "refused_glyph");
        let message = &warnings[0].message;
        assert!(
            message.contains("Lighteous") && message.contains('B'),
            "{message}"
        );
        for secs in [0.2, 0.8] {
            still(&job, secs, Backend::Cpu).unwrap();
        }
    });
}
