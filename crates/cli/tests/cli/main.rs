//! The program as its users meet it: exit codes, messages, JSON lines, and files that appear only when they are complete.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod admin;
mod align;
mod gallery;
mod lint;
mod looks;
mod mocked;
mod music;
mod outputs;
mod start;
mod stuck;
mod studio;
mod subtitles;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// Runs the program in `folder`.
fn kinora(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kinora"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Every line of stdout as JSON.
fn lines(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Two seconds, two shots, 180x320, without sound files.
fn small() -> Value {
    json!({
        "version": 1,
        "output": { "width": 180, "height": 320 },
        "shots": [{ "picture": "a.png", "duration": 1 }, { "picture": "b.png", "duration": 1 }],
        "captions": { "words": [{ "text": "First", "start": 0.1, "end": 0.8 }, { "text": "light.", "start": 0.8, "end": 1.8 }] },
    })
}

/// A folder with two pictures and `timeline.json`.
fn folder_with(timeline: &Value) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, blue) in [("a.png", 40), ("b.png", 200)] {
        let picture = image::RgbImage::from_fn(240, 400, |x, y| {
            image::Rgb([(x % 256) as u8, (y / 2) as u8, blue])
        });
        picture.save(folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("timeline.json"), timeline.to_string()).unwrap();
    folder
}

/// A render that would take minutes, its output in pipes.
fn long_render(options: &[&str]) -> (TempDir, Child) {
    let mut timeline = small();
    timeline["shots"][1]["duration"] = json!(3000);
    let folder = folder_with(&timeline);
    let child = Command::new(env!("CARGO_BIN_EXE_kinora"))
        .args(["render", "timeline.json", "--backend", "cpu"])
        .args(options)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    (folder, child)
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn bad_usage_exits_with_2() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        &["paint"][..],
        &["render"],
        &["render", "timeline.json"],
        &["render", "timeline.json", "-o", "out.mp4", "--codec", "vhs"],
        &[
            "render",
            "timeline.json",
            "-o",
            "out.mp4",
            "--threads",
            "-3",
        ],
        &["render", "missing.json", "-o", "out.mp4"],
        &["still", "timeline.json", "-o", "out.png"],
        &["bench", "--seconds", "0"],
    ] {
        let output = kinora(folder.path(), args);
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
        assert!(!output.stderr.is_empty(), "{args:?} says nothing");
    }
    assert_eq!(names_in(folder.path()), Vec::<String>::new());
}

#[test]
fn help_and_version_exit_with_0() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        &["--help"][..],
        &["--version"],
        &["render", "--help"],
        &["bench", "--help"],
    ] {
        assert_eq!(code(&kinora(folder.path(), args)), 0, "{args:?}");
    }
}

#[test]
fn usage_errors_are_a_json_line_where_asked() {
    let folder = tempfile::tempdir().unwrap();
    let output = kinora(folder.path(), &["render", "--json", "timeline.json"]);
    assert_eq!(code(&output), 2);
    let lines = lines(&output);
    assert_eq!(
        (lines.len(), &lines[0]["event"], &lines[0]["kind"]),
        (1, &json!("error"), &json!("usage"))
    );
}

#[test]
fn a_document_with_problems_lists_them_all() {
    let mut timeline = small();
    timeline["outputs"] = json!({});
    timeline["shots"][0]["duration"] = json!("long");
    timeline["shots"][1]["pictre"] = json!("b.png");
    let folder = folder_with(&timeline);
    let output = kinora(folder.path(), &["render", "timeline.json", "-o", "out.mp4"]);
    assert_eq!(code(&output), 2);
    for place in ["outputs", "shots[0].duration", "shots[1].pictre"] {
        assert!(
            stderr(&output).contains(place),
            "{place} is not named in: {}",
            stderr(&output)
        );
    }
    let output = kinora(
        folder.path(),
        &["render", "timeline.json", "-o", "out.mp4", "--json"],
    );
    assert_eq!(code(&output), 2);
    let error = &lines(&output)[0];
    assert_eq!(
        (&error["kind"], &error["code"]),
        (&json!("document"), &json!(2))
    );
    assert!(error["problems"].as_array().unwrap().len() >= 3, "{error}");
    assert!(!folder.path().join("out.mp4").exists());
}

#[test]
fn missing_assets_are_problems_of_the_document() {
    let mut timeline = small();
    timeline["shots"][0]["picture"] = json!("gone.png");
    timeline["shots"][1]["picture"] = json!("lost.png");
    let folder = folder_with(&timeline);
    let output = kinora(folder.path(), &["render", "timeline.json", "-o", "out.mp4"]);
    assert_eq!(code(&output), 2);
    for name in [
        "gone.png",
        "lost.png",
        "shots[0].picture",
        "shots[1].picture",
    ] {
        assert!(
            stderr(&output).contains(name),
            "{name} is not named in: {}",
            stderr(&output)
        );
    }
}

