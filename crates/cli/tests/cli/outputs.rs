//! What a timeline can become beside an MP4: sound alone, a stream on stdout, stills and previews.

use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{code, folder_with, kinora, lines, long_render, names_in, small, stderr};

/// `small` with sound: the example's music, looped under its voice.
fn with_sound() -> tempfile::TempDir {
    let mut timeline = small();
    timeline["audio"] = json!({ "voice": { "file": "voice.ogg" } });
    let folder = folder_with(&timeline);
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/first-light");
    fs::copy(example.join("voice.ogg"), folder.path().join("voice.ogg")).unwrap();
    folder
}

/// 16-bit samples of both channels as ffmpeg decodes them; `None` where there is no ffmpeg.
fn decoded(file: &Path) -> Option<Vec<i16>> {
    let arguments = ["-nostdin", "-xerror", "-v", "error", "-i"];
    let output = Command::new("ffmpeg")
        .args(arguments)
        .arg(file)
        .args(["-map", "0:a", "-f", "s16le", "-"])
        .output();
    let Ok(output) = output else {
        println!("skipped: no ffmpeg on this machine");
        return None;
    };
    assert!(output.stderr.is_empty(), "{}", stderr(&output));
    let samples = output.stdout.as_chunks::<2>().0.iter();
    Some(samples.map(|bytes| i16::from_le_bytes(*bytes)).collect())
}

fn render(folder: &Path, out: &str, options: &[&str]) -> Value {
    let mut args = vec!["render", "timeline.json", "--json", "-o", out];
    args.extend(options);
    let output = kinora(folder, &args);
    assert_eq!(code(&output), 0, "{out}: {output:?}");
    lines(&output).pop().unwrap()
}

#[test]
fn sound_alone_is_as_long_as_the_video_in_every_format() {
    let folder = with_sound();
    let mut reference = Vec::new();
    for (out, options, encoder) in [
        ("out.wav", &[][..], "16 bit"),
        ("deep.wav", &["--wav-bits", "24"], "24 bit"),
        ("out.m4a", &["--quality", "high"], "192 kbit/s"),
        ("out.opus", &["--audio-codec", "opus"], "96 kbit/s"),
    ] {
        let result = render(folder.path(), out, options);
        assert_eq!(result["n_samples"], 96_000, "{result}");
        assert!(result["audio_encoder"].as_str().unwrap().contains(encoder));
        let path = folder.path().join(out);
        assert_eq!(result["n_bytes"], fs::metadata(&path).unwrap().len());
        let Some(samples) = decoded(&path) else {
            continue;
        };
        // ffmpeg's AAC decoder gives the last frame whole.
        let slack = if out == "out.m4a" { 2 * 1024 } else { 0 };
        let n = samples.len();
        assert!((192_000..=192_000 + slack).contains(&n), "{out}: {n}");
        if reference.is_empty() {
            reference = samples;
            continue;
        }
        // The same sound at the same place: with a shift of a few samples this is far below 1.
        let dot = |a: &[i16], b: &[i16]| -> f64 {
            a.iter()
                .zip(b)
                .map(|(a, b)| f64::from(*a) * f64::from(*b))
                .sum()
        };
        let alike = dot(&samples[..192_000], &reference)
            / (dot(&samples[..192_000], &samples[..192_000]) * dot(&reference, &reference)).sqrt();
        assert!(alike > 0.97, "{out}: {alike}");
    }
    let probe = kinora(folder.path(), &["probe", "out.m4a", "--json"]);
    assert_eq!(code(&probe), 0, "{}", stderr(&probe));
    let facts = &lines(&probe)[0]["facts"];
    assert_eq!(facts["tracks"][0]["audio"]["heard_samples"], 96_000);
    // What the engine wrote it reads.
    for voice in ["out.m4a", "deep.wav"] {
        let mut timeline = small();
        timeline["audio"] = json!({ "voice": { "file": voice } });
        fs::write(folder.path().join("again.json"), timeline.to_string()).unwrap();
        let lint = kinora(folder.path(), &["render", "again.json", "-o", "again.wav"]);
        assert_eq!(code(&lint), 0, "{voice}: {}", stderr(&lint));
    }
}

#[test]
fn outputs_that_contradict_themselves_are_refused() {
    let folder = folder_with(&small());
    let before = names_in(folder.path());
    for (args, says) in [
        (&["-o", "out.mkv"][..], ".m4a, .opus or .wav"),
        (&["-o", "out"], "name it out.mp4"),
        (&["-o", "out.gif"], "kinora preview"),
        (&["-o", "out.PNG"], "kinora still"),
        (&["-o", "out.m4a", "--audio-codec", "opus"], "contains AAC"),
        (&["-o", "out.opus", "--audio-codec", "aac"], "out.m4a"),
        (&["-o", "out.wav", "--audio-codec", "aac"], "PCM"),
        (&["-o", "out.wav", "--codec", "av1"], "no video"),
        (&["-o", "out.m4a", "--encoder", "rav1e"], "no video"),
        (&["-o", "out.mp4", "--wav-bits", "24"], "not a .wav"),
        (&["-o", "out.opus", "--wav-bits", "16"], "not a .wav"),
        (&["-o", "-", "--subtitles", "srt"], "--subtitles"),
    ] {
        let output = kinora(
            folder.path(),
            &[&["render", "timeline.json"], args].concat(),
        );
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(says),
            "{args:?}: {}",
            stderr(&output)
        );
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    assert_eq!(names_in(folder.path()), before);
}

