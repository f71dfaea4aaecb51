//! Several problems come in one list, each once, with a hint where one helps.

use super::fixture::{changed, found, problems_of};

#[test]
fn problems_of_every_kind_come_in_one_list() {
    let document = changed(&[
        ("/sed", "1"),
        ("/output/width", "181"),
        ("/output/background", "\"red\""),
        ("/shots/0/duration", "0.001"),
        ("/shots/1/picture", "\"bb.png\""),
        ("/shots/2/motion", "\"float\""),
        ("/captions/words/1/end", "\"5\""),
        ("/captions/style/size", "1"),
        ("/layers/0/opacity", "7"),
        ("/audio/voice/file", "\"none.ogg\""),
        ("/audio/fade_out", "99"),
    ]);
    let mut found = found(&problems_of(&document));
    found.sort();
    let mut expected = [
        "unknown_field@sed",
        "out_of_range@output.width",
        "bad_color@output.background",
        "too_short@shots[0].duration",
        "missing_file@shots[1].picture",
        "unknown_name@shots[2].motion",
        "wrong_type@captions.words[1].end",
        "out_of_range@captions.style.size",
        "out_of_range@layers[0].opacity",
        "missing_file@audio.voice.file",
        "out_of_range@audio.fade_out",
    ];
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn a_missing_file_is_told_wherever_it_is_named() {
    let document = changed(&[
        ("/shots/0/picture", "\"c.png\""),
        ("/shots/2/picture", "\"c.png\""),
    ]);
    assert_eq!(
        found(&problems_of(&document)),
        [
            "missing_file@shots[0].picture",
            "missing_file@shots[2].picture"
        ]
    );
}

#[test]
fn an_unreadable_value_hides_only_itself() {
    // `pictur` begins like `picture`: what is wrong with one says nothing about the other.
    let document = changed(&[
        ("/shots/0/pictur", "1"),
        ("/shots/0/picture", "\"none.png\""),
        ("/shots/1/focus", "[2, \"x\"]"),
        ("/shots/1/duration", "-1"),
        ("/layers/0", "[]"),
        ("/layers/1/draw/text/text", "\"\""),
    ]);
    let mut found = found(&problems_of(&document));
    found.sort();
    let mut expected = [
        "unknown_field@shots[0].pictur",
        "wrong_type@shots[1].focus[1]",
        "wrong_type@layers[0]",
        "out_of_range@shots[1].focus[0]",
        "out_of_range@shots[1].duration",
        "missing_file@shots[0].picture",
        "empty_text@layers[1].draw.text.text",
    ];
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn hints_name_what_was_meant() {
    for (pointer, json, meant) in [
        ("/captoins", "{}", "captions"),
        ("/shots/0/duratoin", "3", "duration"),
        ("/shots/1/fit", "\"contian\"", "contain"),
        ("/transition", "\"fad\"", "fade"),
        ("/motion/name", "\"flaoting\"", "floating"),
        ("/captions/style", "\"defalt\"", "default"),
        ("/captions/position", "\"botom\"", "bottom"),
        ("/shots/0/picture", "\"A.PNG\"", "a.png"),
        ("/layers/2/blend", "\"scren\"", "screen"),
        ("/audio/voice/fil", "1", "file"),
    ] {
        let problems = problems_of(&changed(&[(pointer, json)]));
        let hint = problems[0].hint.as_deref().unwrap_or_default();
        assert_eq!(hint, format!("did you mean `{meant}`?"), "{}", problems[0]);
    }
    for (pointer, json) in [
        ("/shots/0/duration", "-"),
        ("/output/fps", "0"),
        ("/output/background", "\"x\""),
    ] {
        let problems = problems_of(&changed(&[(pointer, json)]));
        assert!(problems[0].hint.is_some(), "{}", problems[0]);
    }
}
