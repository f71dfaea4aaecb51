//! Texts made to hurt, in every style and as overlays: a frame or an error that says what is wrong, in a moment.

use kinora::compose::Backend;
use kinora::{ErrorKind, Job};
use serde_json::{Value, json};

use super::fixture::{document, in_time, job, still};

const SIZE: [u32; 2] = [1080, 1920];

/// Names and texts.
fn texts() -> Vec<(&'static str, String)> {
    let every = |range: std::ops::Range<u32>| range.filter_map(char::from_u32).collect::<String>();
    vec![
        (
            "ten thousand marks",
            format!("a{}b", "\u{301}".repeat(10_000)),
        ),
        (
            "ten thousand kinds of marks",
            format!("o{}", every(0x300..0x36f).repeat(100)),
        ),
        ("marks alone", "\u{301}".repeat(10_000)),
        ("joiners", format!("a{}b", "\u{200d}".repeat(10_000))),
        ("joiners between faces", "👩\u{200d}".repeat(5_000)),
        ("non-joiners in Arabic", "م\u{200c}\u{200d}".repeat(5_000)),
        (
            "overrides",
            format!("{}abc{}", "\u{202e}".repeat(500), "\u{2067}".repeat(500)),
        ),
        ("directions by turns", "aא1ب".repeat(2_000)),
        ("controls", every(0..0x20) + &every(0x7f..0xa0)),
        ("format characters", every(0x2000..0x2070)),
        (
            "tags",
            "🏴".to_owned() + &every(0xe0000..0xe0080).repeat(50),
        ),
        ("variation selectors", "❤\u{fe0f}\u{fe0e}".repeat(3_000)),
        ("viramas", "क\u{94d}".repeat(5_000)),
        ("vowel signs alone", "ि".repeat(5_000)),
        (
            "Thai tone marks",
            format!("ก{}", "\u{e48}\u{e49}".repeat(5_000)),
        ),
        ("jamo", "\u{1112}\u{1161}\u{11ab}".repeat(3_000)),
        (
            "Tibetan stacks",
            format!("\u{f40}{}", "\u{fb1}".repeat(5_000)),
        ),
        (
            "Zalgo",
            "h\u{35f}\u{489}\u{334}e\u{321}\u{325}\u{4c5}".repeat(2_000),
        ),
        ("empty", String::new()),
        ("spaces", " \t\r\n\u{a0}\u{2003}\u{3000}".repeat(500)),
        ("a megabyte", "x".repeat(1 << 20)),
        ("a megabyte of Han", "漢".repeat(1 << 18)),
        ("a megabyte of spaces and letters", "a ".repeat(1 << 19)),
        ("private use", every(0xe000..0xe400)),
        (
            "noncharacters",
            "\u{ffff}\u{1fffe}\u{10ffff}\u{fdd0}".into(),
        ),
        (
            "unassigned",
            every(0x30000..0x30100) + &every(0xe1000..0xe1100),
        ),
        ("every kind", every(0x21..0x3000)),
        ("surrogate look-alikes", every(0xd7f0..0xe010)),
    ]
}

/// Resolved and drawn at two instants; `Err` holds the problems.
fn draw(document: &Value) -> Result<Job, String> {
    let job = job(document).map_err(|e| {
        assert_eq!(e.kind(), ErrorKind::Document);
        e.to_string()
    })?;
    for secs in [0.2, 0.7] {
        still(&job, secs, Backend::Cpu)
            .map_err(|e| panic!("{e}"))
            .unwrap();
    }
    Ok(job)
}

#[test]
fn hostile_words_are_drawn_or_told() {
    for (name, text) in texts() {
        in_time(name, move || {
            let words = ["good", &text, "words"];
            let job = draw(&document(&json!("default"), &words, SIZE)).unwrap();
            let at = |w: &kinora::error::Warning| w.path.starts_with("captions.words[1]");
            assert!(
                job.warnings().iter().any(at),
                "{name} passes without a warning"
            );
            let all: usize = job.warnings().iter().map(|w| w.message.len()).sum();
            assert!(all < 4000, "{name}: {all} bytes of warnings");
        });
    }
}

#[test]
fn hostile_words_in_styles_that_take_words_apart() {
    for style in [
        "typewriter",
        "karaoke",
        "handwritten",
        "manuscripts",
        "highlight",
        "neon",
    ] {
        for (name, text) in texts().into_iter().step_by(3) {
            in_time(name, move || {
                let document = document(&json!(style), &[&text, &text], [360, 640]);
                drop(draw(&document));
            });
        }
    }
}

#[test]
fn hostile_titles_are_drawn_or_refused() {
    for (name, text) in texts() {
        in_time(name, move || {
            let mut document = document(&json!("default"), &["good"], [360, 640]);
            document["layers"] =
                json!([{ "draw": { "text": { "text": text, "place": { "y": 0.2 } } } }]);
            if let Err(why) = draw(&document) {
                assert!(why.contains("layers[0].draw.text.text"), "{name}: {why}");
            }
        });
    }
}

#[test]
fn a_word_in_ten_thousand_pieces() {
    in_time("ten thousand words", || {
        let words: Vec<&str> = ["漢", "字", "\u{301}", "ا", "👍🏽"]
            .into_iter()
            .cycle()
            .take(7_000)
            .collect();
        draw(&document(&json!("karaoke"), &words, [360, 640])).unwrap();
    });
}

#[test]
fn impossible_styles_are_told_with_their_place() {
    for (style, path, says) in [
        (json!("karoake"), "captions.style", "did you mean `karaoke`"),
        (json!({ "size": 0 }), "captions.style.size", "8"),
        (json!({ "size": 1e9 }), "captions.style.size", "400"),
        (json!({ "fill": "blood" }), "captions.style.fill", "#rrggbb"),
        (json!({ "font": "" }), "captions.style.font", "family"),
        (json!({ "weight": 9000 }), "captions.style.weight", "900"),
        (json!({ "max_lines": 0 }), "captions.style.max_lines", "1"),
        (
            json!({ "letter_spacing_em": 1e30 }),
            "captions.style.letter_spacing_em",
            "1",
        ),
    ] {
        let why = draw(&document(&style, &["word"], SIZE)).unwrap_err();
        assert!(why.contains(path) && why.contains(says), "{why}");
    }
    let style = json!({ "font": "Montserat" });
    let job = draw(&document(&style, &["word"], SIZE)).unwrap();
    let warning = &job.warnings()[0];
    assert_eq!(
        (warning.code, &*warning.path),
        ("missing_font", "captions.style.font")
    );
    assert!(
        warning.message.contains("Did you mean `Montserrat`"),
        "{warning}"
    );
}
