//! Requests as the vendors document them: method, path, headers, and every field.

use kinora_studio::providers::openai::TokenField;
use kinora_studio::providers::{
    AlignAsk, AlignProvider, BriefAsk, PictureProvider, ScriptProvider, SpeechAsk, VoiceProvider,
};
use serde_json::{Value, json};

use crate::faults::{chat, script};
use crate::files::{png, wav};
use crate::setup::{KEY, Setup, picture_ask, script_ask, speech_ask, table};
use crate::stub::{self, Seen, Stub, send};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Names and bodies of a form's parts; files as `NAME;FILE;TYPE`.
fn parts(seen: &Seen) -> Vec<(String, Vec<u8>)> {
    let content_type = seen.header("content-type").unwrap();
    let boundary = content_type
        .strip_prefix("multipart/form-data; boundary=")
        .unwrap();
    let mark = format!("--{boundary}").into_bytes();
    let mut starts: Vec<usize> = (0..seen.body.len())
        .filter(|i| seen.body[*i..].starts_with(&mark))
        .collect();
    let last = starts.pop().unwrap();
    starts.push(last);
    let part = |w: &[usize]| {
        let part = &seen.body[w[0] + mark.len() + 2..w[1] - 2];
        let at = part.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(part[..at].to_vec()).unwrap();
        let quoted: Vec<&str> = head.split('"').skip(1).step_by(2).collect();
        let name = match head.split("Content-Type: ").nth(1) {
            Some(mime) => format!("{};{mime}", quoted.join(";")),
            None => quoted.join(";"),
        };
        (name, part[at + 4..].to_vec())
    };
    starts.windows(2).map(part).collect()
}

fn texts(parts: &[(String, Vec<u8>)]) -> Vec<(&str, String)> {
    let text = |bytes: &[u8]| {
        if bytes.len() > 200 {
            format!("{} bytes", bytes.len())
        } else {
            String::from_utf8_lossy(bytes).into_owned()
        }
    };
    parts
        .iter()
        .map(|(name, body)| (name.as_str(), text(body)))
        .collect()
}

#[test]
fn a_script_is_asked_for_with_a_schema_and_without_when_that_is_not_known() {
    let acts = vec![
        send(400, "application/json", b"{\"error\":\"response_format\"}"),
        stub::json(200, &chat(&script())),
    ];
    let (stub, setup) = (Stub::script(acts), Setup::new());
    let mut settings = setup.openai(&stub);
    settings.token_field = TokenField::MaxTokens;
    let answer = settings
        .writer(&setup.http)
        .write(&script_ask(), &setup.call())
        .unwrap();
    let script = answer.value;
    assert_eq!(
        (
            script.title.as_deref(),
            script.scenes.len(),
            script.language.as_str()
        ),
        (Some("Lights"), 2, "en")
    );
    assert_eq!(script.scenes[1].lines[0].speaker.as_deref(), Some("Ada"));
    assert_eq!(script.scenes[0].brief, "A lighthouse.");
    let seen = stub.seen();
    for request in &seen {
        assert_eq!(
            (request.method.as_str(), request.path.as_str()),
            ("POST", "/v1/chat/completions")
        );
        assert_eq!(
            request.header("authorization"),
            Some(format!("Bearer {KEY}").as_str())
        );
        assert_eq!(request.header("content-type"), Some("application/json"));
        let body = request.json();
        assert_eq!(body["model"], "gpt-4.1");
        assert_eq!(body["max_tokens"], 4064);
        assert_eq!(body.get("max_completion_tokens"), None);
        assert_eq!(body["messages"][0]["role"], "system");
        let wish = body["messages"][1]["content"].as_str().unwrap();
        for part in [
            "about 8 spoken words",
            "Language of titles and lines: en",
            "news bulletin",
            "Character: Ada: a keeper",
            "lighthouses",
        ] {
            assert!(wish.contains(part), "{part} in {wish}");
        }
    }
    let format = &seen[0].json()["response_format"];
    assert_eq!(
        (&format["type"], &format["json_schema"]["strict"]),
        (&json!("json_schema"), &json!(true))
    );
    assert_eq!(seen[1].json().get("response_format"), None);
    let keys: Vec<&str> = seen
        .iter()
        .map(|s| s.header("idempotency-key").unwrap())
        .collect();
    assert_ne!(keys[0], keys[1], "another body is another request");
    assert!(
        keys.iter()
            .all(|key| key.len() == 32 && key.bytes().all(|b| b.is_ascii_hexdigit()))
    );
}

