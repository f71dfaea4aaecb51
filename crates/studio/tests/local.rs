//! Models on this machine: what they write becomes a video, what they hear becomes captions. The models recite, so that there is no luck in it.
#![cfg(feature = "local")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod cast;
#[path = "../../local/tests/support/reciting.rs"]
mod reciting;

use std::path::Path;
use std::sync::Arc;

use kinora_music::Library;
use kinora_studio::failure::FailureKind;
use kinora_studio::providers::config::ProvidersConfig;
use kinora_studio::stages::{Brief, Production, Recording, Setup, Source, Studio, Watch};

const SCRIPT: &str = r#"Here it is: {"title": "The lighthouse", "scenes": [
    {"lines": [{"speaker": null, "text": "A keeper climbs the stairs."}], "picture": "a lighthouse in a storm"},
    {"lines": [{"speaker": null, "text": "The light turns on."}], "picture": "a lamp shining over the sea"}]}"#;
const CONFIG: &str = r#"
script = { providers = ["teller", "offline"] }
align = { providers = ["ear", "offline"] }
[provider.teller]
kind = "local"
path = "models/teller"
[provider.ear]
kind = "local"
path = "models/ear"
"#;

/// A studio whose configuration lies in `folder`.
fn studio(folder: &Path) -> Studio {
    let setup = Setup {
        work: folder.join("work"),
        config: ProvidersConfig::read(CONFIG).unwrap(),
        folder: folder.to_owned(),
        music: Arc::new(Library::new(None, None).unwrap()),
        remote: None,
    };
    Studio::open(&setup).unwrap()
}

/// A folder with a model that writes `script` and one that hears the speech of [`reciting`].
fn folder(script: &str) -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    let models = temp.path().join("models");
    reciting::writer(&models.join("teller"), script).unwrap();
    reciting::listener(&models.join("ear"), &reciting::SPEECH).unwrap();
    temp
}

fn produced(studio: &Studio, brief: &Brief) -> Production {
    studio.produce(brief, &Watch::default()).unwrap()
}

#[test]
fn a_prompt_is_told_by_a_model() {
    let temp = folder(SCRIPT);
    let production = produced(&studio(temp.path()), &cast::brief());
    let scenes = &production.script.scenes;
    let told: Vec<_> = scenes
        .iter()
        .map(|scene| (scene.lines[0].text.as_str(), scene.brief.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("A keeper climbs the stairs.", "a lighthouse in a storm"),
            ("The light turns on.", "a lamp shining over the sea"),
        ]
    );
    assert_eq!(production.script.title.as_deref(), Some("The lighthouse"));
}

#[test]
fn who_keeps_to_no_form_is_stood_in_for() {
    let temp = folder("I would rather talk about the weather.");
    let production = produced(&studio(temp.path()), &cast::brief());
    let note = production
        .notes
        .iter()
        .find(|note| note.contains("teller could not"));
    assert!(note.is_some(), "{:?}", production.notes);
    assert!(!production.script.scenes.is_empty());
}

#[test]
fn words_that_nobody_wrote_down_are_heard() {
    let temp = folder(SCRIPT);
    // The model hears its words in anything.
    let file = temp.path().join("voice.wav");
    std::fs::write(&file, cast::beeps(4.0)).unwrap();
    let recording = Recording::open(file, false, None).unwrap();
    let mut brief = Brief::new(Source::Recording(recording));
    brief.size = [64, 112];
    let production = produced(&studio(temp.path()), &brief);
    let words: Vec<_> = production.words.iter().map(|w| w.text.as_str()).collect();
    assert_eq!(
        words.join(" "),
        "A keeper climbs the stairs. The light turns on."
    );
    let second = &production.words[5];
    assert!(second.start >= 1.95 && second.end <= 4.05, "{second:?}");
}

#[test]
fn what_is_not_there_is_said_at_once() {
    let temp = tempfile::tempdir().unwrap();
    let setup = |config: &str| Setup {
        work: temp.path().join("work"),
        config: ProvidersConfig::read(config).unwrap(),
        folder: temp.path().to_owned(),
        music: Arc::new(Library::new(None, None).unwrap()),
        remote: None,
    };
    let failure = Studio::open(&setup(CONFIG)).unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotConfigured);
    assert_eq!(failure.provider.as_deref(), Some("teller"));
    assert!(failure.message.contains("models/teller"), "{failure}");
    // A folder without a model in it is seen when it is asked.
    let alone =
        "script = { providers = [\"t\"] }\n[provider.t]\nkind = \"local\"\npath = \"empty\"";
    std::fs::create_dir(temp.path().join("empty")).unwrap();
    let studio = Studio::open(&setup(alone)).unwrap();
    let failure = studio
        .produce(&cast::brief(), &Watch::default())
        .unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotConfigured);
    assert!(failure.message.contains("config.json"), "{failure}");
}
