//! The program's protocol: a line of JSON, then a WAV file; errors as JSON. Skipped where libespeak-ng is absent.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kinora-espeak"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may refuse before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// The line and what follows; `None` where the library or its data are absent.
fn answer(arguments: &[&str], input: &[u8]) -> Option<(Value, Vec<u8>)> {
    let output = run(arguments, input);
    let end = output.stdout.iter().position(|b| *b == b'\n').unwrap();
    let line: Value = serde_json::from_slice(&output.stdout[..end]).unwrap();
    let kind = line["error"]["kind"].as_str();
    assert_eq!(output.status.success(), kind.is_none(), "{line}");
    if matches!(kind, Some("no_library" | "no_data")) {
        println!("skipped: {line}");
        return None;
    }
    Some((line, output.stdout[end + 1..].to_vec()))
}

fn speak(request: &Value) -> Option<(Value, Vec<u8>)> {
    answer(&[], request.to_string().as_bytes())
}

#[test]
fn words_have_places_and_times() {
    let text = "¿Dónde está el perro, 142 años?";
    let Some((line, wav)) = speak(&json!({"text": text, "voice": "es+f2", "pitch": 60})) else {
        return;
    };
    assert_eq!(line["wav_bytes"], wav.len());
    let reader = hound::WavReader::new(&wav[..]).unwrap();
    assert_eq!(
        reader.spec().sample_rate,
        line["rate_hz"].as_u64().unwrap() as u32
    );
    let secs = f64::from(reader.len()) / f64::from(reader.spec().sample_rate);
    assert!((secs - line["secs"].as_f64().unwrap()).abs() < 1e-6);
    assert!((1.0..8.0).contains(&secs), "{secs}");
    let words = line["words"].as_array().unwrap();
    let number = |word: &Value, key: &str| word[key].as_u64().unwrap() as usize;
    let spoken: Vec<&str> = words
        .iter()
        .map(|w| &text[number(w, "at")..number(w, "at") + number(w, "len")])
        .collect();
    assert_eq!(spoken[..4], ["Dónde", "está", "el", "perro"], "{spoken:?}");
    let times: Vec<usize> = words.iter().map(|w| number(w, "start_ms")).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert!(*times.last().unwrap() < (secs * 1000.0) as usize);
    assert!(
        reader
            .into_samples::<i16>()
            .any(|s| s.unwrap().abs() > 3_000)
    );
}

#[test]
fn a_hundred_languages_are_listed() {
    let Some((line, rest)) = answer(&["--voices"], b"") else {
        return;
    };
    assert!(rest.is_empty());
    let voices = line["voices"].as_array().unwrap();
    assert!(voices.len() > 100, "{}", voices.len());
    for wanted in ["es", "ar", "ru", "hi", "cmn", "en-us"] {
        assert!(voices.iter().any(|v| v["voice"] == wanted), "{wanted}");
    }
}

#[test]
fn every_listed_voice_speaks() {
    let Some((line, _)) = answer(&["--voices"], b"") else {
        return;
    };
    for voice in line["voices"].as_array().unwrap() {
        let voice = format!("{}+f2", voice["voice"].as_str().unwrap());
        let (line, _) = speak(&json!({"text": "1 2", "voice": voice})).unwrap();
        assert!(
            line["secs"].as_f64().is_some_and(|secs| secs > 0.1),
            "{voice}: {line}"
        );
    }
}

#[test]
fn markup_is_read_and_not_obeyed() {
    let plain = |text: &str| speak(&json!({"text": text, "voice": "en-us"}));
    let Some((marked, _)) =
        plain("<break time=\"9s\"/> hi <audio src=\"/etc/passwd\"/> [[h@'loU]]")
    else {
        return;
    };
    let words = marked["words"].as_array().unwrap().len();
    assert!(words >= 6, "the words of the markup are spoken: {marked}");
    assert!(marked["secs"].as_f64().unwrap() < 9.0);
}

#[test]
fn bad_requests_are_told() {
    let long = format!(
        "{{\"text\": \"{}\", \"voice\": \"es\"}}",
        "a".repeat(1 << 21)
    );
    for (request, kind) in [
        ("", "bad_request"),
        ("garbage", "bad_request"),
        ("{\"text\": 5}", "bad_request"),
        (
            "{\"text\": \"a\", \"voice\": \"../../etc/passwd\"}",
            "bad_request",
        ),
        ("{\"text\": \"a\", \"voice\": \"\"}", "bad_request"),
        (
            "{\"text\": \"a\\u0000b\", \"voice\": \"es\"}",
            "bad_request",
        ),
        (
            "{\"text\": \"a\\u0001b\", \"voice\": \"es\"}",
            "bad_request",
        ),
        (
            "{\"text\": \"a\", \"voice\": \"es\", \"pitch\": 1000}",
            "bad_request",
        ),
        ("{\"text\": \"a\", \"voice\": \"qqq\"}", "no_voice"),
        (long.as_str(), "bad_request"),
    ] {
        let Some((line, _)) = answer(&[], request.as_bytes()) else {
            return;
        };
        assert_eq!(line["error"]["kind"], kind, "{:.80}: {line}", request);
    }
    assert!(!run(&["--nonsense"], b"").status.success());
}
