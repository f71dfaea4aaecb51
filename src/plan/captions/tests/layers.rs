//! Pages, their times and positions, and the layers at an instant.

use std::sync::Arc;

use super::*;
use crate::plan::captions::pages::{break_pages, page_text};
use crate::plan::captions::words::check;
use crate::scene::draw::{Glyph, GlyphRun};
use crate::timeline::LetterCase;

fn pages_of(words: &[Word], max_words: usize, case: LetterCase) -> Vec<String> {
    let end = Time::from_millis(600_000);
    let spoken = check(words, end, &mut Report::default());
    let pages = break_pages(&spoken, max_words, end);
    pages
        .iter()
        .map(|p| page_text(&spoken, &p.words, (case, false), "").0)
        .collect()
}

fn runs(group: &Group) -> Vec<&GlyphRun> {
    group
        .layers
        .iter()
        .filter_map(|layer| match &layer.content {
            Content::Glyphs(run) => Some(run),
            _ => None,
        })
        .collect()
}

#[test]
fn words_become_pages_at_sentences_pauses_and_even_lengths() {
    assert_eq!(
        pages_of(&sample(), 4, LetterCase::Sentence),
        [
            "Every night at nine",
            "the lighthouse keeper",
            "climbed one hundred",
            "and forty two steps.",
            "He carried a lamp,",
            "a flask"
        ]
    );
    for (text, max_words, want) in [
        (
            "Dr. Who knew J. Smith. then left",
            4,
            vec!["Dr. Who knew", "J. Smith. then left"],
        ),
        (
            "Stop! Go now. \"Yes.\" She ran",
            4,
            vec!["Stop!", "Go now.", "\"Yes.\"", "She ran"],
        ),
        (
            "one two three four five",
            4,
            vec!["One two three", "four five"],
        ),
        ("a b", 1, vec!["A", "b"]),
        ("你 好 世 界", 4, vec!["你好世界"]),
    ] {
        // Slow enough that no page is too short.
        let slow = spoken(text).into_iter().map(|w| Word {
            start: w.start * 1.6,
            end: w.end * 1.6,
            ..w
        });
        let pages = pages_of(&slow.collect::<Vec<_>>(), max_words, LetterCase::Sentence);
        assert_eq!(pages, want);
    }
}

#[test]
fn cases_are_as_the_style_says() {
    let words = spoken("hello iPhone McCoy. straße und");
    let text = |case| pages_of(&words, 8, case).join("|");
    assert_eq!(text(LetterCase::AsIs), "hello iPhone McCoy. straße und");
    assert_eq!(text(LetterCase::Upper), "HELLO IPHONE MCCOY. STRASSE UND");
    assert_eq!(text(LetterCase::Lower), "hello iphone mccoy. straße und");
    assert_eq!(text(LetterCase::Title), "Hello iPhone McCoy. Straße Und");
    assert_eq!(text(LetterCase::Sentence), "Hello iPhone McCoy. straße und");
}

#[test]
fn pages_stay_long_enough_and_never_overlap() {
    let mut state = 7_u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as f64 / f64::from(1 << 30)
    };
    for _ in 0..50 {
        let mut at = 0.0;
        let words: Vec<Word> = (0..60)
            .map(|i| {
                at += if random() < 0.1 { random() } else { 0.0 };
                let start = at;
                at += 0.1 + 0.25 * random();
                let text = if random() < 0.15 { "end." } else { "word" };
                Word {
                    text: format!("{text}{}", if i % 9 == 0 { "," } else { "" }),
                    start,
                    end: at,
                }
            })
            .collect();
        let end = Time::from_secs(at + 2.0).unwrap();
        let spoken = check(&words, end, &mut Report::default());
        let pages = break_pages(&spoken, 4, end);
        assert_eq!(pages.iter().map(|p| p.words.len()).sum::<usize>(), 60);
        for (i, page) in pages.iter().enumerate() {
            let last = &spoken[page.words.end - 1];
            assert!(page.words.len() <= 8);
            assert!(
                page.end
                    <= (last.end + Time::from_millis(300)).max(page.start + Time::from_millis(400))
            );
            if let Some(next) = pages.get(i + 1) {
                assert!(page.end <= next.start);
                assert_eq!(page.words.end, next.words.start);
                assert!(page.end >= last.end.min(next.start));
            }
        }
    }
    // Very fast words are gathered until a page is long enough to read.
    let fast: Vec<Word> = (0..12)
        .map(|i| Word {
            text: "no.".into(),
            start: f64::from(i) * 0.12,
            end: f64::from(i + 1) * 0.12,
        })
        .collect();
    let spoken = check(&fast, Time::from_millis(9000), &mut Report::default());
    let pages = break_pages(&spoken, 4, Time::from_millis(9000));
    assert!(
        pages
            .iter()
            .all(|p| p.end - p.start >= Time::from_millis(400)),
        "{pages:?}"
    );
}

