//! Listeners: reciting models, languages, silence and stops.

use std::cell::Cell;

use kinora_local::{Listener, LocalErrorKind};

use crate::{fixture, reciting};

fn reciter() -> Listener {
    let folder = tempfile::tempdir().unwrap();
    reciting::listener(folder.path(), &reciting::SPEECH).unwrap();
    Listener::load(folder.path()).unwrap()
}

fn noise(secs: f32) -> Vec<f32> {
    let n = (secs * 16_000.0) as usize;
    (0..n)
        .map(|index| ((index * index) as f32 * 0.37).sin() * 0.3)
        .collect()
}

#[test]
fn a_reciter_hears_its_lines_in_each_window() {
    let listener = reciter();
    for (secs, n_windows) in [(0.5, 1), (5.0, 1), (30.0, 1), (33.0, 2)] {
        let heard = listener.transcribe(&noise(secs), None, &|| false).unwrap();
        assert_eq!(heard.language, "en");
        let found: Vec<(&str, f64, f64)> = heard
            .segments
            .iter()
            .map(|segment| (segment.text.as_str(), segment.start_secs, segment.end_secs))
            .collect();
        let mut wanted = Vec::new();
        for window in 0..n_windows {
            let from = f64::from(window) * 30.0;
            wanted.extend(
                reciting::SPEECH.map(|(text, start, end)| (text, from + start, from + end)),
            );
        }
        assert_eq!(found, wanted, "{secs} s");
    }
}

#[test]
fn no_sound_gives_nothing() {
    let listener = reciter();
    for samples in [&[][..], &[0.1; 100]] {
        let heard = listener.transcribe(samples, Some("en"), &|| false).unwrap();
        assert!(heard.segments.is_empty());
    }
}

#[test]
fn samples_that_are_no_numbers_are_silence() {
    let mut samples = noise(1.0);
    samples[500] = f32::NAN;
    samples[501] = f32::INFINITY;
    let heard = reciter().transcribe(&samples, None, &|| false).unwrap();
    assert_eq!(heard.segments.len(), 2);
}

#[test]
fn languages_are_those_of_the_model() {
    let listener = Listener::load(&fixture("whisper")).unwrap();
    assert_eq!(listener.languages(), ["de", "en", "es"]);
    let heard = listener
        .transcribe(&noise(1.0), Some("de-AT"), &|| false)
        .unwrap();
    assert_eq!(heard.language, "de");
    let error = listener
        .transcribe(&noise(1.0), Some("tlh"), &|| false)
        .unwrap_err();
    assert_eq!(error.kind, LocalErrorKind::Unsupported);
    assert!(error.message.contains("de, en, es"), "{}", error.message);
}

#[test]
fn models_of_english_alone_need_no_language() {
    let folder = tempfile::tempdir().unwrap();
    reciting::listener(folder.path(), &reciting::SPEECH).unwrap();
    // Without a language and a task the first token comes two positions earlier.
    crate::edit(&folder.path().join("generation_config.json"), |settings| {
        settings["is_multilingual"] = false.into();
        settings["suppress_tokens"] = serde_json::json!([settings["lang_to_id"]["<|en|>"]]);
    });
    let listener = Listener::load(folder.path()).unwrap();
    assert_eq!(listener.languages(), ["en"]);
    let heard = listener.transcribe(&noise(1.0), None, &|| false).unwrap();
    assert_eq!(heard.language, "en");
    let error = listener
        .transcribe(&noise(1.0), Some("de"), &|| false)
        .unwrap_err();
    assert_eq!(error.kind, LocalErrorKind::Unsupported);
}

#[test]
fn stop_ends_listening_at_any_point() {
    let listener = Listener::load(&fixture("whisper")).unwrap();
    let samples = noise(3.5);
    let n_calls = Cell::new(0);
    let count = || {
        n_calls.set(n_calls.get() + 1);
        false
    };
    listener.transcribe(&samples, None, &count).unwrap();
    let n = n_calls.get();
    assert!(n > 40);
    for stop_at in [1, 2, 3, 5, n / 2, n] {
        n_calls.set(0);
        let stop = || {
            n_calls.set(n_calls.get() + 1);
            n_calls.get() >= stop_at
        };
        let error = listener.transcribe(&samples, None, &stop).unwrap_err();
        assert_eq!(error.kind, LocalErrorKind::Stopped);
        assert_eq!(n_calls.get(), stop_at);
    }
}
