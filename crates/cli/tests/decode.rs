//! What the program writes, decoded by ffmpeg: every frame and sample, without a word of complaint. Skipped where there is no ffmpeg.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod first_light;

use std::path::Path;
use std::process::{Command, Output};

use first_light::{CODECS, N_FRAMES, render};

/// Runs a program of ffmpeg's; `None` where it is not installed.
fn run(program: &str, arguments: &[&str], file: &Path) -> Option<Output> {
    let mut command = Command::new(program);
    for argument in arguments {
        match *argument {
            "FILE" => command.arg(file),
            argument => command.arg(argument),
        };
    }
    match command.output() {
        Ok(output) => Some(output),
        Err(e) => {
            println!("skipped: {program}: {e}");
            None
        }
    }
}

/// What it printed, having nothing to complain about.
fn stdout(output: &Output, what: &str) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && stderr.is_empty(),
        "{what}: {stderr}"
    );
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn ffmpeg_decodes_every_frame_and_every_sample() {
    let folder = tempfile::tempdir().unwrap();
    for codecs in CODECS {
        let file = render(folder.path(), codecs);
        let name = codecs.0;
        let hashes = [
            "-nostdin", "-xerror", "-v", "error", "-i", "FILE", "-map", "0:v", "-f", "framemd5",
            "-",
        ];
        let Some(output) = run("ffmpeg", &hashes, &file) else {
            return;
        };
        let text = stdout(&output, name);
        let n_frames = text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(n_frames as u64, N_FRAMES, "{name}: {text}");

        let sound = [
            "-nostdin", "-xerror", "-v", "error", "-i", "FILE", "-map", "0:a", "-f", "f32le",
            "-ac", "1", "-",
        ];
        let output = run("ffmpeg", &sound, &file).unwrap();
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{name}"
        );
        let samples: Vec<f32> = output
            .stdout
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
            .collect();
        // Two seconds; ffmpeg's AAC decoder gives the last frame whole.
        assert!(
            (96_000..96_000 + 1024).contains(&samples.len()),
            "{name}: {} samples",
            samples.len()
        );
        let loudest = samples.iter().fold(0f32, |most, v| most.max(v.abs()));
        // Both channels are alike, and each counts 1/sqrt(2) in ffmpeg's mono: -1 dBTP.
        let peak = loudest / std::f32::consts::SQRT_2;
        assert!(peak > 0.05 && peak < 0.892, "{name}: peak {peak}");
    }
}

#[test]
fn ffprobe_reads_the_colors_the_rate_and_the_lengths() {
    let folder = tempfile::tempdir().unwrap();
    let file = render(folder.path(), CODECS[0]);
    let arguments = [
        "-v",
        "error",
        "-select_streams",
        "v",
        "-show_entries",
        "stream=color_range,color_space,color_transfer,color_primaries,r_frame_rate,avg_frame_rate,nb_frames,duration",
        "-of",
        "default=noprint_wrappers=1",
        "FILE",
    ];
    let Some(output) = run("ffprobe", &arguments, &file) else {
        return;
    };
    let text = stdout(&output, "ffprobe");
    for due in [
        "color_range=tv",
        "color_space=bt709",
        "color_transfer=bt709",
        "color_primaries=bt709",
        "r_frame_rate=30/1",
        "avg_frame_rate=30/1",
        "nb_frames=60",
        "duration=2.000000",
    ] {
        assert!(text.lines().any(|line| line == due), "{due}: {text}");
    }
}
