//! Programs that call themselves ffmpeg: what they say may be nonsense, late or never, and only their file's error comes of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use kinora::media::{Ffmpeg, FolderAssets, Footage};
use kinora::units::Time;

use crate::fixtures;

const STREAMS: &str = r#"{"format":{"format_name":"mov","probe_score":100,"start_time":"0.0"},
  "streams":[{"index":0,"codec_name":"hevc","codec_type":"video","width":64,"height":48,"time_base":"1/25"}],
  "frames":[{"best_effort_timestamp":0,"width":64,"height":48,"pix_fmt":"yuv420p"}]}"#;

/// A folder with an `ffprobe` that answers `streams` and three packets, and an `ffmpeg` that decodes with `decode`.
fn impostor(folder: &Path, streams: &str, decode: &str) -> FolderAssets {
    let probe = format!(
        "case \"$*\" in *csv*) printf '0,0,1,K_\\n1,1,1,__\\n2,2,1,__\\n';; *) cat <<'E'\n{streams}\nE\n;; esac"
    );
    let decode = format!(
        "case \"$*\" in -version) echo 'ffmpeg version 9.9';; *-filters*) echo none;; *) {decode};; esac"
    );
    for (name, body) in [("ffprobe", probe), ("ffmpeg", decode)] {
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fixtures().with_ffmpeg(Ffmpeg::in_folder(folder))
}

/// What comes of opening the clip and asking for a frame.
fn outcome(streams: &str, decode: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let assets = impostor(folder.path(), streams, decode);
    let mut clip = Footage::of_asset("hevc.mp4", &assets).map_err(|e| e.to_string())?;
    clip.frame_at(Time::ZERO)
        .map(drop)
        .map_err(|e| e.to_string())
}

/// Writes `n` bytes and then says when the frame is shown.
fn frame(n: usize) -> String {
    format!("head -c {n} /dev/zero; echo 'frame:0 pts:0 pts_time:0' >&2")
}

#[test]
fn one_that_does_as_it_should_is_believed() {
    outcome(STREAMS, &frame(64 * 48 * 3 / 2)).unwrap();
}

#[test]
fn nonsense_is_an_error_of_the_file() {
    let good = frame(64 * 48 * 3 / 2);
    for (streams, word) in [
        ("", "cannot be read"),
        ("{", "cannot be read"),
        (r#"{"streams": 3}"#, "cannot be read"),
        ("{}", "identify"),
        (&STREAMS.replace("100", "25"), "identify"),
        (&STREAMS.replace("\"video\"", "\"data\""), "no video"),
        (&STREAMS.replace(":64,", ":0,"), "0x48"),
        (&STREAMS.replace(":64,", ":40000,"), "40000x48"),
        (&STREAMS.replace("1/25", "0/0"), "time unit"),
        (
            &STREAMS.replace("\"frames\"", "\"else\""),
            "none of its pictures",
        ),
    ] {
        let message = outcome(streams, &good).expect_err(streams);
        assert!(message.contains("hevc.mp4"), "{message}");
        assert!(message.contains(word), "{word}: {message}");
    }
}

#[test]
fn a_decoder_that_fails_is_an_error_of_the_file() {
    for (decode, word) in [
        ("exit 0", "no picture for this time"),
        (
            "echo '[x @ 0x1] no such thing' >&2; exit 3",
            "no such thing",
        ),
        ("kill -9 $$", "signal: 9"),
        ("head -c 1000 /dev/zero", "stopped unexpectedly"),
        ("head -c 4000 /dev/zero; exit 1", "stopped unexpectedly"),
        ("head -c 4608 /dev/zero", "without a timestamp"),
        (
            "i=0; while [ $i -lt 300 ]; do echo 'words words words words words words words words words' >&2; i=$((i+1)); done; exit 1",
            "words",
        ),
    ] {
        let message = outcome(STREAMS, decode).expect_err(decode);
        assert!(message.contains("hevc.mp4"), "{message}");
        assert!(message.contains(word), "{word}: {message}");
        assert!(message.len() < 1000, "{message}");
    }
}

#[test]
fn one_that_hangs_ends_with_its_reader() {
    let folder = tempfile::tempdir().unwrap();
    let decode = format!("{}; sleep 600", frame(4608));
    let assets = impostor(folder.path(), STREAMS, &decode);
    let mut clip = Footage::of_asset("hevc.mp4", &assets).unwrap();
    clip.frame_at(Time::ZERO).unwrap();
    // The shell, and for a moment its copy that becomes `sleep`.
    assert!((1..=2).contains(&n_running(folder.path())));
    drop(clip);
    let since = Instant::now();
    while n_running(folder.path()) > 0 {
        assert!(since.elapsed() < Duration::from_secs(5), "it still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Processes that run a program of `folder`.
fn n_running(folder: &Path) -> usize {
    let folder = folder.to_str().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| fs::read(process.path().join("cmdline")).ok())
        .filter(|line| String::from_utf8_lossy(line).contains(folder))
        .count()
}

#[test]
fn it_has_no_environment_and_no_files_to_write() {
    let path = std::env::var("PATH").unwrap();
    let decode = "echo \"$HOME|$LANG|$(pwd)|$(ulimit -f)\" >&2; exit 1";
    let message = outcome(STREAMS, decode).unwrap_err();
    assert!(!path.is_empty() && message.contains("||/|0"), "{message}");
}