#[test]
fn a_retry_is_the_same_request() {
    let acts = vec![
        send(503, "", b""),
        send(502, "", b""),
        stub::json(200, &chat(&script())),
    ];
    let (stub, setup) = (Stub::script(acts), Setup::new());
    setup
        .openai(&stub)
        .writer(&setup.http)
        .write(&script_ask(), &setup.call())
        .unwrap();
    let seen = stub.seen();
    assert!(seen.iter().all(|s| s.body == seen[0].body
        && s.header("idempotency-key") == seen[0].header("idempotency-key")));
    assert_eq!(seen.len(), 3);
}

#[test]
fn prose_becomes_a_canonical_script() {
    let canonical = "## Scene 1: Sea (4s)\n#### Shot 1.1 (4s)\nThe sea.\n@Narrator: \"Hello.\"\n## Reusable Elements\nCharacters: @Narrator\nLocations: (none)\nObjects: (none)";
    let acts = vec![
        stub::json(200, &chat(&format!("```markdown\n{canonical}\n```"))),
        stub::json(200, &chat("I would rather not.")),
    ];
    let (stub, setup) = (Stub::script(acts), Setup::new());
    let writer = setup.openai(&stub).writer(&setup.http);
    assert_eq!(
        writer.rewrite("prose", &setup.call()).unwrap().as_deref(),
        Some(canonical)
    );
    assert!(writer.rewrite("prose", &setup.call()).is_err());
    assert_eq!(stub.seen()[0].json().get("response_format"), None);
}

#[test]
fn what_is_seen_in_a_script_is_asked_for_once() {
    let answer = |pictures: serde_json::Value| {
        stub::json(200, &chat(&json!({ "pictures": pictures }).to_string()))
    };
    let acts = vec![
        answer(json!([" A **harbor**.\n", ""])),
        answer(json!(["one"])),
    ];
    let (stub, setup) = (Stub::script(acts), Setup::new());
    let writer = setup.openai(&stub).writer(&setup.http);
    let ask = BriefAsk {
        language: "en".into(),
        scenes: vec![
            "Your memory falls apart.".into(),
            "So put the phone away.".into(),
        ],
        characters: vec!["Ada: a fox".into()],
        style: "ink".into(),
        notes: None,
    };
    let briefs = writer.brief(&ask, &setup.call()).unwrap().unwrap();
    assert_eq!(briefs.value, ["A harbor.", ""]);
    let asked = stub.seen()[0].json();
    assert_eq!(asked["response_format"]["json_schema"]["name"], "pictures");
    let wish = asked["messages"][1]["content"].as_str().unwrap();
    for part in [
        "1. Your memory",
        "2. So put",
        "Ada: a fox",
        "Style of all pictures: ink",
    ] {
        assert!(wish.contains(part), "{wish}");
    }
    let failure = writer.brief(&ask, &setup.call()).unwrap_err();
    assert!(
        failure
            .message
            .contains("exactly one picture for each scene"),
        "{}",
        failure.message
    );
}

#[test]
fn characters_are_seen_in_a_picture() {
    let sheets = json!({"characters": [{"name": "Ada", "description": "a keeper", "appearance": "gray hair", "clothing": "a coat"}, {"name": " "}]});
    let (stub, setup) = (
        Stub::script(vec![stub::json(200, &chat(&sheets.to_string()))]),
        Setup::new(),
    );
    let found = setup
        .openai(&stub)
        .eye(&setup.http)
        .characters(&png(256, 256), &setup.call())
        .unwrap();
    assert_eq!(found.value.len(), 1);
    assert_eq!(
        serde_json::to_value(&found.value[0]).unwrap(),
        sheets["characters"][0]
    );
    let content = stub.seen()[0].json()["messages"][1]["content"].clone();
    assert_eq!(content[0]["type"], "text");
    assert!(
        content[1]["image_url"]["url"]
            .as_str()
            .unwrap()
            .starts_with("data:image/png;base64,iVBOR")
    );
}