#[test]
fn a_stream_is_a_whole_video_and_stdout_holds_nothing_else() {
    let folder = with_sound();
    for options in [
        &["--codec", "h264"][..],
        &["--codec", "av1", "--encoder", "rav1e"],
    ] {
        let stream = [
            "render",
            "timeline.json",
            "-o",
            "-",
            "--json",
            "--backend",
            "cpu",
        ];
        let output = kinora(folder.path(), &[&stream, options].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let last = stderr(&output).lines().last().unwrap().to_owned();
        let result: Value = serde_json::from_str(&last).unwrap();
        assert_eq!(
            (&result["event"], &result["n_frames"]),
            (&json!("result"), &json!(60))
        );
        let facts = kinora::mux::check(Cursor::new(&output.stdout)).unwrap();
        assert!(facts.is_fragmented && facts.is_fast_start);
        assert_eq!(facts.tracks[0].n_samples, 60);
        let heard = facts.tracks[1].audio.as_ref().unwrap().heard_samples;
        assert_eq!(heard, 96_000);
        let file = folder.path().join("stream.mp4");
        fs::write(&file, &output.stdout).unwrap();
        // From a pipe, where nothing can be sought.
        let frames = Command::new("ffmpeg")
            .args(["-nostdin", "-xerror", "-v", "error", "-i", "pipe:0"])
            .args(["-map", "0:v", "-f", "framemd5", "-"])
            .stdin(File::open(&file).unwrap())
            .output();
        match frames {
            Ok(frames) => {
                assert!(frames.stderr.is_empty(), "{}", stderr(&frames));
                let text = String::from_utf8(frames.stdout).unwrap();
                assert_eq!(
                    text.lines().filter(|line| !line.starts_with('#')).count(),
                    60
                );
            }
            Err(_) => println!("skipped: no ffmpeg on this machine"),
        }
    }
}

#[test]
fn a_stream_flows_while_it_is_rendered_and_ends_with_its_reader() {
    let (_folder, mut child) = long_render(&["-o", "-", "--codec", "h264"]);
    // What comes now comes from the middle of it.
    let mut stdout = child.stdout.take().unwrap();
    let mut start = vec![0; 20_000];
    stdout.read_exact(&mut start).unwrap();
    let has = |kind: &[u8; 4]| start.windows(4).any(|bytes| bytes == kind);
    assert!(has(b"ftyp") && has(b"moov") && has(b"moof") && has(b"mdat"));
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 1);
    assert!(
        stderr(&output).contains("closed the pipe"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_terminal_gets_no_pictures() {
    let folder = folder_with(&small());
    for args in [
        &["render", "timeline.json", "-o", "-"][..],
        &["still", "timeline.json", "--at", "0", "-o", "-"],
    ] {
        // Either end of a pseudo-terminal is a terminal.
        let Ok(terminal) = File::options().read(true).write(true).open("/dev/ptmx") else {
            println!("skipped: no pseudo-terminals on this machine");
            return;
        };
        let output = Command::new(env!("CARGO_BIN_EXE_kinora"))
            .args(args)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(terminal)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(
            stderr(&output).contains("stdout is a terminal"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn stills_come_as_png_jpeg_or_webp() {
    let folder = folder_with(&small());
    let still = |args: &[&str]| {
        let start = ["still", "timeline.json", "--at", "0.5", "--backend", "cpu"];
        kinora(folder.path(), &[&start, args].concat())
    };
    let mut means = Vec::new();
    for out in ["a.still.png", "b.JPG", "c.jpeg", "d.webp"] {
        let output = still(&["-o", out]);
        assert_eq!(code(&output), 0, "{out}: {}", stderr(&output));
        let bytes = fs::read(folder.path().join(out)).unwrap();
        if out == "d.webp" {
            assert!(bytes.starts_with(b"RIFF") && &bytes[8..15] == b"WEBPVP8");
            continue;
        }
        let picture = image::load_from_memory(&bytes).unwrap().into_rgb8();
        assert_eq!(picture.dimensions(), (180, 320), "{out}");
        let sum: u64 = picture.pixels().flat_map(|p| p.0).map(u64::from).sum();
        means.push(sum as f64 / f64::from(180 * 320 * 3));
    }
    assert!(
        means.iter().all(|mean| (mean - means[0]).abs() < 1.0),
        "{means:?}"
    );
    let file = fs::read(folder.path().join("a.still.png")).unwrap();
    assert!(
        still(&["-o", "-"]).stdout == file,
        "stdout gets the same PNG"
    );
    assert!(
        still(&["-o", "-", "--format", "jpg"])
            .stdout
            .starts_with(&[0xff, 0xd8])
    );
    for (args, says) in [
        (&["-o", "x.tiff"][..], "x.png"),
        (&["-o", "x.png", "--format", "jpg"], "--format"),
        (&["-o", "."], "is a folder"),
    ] {
        let output = still(args);
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(
            stderr(&output).contains(says),
            "{args:?}: {}",
            stderr(&output)
        );
    }
}

/// Frames and their length in seconds as ffprobe finds them.
fn frames_of(file: &Path) -> Option<(usize, f64)> {
    let output = Command::new("ffprobe")
        .args([
            "-v",
            "error",
            "-show_entries",
            "packet=duration_time",
            "-of",
            "csv=p=0",
        ])
        .arg(file)
        .output();
    let Ok(output) = output else {
        println!("skipped: no ffprobe on this machine");
        return None;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    let lengths: Vec<f64> = text
        .lines()
        .map(|line| line.trim_end_matches(',').parse().unwrap())
        .collect();
    Some((lengths.len(), lengths.iter().sum()))
}

#[test]
fn previews_are_animations_of_a_span() {
    // The captions and the cut make every part of the span differ.
    let folder = folder_with(&small());
    let preview = |out: &str| {
        let args = [
            "preview",
            "timeline.json",
            "--backend",
            "cpu",
            "--from",
            "0.5",
            "--to",
            "1.5",
        ];
        let output = kinora(
            folder.path(),
            &[&args, &["-o", out, "--width", "90", "--fps", "10"][..]].concat(),
        );
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stderr(&output).contains("90x160"), "{}", stderr(&output));
        assert!(output.stdout.is_empty());
        fs::read(folder.path().join(out)).unwrap()
    };
    let gif = preview("out.gif");
    assert!(gif.starts_with(b"GIF89a") && gif[6..10] == [90, 0, 160, 0]);
    assert!(
        gif.windows(11).any(|bytes| bytes == b"NETSCAPE2.0"),
        "it loops"
    );
    if let Some((n_frames, secs)) = frames_of(&folder.path().join("out.gif")) {
        assert!((2..=10).contains(&n_frames), "{n_frames}");
        assert!((secs - 1.0).abs() < 0.011, "{secs}");
    }
    let webp = preview("out.webp");
    assert!(webp.starts_with(b"RIFF") && &webp[8..16] == b"WEBPVP8X");
    let at = webp.windows(4).position(|bytes| bytes == b"ANIM").unwrap();
    assert_eq!(webp[at + 12..at + 14], [0, 0], "it loops for ever");
    let frames = webp
        .windows(4)
        .enumerate()
        .filter(|(_, bytes)| bytes == b"ANMF");
    // Bytes 12 to 14 of a frame's head are its length in milliseconds.
    let millis = frames
        .map(|(at, _)| u32::from_le_bytes(webp[at + 20..at + 24].try_into().unwrap()) & 0xff_ffff);
    assert_eq!(millis.sum::<u32>(), 1000);
}

#[test]
fn previews_that_cannot_be_are_refused() {
    let folder = folder_with(&small());
    let before = names_in(folder.path());
    for (args, says) in [
        (&["-o", "x.mp4"][..], "x.gif or x.webp"),
        (&["-o", "x.gif", "--from", "2"], "lasts from 0 to 2.000 s"),
        (&["-o", "x.gif", "--from", "-1"], "--from -1"),
        (&["-o", "x.gif", "--to", "2.5"], "--to 2.5"),
        (
            &["-o", "x.gif", "--from", "1", "--to", "1"],
            "must end after it starts",
        ),
        (
            &["-o", "x.gif", "--from", "1.5", "--to", "1"],
            "must end after it starts",
        ),
        (&["-o", "x.gif", "--from", "nan"], "--from NaN"),
        (&["-o", "x.webp", "--width", "0"], "16..=1080"),
        (&["-o", "x.webp", "--width", "1081"], "16..=1080"),
        (&["-o", "x.webp", "--width", "181"], "is 180 wide"),
        (&["-o", "x.webp", "--fps", "0"], "1..=50"),
        (&["-o", "x.webp", "--fps", "51"], "1..=50"),
        (&["-o", "."], "is a folder"),
    ] {
        let output = kinora(
            folder.path(),
            &[&["preview", "timeline.json"], args].concat(),
        );
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(says),
            "{args:?}: {}",
            stderr(&output)
        );
    }
    assert_eq!(names_in(folder.path()), before);
}
