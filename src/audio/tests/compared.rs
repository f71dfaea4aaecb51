//! Compares kinora's decoding of files made by ffmpeg with ffmpeg's own. Skipped without ffmpeg.

use std::path::Path;
use std::process::{Command, Stdio};

use super::decode;

/// Encoder arguments, extension, whether the number of last samples may differ (padding that ffmpeg keeps), minimum ratio in dB.
const CASES: &[(&str, &str, bool, f64)] = &[
    ("-c:a pcm_u8", "wav", false, 100.0),
    ("-c:a pcm_s24le -ar 192000", "wav", false, 100.0),
    ("-c:a pcm_s32le -ar 8000 -ac 1", "wav", false, 100.0),
    ("-c:a pcm_f32le", "wav", false, 100.0),
    ("-c:a pcm_f64le", "wav", false, 100.0),
    ("-c:a pcm_alaw -ar 8000", "wav", false, 100.0),
    ("-c:a pcm_mulaw", "wav", false, 100.0),
    ("-c:a adpcm_ms", "wav", false, 100.0),
    ("-c:a adpcm_ima_wav", "wav", false, 100.0),
    ("-c:a pcm_s16le -rf64 always", "wav", false, 100.0),
    ("-c:a pcm_s16be", "aiff", false, 100.0),
    ("-c:a pcm_f32be", "aiff", false, 100.0),
    ("-c:a pcm_s16le", "caf", false, 100.0),
    ("-c:a flac -ar 96000", "flac", false, 100.0),
    ("-c:a flac", "ogg", false, 100.0),
    ("-c:a libvorbis -q:a 3", "ogg", true, 80.0),
    ("-c:a libmp3lame -b:a 128k", "mp3", false, 80.0),
    ("-c:a libmp3lame -q:a 5 -ar 22050", "mp3", false, 80.0),
    ("-c:a libmp3lame -q:a 5 -ar 11025 -ac 1", "mp3", false, 80.0),
    ("-c:a aac -ar 44100", "m4a", true, 80.0),
    ("-c:a aac -ar 8000", "m4a", true, 80.0),
    ("-c:a aac", "aac", false, 80.0),
    ("-c:a alac", "m4a", false, 100.0),
    ("-c:a libmp3lame", "mka", true, 80.0),
    ("-c:a flac", "mka", false, 100.0),
    ("-c:a libvorbis", "webm", true, 80.0),
    ("-c:a libopus -b:a 96k", "opus", false, 60.0),
    (
        "-c:a libopus -b:a 64k -frame_duration 5",
        "opus",
        false,
        60.0,
    ),
    (
        "-c:a libopus -b:a 32k -application voip -frame_duration 60",
        "opus",
        false,
        60.0,
    ),
    (
        "-c:a libopus -b:a 12k -application voip -ac 1",
        "webm",
        true,
        60.0,
    ),
    (
        "-c:a libopus -b:a 48k -frame_duration 10",
        "mp4",
        true,
        60.0,
    ),
];

fn ffmpeg(arguments: &[&str]) -> Option<Vec<u8>> {
    let run = Command::new("ffmpeg")
        .args(["-hide_banner", "-loglevel", "error", "-y"])
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    run.ok()
        .filter(|out| out.status.success())
        .map(|out| out.stdout)
}

/// Decodes a file with ffmpeg; Opus with libopus.
fn reference(file: &Path, is_opus: bool) -> Option<Vec<f32>> {
    let file = file.to_str().unwrap();
    let mut arguments = vec!["-i", file, "-f", "f32le", "-c:a", "pcm_f32le", "-"];
    if is_opus {
        arguments.splice(0..0, ["-c:a", "libopus"]);
    }
    let bytes = ffmpeg(&arguments)?;
    let samples = bytes.as_chunks::<4>().0.iter();
    Some(samples.map(|b| f32::from_le_bytes(*b)).collect())
}

#[test]
fn samples_are_those_of_ffmpeg() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source.wav");
    let expr = "aevalsrc='0.3*sin(2*PI*(200+900*t)*t)|0.3*sin(2*PI*(300+500*t)*t)+0.02*random(0)':d=0.7:s=48000";
    let source = source.to_str().unwrap();
    if ffmpeg(&["-f", "lavfi", "-i", expr, "-c:a", "pcm_f32le", source]).is_none() {
        println!("skipped: no ffmpeg");
        return;
    }
    let mut n_compared = 0;
    for (encoder, extension, is_padded, least_db) in CASES {
        let what = format!("{encoder} in {extension}");
        let file = folder.path().join(format!("case.{extension}"));
        let mut arguments = vec!["-i", source];
        arguments.extend(encoder.split(' '));
        arguments.push(file.to_str().unwrap());
        let made = ffmpeg(&arguments);
        let Some(theirs) = made.and_then(|_| reference(&file, encoder.contains("libopus"))) else {
            println!("skipped: this ffmpeg does not do {what}");
            continue;
        };
        let ours = decode(std::fs::read(&file).unwrap()).unwrap_or_else(|e| panic!("{what} {e}"));
        let n = ours.samples.len().min(theirs.len());
        let frames = ours.samples.len().abs_diff(theirs.len()) / ours.n_channels;
        assert!(
            frames == 0 || *is_padded && frames < 1_024,
            "{what}: {frames} frames"
        );
        let (mut signal, mut rest) = (0.0, 1e-20);
        for (a, b) in ours.samples[..n].iter().zip(&theirs) {
            signal += f64::from(*b).powi(2);
            rest += f64::from(a - b).powi(2);
        }
        let db = 10.0 * (signal / rest).log10();
        assert!(db > *least_db, "{what}: {db} dB");
        n_compared += 1;
    }
    println!("{n_compared} of {} compared", CASES.len());
}
