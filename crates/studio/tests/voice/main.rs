//! Speech without a network: words inside the sound and in order, times against the energy of the sound, hostile texts, hostile programs.
//!
//! What needs a library says so and is skipped where it is absent.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod espeak;
mod flite;
mod hostile;
mod measure;
mod offline;

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use kinora::CancelToken;
use kinora_studio::failure::FailureKind;
use kinora_studio::providers::{Call, Speech, SpeechAsk, VoiceProvider};
use kinora_studio::voice::{Espeak, Flite};

fn call() -> Call {
    Call {
        before: None,
        deadline: Instant::now() + Duration::from_secs(120),
        cancel: CancelToken::default(),
        key: "test".to_owned(),
        scene: None,
    }
}

fn ask(text: &str, language: &str, voice: &str) -> SpeechAsk {
    SpeechAsk {
        text: text.to_owned(),
        voice: voice.to_owned(),
        language: language.to_owned(),
        around: Default::default(),
    }
}

/// Flite, if it is installed.
fn flite() -> Option<Flite> {
    let flite = Flite::new();
    match flite.check() {
        Ok(()) => Some(flite),
        Err(missing) => {
            println!("skipped: {missing}");
            assert_eq!(missing.kind, FailureKind::NotConfigured);
            None
        }
    }
}

/// eSpeak, if it is installed; the program is built where it is not beside the test.
fn espeak() -> Option<Espeak> {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let folder = std::env::current_exe().unwrap();
        let program = folder.ancestors().nth(2).unwrap().join("kinora-espeak");
        if !program.is_file() {
            let build = ["build", "-q", "--locked", "-p", "kinora-espeak"];
            let folder = env!("CARGO_MANIFEST_DIR");
            let cargo = Command::new(env!("CARGO"))
                .args(build)
                .current_dir(folder)
                .status();
            assert!(cargo.unwrap().success());
        }
        program
    });
    let espeak = Espeak::at(program, Duration::from_secs(60));
    match espeak.check() {
        Ok(()) => Some(espeak),
        Err(missing) => {
            println!("skipped: {missing}");
            assert_eq!(missing.kind, FailureKind::NotConfigured);
            None
        }
    }
}

/// Speaks and checks what is promised of every answer.
fn spoken(provider: &dyn VoiceProvider, ask: &SpeechAsk) -> Speech {
    let answer = provider.speak(ask, &call());
    let speech = answer
        .unwrap_or_else(|e| panic!("{:?}: {e}", ask.text))
        .value;
    check(&speech, &ask.text);
    speech
}

fn check(speech: &Speech, text: &str) {
    let words = speech.words.as_ref().unwrap();
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let texts: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
    assert_eq!(texts, tokens);
    let mut at = 0.0;
    for word in words {
        assert!(
            word.start >= at && word.end >= word.start,
            "{word:?} after {at}"
        );
        at = word.end;
    }
    assert!(at <= speech.secs, "{at} of {}", speech.secs);
    let reader = hound::WavReader::new(&speech.file[..]).unwrap();
    let secs = f64::from(reader.len()) / f64::from(reader.spec().sample_rate);
    assert!((secs - speech.secs).abs() < 1e-6);
    let first = words.iter().find(|w| w.end > w.start).unwrap();
    assert!(first.start < 0.07, "leading silence of {} s", first.start);
    assert!(secs - at < 0.07, "trailing silence of {} s", secs - at);
}

/// The span of the word with this text.
fn span(speech: &Speech, text: &str) -> (f64, f64) {
    let words = speech.words.as_ref().unwrap();
    let word = words.iter().find(|w| w.text == text).unwrap();
    (word.start, word.end)
}
