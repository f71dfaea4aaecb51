//! Every kind of input ends in a checked video with providers that need no network: small, but the whole way.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod cast;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use kinora::encode::VideoCodec;
use kinora::{Control, Render, render_to_file};
use kinora_music::Library;
use kinora_studio::failure::FailureKind;
use kinora_studio::request::{ShortRequest, UniverseRequest, UniverseSettings};
use kinora_studio::stages::{
    Brief, Material, Production, Recording, Source, Studio, Timing, Watch,
};
use serde_json::{Value, json};

fn studio(work: &Path) -> Studio {
    Studio::offline(work, Arc::new(Library::new(None, None).unwrap())).unwrap()
}

/// Makes the whole video, small, and checks what holds for all.
fn made(brief: &Brief) -> Production {
    let temp = tempfile::tempdir().unwrap();
    let brief = Brief {
        size: brief.size.map(|side| side / 10 * 2),
        ..brief.clone()
    };
    let production = studio(temp.path())
        .produce(&brief, &Watch::default())
        .unwrap();
    let job = production.job().unwrap();
    let out = temp.path().join("out.mp4");
    let options = Render {
        codec: Some(VideoCodec::H264),
        ..Render::default()
    };
    let report = render_to_file(&job, &out, &options, &Control::default()).unwrap();
    let secs = job.plan().duration().as_secs();
    assert_eq!(report.n_frames, (secs * 30.0).round() as u64);
    assert!(fs::metadata(&out).unwrap().len() > 10_000);
    assert_eq!(production.spans.len(), production.script.scenes.len());
    assert_eq!(production.timeline.shots.len(), production.spans.len());
    let mut last = 0.0;
    for word in &production.words {
        assert!(
            word.start >= last - 1e-6 && word.end >= word.start && word.end <= secs + 0.05,
            "{word:?} after {last} in {secs}"
        );
        last = word.start;
    }
    production
}

fn short(body: Value) -> Brief {
    Brief::of_short(&ShortRequest::from_value(&body).unwrap().request, None)
}

fn universe(body: Value, material: &Material) -> Result<Brief, kinora_studio::failure::Failure> {
    let request = UniverseRequest::from_value(&body).unwrap().request;
    let resolved = request.resolve(&UniverseSettings::new("tests")).unwrap();
    Brief::of_universe(&resolved, material, None)
}

fn said(production: &Production) -> String {
    let words: Vec<&str> = production
        .words
        .iter()
        .map(|word| word.text.as_str())
        .collect();
    words.join(" ")
}

/// Whether a voice that tells exact times is installed.
fn has_voice() -> bool {
    let has = !kinora_studio::voice::voices().is_empty();
    if !has {
        println!("skipped: no voice is installed");
    }
    has
}

const STORY: &str = "Mara lit the lamp at 7pm. Out on the sea, a small boat turned toward the light 💡.\n\nIt came home.";

#[test]
fn a_prompt() {
    let production = made(&short(
        json!({ "prompt": "a lighthouse keeper in a storm", "scriptConfig": { "targetLengthInWords": 20 } }),
    ));
    assert!(
        said(&production).to_lowercase().contains("lighthouse"),
        "{}",
        said(&production)
    );
    assert!(
        production.notes.iter().any(|note| note.contains("offline")),
        "{:?}",
        production.notes
    );
}

#[test]
fn a_script() {
    let production = made(&short(
        json!({ "script": STORY, "aspectRatio": "16:9", "captionsConfig": { "captionsStyle": "karaoke" } }),
    ));
    assert_eq!(
        said(&production),
        "Mara lit the lamp at 7pm. Out on the sea, a small boat turned toward the light 💡. It came home."
    );
    if has_voice() {
        assert_eq!(production.timing, Timing::Exact);
    }
}

#[test]
fn a_canonical_script() {
    let script = "## Scene 1: Home (5s)\n\n#### Shot 1.1 (2s)\n\nA woman at a lighthouse.\n\n@Mara: \"I light the lamp.\"\n\n#### Shot 1.2 (3s)\n\n\
                  A boat at sea.\n\n## Reusable Elements\n\nCharacters: @Mara\nLocations: (none)\nObjects: (none)\n";
    let production =
        made(&universe(json!({ "userScript": script }), &Material::default()).unwrap());
    assert_eq!(said(&production), "I light the lamp.");
    assert_eq!(production.script.scenes.len(), 2);
    assert!(
        production.spans[0].secs() >= 2.0 && (production.spans[1].secs() - 3.0).abs() < 1e-6,
        "{:?}",
        production.spans
    );
}

#[test]
fn a_voice_with_its_script() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("voice.wav");
    fs::write(&file, cast::beeps(4.2)).unwrap();
    let text = "Mara lit the lamp every night. The boat came home to the light at dawn.";
    let recording = Recording::open(file, false, Some(text.into())).unwrap();
    let production = made(&Brief::new(Source::Recording(recording)));
    assert_eq!(said(&production), text);
    assert_eq!(production.timing, Timing::Aligned);
    assert!(
        (production.spans.last().unwrap().end - 4.2).abs() < 0.05,
        "{:?}",
        production.spans
    );
}

