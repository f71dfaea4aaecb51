//! Words found in speech whose times a synthesizer told: the error is measured, as are its grade in the plan and what happens without a voice.
//!
//! `tests/media/speech/NAME.opus` (`ffmpeg -c:a libopus -application voip -b:a 14k`) and `NAME.json` (each word and its start, where the synthesizer tells it) were made by eSpeak NG 1.51
//! (`de`, `es`, `ru`: `libespeak-ng`, its word events) and Flite 2.2 (`en`, `en-slt`: voices `rms` and `slt`, the segments of each token).
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use kinora::CancelToken;
use kinora::audio::{VoicePiece, word_times};
use kinora::media::MemoryAssets;
use kinora::text::Fonts;
use kinora::timeline::{Captions, Shot, Timeline, Voice, Word};
use kinora::{Job, SubtitleFormat};
use serde_json::Value;

const SPEECH: [&str; 5] = ["en", "en-slt", "de", "es", "ru"];

fn speech(file: &str) -> Vec<u8> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    std::fs::read(root.join("tests/media/speech").join(file)).unwrap()
}

/// The words of a speech and when each starts.
fn known(name: &str) -> Vec<(String, Option<f64>)> {
    let json: Value = serde_json::from_slice(&speech(&format!("{name}.json"))).unwrap();
    let words = json.as_array().unwrap().iter();
    words
        .map(|w| (w["text"].as_str().unwrap().to_owned(), w["start"].as_f64()))
        .collect()
}

fn text_of(words: &[(String, Option<f64>)]) -> String {
    let words: Vec<&str> = words.iter().map(|(text, _)| text.as_str()).collect();
    words.join(" ")
}

/// The middle one and the one that 95 of 100 do not exceed, ms.
fn median_and_95(errors: &mut [f64]) -> [f64; 2] {
    errors.sort_by(f64::total_cmp);
    [errors.len() / 2, errors.len() * 95 / 100].map(|i| errors[i] * 1000.0)
}

fn never() -> CancelToken {
    CancelToken::default()
}

#[test]
fn words_begin_where_the_synthesizer_began_them() {
    let mut all = Vec::new();
    for name in SPEECH {
        let known = known(name);
        let voice = Box::new(Cursor::new(speech(&format!("{name}.opus"))));
        let found = word_times(
            vec![VoicePiece::whole(voice, name)],
            &text_of(&known),
            None,
            &never(),
        )
        .unwrap();
        assert_eq!(found.len(), known.len(), "{name}");
        assert!(found.iter().all(|w| w.start < w.end), "{name}");
        assert!(found.is_sorted_by(|a, b| a.end <= b.start), "{name}");
        let pairs = found.iter().zip(&known);
        let mut errors: Vec<f64> = pairs
            .filter_map(|(word, (text, start))| {
                assert_eq!(&word.text, text, "{name}");
                Some((word.start - (*start)?).abs())
            })
            .collect();
        let [median, most] = median_and_95(&mut errors);
        println!(
            "{name}: {} words, median {median:.0} ms, 95 % {most:.0} ms",
            errors.len()
        );
        assert!(median < 40.0 && most < 120.0, "{name}: {median} {most}");
        all.extend(errors);
    }
    let [median, most] = median_and_95(&mut all);
    println!(
        "all: {} words, median {median:.0} ms, 95 % {most:.0} ms",
        all.len()
    );
}

#[test]
fn texts_that_do_not_fit_the_sound_still_end() {
    let voice = || {
        vec![VoicePiece::whole(
            Box::new(Cursor::new(speech("en.opus"))),
            "it",
        )]
    };
    let far_too_long = "words without end ".repeat(5_000);
    let words = word_times(voice(), &far_too_long, None, &never()).unwrap();
    assert_eq!(words.len(), 15_000);
    assert!(words.is_sorted_by(|a, b| a.start <= b.start));
    let one = word_times(voice(), "一。", Some("zh"), &never()).unwrap();
    assert_eq!(one.len(), 1);
    assert!(
        word_times(voice(), " … ", None, &never())
            .unwrap()
            .is_empty()
    );
    let silent = Box::new(Cursor::new(wav(&vec![0; 32_000])));
    let e = word_times(
        vec![VoicePiece::whole(silent, "it")],
        "word",
        None,
        &never(),
    )
    .unwrap_err();
    assert!(e.to_string().contains("silent"), "{e}");
}

/// Mono at 16 kHz.
fn wav(samples: &[i16]) -> Vec<u8> {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 16_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut file = Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut file, spec).unwrap();
    samples
        .iter()
        .for_each(|&s| writer.write_sample(s).unwrap());
    writer.finalize().unwrap();
    file.into_inner()
}