#[test]
fn the_active_word_changes_color_and_nothing_else() {
    let track = track(&captions(sample()));
    // "Every night at nine": night from 0.383 to 0.716.
    let (_, before) = group_at(&track, 382).unwrap();
    let (_, first) = group_at(&track, 384).unwrap();
    let (_, same) = group_at(&track, 715).unwrap();
    let (_, next) = group_at(&track, 717).unwrap();
    assert_eq!(first.content, same.content);
    assert_eq!(first.layers, same.layers);
    assert_ne!(before.content, first.content);
    assert_ne!(next.content, first.content);
    for group in [&before, &first, &next] {
        let runs = runs(group);
        assert!(runs.iter().all(|r| Arc::ptr_eq(&r.glyphs, &runs[0].glyphs)));
        assert_eq!(runs[0].glyphs, self::runs(&first)[0].glyphs);
        assert_eq!(group.bounds, first.bounds);
        // Shadow, stroke, then fills that cover every glyph once.
        assert!(runs[0].blur_px > 0.0 && runs[0].spread_px > 0.0);
        assert!(runs[1].blur_px == 0.0 && runs[1].spread_px == 4.0);
        let fills = &runs[2..];
        assert!(fills.iter().all(|r| r.spread_px == 0.0 && r.blur_px == 0.0));
        let mut at = 0;
        for fill in fills {
            // The space between two colors may be left out.
            assert!((at..=at + 1).contains(&fill.range.start));
            at = fill.range.end;
        }
        assert_eq!(at, runs[0].glyphs.len());
    }
    let yellow = Color::parse("#FFD60A").unwrap();
    let active = |group: &Group| -> Vec<Glyph> {
        let runs = runs(group);
        let run = runs
            .iter()
            .find(|r| r.paint == Paint::Solid(yellow))
            .unwrap();
        run.glyphs[run.range.clone()].to_vec()
    };
    assert_eq!(
        (
            active(&before).len(),
            active(&first).len(),
            active(&next).len()
        ),
        (5, 5, 2)
    );
    assert_ne!(active(&before), active(&first));
}

#[test]
fn word_windows_are_half_open_and_pages_clear() {
    let track = track(&captions(sample()));
    let page = &track.pages[3];
    let ms = |t: Time| t.0 / Time::from_millis(1).0;
    // "steps." ends at 4.712 and "He" starts at 5.412.
    assert_eq!(ms(page.end), 4712 + 300);
    assert!(track.layers_at(page.end, LayerId(0)).is_empty());
    assert_eq!(track.layers_at(Time(page.end.0 - 1), LayerId(0)).len(), 1);
    let last = &page.words[3];
    let colors = |t: Time| match track.layers_at(t, LayerId(0)).remove(0).content {
        Content::Group(group) => runs(&group).len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        colors(Time(last.end.0 - 1)),
        4,
        "shadow, stroke, idle, active"
    );
    assert_eq!(colors(last.end), 3, "no word is spoken any more");
    for ms in [-5, 20] {
        assert!(
            track
                .layers_at(Time::from_millis(ms), LayerId(0))
                .is_empty()
        );
    }
}

#[test]
fn pages_rise_fade_and_rest() {
    let track = track(&captions(sample()));
    let mut last = (0.0, 13.0);
    for ms in [70, 100, 130, 160, 190] {
        let (opacity, group) = group_at(&track, ms).unwrap();
        let dy = group.pose.maps[0].0[5];
        assert!(opacity > last.0 && dy < last.1, "{ms}: {opacity} {dy}");
        assert_eq!(group.pose.maps[0], Homography::shift(0.0, dy));
        last = (opacity, dy);
    }
    for ms in [210, 500, 1100] {
        let (opacity, group) = group_at(&track, ms).unwrap();
        assert_eq!(
            (opacity, group.pose.maps),
            (1.0, vec![Homography::IDENTITY])
        );
    }
    let (leaving, _) = group_at(&track, 4712 + 300 - 60).unwrap();
    assert!((leaving - 0.5).abs() < 0.02);
}