#[test]
fn a_voice_alone() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("voice.wav");
    fs::write(&file, cast::beeps(12.0)).unwrap();
    let material = Material {
        recording: Some(file),
        ..Material::default()
    };
    let production = made(&universe(json!({ "voiceoverKey": "up_1" }), &material).unwrap());
    assert!(production.words.is_empty() && production.spans.len() >= 2);
    assert!(
        production.notes.iter().any(|note| note.contains("text")),
        "{:?}",
        production.notes
    );
}

#[test]
fn a_song() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("song.wav");
    fs::write(&file, cast::beeps(11.0)).unwrap();
    let material = Material {
        recording: Some(file),
        ..Material::default()
    };
    let body = json!({ "voiceoverKey": "up_1", "audioKind": "song", "prompt": "a city at night", "musicConfig": { "musicSlug": "cinematic_intro" } });
    let production = made(&universe(body, &material).unwrap());
    assert!(
        production.timeline.audio.music.is_empty(),
        "a song is its own music"
    );
    assert!(
        production
            .script
            .scenes
            .iter()
            .all(|scene| scene.brief.contains("city"))
    );
    let missing = universe(json!({ "voiceoverKey": "up_1" }), &Material::default()).unwrap_err();
    assert_eq!(missing.kind, FailureKind::BadInput);
}

#[test]
fn a_prompt_with_characters_and_clips() {
    let body = json!({
        "prompt": "Mara keeps a lighthouse",
        "duration": "6",
        "animationPreset": "fast",
        "characters": [{ "name": "Mara", "description": "an old keeper", "clothing": "a red coat" }],
    });
    let production = made(&universe(body, &Material::default()).unwrap());
    assert!(
        production
            .timeline
            .shots
            .iter()
            .all(|shot| shot.clip.is_some())
    );
}

#[test]
fn music_only_and_silent() {
    let quiet =
        json!({ "script": "Nothing is said here.", "voiceoverConfig": { "enabled": false } });
    let production = made(&short(quiet.clone()));
    assert!(
        production.timeline.audio.voice.is_empty() && production.timeline.audio.music.is_empty()
    );
    assert_eq!(production.timing, Timing::Spread);
    let mut music = quiet;
    music["musicConfig"] = json!({ "enabled": true });
    let production = made(&short(music.clone()));
    assert!(
        production.timeline.audio.voice.is_empty() && production.timeline.audio.music.len() == 1
    );
    assert_eq!(
        production.timeline.audio.loudness.map(f64::round),
        Some(-24.0),
        "as loud as its volume of 0.3 behind a voice"
    );
    for (volume, loudness) in [
        (1.0, Some(-14.0)),
        (0.5, Some(-20.0)),
        (0.01, None),
        (0.0, None),
    ] {
        music["musicConfig"] = json!({ "enabled": true, "volume": volume });
        let temp = tempfile::tempdir().unwrap();
        let production = studio(temp.path())
            .produce(&short(music.clone()), &Watch::default())
            .unwrap();
        let audio = &production.timeline.audio;
        assert_eq!(
            (audio.loudness.map(f64::round), audio.music[0].volume),
            (loudness, volume)
        );
    }
}

#[test]
fn sound_that_is_none_is_refused_by_name() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("voice.mp3");
    fs::write(&file, "no sound at all").unwrap();
    let recording = Recording::open(file, false, None).unwrap();
    let brief = Brief::new(Source::Recording(recording));
    let failure = studio(&temp.path().join("work"))
        .produce(&brief, &Watch::default())
        .unwrap_err();
    assert_eq!(failure.kind, FailureKind::BadInput);
    assert!(failure.message.contains("voice.mp3"), "{failure}");
    assert!(Recording::open(temp.path().join("none.wav"), false, None).is_err());
}

#[test]
fn a_change_of_one_scene_makes_that_scene_only() {
    let temp = tempfile::tempdir().unwrap();
    let players = cast::studio(temp.path());
    let brief = |text: &str| Brief {
        size: [64, 112],
        ..Brief::new(Source::Script(text.into()))
    };
    let first = "The old lamp was lit by Mara every evening.\n\nThe boats came home to the small harbor at dawn.\n\nNobody ever asked her why she did it.";
    players.produce(&brief(first), &Watch::default()).unwrap();
    let before = cast::calls(temp.path()).len();
    players.produce(&brief(first), &Watch::default()).unwrap();
    assert_eq!(
        cast::calls(temp.path()).len(),
        before,
        "nothing is made twice"
    );
    players
        .produce(
            &brief(&first.replace("ever asked her why", "knew the reason that")),
            &Watch::default(),
        )
        .unwrap();
    let calls = cast::calls(temp.path());
    assert!(calls.values().all(|n| *n == 1), "{calls:?}");
    // The voice of the changed scene and of its neighbor, whose melody leads to it, and at most two pictures.
    assert!(
        calls.len() - before <= 4,
        "{} calls more: {calls:?}",
        calls.len() - before
    );
}
