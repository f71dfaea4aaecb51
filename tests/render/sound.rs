//! The sound of whole files: loudness and true peak after decoding, sound tracks of silent videos.

use std::io::Write;
use std::process::{Command, Stdio};

use kinora::Render;
use kinora::encode::{AudioCodec, Quality};
use serde_json::{Value, json};

use super::signals::{busy, lufs, noise, sine, true_peak_db, wav};
use super::{assets, job_with, quick, rendered, still_document};

const SECS: u32 = 6;

fn sounds(document: &Value) -> kinora::Job {
    let mut assets = assets();
    let n = 44_100 * SECS as usize;
    let chord: Vec<f32> = (sine(44_100, 220.0, 0.1, n).into_iter())
        .zip(sine(44_100, 329.6, 0.1, n))
        .map(|(a, b)| a + b)
        .collect();
    assets.insert(
        "voice.wav",
        wav(48_000, 1, &busy(5, 0.3, 48_000 * SECS as usize)),
    );
    assets.insert("chord.wav", wav(44_100, 1, &chord));
    assets.insert("noise.wav", wav(32_000, 2, &noise(8, 0.1, 64_000)));
    job_with(document, assets)
}

/// A still of [`SECS`] seconds with this sound.
fn with_sound(audio: Value) -> Value {
    let mut document = still_document(24 * SECS);
    document["audio"] = audio;
    document
}

/// The sound of a file as a player decodes it; `None` where there is no ffmpeg.
fn decoded(file: &[u8]) -> Option<Vec<f32>> {
    let mut ffmpeg = match Command::new("ffmpeg")
        .args("-v error -xerror -i - -f f32le -ar 48000 -ac 2 -".split(' '))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
    {
        Ok(child) => child,
        Err(e) => {
            println!("skipped: ffmpeg cannot be run: {e}");
            return None;
        }
    };
    let (mut stdin, file) = (ffmpeg.stdin.take().unwrap(), file.to_vec());
    let writer = std::thread::spawn(move || stdin.write_all(&file));
    let output = ffmpeg.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    let samples = output.stdout.chunks_exact(4);
    Some(
        samples
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect(),
    )
}

#[test]
fn the_encoded_file_has_its_loudness_and_its_peaks() {
    let voice_and_music =
        json!({ "voice": { "file": "voice.wav" }, "music": { "file": "chord.wav" } });
    let music = json!({ "music": { "file": "noise.wav" } });
    let effects = json!({ "loudness": -20, "sounds": [
        { "file": "voice.wav", "gain_db": -3, "trim": { "start": 1, "end": 5 } },
        { "file": "noise.wav", "start": 3, "pan": 0.5, "fade_out": 0.2 },
    ] });
    for (audio, target) in [(voice_and_music, -14.0), (music, -14.0), (effects, -20.0)] {
        let job = sounds(&with_sound(audio));
        for codec in [AudioCodec::Opus, AudioCodec::Aac] {
            for quality in [Quality::Low, Quality::Medium] {
                let options = Render {
                    audio_codec: Some(codec),
                    quality,
                    ..quick()
                };
                let (file, _, _) = rendered(&job, &options);
                let Some(sound) = decoded(&file) else { return };
                let (heard, peak) = (lufs(&sound), true_peak_db(&sound));
                println!("{codec:?} {quality:?}: {heard:.2} LUFS, {peak:.2} dBTP");
                assert!(
                    (heard - target).abs() <= 0.5,
                    "{codec:?}: {heard} LUFS, not {target}"
                );
                assert!(peak <= -1.0, "{codec:?}: {peak} dBTP");
            }
        }
    }
}

#[test]
fn a_silent_video_has_a_silent_track_or_none() {
    for (audio, n_tracks) in [
        (json!({}), 2),
        (json!({ "when_silent": "track" }), 2),
        (json!({ "when_silent": "none" }), 1),
        (
            json!({ "when_silent": "none", "music": { "file": "noise.wav", "volume": 0 } }),
            1,
        ),
        (
            json!({ "when_silent": "none", "music": { "file": "noise.wav" } }),
            2,
        ),
    ] {
        let (_, facts, report) = rendered(&sounds(&with_sound(audio.clone())), &quick());
        assert_eq!(facts.tracks.len(), n_tracks, "{audio}");
        assert_eq!(report.audio_encoder == "none", n_tracks == 1, "{audio}");
    }
}

#[test]
fn lint_tells_of_a_loudness_out_of_reach_and_a_voice_that_is_cut_off() {
    let codes = |audio: Value| -> Vec<&str> {
        let job = sounds(&with_sound(audio));
        let warnings = job.lint(&quick()).unwrap();
        warnings.iter().map(|warning| warning.code).collect()
    };
    let voice = json!({ "file": "voice.wav" });
    assert_eq!(codes(json!({ "voice": voice })), Vec::<&str>::new());
    assert_eq!(
        codes(json!({ "voice": voice, "loudness": -5 })),
        ["loudness"]
    );
    let late = json!({ "file": "voice.wav", "start": 2 });
    let told = codes(json!({ "voice": late, "music": { "file": "chord.wav" } }));
    assert_eq!(told, ["voice_cut_off"]);
    let unheard = json!([{ "file": "chord.wav", "start": 60 }]);
    assert_eq!(
        codes(json!({ "voice": voice, "sounds": unheard })),
        ["unheard_sound"]
    );
}