/// A picture for `secs`, with these captions and voices.
fn job(captions: Captions, voice: Vec<Voice>, secs: f64) -> kinora::Result<Job> {
    let mut assets = MemoryAssets::default();
    let mut png = Cursor::new(Vec::new());
    let picture = image::RgbImage::from_pixel(32, 18, image::Rgb([90; 3]));
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    assets.insert("a.png", png.into_inner());
    assets.insert("en.opus", speech("en.opus"));
    assets.insert("silence.wav", wav(&vec![0; 32_000]));
    let mut timeline = Timeline::new(vec![Shot::new("a.png", secs)]);
    (timeline.output.width, timeline.output.height) = (320, 180);
    timeline.captions = Some(captions);
    timeline.audio.voice = voice;
    Job::new(&timeline, Arc::new(assets), Fonts::default())
}

/// The word times of a job as JSON.
fn told(captions: Captions, voice: Vec<Voice>) -> Value {
    let job = job(captions, voice, 60.0).unwrap();
    serde_json::from_str(&job.subtitles(SubtitleFormat::Json)).unwrap()
}

#[test]
fn a_voice_in_pieces_is_searched_where_it_is_played() {
    let known = known("en");
    // Cut before a word in the middle; the second piece comes three seconds later.
    let middle = known.len() / 2;
    let cut = known[middle..]
        .iter()
        .find_map(|(_, start)| *start)
        .unwrap()
        - 0.02;
    let piece = |start: f64, trim: (f64, Option<f64>)| VoicePiece {
        start,
        trim,
        ..VoicePiece::whole(Box::new(Cursor::new(speech("en.opus"))), "it")
    };
    let pieces = vec![piece(0.0, (0.0, Some(cut))), piece(cut + 3.0, (cut, None))];
    let found = word_times(pieces, &text_of(&known), None, &never()).unwrap();
    let mut errors: Vec<f64> = found
        .iter()
        .zip(&known)
        .filter_map(|(word, (_, start))| {
            let start = (*start)?;
            let played = if start > cut { start + 3.0 } else { start };
            Some((word.start - played).abs())
        })
        .collect();
    let [median, most] = median_and_95(&mut errors);
    assert!(median < 40.0 && most < 150.0, "{median} {most}");
}

#[test]
fn a_voice_at_another_speed_is_searched_as_it_is_played() {
    let known = known("en");
    for speed in [0.8, 1.25] {
        let piece = VoicePiece {
            start: 1.0,
            speed,
            ..VoicePiece::whole(Box::new(Cursor::new(speech("en.opus"))), "it")
        };
        let found = word_times(vec![piece], &text_of(&known), Some("en"), &never()).unwrap();
        let pairs = found.iter().zip(&known);
        let errors = pairs
            .filter_map(|(word, (_, start))| Some((word.start - 1.0 - (*start)? / speed).abs()));
        let [median, most] = median_and_95(&mut errors.collect::<Vec<f64>>());
        assert!(median < 40.0 && most < 150.0, "{speed}: {median} {most}");
    }
}

#[test]
fn the_grade_is_kept_and_the_voice_may_start_later() {
    let exact = told(Captions::new(vec![Word::new("One", 0.5, 1.0)]), Vec::new());
    assert_eq!(exact["timing"], "exact");
    let known = known("en");
    let text = text_of(&known);
    let voice = Voice {
        start: 2.0,
        ..Voice::new("en.opus")
    };
    let found = told(Captions::from_text(&text), vec![voice]);
    assert_eq!(found["timing"], "estimated");
    let last = &found["words"].as_array().unwrap()[known.len() - 1];
    let expected = known.last().unwrap().1.unwrap() + 2.0;
    assert!(
        (last["start"].as_f64().unwrap() - expected).abs() < 0.2,
        "{last}"
    );
    let guessed = told(Captions::from_text("One two three."), Vec::new());
    assert_eq!(guessed["timing"], "estimated");
    let end = guessed["words"][2]["end"].as_f64().unwrap();
    assert!((end - 3.0 * 60.0 / 137.0).abs() < 0.01, "{end}");
}

#[test]
fn a_silent_voice_has_no_words_and_the_document_says_so() {
    let silent = || Voice::new("silence.wav");
    for (voices, path) in [
        (vec![silent()], "audio.voice.file"),
        (vec![silent(), silent()], "audio.voice[0].file"),
    ] {
        let e = job(Captions::from_text("One two."), voices, 3.0).unwrap_err();
        let [problem] = e.problems() else {
            panic!("{e}");
        };
        assert_eq!((problem.code, &*problem.path), ("not_a_voice", path), "{e}");
        assert!(problem.message.contains("silent"), "{e}");
    }
}

#[test]
fn what_is_said_of_found_words_points_to_the_text() {
    // 137 words a minute: the last two begin after the end.
    let long = format!("one two three {} five", "x".repeat(300));
    let job = job(Captions::from_text(long), Vec::new(), 1.2).unwrap();
    let told: Vec<_> = job
        .warnings()
        .iter()
        .filter(|w| w.path.starts_with("captions"))
        .map(|w| (w.code, &*w.path, w.message.starts_with("`xxxx")))
        .collect();
    assert!(
        told.contains(&("text_truncated", "captions.text", true)),
        "{told:?}"
    );
    assert!(told.iter().any(|w| w.0 == "after_the_end"), "{told:?}");
    assert!(told.iter().all(|w| w.1 == "captions.text"), "{told:?}");
}
