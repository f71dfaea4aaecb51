//! What the program writes, played by a real browser from the first frame to the last. Skipped where there is no Chromium.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod first_light;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use first_light::{CODECS, N_FRAMES, render};
use serde_json::Value;

/// Plays the file muted and says on the console what happened. A frame counts when it was decoded, whether or not this machine was quick enough to show it.
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

#[test]
fn a_browser_plays_every_frame_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    for codecs in CODECS {
        let (name, file) = (codecs.0, render(folder.path(), codecs));
        let page = folder.path().join(format!("{name}.html"));
        fs::write(
            &page,
            PAGE.replace("FILE", &file.file_name().unwrap().to_string_lossy()),
        )
        .unwrap();
        let Some(mut browser) = start(&page, &folder.path().join(format!("{name}-profile"))) else {
            return;
        };
        let told = report(&mut browser);
        println!("{name}: {told}");
        assert_eq!(
            (&told["event"], &told["error"]),
            (&"ended".into(), &Value::Null),
            "{name}: {told}"
        );
        assert_eq!(
            (&told["width"], &told["height"]),
            (&180.into(), &320.into()),
            "{name}: {told}"
        );
        assert_eq!(told["total"], N_FRAMES, "{name}: {told}");
    }
}
