//! What the program writes, played by a real browser from the first frame to the last. Skipped where there is no Chromium.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod first_light;

use std::fs;
use std::io::{BufRead, BufReader, Cursor};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use first_light::{CODECS, N_FRAMES, render};
use serde_json::Value;

/// Plays the file muted and says on the console what happened.
const PAGE: &str = r#"<!doctype html><meta charset="utf-8"><video muted autoplay playsinline src="FILE"></video><script>
const video = document.querySelector("video");
const shown = [];
const told = (event) => {
  const quality = video.getVideoPlaybackQuality();
  console.log("kinora " + JSON.stringify({
    event, error: video.error && video.error.message, width: video.videoWidth, height: video.videoHeight,
    duration: video.duration, time: video.currentTime, shown,
    total: quality.totalVideoFrames, dropped: quality.droppedVideoFrames, corrupted: quality.corruptedVideoFrames,
    audio_bytes: video.webkitAudioDecodedByteCount,
  }));
};
const next = (_, frame) => { shown.push(frame.mediaTime); video.requestVideoFrameCallback(next); };
video.requestVideoFrameCallback(next);
video.addEventListener("ended", () => setTimeout(() => told("ended"), 200));
video.addEventListener("error", () => told("error"));
</script>"#;

/// A browser that is ended with the test.
struct Browser(Child);

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a browser on the page; `None` where none is installed.
fn start(page: &Path, profile: &Path) -> Option<Browser> {
    let flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-sync",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-dev-shm-usage",
        "--autoplay-policy=no-user-gesture-required",
        "--enable-logging=stderr",
    ];
    for program in ["chromium", "chromium-browser", "google-chrome"] {
        let started = Command::new(program)
            .args(flags)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("file://{}", page.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        if let Ok(child) = started {
            return Some(Browser(child));
        }
    }
    println!("skipped: no Chromium on this machine");
    None
}

/// The page's line on the browser's console.
fn report(browser: &mut Browser) -> Value {
    let stderr = BufReader::new(browser.0.stderr.take().unwrap());
    let (lines, heard) = mpsc::channel();
    thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            if lines.send(line).is_err() {
                break;
            }
        }
    });
    let mut log = String::new();
    loop {
        let Ok(line) = heard.recv_timeout(Duration::from_secs(60)) else {
            panic!("the browser said nothing of the video:\n{log}");
        };
        // `[...:INFO:CONSOLE:9] "kinora {...}", source: file:///... (9)`
        if let Some((_, told)) = line.split_once("\"kinora ") {
            let (json, _) = told.rsplit_once("\", source").unwrap();
            return serde_json::from_str(&json.replace("\\\"", "\"")).unwrap();
        }
        log += &line;
        log.push('\n');
    }
}

/// How the browser gets a file, and by how many seconds its length may then differ.
#[derive(Clone, Copy)]
struct Way {
    page: fn(&Path) -> String,
    slack_secs: f64,
}

const FILE: Way = Way {
    page: file_page,
    slack_secs: 0.0,
};
/// Before fragments an edit list has no end: the browser's demuxer counts the sound's priming (21 ms of AAC) as length.
const STREAM: Way = Way {
    page: file_page,
    slack_secs: 0.022,
};
const STREAM_BY_OWN_PARSER: Way = Way {
    page: stream_page,
    slack_secs: 0.022,
};

/// The page that plays a file by its name.
fn file_page(file: &Path) -> String {
    PAGE.replace("FILE", &file.file_name().unwrap().to_string_lossy())
}

/// The page that gives a stream's bytes to the browser's own parser (Media Source Extensions).
fn stream_page(file: &Path) -> String {
    let bytes = fs::read(file).unwrap();
    let facts = kinora::mux::check(Cursor::new(&bytes)).unwrap();
    let codecs: Vec<&str> = facts.tracks.iter().map(|track| &track.codec[..]).collect();
    let script = format!(
        r#"const source = new MediaSource();
source.onsourceopen = () => {{
  const buffer = source.addSourceBuffer('video/mp4; codecs="{}"');
  buffer.onupdateend = () => source.endOfStream();
  buffer.appendBuffer(new Uint8Array({bytes:?}));
}};
video.src = URL.createObjectURL(source);
</script>"#,
        codecs.join(", ")
    );
    PAGE.replace(" src=\"FILE\"", "")
        .replace("</script>", &script)
}

/// Plays a file on a page and checks all that does not depend on the machine's pace (a busy one drops frames); false where no browser is installed.
fn play(file: &Path, way: Way) -> bool {
    let name = file.file_stem().unwrap().to_string_lossy();
    let page = file.with_extension("html");
    fs::write(&page, (way.page)(file)).unwrap();
    let profile = file.with_extension("profile");
    let Some(mut browser) = start(&page, &profile) else {
        return false;
    };
    let told = report(&mut browser);
    let ended = (&told["event"], &told["error"], &told["corrupted"]);
    assert_eq!(
        ended,
        (&"ended".into(), &Value::Null, &0.into()),
        "{name}: {told}"
    );
    let size = (&told["width"], &told["height"]);
    assert_eq!(size, (&180.into(), &320.into()), "{name}: {told}");
    assert_eq!(told["total"], N_FRAMES, "{name}: {told}");
    let secs = told["duration"].as_f64().unwrap();
    assert!((secs - 2.0).abs() <= way.slack_secs, "{name}: {told}");
    assert!(
        told["audio_bytes"].as_u64().unwrap() > 8000,
        "{name}: {told}"
    );
    for time in told["shown"].as_array().unwrap() {
        let frames = time.as_f64().unwrap() * 30.0;
        assert!((frames - frames.round()).abs() < 1e-3, "{name}: {told}");
    }
    true
}

#[test]
fn a_browser_plays_every_frame_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    for codecs in CODECS {
        if !play(&render(folder.path(), codecs), FILE) {
            return;
        }
    }
}

#[test]
fn a_browser_plays_streams_as_files_and_by_its_own_parser() {
    let folder = tempfile::tempdir().unwrap();
    for (name, options) in [CODECS[0], CODECS[1]] {
        // Leaves the timeline behind.
        render(folder.path(), (name, options));
        let file = folder.path().join(format!("{name}-stream.mp4"));
        let sent = Command::new(env!("CARGO_BIN_EXE_kinora"))
            .args(["render", "timeline.json", "--backend", "cpu", "-o", "-"])
            .args(options)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(fs::File::create(&file).unwrap())
            .status();
        assert!(sent.unwrap().success(), "{name}");
        if !play(&file, STREAM) || !play(&file, STREAM_BY_OWN_PARSER) {
            return;
        }
    }
}
