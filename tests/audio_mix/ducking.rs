//! Music that gives way to speech, measured beside the voice.

use kinora::scene::mix::{Ducking, Level, MixPlan, Speech, Track};

use crate::signals::*;

const SECS: usize = 16;
const DUCKING: Ducking = Ducking {
    amount_db: 9.0,
    attack: 12_000,
    hold: 28_800,
    release: 38_400,
};

/// Half-second words at these seconds: pauses of 0.3 s inside, of 3 s between the two phrases.
const WORDS: [f64; 6] = [2.0, 2.8, 3.6, 7.1, 7.6, 8.4];

/// A voice that sounds exactly under the words.
fn spoken() -> Vec<f32> {
    let mut voice = busy(7, 0.5, 48_000 * SECS);
    for (i, s) in voice.iter_mut().enumerate() {
        let t = i as f64 / 48_000.0;
        *s += 0.2 * (t * 900.0).sin() as f32;
        if !WORDS.iter().any(|word| (*word..*word + 0.5).contains(&t)) {
            *s = 0.0;
        }
    }
    voice
}

fn words() -> Speech {
    let span = |word: f64| (word * 48e3) as u64..((word + 0.5) * 48e3) as u64;
    let mut spans: Vec<std::ops::Range<u64>> = Vec::new();
    for word in WORDS.map(span) {
        match spans.last_mut() {
            Some(last) if last.end >= word.start => last.end = word.end,
            _ => spans.push(word),
        }
    }
    Speech::Spans(spans)
}

/// The music alone in dB against itself without ducking, in 50 ms windows.
fn curve(speech: Speech) -> Vec<f64> {
    let files = assets([
        ("voice", wav(RATE, 1, &spoken())),
        ("music", wav(RATE, 2, &noise(9, 0.2, 2 * 48_000 * SECS))),
    ]);
    let music = |ducking| Track {
        level: Level::RelativeToVoice { volume: 0.3 },
        ducking,
        ..track("music")
    };
    let n = 48_000 * SECS as u64;
    let with = |tracks: Vec<Track>| MixPlan {
        tracks,
        speech: speech.clone(),
        ..MixPlan::silent(n)
    };
    let alone = mixed(&with(vec![voice("voice")]), &files).unwrap();
    let music_of = |ducking| -> Vec<f32> {
        let both = mixed(&with(vec![voice("voice"), music(ducking)]), &files).unwrap();
        both.iter().zip(&alone).map(|(b, a)| b - a).collect()
    };
    let (ducked, free) = (music_of(Some(DUCKING)), music_of(None));
    let windows = ducked.chunks_exact(4_800).zip(free.chunks_exact(4_800));
    windows
        .map(|(d, f)| 20.0 * (rms(d) / rms(f)).log10())
        .collect()
}

fn at(curve: &[f64], secs: f64) -> f64 {
    curve[(secs * 20.0) as usize]
}

#[test]
fn music_is_down_by_the_amount_under_words_and_back_within_the_release() {
    let curve = curve(words());
    // From the first sample of the first word to the end of the phrase, pauses of 0.3 s included.
    for secs in [2.0, 2.2, 2.6, 3.2, 3.7, 4.0, 7.1, 7.8, 8.2, 8.8] {
        let db = at(&curve, secs);
        assert!((db + 9.0).abs() < 0.3, "{db} dB at {secs} s");
    }
    // Before the attack, in the long pause, and after the release at the end.
    for secs in [0.0, 1.5, 1.7, 4.95, 6.0, 6.8, 9.75, 12.0, 15.9] {
        let db = at(&curve, secs);
        assert!(db.abs() < 0.3, "{db} dB at {secs} s");
    }
    // On the way: half of it.
    for secs in [1.85, 4.5, 9.3] {
        let db = at(&curve, secs);
        assert!((-7.0..-2.0).contains(&db), "{db} dB at {secs} s");
    }
    let steps = curve.windows(2).map(|w| (w[1] - w[0]).abs());
    assert!(
        steps.fold(0.0, f64::max) < 3.5,
        "it moves, it does not jump"
    );
}

#[test]
fn without_words_the_voice_itself_says_when() {
    let curve = curve(Speech::InVoice);
    for secs in [2.1, 2.3, 3.0, 3.9, 7.2, 8.5] {
        let db = at(&curve, secs);
        assert!((db + 9.0).abs() < 0.5, "{db} dB at {secs} s");
    }
    for secs in [0.5, 1.6, 5.2, 6.5, 10.0, 15.0] {
        let db = at(&curve, secs);
        assert!(db.abs() < 0.5, "{db} dB at {secs} s");
    }
}
