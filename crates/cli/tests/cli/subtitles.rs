//! `render --subtitles`: files beside the MP4 that other programs read as they were meant.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{code, folder_with, kinora, lines, names_in, small, stderr};

/// Words that would break a format that takes them as they are, on two pages.
fn hostile() -> Value {
    let mut timeline = small();
    timeline["captions"]["words"] = json!([
        { "text": "R&D", "start": 0.1, "end": 0.3 },
        { "text": "-->", "start": 0.3, "end": 0.5 },
        { "text": "<i>now</i>.", "start": 0.5, "end": 0.8 },
        { "text": "1\n\n2\n00:00:00,000", "start": 0.9, "end": 1.2 },
        { "text": "{\\an8}end", "start": 1.2, "end": 1.9 },
    ]);
    timeline
}

fn render(folder: &Path, more: &[&str]) -> std::process::Output {
    let mut args = vec![
        "render",
        "timeline.json",
        "-o",
        "out.mp4",
        "--backend",
        "cpu",
    ];
    args.extend(["--quality", "low"]);
    args.extend(more);
    kinora(folder, &args)
}

/// The cues that ffmpeg finds: start, duration and text of each, SubRip being what it writes; `None` where there is no ffmpeg.
fn read_back(folder: &Path, file: &str) -> Option<String> {
    let run = Command::new("ffmpeg")
        .args(["-v", "error", "-i", file, "-f", "srt", "-"])
        .current_dir(folder)
        .output();
    let Ok(run) = run else {
        println!("skipped: there is no ffmpeg");
        return None;
    };
    assert!(run.status.success() && run.stderr.is_empty(), "{run:?}");
    Some(String::from_utf8(run.stdout).unwrap().replace('\r', ""))
}

#[test]
fn every_format_lies_beside_the_video_and_is_read_back() {
    let folder = folder_with(&hostile());
    let asked = [
        "--subtitles",
        "srt",
        "--subtitles",
        "vtt",
        "--subtitles",
        "json",
        "--subtitles",
        "srt",
        "--json",
    ];
    let output = render(folder.path(), &asked);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let result = lines(&output).pop().unwrap();
    assert_eq!(
        result["subtitles"],
        json!(["out.srt", "out.vtt", "out.json"])
    );
    assert_eq!(
        names_in(folder.path()),
        [
            "a.png",
            "b.png",
            "out.json",
            "out.mp4",
            "out.srt",
            "out.vtt",
            "timeline.json"
        ]
    );
    for file in ["out.srt", "out.vtt"] {
        let Some(cues) = read_back(folder.path(), file) else {
            continue;
        };
        // Only ffmpeg escapes braces, when it writes SubRip itself.
        let plain = cues.replace('\u{2060}', "").replace("\\{", "{");
        // Two short pages in less than two seconds are one cue of two lines.
        assert_eq!(plain.matches(" --> 00:").count(), 1, "{plain}");
        let pages = ["R&D --> <i>now</i>.", "1 2 00:00:00,000 {\\an8}end"];
        for page in pages {
            assert!(plain.contains(page), "{file} lost {page}: {cues}");
        }
        assert!(plain.contains("00:00:00,100 --> 00:00:02,000"), "{plain}");
    }
}

#[test]
fn word_times_are_as_written() {
    let folder = folder_with(&small());
    let output = render(folder.path(), &["--subtitles", "json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = fs::read_to_string(folder.path().join("out.json")).unwrap();
    let times: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        times["words"],
        json!([{ "text": "First", "start": 0.1, "end": 0.8 }, { "text": "light.", "start": 0.8, "end": 1.8 }])
    );
    let page = &times["pages"][0];
    assert_eq!(
        (&page["text"], &page["start"], &page["n_words"]),
        (&json!("First light."), &json!(0.1), &json!(2))
    );
    assert!(page["end"].as_f64().unwrap() <= 2.0);
}

#[test]
fn what_cannot_be_written_is_refused_before_any_work() {
    let folder = folder_with(&small());
    fs::create_dir(folder.path().join("out.vtt")).unwrap();
    let output = render(folder.path(), &["--subtitles", "vtt"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("is a folder"),
        "{}",
        stderr(&output)
    );

    let over_itself = [
        "render",
        "timeline.json",
        "-o",
        "timeline.mp4",
        "--subtitles",
        "json",
    ];
    let output = kinora(folder.path(), &over_itself);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("itself"), "{}", stderr(&output));

    let mut silent = small();
    silent.as_object_mut().unwrap().remove("captions");
    fs::write(folder.path().join("timeline.json"), silent.to_string()).unwrap();
    let output = render(folder.path(), &["--subtitles", "srt"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("no captions"),
        "{}",
        stderr(&output)
    );
    assert_eq!(
        names_in(folder.path()),
        ["a.png", "b.png", "out.vtt", "timeline.json"]
    );
}
