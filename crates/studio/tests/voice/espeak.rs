//! eSpeak NG: many scripts, words where the sound is, programs that misbehave.

use std::time::Instant;

use kinora_studio::providers::VoiceProvider;

use super::measure::{brightness_hz, error, level, pitch_hz};
use super::{ask, call, espeak, span, spoken};

const TEXTS: [(&str, &str); 9] = [
    (
        "es",
        "El perro — come 25 kilos de carne. ¿Cómo estás? «Bien», dijo - y se fue.",
    ),
    ("ar", "مرحبا بالعالم، هذا اختبار 25. كيف حالك؟"),
    ("ru", "Привет, мир! Это проверка — 142 слова, т.е. много."),
    ("hi", "नमस्ते दुनिया, यह एक परीक्षण है। आप कैसे हैं?"),
    ("zh", "你好世界,今天天气很好。 我们去公园 玩吧 25 个。"),
    (
        "en",
        "Hello world - this is 1,000,000 of 142 well-known \"words\", e.g. a test - of things.",
    ),
    (
        "en",
        "It costs $5.30 on 3/4/2024... OK? \"Yes\" she said; I do not want any of the others.",
    ),
    (
        "de",
        "Guten Tag, Herr Dr. Müller-Lüdenscheidt! Das kostet 3,50 € – oder?",
    ),
    ("ja", "こんにちは、 世界。 これは テスト です。"),
];

#[test]
fn words_begin_where_sounds_begin() {
    let Some(espeak) = espeak() else { return };
    for (language, text) in TEXTS {
        let speech = spoken(&espeak, &ask(text, language, ""));
        let (largest, mean, n) = error(&speech);
        let words = speech.words.as_ref().unwrap();
        let n_sounding = words.iter().filter(|w| w.end > w.start).count();
        println!(
            "{language} {n_sounding} words, {n} pauses, mean {mean:.3} s, largest {largest:.3} s"
        );
        let n_letters = words
            .iter()
            .filter(|w| w.text.chars().any(|c| c.is_alphanumeric() || c == '€'))
            .count();
        assert_eq!(n_sounding, n_letters, "{words:?}");
        assert!(mean < 0.03 && largest < 0.1, "{language}: {words:?}");
    }
}

#[test]
fn lone_dashes_and_numbers_shift_nothing() {
    let Some(espeak) = espeak() else { return };
    let with = spoken(
        &espeak,
        &ask(
            "one - two — 1,000,000 - three ... four.",
            "en",
            "espeak:en-us",
        ),
    );
    let words = with.words.as_ref().unwrap();
    let secs = |text: &str| {
        let (start, end) = span(&with, text);
        end - start
    };
    assert!(secs("1,000,000") > 0.4, "{words:?}");
    for word in ["one", "two", "three", "four."] {
        assert!((0.1..0.7).contains(&secs(word)), "{word}: {words:?}");
    }
    assert!(
        words.iter().filter(|w| w.end == w.start).count() == 4,
        "{words:?}"
    );
}

#[test]
fn ids_choose_voices() {
    let Some(espeak) = espeak() else { return };
    assert!(espeak.voices().len() > 100);
    let text = "Una frase que cada uno dice con su propia voz.";
    let mut pitches = Vec::new();
    for id in ["", "espeak:es+f2", "espeak:es+m7", "x1", "x2", "x3", "x4"] {
        let answer = espeak.speak(&ask(text, "es", id), &call()).unwrap();
        assert_eq!(answer.notes.is_empty(), !id.starts_with('x'), "{id}");
        pitches.push(pitch_hz(&answer.value));
        println!("{id}: {:?} {:.0} Hz", answer.notes, pitches.last().unwrap());
    }
    pitches.sort_by(f64::total_cmp);
    assert!(pitches[6] > pitches[0] * 1.3, "{pitches:?}");
    let refused = espeak.speak(&ask(text, "tlh-x", "x"), &call()).unwrap_err();
    assert!(
        refused.message.contains("no voice for the language"),
        "{refused}"
    );
}

#[test]
fn a_minute_is_spoken_in_a_moment_at_a_good_level() {
    let Some(espeak) = espeak() else { return };
    for (language, text) in TEXTS {
        let began = Instant::now();
        let speech = spoken(&espeak, &ask(&format!("{text} ").repeat(12), language, ""));
        let took = began.elapsed().as_secs_f64() / speech.secs * 60.0;
        let (rms, peak) = level(&speech);
        println!(
            "{language}: {:.1} s, {took:.2} s for 60 s, RMS {:.1} dBFS, peak {:.1} dBFS, {:.0} Hz bright",
            speech.secs,
            20.0 * rms.log10(),
            20.0 * peak.log10(),
            brightness_hz(&speech)
        );
        assert!((0.02..0.35).contains(&rms) && peak < 0.999, "{rms} {peak}");
    }
}
