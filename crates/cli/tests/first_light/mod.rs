//! The example `first-light`, cut to two seconds of 180x320 and rendered by the program.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Frames that the cut example has: 1.1 s and 0.9 s at 30 fps.
pub const N_FRAMES: u64 = 60;

/// The options of each pair of codecs, and a name for files.
pub const CODECS: [(&str, &[&str]); 4] = [
    ("h264-aac", &["--codec", "h264"]),
    ("av1-opus", &["--codec", "av1", "--encoder", "rav1e"]),
    ("av1-auto-aac", &["--codec", "av1", "--audio-codec", "aac"]),
    // The first takes x264 where that is.
    (
        "openh264-aac",
        &["--codec", "h264", "--encoder", "openh264"],
    ),
];

/// Renders the cut example into `folder` and gives the file.
pub fn render(folder: &Path, (name, options): (&str, &[&str])) -> PathBuf {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/first-light");
    for file in ["1-sea.jpg", "2-forest.jpg", "voice.ogg", "music.ogg"] {
        fs::copy(example.join(file), folder.join(file)).unwrap();
    }
    let text = fs::read_to_string(example.join("timeline.json")).unwrap();
    let mut timeline: Value = serde_json::from_str(&text).unwrap();
    timeline["output"] = json!({ "width": 180, "height": 320, "fps": 30 });
    let shots = timeline["shots"].as_array_mut().unwrap();
    shots.truncate(2);
    shots[0]["duration"] = json!(1.1);
    shots[1]["duration"] = json!(0.9);
    let words = timeline["captions"]["words"].as_array_mut().unwrap();
    words.retain(|word| word["end"].as_f64().unwrap() <= 2.0);
    fs::write(folder.join("timeline.json"), timeline.to_string()).unwrap();
    let out = folder.join(format!("{name}.mp4"));
    let rendered = Command::new(env!("CARGO_BIN_EXE_kinora"))
        .args(["render", "timeline.json", "--backend", "cpu", "-o"])
        .arg(&out)
        .args(options)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&rendered.stderr);
    assert!(rendered.status.success(), "{name}: {stderr}");
    out
}
