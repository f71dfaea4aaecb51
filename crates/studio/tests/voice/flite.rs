//! Flite: exact times, several words of one token, different voices.

use kinora_studio::providers::VoiceProvider;

use super::measure::{brightness_hz, cpu_secs, error, level, pitch_hz};
use super::{ask, call, flite, span, spoken};

const SENTENCES: [&str; 4] = [
    "The quick brown fox, jumps over the lazy dog. Nobody knew why.",
    "Dr. Smith paid $142 for a well-known book, on May 3rd, 1998.",
    "Wait — what? “No,” she said; it's 3.5% of e.g. XIV - really!",
    "In 1914–1918, the U.S. army … went to example.com. OK?",
];

#[test]
fn words_begin_where_sounds_begin() {
    let Some(flite) = flite() else { return };
    for voice in flite.voices() {
        for text in SENTENCES {
            let speech = spoken(&flite, &ask(text, "en", &voice.id));
            let (largest, mean, n) = error(&speech);
            println!(
                "{} {text:.20}: {n} pauses, mean {mean:.3} s, largest {largest:.3} s",
                voice.id
            );
            // A plosive is silent before it bursts, up to a tenth of a second.
            assert!(
                n > 1 && mean < 0.05 && largest < 0.12,
                "{}: {text}",
                voice.id
            );
        }
    }
}

#[test]
fn words_of_one_token_share_its_span() {
    let Some(flite) = flite() else { return };
    let speech = spoken(&flite, &ask("He paid $142 - for it.", "en", ""));
    let (start, end) = span(&speech, "$142");
    assert!(
        end - start > 1.0,
        "one hundred forty two dollars: {start} to {end}"
    );
    let (dash, dash_end) = span(&speech, "-");
    assert_eq!(dash, dash_end);
    assert_eq!(dash, end);
    assert!(span(&speech, "for").0 - end > 0.15, "a pause at the dash");
}

#[test]
fn different_ids_sound_different_and_the_same_id_the_same() {
    let Some(flite) = flite() else { return };
    let text = "A sentence that everybody says in a voice of his own.";
    let mut pitches: Vec<f64> = Vec::new();
    for id in ["id0", "id1", "id2", "id3", "id4", "id5"] {
        let answer = flite.speak(&ask(text, "en", id), &call()).unwrap();
        assert!(answer.notes[0].contains(id), "{:?}", answer.notes);
        let again = flite.speak(&ask(text, "en", id), &call()).unwrap();
        assert_eq!(answer, again);
        pitches.push(pitch_hz(&answer.value));
        println!(
            "{id}: {} {:.0} Hz",
            answer.notes[0],
            pitches.last().unwrap()
        );
    }
    pitches.sort_by(f64::total_cmp);
    assert!(pitches[5] > pitches[0] * 1.2, "{pitches:?}");
}

#[test]
fn a_minute_is_spoken_in_a_moment_at_a_good_level() {
    let Some(flite) = flite() else { return };
    let text = SENTENCES.join(" ").repeat(3);
    for voice in flite.voices() {
        let began = cpu_secs();
        let speech = spoken(&flite, &ask(&text, "en", &voice.id));
        let took = (cpu_secs() - began) / speech.secs * 60.0;
        let (rms, peak) = level(&speech);
        println!(
            "{}: {:.1} s, {took:.2} s of a core for 60 s, RMS {:.1} dBFS, peak {:.1} dBFS, {:.0} Hz bright",
            voice.id,
            speech.secs,
            20.0 * rms.log10(),
            20.0 * peak.log10(),
            brightness_hz(&speech)
        );
        assert!(took < 6.0, "{took}");
        assert!((0.02..0.35).contains(&rms) && peak < 0.999);
    }
}

#[test]
fn long_texts_are_spoken_whole() {
    let Some(flite) = flite() else { return };
    let n_chars = std::env::var("CHARS").map_or(1_500, |n| n.parse().unwrap());
    let text = SENTENCES.join(" ").repeat(n_chars / 200);
    let speech = spoken(&flite, &ask(&text, "en", ""));
    println!(
        "{:.0} s of {} words",
        speech.secs,
        speech.words.as_ref().unwrap().len()
    );
    assert!(speech.secs > n_chars as f64 * 0.05);
}
