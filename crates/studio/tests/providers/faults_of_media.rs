//! Pictures, sounds and times of words that are not what they should be.

use kinora_studio::failure::{Failure, FailureKind, Stage};
use kinora_studio::providers::{AlignAsk, AlignProvider, PictureProvider, VoiceProvider};
use serde_json::{Value, json};

use crate::files::{mp4, png, wav};
use crate::setup::{Setup, picture_ask, speech_ask, table};
use crate::stub::{self, Act, Stub, send};
use FailureKind::{BadAnswer, Refused, Unavailable};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

fn b64(file: &[u8]) -> Act {
    stub::json(200, &json!({"data": [{"b64_json": STANDARD.encode(file)}]}))
}

/// The answer to the picture request, the picture behind its address, the failure, and all requests.
type PictureRow = (&'static str, Act, Act, Option<FailureKind>, usize);

fn picture_rows() -> Vec<PictureRow> {
    let cut = |file: Vec<u8>, part: usize| file[..file.len() * part / 8].to_vec();
    let linked = || stub::json(200, &json!({"data": [{"url": "STUB/file"}]}));
    let none = || send(404, "text/plain", b"");
    let status = |status| send(status, "text/html", b"<html>");
    let mut huge =
        b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 30000001\r\n\r\n".to_vec();
    huge.extend(png(256, 256));
    let code = |code: &str| {
        stub::json(
            400,
            &json!({"error": {"code": code, "type": "image_generation_user_error"}}),
        )
    };
    vec![
        ("a picture", b64(&png(300, 400)), none(), None, 1),
        (
            "cut after its head",
            b64(&cut(png(300, 400), 1)),
            none(),
            Some(BadAnswer),
            1,
        ),
        (
            "cut near its end",
            b64(&cut(png(300, 400), 7)),
            none(),
            Some(BadAnswer),
            1,
        ),
        ("1x1", b64(&png(1, 1)), none(), Some(BadAnswer), 1),
        ("a line", b64(&png(1024, 2)), none(), Some(BadAnswer), 1),
        (
            "a text",
            b64(b"Sorry, I cannot"),
            none(),
            Some(BadAnswer),
            1,
        ),
        ("a sound", b64(&wav(0.1)), none(), Some(BadAnswer), 1),
        ("a clip", b64(&mp4()), none(), Some(BadAnswer), 1),
        (
            "no Base64",
            stub::json(200, &json!({"data": [{"b64_json": "***"}]})),
            none(),
            Some(BadAnswer),
            1,
        ),
        (
            "an empty list",
            stub::json(200, &json!({"data": []})),
            none(),
            Some(BadAnswer),
            1,
        ),
        (
            "an empty object",
            stub::json(200, &json!({"data": [{}]})),
            none(),
            Some(BadAnswer),
            1,
        ),
        (
            "refused",
            code("moderation_blocked"),
            none(),
            Some(Refused),
            1,
        ),
        (
            "linked",
            linked(),
            send(200, "image/png", &png(300, 400)),
            None,
            2,
        ),
        (
            "linked, without a type",
            linked(),
            send(200, "", &png(300, 400)),
            None,
            2,
        ),
        (
            "linked, HTML",
            linked(),
            send(200, "text/html", b"<html>"),
            Some(BadAnswer),
            2,
        ),
        (
            "linked, called HTML",
            linked(),
            send(200, "text/html", &png(300, 400)),
            Some(BadAnswer),
            2,
        ),
        (
            "linked, called a picture",
            linked(),
            send(200, "image/png", b"<html>"),
            Some(BadAnswer),
            2,
        ),
        ("linked, gone", linked(), status(404), Some(BadAnswer), 2),
        (
            "linked, forbidden",
            linked(),
            status(403),
            Some(BadAnswer),
            2,
        ),
        ("linked, down", linked(), status(500), Some(Unavailable), 4),
        (
            "linked, 30 MB and more",
            linked(),
            Act::Send(huge),
            Some(BadAnswer),
            2,
        ),
        (
            "linked, in a circle",
            linked(),
            stub::redirect("/file"),
            Some(BadAnswer),
            5,
        ),
        (
            "linked, nowhere",
            linked(),
            Act::Send(stub::reply(302, "text/plain", "", b"")),
            Some(BadAnswer),
            2,
        ),
    ]
}

fn with_port(act: &Act, port: u16) -> Act {
    match act {
        Act::Send(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            if !text.contains("STUB") {
                return act.clone();
            }
            let (_, body) = text.split_once("\r\n\r\n").unwrap();
            let body = body.replace("STUB", &format!("http://127.0.0.1:{port}"));
            send(200, "application/json", body.as_bytes())
        }
        other => other.clone(),
    }
}

fn painted(answer: Act, file: Act) -> (Result<(), Failure>, usize) {
    let setup = Setup::new();
    let stub = Stub::start(move |seen, _| {
        let host = seen.header("host").unwrap_or("x:0");
        match seen.path.as_str() {
            "/file" => file.clone(),
            _ => with_port(&answer, host.split(':').nth(1).unwrap().parse().unwrap()),
        }
    });
    let painter = setup.openai(&stub).painter(&setup.http, table());
    let result = painter.paint(&picture_ask("gpt_image_1"), &[], &setup.call());
    let result = result.map(|answer| {
        assert_eq!((answer.value.width, answer.value.height), (300, 400));
        assert!(answer.notes.is_empty());
    });
    (result, stub.n_seen())
}

#[test]
fn pictures_are_whole_pictures_or_failures() {
    for (name, answer, file, kind, n_requests) in picture_rows() {
        let (result, n_seen) = painted(answer, file);
        assert_eq!(
            result.as_ref().err().map(|f| f.kind),
            kind,
            "{name}: {result:?}"
        );
        assert_eq!(n_seen, n_requests, "{name}: requests");
        assert!(
            result.err().is_none_or(|f| f.stage == Stage::Pictures),
            "{name}"
        );
    }
}

const TEXT: &str = "The quick brown fox jumps over the lazy dog today.";

#[test]
fn sounds_are_as_long_as_their_text_or_failures() {
    let rows: Vec<(&str, Vec<u8>, bool)> = vec![
        ("a voice", wav(4.0), true),
        ("quick", wav(1.5), true),
        ("slow", wav(15.0), true),
        ("too short", wav(0.8), false),
        ("too long", wav(25.0), false),
        ("empty", wav(0.0), false),
        ("nothing", Vec::new(), false),
        ("a text", b"{\"error\": \"no\"}".to_vec(), false),
        ("HTML", b"<!doctype html><html></html>".to_vec(), false),
        ("a picture", png(300, 300), false),
    ];
    for (name, file, is_good) in rows {
        let (stub, setup) = (
            Stub::script(vec![send(200, "audio/wav", &file)]),
            Setup::new(),
        );
        let voice = setup.openai(&stub).voice(&setup.http, table());
        let result = voice.speak(&speech_ask(TEXT), &setup.call());
        assert_eq!(
            result.as_ref().err().map(|f| f.kind),
            (!is_good).then_some(BadAnswer),
            "{name}"
        );
        assert_eq!(stub.n_seen(), 1, "{name}");
        if let Ok(answer) = result {
            let n = hound::WavReader::new(answer.value.file.as_slice())
                .unwrap()
                .duration();
            assert!(
                (f64::from(n) / 24_000.0 - answer.value.secs).abs() < 0.01,
                "{name}"
            );
            assert_eq!(answer.value.words, None, "{name}");
        }
    }
}

fn timed(text: &str, secs: f64) -> Value {
    let n = text.chars().count();
    let at = |i: usize| secs * i as f64 / n as f64;
    json!({
        "characters": text.chars().map(String::from).collect::<Vec<_>>(),
        "character_start_times_seconds": (0..n).map(at).collect::<Vec<_>>(),
        "character_end_times_seconds": (1..=n).map(at).collect::<Vec<_>>(),
    })
}

#[test]
fn times_of_words_are_those_of_the_text_or_none() {
    let sound = STANDARD.encode(wav(4.0));
    let mut backwards = timed(TEXT, 4.0);
    backwards["character_start_times_seconds"]
        .as_array_mut()
        .unwrap()
        .reverse();
    let rows: Vec<(&str, Value, bool)> = vec![
        ("times", timed(TEXT, 4.0), true),
        ("null", Value::Null, false),
        ("of another text", timed("Something else", 4.0), false),
        ("backwards", backwards, false),
        ("of a longer sound", timed(TEXT, 9.0), false),
    ];
    for (name, alignment, has_words) in rows {
        let body =
            json!({"audio_base64": sound, "alignment": alignment, "normalized_alignment": null});
        let (stub, setup) = (Stub::script(vec![stub::json(200, &body)]), Setup::new());
        let answer = VoiceProvider::name(&setup.elevenlabs(&stub)).len();
        assert_eq!(answer, "elevenlabs".len());
        let answer = setup
            .elevenlabs(&stub)
            .speak(&speech_ask(TEXT), &setup.call())
            .unwrap();
        let words = answer.value.words;
        assert_eq!(words.is_some(), has_words, "{name}: {words:?}");
        assert_eq!(answer.notes.is_empty(), has_words, "{name}");
        if let Some(words) = words {
            let texts: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
            assert_eq!(texts, TEXT.split_whitespace().collect::<Vec<_>>());
            assert!(words.windows(2).all(|w| w[0].end <= w[1].start));
        }
    }
    let bad = [
        json!({}),
        json!({"audio_base64": "***"}),
        json!({"audio_base64": ""}),
    ];
    for body in bad {
        let (stub, setup) = (Stub::script(vec![stub::json(200, &body)]), Setup::new());
        let failure = setup
            .elevenlabs(&stub)
            .speak(&speech_ask(TEXT), &setup.call())
            .unwrap_err();
        assert_eq!(failure.kind, BadAnswer, "{body}");
    }
}

#[test]
fn heard_words_lie_within_their_sound() {
    let word = |text: &str, start: f64, end: f64| json!({"word": text, "start": start, "end": end});
    let segment =
        |text: &str, start: f64, end: f64| json!({"text": text, "start": start, "end": end});
    let rows: Vec<(&str, Value, Option<usize>)> = vec![
        (
            "words",
            json!({"words": [word("One", 0.1, 0.5), word(" two", 0.6, 1.1)]}),
            Some(2),
        ),
        ("none", json!({"words": []}), Some(0)),
        (
            "sentences",
            json!({"words": null, "segments": [segment(" One two.", 0.0, 1.0), segment("Three.", 1.0, 2.0)], "language": "english"}),
            Some(3),
        ),
        (
            "sentences beside an empty list of words",
            json!({"words": [], "segments": [segment("One two.", 0.0, 1.0)]}),
            Some(2),
        ),
        (
            "no speech",
            json!({"segments": [segment(" [BLANK_AUDIO]", 0.0, 2.0)]}),
            Some(0),
        ),
        (
            "a sentence as long as its window",
            json!({"segments": [segment("One two.", 0.0, 30.0)]}),
            Some(2),
        ),
        (
            "sentences in nanoseconds",
            json!({"segments": [segment("One two.", 0.0, 1e9), segment("Three.", 1e9, 2e9)]}),
            None,
        ),
        (
            "words beside segments of another form",
            json!({"words": [word("One", 0.1, 0.5)], "segments": [{"id": 1}], "language": 7}),
            Some(1),
        ),
        (
            "segments of another form alone",
            json!({"segments": [{"id": 1}]}),
            None,
        ),
        ("no words", json!({"text": "One two"}), None),
        (
            "after the end",
            json!({"words": [word("One", 0.1, 9.0)]}),
            None,
        ),
        (
            "backwards",
            json!({"words": [word("One", 1.5, 1.9), word("two", 0.2, 0.3)]}),
            None,
        ),
        ("a text", json!("One two"), None),
    ];
    let file = wav(2.0);
    for (name, body, n_words) in rows {
        let (stub, setup) = (Stub::script(vec![stub::json(200, &body)]), Setup::new());
        let listener = setup.openai(&stub).listener(&setup.http);
        let ask = AlignAsk {
            file: &file,
            extension: "wav",
            text: None,
            language: None,
        };
        let found = listener.align(&ask, &setup.call());
        assert_eq!(
            found.as_ref().ok().map(|a| a.value.len()),
            n_words,
            "{name}: {found:?}"
        );
    }
}

#[test]
fn what_cannot_be_asked_is_not_sent() {
    let (stub, setup) = (Stub::script(vec![send(500, "", b"")]), Setup::new());
    let openai = setup.openai(&stub);
    let voice = openai.voice(&setup.http, table());
    assert_eq!(
        voice
            .speak(&speech_ask(" \n"), &setup.call())
            .unwrap_err()
            .kind,
        FailureKind::BadInput
    );
    let ask = AlignAsk {
        file: b"no sound",
        extension: "wav",
        text: None,
        language: None,
    };
    assert_eq!(
        openai
            .listener(&setup.http)
            .align(&ask, &setup.call())
            .unwrap_err()
            .kind,
        FailureKind::BadInput
    );
    let failure = openai
        .eye(&setup.http)
        .characters(&png(2, 2), &setup.call())
        .unwrap_err();
    assert_eq!(failure.kind, FailureKind::BadInput);
    let long = "word ".repeat(2000);
    assert_eq!(
        setup
            .elevenlabs(&stub)
            .speak(&speech_ask(&long), &setup.call())
            .unwrap_err()
            .kind,
        Refused
    );
    assert_eq!(stub.n_seen(), 0);
}