#[test]
fn pictures_are_generated_or_edited() {
    let body = json!({"data": [{"b64_json": STANDARD.encode(png(256, 384))}]});
    let (stub, setup) = (Stub::script(vec![stub::json(200, &body)]), Setup::new());
    let painter = setup.openai(&stub).painter(&setup.http, table());
    let mut ask = picture_ask("midjourney");
    ask.style = "WATERCOLOR".into();
    let answer = painter.paint(&ask, &[], &setup.call()).unwrap();
    assert_eq!(
        answer.notes,
        ["the model midjourney is not available at openai; used gpt-image-1 instead"]
    );
    let answer = painter
        .paint(
            &ask,
            &[png(300, 300), b"\xff\xd8\xff".to_vec()],
            &setup.call(),
        )
        .unwrap();
    assert_eq!(answer.value.height, 384);
    let seen = stub.seen();
    assert_eq!(
        (seen[0].method.as_str(), seen[0].path.as_str()),
        ("POST", "/v1/images/generations")
    );
    let prompt = "A lighthouse at dusk\nStyle: watercolor";
    assert_eq!(
        seen[0].json(),
        json!({"model": "gpt-image-1", "prompt": prompt, "n": 1, "size": "1024x1536"})
    );
    assert_eq!(
        (seen[1].method.as_str(), seen[1].path.as_str()),
        ("POST", "/v1/images/edits")
    );
    let parts = parts(&seen[1]);
    let n_bytes = png(300, 300).len();
    let wanted = [
        ("model", "gpt-image-1".to_owned()),
        ("prompt", prompt.to_owned()),
        ("n", "1".to_owned()),
        ("size", "1024x1536".to_owned()),
        (
            "image[];reference-0.png;image/png",
            format!("{n_bytes} bytes"),
        ),
        (
            "image[];reference-1.jpg;image/jpeg",
            "\u{fffd}\u{fffd}\u{fffd}".to_owned(),
        ),
    ];
    assert_eq!(texts(&parts), wanted);
    assert_eq!(parts[4].1, png(300, 300));
}

#[test]
fn long_texts_are_spoken_in_parts_and_joined() {
    let stub = Stub::start(|seen, _| match seen.body.is_empty() {
        true => send(500, "", b""),
        // As long as its text at 137 words a minute.
        false => send(
            200,
            "audio/wav",
            &wav(seen.json()["input"]
                .as_str()
                .unwrap()
                .split_whitespace()
                .count() as f64
                * 0.44),
        ),
    });
    let setup = Setup::new();
    let text = "This is a sentence of nine words, no more. ".repeat(150);
    let voice = setup.openai(&stub).voice(&setup.http, table());
    let mut ask = speech_ask(text.trim());
    ask.voice = "zWDA589rUKXuLnPRDtAG".into();
    let answer = voice.speak(&ask, &setup.call()).unwrap();
    assert!(
        (answer.value.secs - 1350.0 * 0.44).abs() < 0.1,
        "{}",
        answer.value.secs
    );
    assert_eq!(answer.value.extension, "wav");
    assert_eq!(
        answer.notes,
        ["the voice zWDA589rUKXuLnPRDtAG belongs to another provider; using alloy"]
    );
    let seen = stub.seen();
    assert_eq!(seen.len(), 2);
    let inputs: Vec<Value> = seen.iter().map(|s| s.json()["input"].clone()).collect();
    assert!(
        inputs
            .iter()
            .all(|i| i.as_str().unwrap().len() <= 4096 && i.as_str().unwrap().ends_with('.'))
    );
    assert_eq!(
        inputs
            .iter()
            .map(|i| i.as_str().unwrap())
            .collect::<Vec<_>>()
            .join(" "),
        text.trim()
    );
    assert_eq!(seen[0].path, "/v1/audio/speech");
    assert_eq!(
        seen[0].json(),
        json!({"model": "gpt-4o-mini-tts", "input": inputs[0], "voice": "alloy", "response_format": "wav"})
    );
    assert_ne!(
        seen[0].header("idempotency-key"),
        seen[1].header("idempotency-key")
    );
}

