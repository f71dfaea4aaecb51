//! What is heard by a tiny model against what transformers hears.

use std::path::Path;

use serde_json::Value;

use super::*;

fn fixture() -> (Listener, Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/whisper");
    let answers = std::fs::read(folder.join("answers.json")).unwrap();
    (
        Listener::load(&folder).unwrap(),
        serde_json::from_slice(&answers).unwrap(),
    )
}

/// The sound of `make.py`.
fn sound(secs: f64) -> Vec<f32> {
    let n = (secs * 16_000.0) as usize;
    let tau = std::f64::consts::TAU;
    (0..n)
        .map(|index| {
            let t = index as f64 / 16_000.0;
            let notes = 0.3 * (tau * 220.0 * t).sin()
                + 0.2 * (tau * (440.0 + 100.0 * t) * t).sin()
                + 0.1 * (tau * 3000.0 * t).sin();
            let tremolo = 0.5 + 0.5 * (tau * 1.5 * t).cos();
            if index + 1600 < n {
                (notes * tremolo) as f32
            } else {
                0.0
            }
        })
        .collect()
}

/// Two seconds of it and one of silence: a window.
fn window() -> Vec<f32> {
    let mut samples = sound(2.0);
    samples.resize(48_000, 0.0);
    samples
}

/// Compares values at `row,column` with known ones.
fn compare(known: &Value, tolerance: f32, value: impl Fn(usize, usize) -> f32) {
    for (place, wanted) in known.as_object().unwrap() {
        let (row, column) = place.split_once(',').unwrap();
        let found = value(row.parse().unwrap(), column.parse().unwrap());
        let wanted = wanted.as_f64().unwrap() as f32;
        assert!(
            (found - wanted).abs() < tolerance,
            "{place}: {found} {wanted}"
        );
    }
}

#[test]
fn spectrograms_are_those_of_transformers() {
    let (_, known) = fixture();
    let mel = Mel::new(&window(), 80, &|| false).unwrap();
    let values = mel.window(0, 300);
    compare(&known["mel"], 2e-4, |row, column| {
        values[row * 300 + column]
    });
    let mel = Mel::new(&window(), 128, &|| false).unwrap();
    let values = mel.window(0, 300);
    compare(&known["mel128"], 2e-4, |row, column| {
        values[row * 300 + column]
    });
}

#[test]
fn the_encoder_and_the_language_are_those_of_transformers() {
    let (listener, known) = fixture();
    let mel = Mel::new(&window(), 80, &|| false).unwrap();
    let encoded = listener.model.encode(&mel, 0, &|| false).unwrap();
    let rows: Vec<Vec<f32>> = encoded.to_vec2().unwrap();
    compare(&known["encoded"], 2e-3, |row, column| rows[row][column]);
    let code = listener.detect(&encoded).unwrap();
    assert_eq!(format!("<|{code}|>"), known["language"].as_str().unwrap());
}

#[test]
fn segments_are_those_of_transformers() {
    let (listener, known) = fixture();
    let task = Task {
        model: &listener.model,
        words: &listener.words,
        signs: &listener.signs,
        language: Some(listener.signs.languages["en"]),
        temperatures: &[0.0],
        stop: &|| false,
    };
    for (name, samples) in [("short", window()), ("long", sound(7.5))] {
        let mel = Mel::new(&samples, 80, &|| false).unwrap();
        let first = listener.model.encode(&mel, 0, &|| false).unwrap();
        let heard = task.hear(&first, 0).unwrap().tokens;
        let segments = known[name].as_array().unwrap();
        // The segments of the first window lie end to end; the last one has the time that opens the next, too.
        let mut n_heard = 0;
        for segment in segments {
            let tokens: Vec<u32> = serde_json::from_value(segment["tokens"].clone()).unwrap();
            if heard[n_heard..].starts_with(&tokens) {
                n_heard += tokens.len();
            }
        }
        assert!(n_heard >= 10, "{name}: {heard:?}");
        let found = windows(&task, &mel, first).unwrap();
        let wanted: Vec<Segment> = known[name]
            .as_array()
            .unwrap()
            .iter()
            .map(|segment| {
                let tokens: Vec<u32> = serde_json::from_value(segment["tokens"].clone()).unwrap();
                Segment {
                    text: task.text(&tokens).unwrap(),
                    start_secs: segment["start"].as_f64().unwrap(),
                    end_secs: segment["end"].as_f64().unwrap(),
                }
            })
            .filter(|segment| !segment.text.is_empty() && segment.start_secs < segment.end_secs)
            .collect();
        assert!(!wanted.is_empty());
        assert_eq!(found, wanted, "{name}");
    }
}

#[test]
fn windows_go_on_at_the_last_time() {
    // Words below 10, the time 0.00 is 10.
    let spans_of = |tokens: &[u32]| {
        let (spans, advance) = spans(tokens, 10, 300);
        let spans: Vec<(usize, u32, u32)> = spans
            .iter()
            .map(|span| (span.tokens.len(), span.start, span.end))
            .collect();
        (spans, advance)
    };
    // A pair: the next window begins there.
    assert_eq!(spans_of(&[10, 1, 60, 60, 2]), (vec![(3, 0, 50)], 100));
    // A single time at the end: nothing follows in this window.
    assert_eq!(
        spans_of(&[10, 1, 60, 60, 2, 90]),
        (vec![(3, 0, 50), (3, 50, 80)], 300)
    );
    assert_eq!(spans_of(&[10, 1, 60]), (vec![(3, 0, 50)], 300));
    // No times at all, none but the first, and a pair that would not go on.
    assert_eq!(spans_of(&[1, 2]), (vec![(2, 0, 150)], 300));
    assert_eq!(spans_of(&[10, 1, 2]), (vec![(3, 0, 150)], 300));
    assert_eq!(spans_of(&[10, 10]), (vec![], 300));
    assert_eq!(spans_of(&[]), (vec![(0, 0, 150)], 300));
}
