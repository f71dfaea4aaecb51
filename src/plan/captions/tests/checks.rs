//! Every check of words and styles: its code and its path.

use super::*;
use crate::plan::captions::words::{Spoken, check};
use crate::timeline::{CaptionStyle, Place, TextDraw};

fn word(text: &str, start: f64, end: f64) -> Word {
    Word {
        text: text.into(),
        start,
        end,
    }
}

fn found(report: &Report) -> Vec<(&str, &str)> {
    let problems = report.problems.iter().map(|p| (p.code, &*p.path));
    let warnings = report.warnings.iter().map(|w| (w.code, &*w.path));
    problems.chain(warnings).collect()
}

#[test]
fn problems_and_warnings_of_words() {
    let good = word("good", 0.0, 0.5);
    let nan = f64::NAN;
    for (bad, code, field) in [
        (word("a", nan, 2.0), "out_of_range", "start"),
        (word("a", 1.0, f64::INFINITY), "out_of_range", "end"),
        (word("a", -0.1, 2.0), "out_of_range", "start"),
        (word("a", 1.0, 3600.5), "out_of_range", "end"),
        (word("a", 2.0, 1.0), "end_before_start", "end"),
        (word(" \u{7}", 1.0, 2.0), "empty_word", "text"),
        (word(&"w".repeat(201), 1.0, 2.0), "text_truncated", "text"),
        (word("a", 1.0, 1.0), "short_word", "end"),
        (word("a", 61.0, 62.0), "after_the_end", "start"),
        (word("\u{10fffd}", 1.0, 2.0), "missing_glyph", "text"),
    ] {
        let (_, report) = resolve_on(HD, &captions(vec![good.clone(), bad]));
        assert_eq!(
            found(&report),
            [(code, &*format!("captions.words[1].{field}"))]
        );
    }
    let swapped = vec![word("a", 1.0, 2.0), word("b", 0.5, 0.7)];
    let (track, report) = resolve_on(HD, &captions(swapped));
    assert!(track.is_none());
    assert_eq!(
        found(&report),
        [("out_of_order", "captions.words[1].start")]
    );
    let overlapping = vec![
        word("a", 0.0, 2.0),
        word("b", 1.0, 3.0),
        word("c", 2.5, 4.0),
    ];
    let (track, report) = resolve_on(HD, &captions(overlapping));
    assert_eq!(
        found(&report),
        [("overlapping_words", "captions.words[0].end")]
    );
    assert!(report.warnings[0].message.starts_with("2 words"));
    let words = &track.unwrap().pages[0].words;
    assert_eq!(words[0].end, words[1].start);
}

#[test]
fn all_problems_are_told_at_once_and_not_without_bound() {
    let words = (0..500).map(|_| word("x", f64::NAN, -1.0)).collect();
    let mut captions = captions(words);
    captions.style = NameOr::Name("defualt".into());
    let (track, report) = resolve_on(HD, &captions);
    assert!(track.is_none());
    assert!((50..110).contains(&report.problems.len()));
    let style = &report.problems[0];
    assert_eq!(
        (style.code, &*style.path),
        ("unknown_style", "captions.style")
    );
    let known = crate::plan::styles::style_names().next().unwrap();
    assert!(style.hint.as_ref().unwrap().contains(known));
    assert!(style.message.contains(known));
}

#[test]
fn mended_words_follow_each_other() {
    let end = Time::from_millis(60_000);
    for words in [
        vec![(0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.01, 0.02)],
        vec![(0.0, 5.0), (0.1, 5.0), (0.2, 0.3), (0.3, 0.3), (0.3, 9.0)],
        vec![(1.0, 1.01), (1.02, 1.03), (1.5, 1.6)],
    ] {
        let words: Vec<Word> = words.iter().map(|(a, b)| word("w", *a, *b)).collect();
        let spoken = check(&words, end, &mut Report::default());
        assert_eq!(spoken.len(), words.len());
        let long = |w: &Spoken| w.end - w.start >= Time::from_millis(40);
        assert!(spoken.iter().all(long), "{spoken:?}");
        assert!(
            spoken.windows(2).all(|w| w[0].end <= w[1].start),
            "{spoken:?}"
        );
    }
}