#[test]
fn output_paths_are_checked_before_any_work() {
    let folder = folder_with(&small());
    fs::create_dir(folder.path().join("sub.mp4")).unwrap();
    for (path, wanted, says) in [
        ("missing/out.mp4", 1, "mkdir -p"),
        ("sub.mp4", 2, "is a folder"),
        ("out.mov", 2, "out.mp4"),
        ("/dev/null", 2, ".mp4"),
        ("timeline.json/out.mp4", 1, "does not exist"),
    ] {
        let output = kinora(folder.path(), &["render", "timeline.json", "-o", path]);
        assert_eq!(code(&output), wanted, "{path}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(says),
            "{path}: {}",
            stderr(&output)
        );
    }
    assert_eq!(
        names_in(folder.path()),
        ["a.png", "b.png", "sub.mp4", "timeline.json"]
    );
}

#[test]
fn schema_is_a_json_schema_that_names_every_top_level_field() {
    let output = kinora(Path::new("."), &["schema"]);
    assert_eq!(code(&output), 0);
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    for field in ["version", "output", "shots", "captions", "audio", "layers"] {
        assert!(schema["properties"][field].is_object(), "{field}");
    }
}

#[test]
fn doctor_names_encoders_and_fonts() {
    let output = kinora(Path::new("."), &["doctor", "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let report = &lines(&output)[0];
    let findings = report["findings"].as_array().unwrap();
    for part in ["machine", "build", "graphics", "encoder", "fonts"] {
        assert!(
            findings.iter().any(|finding| finding["part"] == part),
            "{part} is missing in {report}"
        );
    }
}

#[test]
fn probe_refuses_what_is_no_mp4() {
    let folder = folder_with(&small());
    for (file, wanted) in [
        ("timeline.json", 1),
        ("a.png", 1),
        ("gone.mp4", 1),
        (".", 2),
    ] {
        let output = kinora(folder.path(), &["probe", file]);
        assert_eq!(code(&output), wanted, "{file}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(file),
            "{file} is not named in: {}",
            stderr(&output)
        );
    }
}

#[test]
fn a_render_shows_progress_and_gives_a_whole_file() {
    let folder = folder_with(&small());
    let output = kinora(
        folder.path(),
        &[
            "render",
            "timeline.json",
            "-o",
            "out.mp4",
            "--backend",
            "cpu",
            "--quality",
            "low",
            "--json",
        ],
    );
    assert_eq!(
        code(&output),
        0,
        "{}{}",
        stderr(&output),
        String::from_utf8_lossy(&output.stdout)
    );
    let lines = lines(&output);
    assert!(lines.iter().any(|line| line["event"] == "progress"));
    let result = lines.last().unwrap();
    assert_eq!(
        (&result["event"], &result["n_frames"]),
        (&json!("result"), &json!(60))
    );
    let n_bytes = fs::metadata(folder.path().join("out.mp4")).unwrap().len();
    assert_eq!(result["n_bytes"], json!(n_bytes));
    assert_eq!(
        names_in(folder.path()),
        ["a.png", "b.png", "out.mp4", "timeline.json"]
    );
    assert_eq!(
        code(&kinora(folder.path(), &["probe", "out.mp4", "--json"])),
        0
    );
}

#[test]
fn a_timeline_comes_from_stdin_with_assets_in_the_current_folder() {
    let folder = folder_with(&small());
    let mut child = Command::new(env!("CARGO_BIN_EXE_kinora"))
        .args([
            "still",
            "-",
            "--at",
            "0.5",
            "-o",
            "out.png",
            "--backend",
            "cpu",
        ])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(small().to_string().as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success());
    let picture = image::open(folder.path().join("out.png"))
        .unwrap()
        .into_rgb8();
    assert_eq!(picture.dimensions(), (180, 320));
    assert!(
        picture.pixels().any(|p| p.0 != picture.get_pixel(0, 0).0),
        "one flat color"
    );
}

#[test]
fn stills_outside_the_video_are_refused() {
    let folder = folder_with(&small());
    for at in ["-1", "2", "1e12", "nan"] {
        let output = kinora(
            folder.path(),
            &["still", "timeline.json", "--at", at, "-o", "out.png"],
        );
        assert_eq!(code(&output), 2, "{at}: {}", stderr(&output));
    }
    assert!(!folder.path().join("out.png").exists());
}

#[test]
fn a_signal_cancels_without_a_file() {
    let (folder, mut child) = long_render(&["-o", "out.mp4", "--json"]);
    let mut reader = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    std::io::BufRead::read_line(&mut reader, &mut first).unwrap();
    assert!(first.contains("progress"), "{first}");
    let kill = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    let rest = std::thread::spawn(move || std::io::read_to_string(reader).unwrap());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(1));
    assert!(rest.join().unwrap().contains("\"cancelled\""));
    // The engine's threads are gone with the process; what is left in the folder stays.
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(names_in(folder.path()), ["a.png", "b.png", "timeline.json"]);
}
