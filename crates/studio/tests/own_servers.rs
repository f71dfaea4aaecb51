//! Models on the user's own machine: a server there, named by its address alone and without a key, writes scripts and hears recordings.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod cast;
#[allow(dead_code)]
#[path = "providers/stub.rs"]
mod stub;

use std::path::Path;
use std::sync::Arc;

use kinora_music::Library;
use kinora_studio::providers::config::ProvidersConfig;
use kinora_studio::stages::{Brief, Production, Recording, Setup, Source, Studio, Watch};
use serde_json::{Value, json};

use stub::{Act, Seen, Stub};

/// A studio that asks only this server, as `kinora.toml` would name it.
fn studio(folder: &Path, capability: &str, stub: &Stub) -> Studio {
    let text = format!(
        "[{capability}]\nproviders = [\"mine\"]\n[provider.mine]\nkind = \"openai\"\nbase_url = \"{}\"\nmodel = \"some:8b\"\ntoken_field = \"max_tokens\"\n",
        stub.url("/v1")
    );
    let setup = Setup {
        work: folder.join("work"),
        config: ProvidersConfig::read(&text).unwrap(),
        folder: folder.to_owned(),
        music: Arc::new(Library::new(None, None).unwrap()),
        remote: None,
    };
    Studio::open(&setup).unwrap()
}

/// Answers at one path, and says so where another is asked for.
fn server(path: &'static str, answer: impl Fn(&Seen) -> Act + Send + Sync + 'static) -> Stub {
    Stub::start(move |seen, _| match seen.path.as_str() {
        found if found == path => answer(seen),
        _ => stub::json(404, &json!({"error": {"message": "no such path"}})),
    })
}

/// What a recording of four seconds becomes where the server answers like this.
fn heard(answer: Value) -> (Production, Stub) {
    let stub = server("/v1/audio/transcriptions", move |_| {
        stub::json(200, &answer)
    });
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("voice.wav");
    std::fs::write(&file, cast::beeps(4.0)).unwrap();
    let mut brief = Brief::new(Source::Recording(
        Recording::open(file, false, None).unwrap(),
    ));
    brief.size = [64, 112];
    let studio = studio(temp.path(), "align", &stub);
    (studio.produce(&brief, &Watch::default()).unwrap(), stub)
}

#[test]
fn a_prompt_is_written_by_a_server_without_a_key() {
    let script = json!({"title": "The lighthouse", "scenes": [
        {"lines": [{"speaker": null, "text": "A keeper climbs the stairs."}], "picture": "a lighthouse in a storm"},
        {"lines": [{"speaker": null, "text": "The light turns on."}], "picture": "a lamp shining over the sea"},
    ]});
    let answer =
        json!({"choices": [{"message": {"role": "assistant", "content": script.to_string()}}]});
    let stub = server("/v1/chat/completions", move |seen| {
        // As servers that know no schemas answer.
        match seen.body.is_empty() || seen.json().get("response_format").is_some() {
            true => stub::json(400, &json!({"error": {"message": "unknown field"}})),
            false => stub::json(200, &answer),
        }
    });
    let temp = tempfile::tempdir().unwrap();
    let production = studio(temp.path(), "script", &stub)
        .produce(&cast::brief(), &Watch::default())
        .unwrap();
    let lines: Vec<&str> = production
        .script
        .scenes
        .iter()
        .map(|scene| scene.lines[0].text.as_str())
        .collect();
    assert_eq!(
        lines,
        ["A keeper climbs the stairs.", "The light turns on."]
    );
    assert_eq!(production.script.title.as_deref(), Some("The lighthouse"));
    let seen = stub.seen();
    assert_eq!(seen.len(), 2);
    for request in &seen {
        assert_eq!(request.header("authorization"), None);
        assert_eq!(request.json()["model"], "some:8b");
        assert!(request.json()["max_tokens"].is_u64());
    }
}

#[test]
fn a_recording_without_a_text_is_heard_word_by_word() {
    let word = |word: &str, start: f64, end: f64| json!({"word": word, "start": start, "end": end});
    let (production, stub) = heard(json!({
        "text": "A keeper climbs.",
        "words": [word(" A", 0.5, 0.7), word(" keeper", 0.7, 1.4), word(" climbs.", 1.5, 2.0)],
    }));
    let words: Vec<_> = production
        .words
        .iter()
        .map(|w| (w.text.as_str(), w.start))
        .collect();
    assert_eq!(words, [("A", 0.5), ("keeper", 0.7), ("climbs.", 1.5)]);
    assert_eq!(stub.seen()[0].header("authorization"), None);
}

#[test]
fn words_are_found_in_the_sentences_that_a_server_times() {
    let segment =
        |text: &str, start: f64, end: f64| json!({"text": text, "start": start, "end": end});
    let (production, _) = heard(json!({
        "text": "A keeper climbs the stairs. The light turns on.",
        "words": null,
        "segments": [
            segment(" A keeper climbs the stairs.", 0.0, 2.0),
            segment(" The light turns on.", 2.0, 4.0),
            segment(" [BLANK_AUDIO]", 4.0, 4.0),
        ],
    }));
    let words: Vec<_> = production.words.iter().map(|w| w.text.as_str()).collect();
    assert_eq!(
        words.join(" "),
        "A keeper climbs the stairs. The light turns on."
    );
    let (last, first) = (&production.words[4], &production.words[5]);
    assert!(last.end <= 2.0, "{last:?}");
    assert!(first.start >= 1.95 && first.end <= 4.05, "{first:?}");
}