#[test]
fn everything_drawn_lies_in_the_bounds() {
    let fonts = Fonts::default();
    for canvas in [
        [1080, 1920],
        [360, 640],
        [1920, 1080],
        [1080, 1080],
        [16, 3840],
        [3840, 16],
    ] {
        for position in [
            CaptionPosition::Top,
            CaptionPosition::Center,
            CaptionPosition::Bottom,
        ] {
            let captions = Captions {
                position,
                ..captions(sample())
            };
            let size = Size::new(canvas[0], canvas[1]).unwrap();
            let mut report = Report::default();
            let end = Time::from_millis(9000);
            let track = CaptionTrack::resolve(&captions, size, end, &fonts, &mut report).unwrap();
            let (_, group) = group_at(&track, 2000).unwrap();
            let b = group.bounds;
            for run in runs(&group) {
                let mask = fonts.rasterize(run);
                for (i, v) in mask.coverage.iter().enumerate().filter(|(_, v)| **v > 1) {
                    let x = mask.x + (i as u32 % mask.width) as i32;
                    let y = mask.y + (i as u32 / mask.width) as i32;
                    let inside = x >= b.x
                        && y >= b.y
                        && x < b.x + b.width as i32
                        && y < b.y + b.height as i32;
                    assert!(inside, "{v} at {x},{y} outside {b:?} on {canvas:?}");
                }
            }
        }
    }
}

#[test]
fn blocks_stand_at_their_anchors_inside_the_safe_area() {
    for (canvas, anchors, widest) in [
        ([1080, 1920], [0.20, 0.50, 0.74], [0.84, 0.686, 0.686]),
        ([360, 640], [0.20, 0.50, 0.74], [0.84, 0.686, 0.686]),
        ([1920, 1080], [0.12, 0.50, 0.88], [0.84; 3]),
        ([1080, 1080], [0.12, 0.50, 0.88], [0.84; 3]),
    ] {
        let positions = [
            CaptionPosition::Top,
            CaptionPosition::Center,
            CaptionPosition::Bottom,
        ];
        for (i, position) in positions.into_iter().enumerate() {
            let place = spot(Size::new(canvas[0], canvas[1]).unwrap(), position);
            let (w, h) = (canvas[0] as f32, canvas[1] as f32);
            assert!((place.center[0] - w / 2.0).abs() < 0.01);
            assert!((place.center[1] - h * anchors[i]).abs() < 0.01);
            assert!((place.max_width / w - widest[i]).abs() < 0.001);
            // One or two lines of the usual size are not moved.
            let scale = style_scale(Size::new(canvas[0], canvas[1]).unwrap());
            for half in [26.0, 68.0] {
                assert_eq!(
                    place.nudge(-half * scale, half * scale),
                    0.0,
                    "{canvas:?} {position:?}"
                );
            }
            let moved = place.nudge(-150.0 * scale, 150.0 * scale);
            assert!(place.center[1] + moved + 150.0 * scale <= place.rows[1] + 0.01);
            assert!(place.center[1] + moved - 150.0 * scale >= place.rows[0] - 0.01);
        }
    }
}

#[test]
fn the_same_captions_give_the_same_layers() {
    let (a, b) = (track(&captions(sample())), track(&captions(sample())));
    for ms in (0..7000).step_by(33) {
        assert_eq!(group_at(&a, ms), group_at(&b, ms));
    }
    let keys: BTreeSet<u64> = (0..7000)
        .filter_map(|ms| group_at(&a, ms)?.1.content)
        .collect();
    // Each word once, plus the pauses after "steps." and "flask".
    assert_eq!(keys.len(), sample().len() + 2);
}

#[test]
fn hostile_captions_are_bounded() {
    let texts = [
        "\u{301}".repeat(10_000),
        "x".repeat(1 << 20),
        "\u{200d}".repeat(5000),
        "\u{202e}evil\u{202d}".into(),
        "a\nb\r\nc".into(),
        "🏳️‍🌈".repeat(100),
    ];
    let words = texts.into_iter().enumerate().map(|(i, text)| Word {
        text,
        start: i as f64,
        end: i as f64 + 0.9,
    });
    let (track, report) = resolve_on(HD, &captions(words.collect()));
    assert_eq!(report.problems, []);
    let track = track.unwrap();
    for ms in (0..6000).step_by(200) {
        if let Some((_, group)) = group_at(&track, ms) {
            assert!(group.bounds.width <= 4400 && group.bounds.height <= 4400);
        }
    }
}
