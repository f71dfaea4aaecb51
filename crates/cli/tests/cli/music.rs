//! `kinora music`, and tracks named in timelines.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::json;

use crate::{code, folder_with, lines, names_in, small, stderr};

/// Runs the program with its cache in `folder`.
fn kinora(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kinora"))
        .args(args)
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env_remove("KINORA_MUSIC_LIBRARY")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn tracks_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let output = kinora(folder.path(), &["music"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!((output.status.code(), text.lines().count()), (Some(0), 39));
    assert!(
        text.contains("news_theme") && text.contains("126 bpm"),
        "{text}"
    );
    let output = kinora(folder.path(), &["music", "--json"]);
    let tracks = &lines(&output)[0]["tracks"];
    assert_eq!(tracks.as_array().unwrap().len(), 39);
    assert_eq!(tracks[0]["slug"], "temple_of_treasures");
    assert_eq!(
        names_in(folder.path()),
        Vec::<String>::new(),
        "a list renders nothing"
    );
}

#[test]
fn a_track_is_written_and_a_timeline_may_name_it() {
    let mut timeline = small();
    timeline["audio"] = json!({ "music": { "file": "music:wind_on_our_side" } });
    let folder = folder_with(&timeline);
    let at = folder.path();
    let output = kinora(at, &["music", "wind_on_our_side", "-o", "wind.wav"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(&fs::read(at.join("wind.wav")).unwrap()[..4], b"RIFF");
    assert_eq!(names_in(&at.join("cache/kinora/music")).len(), 1);
    let output = kinora(at, &["render", "timeline.json", "-o", "out.mp4"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn unknown_tracks_are_told_with_a_suggestion() {
    let mut timeline = small();
    timeline["audio"] = json!({ "music": { "file": "music:news_them" } });
    let folder = folder_with(&timeline);
    for args in [
        &["render", "timeline.json", "-o", "out.mp4"][..],
        &["lint", "timeline.json"],
        &["music", "news_them", "-o", "a.wav"],
    ] {
        let output = kinora(folder.path(), args);
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
        assert!(
            stderr(&output).contains("news_theme"),
            "{args:?}: {}",
            stderr(&output)
        );
    }
    for args in [
        &["music", "news_theme"][..],
        &["music", "-o", "a.wav"],
        &["music", "news_theme", "-o", "a.mp3"],
    ] {
        assert_eq!(code(&kinora(folder.path(), args)), 2, "{args:?}");
    }
}

#[test]
fn an_operators_track_keeps_its_type() {
    let folder = folder_with(&small());
    let own = folder.path().join("own");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("real.ogg"), b"OggS").unwrap();
    fs::write(
        own.join("manifest.json"),
        r#"{"tracks": {"news_theme": {"file": "real.ogg"}}}"#,
    )
    .unwrap();
    let written = kinora(
        folder.path(),
        &["music", "news_theme", "--library", "own", "-o", "news.ogg"],
    );
    assert_eq!(code(&written), 0, "{}", stderr(&written));
    assert_eq!(fs::read(folder.path().join("news.ogg")).unwrap(), b"OggS");
    let output = kinora(
        folder.path(),
        &["music", "news_theme", "--library", "own", "-o", "news.wav"],
    );
    assert!(stderr(&output).contains("news.ogg"), "{}", stderr(&output));
}