#[test]
fn words_are_heard_by_transcription() {
    let body = json!({"words": [{"word": "Hi", "start": 0.0, "end": 0.4}]});
    let (stub, setup) = (Stub::script(vec![stub::json(200, &body)]), Setup::new());
    let file = wav(1.0);
    let ask = AlignAsk {
        file: &file,
        extension: "wav",
        text: Some("Hi"),
        language: Some("en-GB"),
    };
    setup
        .openai(&stub)
        .listener(&setup.http)
        .align(&ask, &setup.call())
        .unwrap();
    let seen = &stub.seen()[0];
    assert_eq!(
        (seen.method.as_str(), seen.path.as_str()),
        ("POST", "/v1/audio/transcriptions")
    );
    let wanted = [
        (
            "file;voice.wav;application/octet-stream",
            "48044 bytes".to_owned(),
        ),
        ("model", "whisper-1".to_owned()),
        ("response_format", "verbose_json".to_owned()),
        ("timestamp_granularities[]", "word".to_owned()),
        ("language", "en".to_owned()),
        ("prompt", "Hi".to_owned()),
    ];
    assert_eq!(texts(&parts(seen)), wanted);
}

#[test]
fn elevenlabs_speaks_hears_and_lists() {
    let stub = Stub::start(|seen, _| match seen.path.split('?').next().unwrap() {
        "/v1/voices" => stub::json(
            200,
            &json!({"voices": [{"voice_id": "v1", "name": "Eve", "labels": {"language": "en"}}, {"name": "no id"}]}),
        ),
        "/v1/forced-alignment" => stub::json(
            200,
            &json!({"words": [{"text": "Hi", "start": 0.1, "end": 0.4, "loss": 0.1}]}),
        ),
        "/v1/speech-to-text" => stub::json(
            200,
            &json!({"words": [
            {"text": "Hi", "start": 0.1, "end": 0.4, "type": "word"}, {"text": " ", "start": 0.4, "end": 0.5, "type": "spacing"}]}),
        ),
        _ => stub::json(
            200,
            &json!({"audio_base64": STANDARD.encode(wav(1.0)), "alignment": null}),
        ),
    });
    let setup = Setup::new();
    let provider = setup.elevenlabs(&stub);
    let ask = SpeechAsk {
        text: "Hi there".into(),
        voice: "../x y".into(),
        language: "en".into(),
        around: ["Before.".into(), "After.".into()],
    };
    provider.speak(&ask, &setup.call()).unwrap();
    let file = wav(1.0);
    for text in [Some("Hi"), None] {
        let ask = AlignAsk {
            file: &file,
            extension: "wav",
            text,
            language: Some("en"),
        };
        assert_eq!(provider.align(&ask, &setup.call()).unwrap().value.len(), 1);
    }
    let voices = provider.voices(&setup.call()).unwrap();
    assert_eq!(
        (
            voices.len(),
            voices[0].id.as_str(),
            voices[0].language.as_deref()
        ),
        (1, "v1", Some("en"))
    );
    let seen = stub.seen();
    assert!(
        seen.iter()
            .all(|s| s.header("xi-api-key") == Some(KEY) && s.header("authorization").is_none())
    );
    assert_eq!(
        seen[0].path,
        "/v1/text-to-speech/..%2Fx%20y/with-timestamps?output_format=mp3_44100_128"
    );
    let wanted = json!({"text": "Hi there", "model_id": "eleven_multilingual_v2", "previous_text": "Before.", "next_text": "After."});
    assert_eq!(seen[0].json(), wanted);
    assert_eq!(texts(&parts(&seen[1]))[1], ("text", "Hi".to_owned()));
    let names: Vec<(String, Vec<u8>)> = parts(&seen[2]);
    let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names[1..],
        [
            "model_id",
            "timestamps_granularity",
            "tag_audio_events",
            "language_code"
        ]
    );
    assert_eq!(
        (seen[3].method.as_str(), seen[3].path.as_str()),
        ("GET", "/v1/voices")
    );
}
