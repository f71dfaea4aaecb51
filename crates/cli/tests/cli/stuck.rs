//! Libraries that never return from a call: a library of that kind is compiled here and takes the place of SVT-AV1.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::{code, folder_with, lines, names_in, small, stderr};

/// The functions that kinora calls; the one called `STUCK` never returns from its call number `AFTER`.
const LIBRARY: &str = r#"
#include <stdint.h>
#include <unistd.h>
static int calls;
static void visit(int function) { if (function == STUCK && ++calls >= AFTER) for (;;) pause(); }
const char *svt_av1_get_version(void) { return "v4.2.0"; }
int svt_av1_enc_init_handle(void **handle, void *config) { *handle = &calls; return 0; }
int svt_av1_enc_parse_parameter(void *config, const char *name, const char *value) { return 0; }
int svt_av1_enc_set_parameter(void *handle, void *config) { return 0; }
int svt_av1_enc_init(void *handle) { visit(1); return 0; }
int svt_av1_enc_send_picture(void *handle, void *picture) { visit(2); return 0; }
int svt_av1_enc_get_packet(void *handle, void **packet, uint8_t done) { visit(done ? 4 : 3); return 0x80002033; }
void svt_av1_enc_release_out_buffer(void **packet) {}
int svt_av1_enc_deinit(void *handle) { return 0; }
int svt_av1_enc_deinit_handle(void *handle) { return 0; }
"#;

/// Where a library gets stuck.
#[derive(Clone, Copy, Debug)]
enum Place {
    Start = 1,
    Send = 2,
    Receive = 3,
    End = 4,
}

/// Compiles a library that gets stuck at a call of `place`, into a folder of its own.
fn library(folder: &Path, place: Place, call: u32) -> PathBuf {
    let source = folder.join("stuck.c");
    let libraries = folder.join(format!("libraries-{}-{call}", place as u8));
    fs::create_dir_all(&libraries).unwrap();
    fs::write(&source, LIBRARY).unwrap();
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-w", "-o"])
        .arg(libraries.join("libSvtAv1Enc.so.4"))
        .arg(&source)
        .arg(format!("-DSTUCK={}", place as u8))
        .arg(format!("-DAFTER={call}"))
        .status();
    assert!(compiled.unwrap().success(), "cc failed");
    libraries
}

fn render(folder: &Path, libraries: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kinora"));
    command
        .args([
            "render",
            "timeline.json",
            "-o",
            "out.mp4",
            "--backend",
            "cpu",
            "--codec",
            "av1",
        ])
        .args(options)
        .current_dir(folder)
        .env("LD_LIBRARY_PATH", libraries)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn short_timeline() -> tempfile::TempDir {
    let mut timeline = small();
    timeline["output"] = json!({ "width": 96, "height": 128 });
    for shot in 0..2 {
        timeline["shots"][shot]["duration"] = json!(0.3);
    }
    timeline["captions"] = json!(null);
    folder_with(&timeline)
}

#[test]
fn another_encoder_takes_over_from_a_stuck_one() {
    let folder = short_timeline();
    for (place, call) in [
        (Place::Start, 1),
        (Place::Send, 5),
        (Place::Receive, 2),
        (Place::End, 1),
    ] {
        let libraries = library(folder.path(), place, call);
        let mut command = render(
            folder.path(),
            &libraries,
            &["--encoder-timeout", "1", "--json"],
        );
        let output: Output = command.output().unwrap();
        assert_eq!(code(&output), 0, "{place:?}: {}", stderr(&output));
        let result = lines(&output).pop().unwrap();
        assert_eq!(result["event"], "result", "{place:?}");
        assert!(
            result["video_encoder"]
                .as_str()
                .unwrap()
                .starts_with("rav1e"),
            "{result}"
        );
        let warnings = result["warnings"].as_array().unwrap();
        let warning = warnings
            .iter()
            .find(|w| w["code"] == "encoder_replaced")
            .unwrap();
        let message = warning["message"].as_str().unwrap();
        assert!(
            message.contains("SVT-AV1 4.2.0") && message.contains("rav1e"),
            "{message}"
        );
        fs::remove_file(folder.path().join("out.mp4")).unwrap();
    }
}

#[test]
fn a_stuck_encoder_that_was_asked_for_is_an_error_that_names_it() {
    let folder = short_timeline();
    let libraries = library(folder.path(), Place::Send, 3);
    let before = names_in(folder.path());
    let options = ["--encoder", "svt-av1", "--encoder-timeout", "1"];
    let output = render(folder.path(), &libraries, &options)
        .output()
        .unwrap();
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("SVT-AV1 4.2.0"),
        "{}",
        stderr(&output)
    );
    assert_eq!(names_in(folder.path()), before, "something was left behind");
}

#[cfg(unix)]
#[test]
fn signals_end_the_program_while_a_library_is_stuck() {
    let folder = short_timeline();
    for (place, signal) in [
        (Place::Start, "TERM"),
        (Place::Send, "INT"),
        (Place::End, "TERM"),
    ] {
        let libraries = library(folder.path(), place, 1);
        let before = names_in(folder.path());
        let mut child = render(folder.path(), &libraries, &[]).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(3));
        assert!(child.try_wait().unwrap().is_none(), "{place:?}: not stuck");
        let start = Instant::now();
        let pid = child.id().to_string();
        assert!(
            Command::new("kill")
                .args([&format!("-{signal}"), &pid])
                .status()
                .unwrap()
                .success()
        );
        let status = child.wait().unwrap();
        // Two seconds on a machine that is not busy; the encoder's own timeout is 30 s.
        let took = start.elapsed();
        assert!(took < Duration::from_secs(10), "{place:?}: {took:?}");
        assert_eq!(status.code(), Some(1), "{place:?}");
        assert_eq!(
            names_in(folder.path()),
            before,
            "{place:?}: something was left behind"
        );
    }
}