/// Style fields, the problem each causes, and its path.
const BAD_STYLES: &[(&str, &str, &str)] = &[
    (r#""size": 7.9"#, "out_of_range", "size"),
    (r#""size": 401"#, "out_of_range", "size"),
    (r#""weight": 50"#, "out_of_range", "weight"),
    (
        r#""letter_spacing_em": 1.5"#,
        "out_of_range",
        "letter_spacing_em",
    ),
    (r#""line_height": 0.5"#, "out_of_range", "line_height"),
    (r#""max_words": 0"#, "out_of_range", "max_words"),
    (r#""max_lines": 7"#, "out_of_range", "max_lines"),
    (r#""fill": "red""#, "bad_color", "fill"),
    (
        r#""stroke": { "width": -1 }"#,
        "out_of_range",
        "stroke.width",
    ),
    (
        r##""stroke": { "color": "#12" }"##,
        "bad_color",
        "stroke.color",
    ),
    (
        r#""shadows": [{ "blur": 201 }]"#,
        "out_of_range",
        "shadows[0].blur",
    ),
    (
        r#""shadows": [{}, { "dx": 1e30 }]"#,
        "out_of_range",
        "shadows[1].dx",
    ),
    (
        r#""shadows": [{ "color": "" }]"#,
        "bad_color",
        "shadows[0].color",
    ),
    (
        r#""shadows": [{},{},{},{},{},{},{},{},{}]"#,
        "out_of_range",
        "shadows.length",
    ),
    (
        r#""panel": { "radius": -0.5 }"#,
        "out_of_range",
        "panel.radius",
    ),
    (
        r#""panel": { "padding": [0, 900] }"#,
        "out_of_range",
        "panel.padding[1]",
    ),
    (
        r##""active": { "fill": "#zzzzzz" }"##,
        "bad_color",
        "active.fill",
    ),
    (r#""idle": { "fill": "x" }"#, "bad_color", "idle.fill"),
    (r#""entry": { "ms": 5001 }"#, "out_of_range", "entry.ms"),
    (
        r#""entry": { "rise_px": 401 }"#,
        "out_of_range",
        "entry.rise_px",
    ),
    (r#""wander_px": 21"#, "out_of_range", "wander_px"),
    (r#""tilt_deg": -1"#, "out_of_range", "tilt_deg"),
    (r#""next": 1.1"#, "out_of_range", "next"),
    (
        r#""fill": { "colors": [], "how": "down" }"#,
        "out_of_range",
        "fill.colors.length",
    ),
    (
        r##""fill": { "colors": ["#fff","#fff","#fff","#fff","#fff"], "how": "across" }"##,
        "out_of_range",
        "fill.colors.length",
    ),
    (
        r##""fill": { "colors": ["#fff", "blue"], "how": "words" }"##,
        "bad_color",
        "fill.colors[1]",
    ),
    (
        r##""panel": { "border": { "width": 61, "color": "#fff" } }"##,
        "out_of_range",
        "panel.border.width",
    ),
    (
        r#""panel": { "rule": { "width": 6, "color": "" } }"#,
        "bad_color",
        "panel.rule.color",
    ),
    (
        r##""panel": { "brackets": { "width": -1, "color": "#fff" } }"##,
        "out_of_range",
        "panel.brackets.width",
    ),
    (
        r#""panel": { "backdrop_blur": 201 }"#,
        "out_of_range",
        "panel.backdrop_blur",
    ),
    (
        r#""panel": { "torn_px": 61 }"#,
        "out_of_range",
        "panel.torn_px",
    ),
    (
        r##""initial": { "scale": 4, "fill": "#fff" }"##,
        "out_of_range",
        "initial.scale",
    ),
    (
        r#""initial": { "scale": 2, "fill": "f" }"#,
        "bad_color",
        "initial.fill",
    ),
    (
        r#""active": { "opacity": 2 }"#,
        "out_of_range",
        "active.opacity",
    ),
    (
        r#""active": { "weight": 99 }"#,
        "out_of_range",
        "active.weight",
    ),
    (
        r#""active": { "scale": 0.4 }"#,
        "out_of_range",
        "active.scale",
    ),
    (
        r#""active": { "sway_deg": 31 }"#,
        "out_of_range",
        "active.sway_deg",
    ),
    (
        r#""active": { "shake_px": 41 }"#,
        "out_of_range",
        "active.shake_px",
    ),
    (r#""active": { "ms": 1001 }"#, "out_of_range", "active.ms"),
    (r#""active": { "flash": "w" }"#, "bad_color", "active.flash"),
    (r#""spoken": { "fill": "x" }"#, "bad_color", "spoken.fill"),
    (
        r#""marker": { "width": 61 }"#,
        "out_of_range",
        "marker.width",
    ),
    (
        r#""marker": { "radius_em": 3 }"#,
        "out_of_range",
        "marker.radius_em",
    ),
    (
        r#""marker": { "padding_em": [0, -1] }"#,
        "out_of_range",
        "marker.padding_em[1]",
    ),
    (r#""marker": { "ms": 1001 }"#, "out_of_range", "marker.ms"),
    (r#""marker": { "color": "x" }"#, "bad_color", "marker.color"),
    (
        r##""caret": { "color": "#fff", "blink_ms": 0 }"##,
        "out_of_range",
        "caret.blink_ms",
    ),
    (
        r#""caret": { "color": "x", "blink_ms": 500 }"#,
        "bad_color",
        "caret.color",
    ),
    (
        r##""burst": { "count": 25, "colors": ["#fff"], "size": 9, "reach_px": 9, "ms": 99 }"##,
        "out_of_range",
        "burst.count",
    ),
    (
        r##""burst": { "count": 2, "colors": ["#fff"], "size": 0, "reach_px": 9, "ms": 99 }"##,
        "out_of_range",
        "burst.size",
    ),
    (
        r##""burst": { "count": 2, "colors": ["#fff"], "size": 9, "reach_px": 601, "ms": 99 }"##,
        "out_of_range",
        "burst.reach_px",
    ),
    (
        r##""burst": { "count": 2, "colors": ["#fff"], "size": 9, "reach_px": 9, "ms": 9 }"##,
        "out_of_range",
        "burst.ms",
    ),
    (
        r##""burst": { "count": 2, "colors": ["f"], "size": 9, "reach_px": 9, "ms": 99 }"##,
        "bad_color",
        "burst.colors[0]",
    ),
    (
        r#""entry": { "scale": [1, 3.1] }"#,
        "out_of_range",
        "entry.scale[1]",
    ),
    (
        r#""entry": { "scale": [-1, 1] }"#,
        "out_of_range",
        "entry.scale[0]",
    ),
    (
        r#""entry": { "blur_px": 101 }"#,
        "out_of_range",
        "entry.blur_px",
    ),
    (
        r#""entry": { "split_px": 41 }"#,
        "out_of_range",
        "entry.split_px",
    ),
    (
        r#""entry": { "before": 1.5 }"#,
        "out_of_range",
        "entry.before",
    ),
    (
        r#""entry": { "stagger_ms": 1001 }"#,
        "out_of_range",
        "entry.stagger_ms",
    ),
    (r#""font": "  ""#, "bad_font", "font"),
];

#[test]
fn problems_of_styles() {
    for &(json, code, field) in BAD_STYLES {
        let mut captions = captions(sample());
        let style = serde_json::from_str(&format!("{{ {json} }}")).unwrap();
        captions.style = NameOr::Inline(style);
        let (track, report) = resolve_on(HD, &captions);
        assert!(track.is_none());
        assert_eq!(
            found(&report),
            [(code, &*format!("captions.style.{field}"))]
        );
    }
    let mut captions = captions(sample());
    captions.style = NameOr::Inline(CaptionStyle {
        size: f32::NAN,
        ..CaptionStyle::default()
    });
    let (_, report) = resolve_on(HD, &captions);
    assert_eq!(found(&report), [("out_of_range", "captions.style.size")]);
}

#[test]
fn fonts_that_are_not_there_are_told() {
    for (json, code) in [
        (r#"{ "font": "No Such Family 7" }"#, Some("missing_font")),
        (r#"{ "weight": 300 }"#, Some("missing_weight")),
        (r#"{ "font": "Noto Sans", "weight": 700 }"#, None),
    ] {
        let mut captions = captions(sample());
        captions.style = NameOr::Inline(serde_json::from_str(json).unwrap());
        let (track, report) = resolve_on(HD, &captions);
        assert!(track.is_some(), "something stands in");
        let want: Vec<_> = code.iter().map(|c| (*c, "captions.style.font")).collect();
        assert_eq!(found(&report), want);
    }
}

#[test]
fn overlays_are_checked_and_laid_out() {
    let canvas = Size::new(1080, 1920).unwrap();
    let fonts = Fonts::default();
    let overlay = |text: &str, place: Place| {
        let draw = TextDraw {
            text: text.into(),
            style: NameOr::Inline(CaptionStyle::default()),
            place,
        };
        let mut report = Report::default();
        let block = text_block(&draw, "layers[2].draw.text", canvas, &fonts, &mut report);
        (block.map(|b| b.layer(LayerId(3))), report)
    };
    let (layer, report) = overlay("A title\non two lines", Place::default());
    assert_eq!(found(&report), []);
    let Content::Group(group) = layer.unwrap().content else {
        panic!("a text is a group");
    };
    let bounds = group.bounds;
    let middle = f64::from(bounds.x) + f64::from(bounds.width) / 2.0;
    assert!((middle - 540.0).abs() < 8.0);
    assert_eq!(group.pose.maps, [Homography::IDENTITY]);
    let turned = Place {
        rotate: 90.0,
        ..Place::default()
    };
    let Content::Group(turned) = overlay("A title\non two lines", turned).0.unwrap().content else {
        panic!("a text is a group");
    };
    assert_eq!(
        turned.content, group.content,
        "the sheet is the same, its pose is not"
    );
    let (x, y) = turned.pose.maps[0].apply(540.0, 860.0);
    assert!(
        (x - 640.0).abs() < 1e-6 && (y - 960.0).abs() < 1e-6,
        "{x} {y}"
    );
    let (other, _) = overlay("Another title", Place::default());
    let Content::Group(other) = other.unwrap().content else {
        panic!("a text is a group");
    };
    assert_ne!(other.content, group.content);
    let bad = Place {
        x: f64::NAN,
        width: 0.0,
        ..Place::default()
    };
    let (layer, report) = overlay("", bad);
    assert!(layer.is_none());
    let path = |field: &str| format!("layers[2].draw.text.{field}");
    assert_eq!(
        found(&report),
        [
            ("out_of_range", &*path("place.x")),
            ("out_of_range", &*path("place.width")),
            ("empty_text", &*path("text")),
        ]
    );
}
