//! `kinora lint`: each warning where it belongs, none where all is well, and the cheap ones with every render.

use std::f64::consts::TAU;
use std::fs;
use std::path::Path;

use image::{Rgb, RgbImage};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{code, kinora, lines, stderr};

/// Six seconds of 360x640 with a voice over all of it; bright, dark and small pictures lie beside it.
fn folder_with(change: impl FnOnce(&mut Value)) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let flat = |name: &str, side: u32, level: u8| {
        let picture = RgbImage::from_pixel(side, side * 2, Rgb([level; 3]));
        picture.save(folder.path().join(name)).unwrap();
    };
    flat("bright.png", 400, 250);
    flat("gray.png", 400, 90);
    flat("black.png", 400, 0);
    flat("small.png", 100, 90);
    write_tone(&folder.path().join("voice.wav"), 6.0, &[0.0..6.0]);
    let mut timeline = json!({
        "version": 1,
        "output": { "width": 360, "height": 640 },
        "shots": [{ "picture": "gray.png", "duration": 3 }, { "picture": "bright.png", "duration": 3 }],
        "captions": { "words": [{ "text": "Good", "start": 1, "end": 2 }, { "text": "words.", "start": 4, "end": 5 }] },
        "audio": { "voice": { "file": "voice.wav" } },
    });
    change(&mut timeline);
    fs::write(folder.path().join("timeline.json"), timeline.to_string()).unwrap();
    folder
}

/// A mono WAV file of `secs` with a tone in the given spans, silence elsewhere.
fn write_tone(path: &Path, secs: f64, spans: &[std::ops::Range<f64>]) {
    const RATE: u32 = 8000;
    let n = (secs * f64::from(RATE)) as u32;
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: RATE,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut file = hound::WavWriter::create(path, spec).unwrap();
    for i in 0..n {
        let at = f64::from(i) / f64::from(RATE);
        let loud = spans.iter().any(|span| span.contains(&at));
        let value = if loud {
            (TAU * 300.0 * at).sin() * 9000.0
        } else {
            0.0
        };
        file.write_sample(value as i16).unwrap();
    }
    file.finalize().unwrap();
}

fn lint(folder: &TempDir) -> Vec<Value> {
    let args = ["lint", "timeline.json", "--backend", "cpu", "--json"];
    let output = kinora(folder.path(), &args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let result = lines(&output).pop().unwrap();
    result["warnings"].as_array().unwrap().clone()
}

/// The only warning, which must have this code.
#[track_caller]
fn only(warnings: &[Value], code: &str) -> Value {
    assert_eq!(warnings.len(), 1, "{warnings:#?}");
    assert_eq!(warnings[0]["code"], code, "{warnings:#?}");
    warnings[0].clone()
}

#[test]
fn a_good_document_has_nothing_to_warn_of() {
    assert_eq!(lint(&folder_with(|_| {})), Vec::<Value>::new());
    let folder = folder_with(|_| {});
    let output = kinora(folder.path(), &["lint", "timeline.json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(output.stdout, b"no warnings\n");
}

#[test]
fn white_letters_on_a_bright_picture_are_told_unless_something_sets_them_off() {
    let style = |stroke: Value, panel: Value| json!({ "fill": "#FFFFFF", "active": null, "shadows": [], "stroke": stroke, "panel": panel });
    let bare = folder_with(|t| t["captions"]["style"] = style(Value::Null, Value::Null));
    let warning = only(&lint(&bare), "low_contrast");
    assert_eq!(warning["path"], "captions.words[1].text");
    assert!(
        warning["message"]
            .as_str()
            .unwrap()
            .contains("1 of the 2 pages"),
        "{warning}"
    );
    for (stroke, panel) in [
        (json!({ "width": 8, "color": "#000000" }), Value::Null),
        (Value::Null, json!({ "color": "#000000B8" })),
    ] {
        let set_off = folder_with(|t| t["captions"]["style"] = style(stroke, panel));
        assert_eq!(lint(&set_off), Vec::<Value>::new());
    }
    let white = json!({ "width": 8, "color": "#FFFFFF" });
    let same = folder_with(|t| t["captions"]["style"] = style(white, Value::Null));
    only(&lint(&same), "low_contrast");
}

#[test]
fn black_pictures_and_small_ones_are_told() {
    let folder = folder_with(|t| t["shots"][0]["picture"] = json!("black.png"));
    let warning = only(&lint(&folder), "black_picture");
    assert_eq!(warning["path"], "shots[0].picture");
    let folder = folder_with(|t| t["shots"][0]["picture"] = json!("small.png"));
    let warning = only(&lint(&folder), "picture_too_small");
    assert_eq!(warning["path"], "shots[0].picture");
}

#[test]
fn silence_is_found_in_files_and_after_them() {
    // The file is as long as the video, but says nothing in the middle.
    let folder = folder_with(|_| {});
    write_tone(&folder.path().join("voice.wav"), 6.0, &[0.0..1.0, 4.0..6.0]);
    let warning = only(&lint(&folder), "silence");
    assert!(
        (warning["at"].as_f64().unwrap() - 1.0).abs() < 0.1,
        "{warning}"
    );
    // The file ends long before the video does: told once.
    let folder = folder_with(|_| {});
    write_tone(&folder.path().join("voice.wav"), 1.5, &[0.0..1.5]);
    let warning = only(&lint(&folder), "silence");
    assert!(
        (warning["at"].as_f64().unwrap() - 1.5).abs() < 0.1,
        "{warning}"
    );
    // A video without any sound is meant to be silent.
    let folder = folder_with(|t| t["audio"] = json!({}));
    assert_eq!(lint(&folder), Vec::<Value>::new());
}

#[test]
fn captions_that_leave_their_place_are_told_with_every_command() {
    // Many large lines: in the middle they reach under an app's controls, further down beyond the edge.
    let folder_at = |position: &str| {
        folder_with(|t| {
            let word = "Extraordinarily".repeat(4);
            t["captions"] = json!({
                "position": position,
                "style": { "size": 250 },
                "words": [{ "text": word, "start": 1, "end": 2 }],
            });
        })
    };
    let warning = only(&lint(&folder_at("bottom")), "caption_overflow");
    assert_eq!(warning["path"], "captions.words[0].text");
    let folder = folder_at("center");
    only(&lint(&folder), "caption_outside_safe_area");
    let still = [
        "still",
        "timeline.json",
        "--at",
        "1",
        "-o",
        "out.png",
        "--backend",
        "cpu",
    ];
    let output = kinora(folder.path(), &still);
    assert_eq!(code(&output), 0);
    assert!(
        stderr(&output).contains("[caption_outside_safe_area]"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_bad_document_is_no_warning() {
    let folder = folder_with(|t| t["shots"][1]["picture"] = json!("gone.png"));
    let output = kinora(folder.path(), &["lint", "timeline.json"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("gone.png"), "{}", stderr(&output));
}

#[test]
fn long_documents_are_sampled() {
    // 2000 shots and 6000 pages: thousands of stills would take minutes.
    let folder = folder_with(|t| {
        let shot = |i: usize| {
            let picture = if i.is_multiple_of(2) {
                "gray.png"
            } else {
                "bright.png"
            };
            json!({ "picture": picture, "duration": 1 })
        };
        t["shots"] = (0..2000).map(shot).collect();
        let word = |i: usize| {
            let start = i as f64 * 0.33;
            json!({ "text": format!("Word{i}."), "start": start, "end": start + 0.3 })
        };
        t["captions"]["words"] = (0..6000).map(word).collect();
        t["audio"] = json!({});
    });
    assert_eq!(lint(&folder), Vec::<Value>::new());
}
