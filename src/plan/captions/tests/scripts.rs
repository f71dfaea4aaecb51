//! Words of every script: their order, their letters, the position of the spoken word, and that nothing moves them.

use std::collections::BTreeMap;
use std::ops::Range;

use super::*;
use crate::plan::styles::style_names;
use crate::scene::draw::{Glyph, GlyphRun, Wipe};
use crate::text::FontRequest;

const MAIN: LayerId = LayerId(1_000_000);

/// Slots below the main layer (see `stage`): panels, markers, carets, and the neighboring pages.
const PANEL: u32 = 1;
const MARKER: u32 = 2;
const CARET: u32 = 3;
const NEXT: u32 = 14;
const OLD: u32 = 15;

/// Sentences that the bundled faces can set.
const SENTENCES: [&str; 7] = [
    "Every night at nine, Straße déjà",
    "Καλημέρα κόσμε, привет мир",
    "مرحبا بكم في Rust 2024 اليوم",
    "שלום לכולם כאן 42 Rust מהר",
    "क्षत्रिय नमस्ते दुनिया हिन्दी स्त्री",
    "กำลัง น้ำ ที่นี่ สวัสดี ครับ",
    "I said שלום to مرحبا नमस्ते",
];

fn styled(style: &str, text: &str) -> CaptionTrack {
    let mut captions = captions(spoken(text));
    captions.style = NameOr::Name(style.into());
    let (track, report) = resolve_on(HD, &captions);
    assert_eq!(report.problems, [], "{style}: {text}");
    assert_eq!(report.warnings, [], "{style}: {text}");
    track.expect("words are shown")
}

fn layer(track: &CaptionTrack, at: Time, place: u32) -> Option<Layer> {
    let mut layers = track.layers_at(at, MAIN).into_iter();
    layers.find(|layer| layer.id.0 == MAIN.0 - place)
}

fn group_of(layer: &Layer) -> Option<&Group> {
    match &layer.content {
        Content::Group(group) => Some(group),
        _ => None,
    }
}

fn runs(layer: &Layer) -> Vec<&GlyphRun> {
    let layers = group_of(layer).into_iter().flat_map(|group| &group.layers);
    let run = |layer: &'_ Layer| matches!(layer.content, Content::Glyphs(_));
    layers
        .filter(|layer| run(layer))
        .filter_map(|layer| match &layer.content {
            Content::Glyphs(run) => Some(run),
            _ => None,
        })
        .collect()
}

fn boxes(layer: &Layer) -> Vec<BoxShape> {
    let layers = group_of(layer).into_iter().flat_map(|group| &group.layers);
    let shape = layers.filter_map(|layer| match &layer.content {
        Content::Box(shape) => Some(*shape),
        _ => None,
    });
    shape.collect()
}

fn instants(page: &Page) -> impl Iterator<Item = Time> {
    let ms = |t: Time| t.0 / Time::from_millis(1).0;
    (ms(page.start) + 1..ms(page.end))
        .step_by(29)
        .map(Time::from_millis)
}

/// Returns the middle of a word's span.
fn middle(word: &ShownWord) -> Time {
    Time((word.start.0 + word.end.0) / 2)
}

#[test]
fn glyphs_stay_where_they_are_for_the_life_of_their_page() {
    for style in style_names() {
        for text in SENTENCES {
            let track = styled(style, text);
            for page in &track.pages {
                let mut seen: BTreeMap<usize, Glyph> = BTreeMap::new();
                for at in instants(page) {
                    let layers = track.layers_at(at, MAIN);
                    let own = |layer: &&Layer| ![NEXT, OLD].contains(&(MAIN.0 - layer.id.0));
                    for run in layers.iter().filter(own).flat_map(runs) {
                        for i in run.range.clone() {
                            let known = *seen.entry(i).or_insert(run.glyphs[i]);
                            assert_eq!(known, run.glyphs[i], "{style}: {text} at {at:?}");
                        }
                    }
                }
                for word in &page.sheet.words {
                    let mut glyphs = word.glyphs.clone();
                    assert!(glyphs.all(|i| seen.contains_key(&i)) || word.others[0].is_some());
                }
            }
        }
    }
}

#[test]
fn another_face_stands_where_its_word_stands() {
    let mut n = 0;
    for style in style_names() {
        for text in SENTENCES {
            for page in &styled(style, text).pages {
                for word in &page.sheet.words {
                    let others = word.others.iter().flatten().cloned();
                    for other in others {
                        let first = |range: Range<usize>| {
                            let glyphs = &page.sheet.glyphs[range];
                            glyphs.iter().map(|g| g.x).fold(f32::MAX, f32::min)
                        };
                        let shift = first(other) - first(word.glyphs.clone());
                        assert!(shift.abs() < 0.3 * page.sheet.size_px, "{style}: {text}");
                        n += 1;
                    }
                }
            }
        }
    }
    assert!(n > 20, "{n}");
}

#[test]
fn words_stand_in_the_order_of_their_script() {
    for (text, rtl) in [
        ("Every night at nine", false),
        ("مرحبا بكم في البيت", true),
        ("שלום לכולם כאן היום", true),
        ("क्षत्रिय नमस्ते दुनिया", false),
    ] {
        for style in style_names() {
            for page in &styled(style, text).pages {
                assert_eq!(page.sheet.rtl, rtl);
                for pair in page.sheet.words.windows(2) {
                    if pair[0].rect.y == pair[1].rect.y {
                        let follows = pair[0].rect.x < pair[1].rect.x;
                        assert_eq!(follows, !rtl, "{style}: {text}");
                    }
                    assert!(pair[0].rect.y <= pair[1].rect.y);
                    assert_eq!(pair[0].rtl, rtl);
                }
            }
        }
    }
}

#[test]
fn a_track_runs_as_most_of_its_words_do() {
    // The page's first word is not in the track's script.
    let page = &styled("default", "Rust לכולם כאן").pages[0].sheet;
    assert!(page.rtl && page.words[0].rect.x > page.words[1].rect.x);
    assert!(!page.words[0].rtl && page.words[1].rtl);
    let page = &styled("default", "שלום is hello").pages[0].sheet;
    assert!(!page.rtl && page.words[0].rect.x < page.words[1].rect.x);
}

#[test]
fn boxes_and_lines_are_on_the_spoken_word() {
    for text in SENTENCES {
        for style in ["highlight", "modern"] {
            let track = styled(style, text);
            for page in &track.pages {
                for (word, shape) in page.words.iter().zip(&page.sheet.words) {
                    let at = Time(word.end.0 - Time::from_millis(10).0);
                    let Some(marker) = layer(&track, at, MARKER) else {
                        continue;
                    };
                    let rect = boxes(&marker)[0].rect;
                    let middle = |r: Rect| r.x + r.width / 2.0;
                    let off = (middle(rect) - middle(shape.rect)).abs();
                    assert!(off < 2.0, "{style}: {text}: {off}");
                    assert!((rect.width - shape.rect.width).abs() < 60.0);
                }
            }
        }
    }
}

#[test]
fn what_runs_across_a_word_starts_where_its_text_starts() {
    for (text, side) in [
        ("שלום לכולם", -1.0),
        ("مرحبا بكم", -1.0),
        ("Every night", 1.0),
    ] {
        for style in ["karaoke", "gradient", "handwritten", "manuscripts"] {
            let track = styled(style, text);
            let at = middle(&track.pages[0].words[0]);
            let layers = track.layers_at(at, MAIN);
            let groups = layers.iter().filter_map(group_of);
            let wipes: Vec<Wipe> = groups.filter_map(|group| group.pose.wipe).collect();
            assert!(!wipes.is_empty(), "{style}: {text}");
            assert!(
                wipes.iter().all(|wipe| wipe.line[0] == side),
                "{style}: {text}"
            );
        }
        let track = styled("modern", text);
        let page = &track.pages[0];
        let start = Time(page.words[0].start.0 + Time::from_millis(20).0);
        let line = boxes(&layer(&track, start, MARKER).unwrap())[0].rect;
        let word = page.sheet.words[0].rect;
        let (from_left, from_right) = (line.x - word.x, word.x + word.width - line.x - line.width);
        assert!(line.width < 0.7 * word.width);
        assert_eq!(from_left < from_right, side > 0.0, "{text}");
    }
}

/// Returns the start of each glyph's cluster in a text set in a style's face.
fn clusters(text: &str, look: &Look) -> Vec<usize> {
    let block = Fonts::default().layout(&TextRequest {
        text,
        font: &look.font,
        size_px: look.size,
        line_height: 1.2,
        max_width_px: 1e6,
        max_lines: 1,
        align: look.align,
        context: Context::of([text]),
    });
    block.places.iter().map(|place| place.cluster).collect()
}

#[test]
fn letters_are_typed_whole_and_the_caret_follows_them() {
    for text in SENTENCES {
        let track = styled("typewriter", text);
        for page in &track.pages {
            // Words without spaces are laid out with a possible line break between them.
            let mut text = String::new();
            for bytes in &page.text.bytes {
                if !text.is_empty() {
                    let apart = page.text.text[..bytes.start].ends_with(' ');
                    text.push(if apart { ' ' } else { '\u{200b}' });
                }
                text.push_str(&page.text.text[bytes.clone()]);
            }
            let clusters = clusters(&text, &track.look);
            assert_eq!(clusters.len(), page.sheet.glyphs.len(), "{text}");
            for at in instants(page) {
                let Some(main) = layer(&track, at, 0) else {
                    continue;
                };
                let end = runs(&main).iter().map(|run| run.range.end).max().unwrap();
                let cut = end < clusters.len() && clusters[end - 1] == clusters[end];
                assert!(!cut, "{text} at {at:?}: a cluster is cut in two");
                let Some(caret) = layer(&track, at, CARET) else {
                    continue;
                };
                let word = page
                    .sheet
                    .words
                    .iter()
                    .find(|w| w.glyphs.contains(&(end - 1)));
                let word = word.unwrap();
                let caret = boxes(&caret)[0].rect;
                let mut typed = page.sheet.glyphs[word.glyphs.start..end].iter();
                match word.rtl {
                    true => assert!(typed.all(|g| caret.x + caret.width < g.x + 2.0), "{text}"),
                    false => assert!(typed.all(|g| caret.x > g.x - 2.0), "{text}"),
                }
            }
        }
    }
}

#[test]
fn only_letters_that_stand_alone_become_initials() {
    for (text, grows) in [
        ("Every night", true),
        ("Привет мир", true),
        ("שלום לכולם", true),
        ("مرحبا بكم", false),
        ("क्षत्रिय नमस्ते", false),
        ("กำลัง น้ำ", false),
        ("“Every” night", false),
        ("q\u{307}\u{323} night", false),
    ] {
        let track = styled("manuscripts", text);
        let sheet = &track.pages[0].sheet;
        let [first, second] = [sheet.glyphs[0], sheet.glyphs[1]];
        assert_eq!(first.size_px > 1.2 * second.size_px, grows, "{text}");
        if grows && sheet.rtl {
            assert!(first.x > second.x, "{text}");
        }
        let red = |run: &&&GlyphRun| run.range == (0..1) && run.spread_px == 0.0;
        let main = layer(&track, middle(&track.pages[0].words[1]), 0).unwrap();
        assert_eq!(runs(&main).iter().filter(red).count() > 0, grows, "{text}");
    }
}

#[test]
fn space_between_letters_tears_no_joins() {
    let font = |letter_spacing_em: f32| FontRequest {
        family: "Cinzel".into(),
        weight: 500,
        italic: false,
        letter_spacing_em,
    };
    let fonts = Fonts::default();
    let width = |text: &str, spacing: f32| {
        let block = fonts.layout(&TextRequest {
            text,
            font: &font(spacing),
            size_px: 60.0,
            line_height: 1.2,
            max_width_px: 1e6,
            max_lines: 1,
            align: crate::text::Align::Center,
            context: Context::of([text]),
        });
        block.frame().width
    };
    for (text, spaced) in [
        ("مرحبا", false),
        ("नमस्ते", false),
        ("hello", true),
        ("שלום", true),
    ] {
        assert_eq!(width(text, 0.2) > width(text, 0.0) + 1.0, spaced, "{text}");
    }
}

#[test]
fn words_without_spaces_join_and_lines_break_between_them() {
    let text = "ภาษา ไทย เป็น ภาษา ที่ มี ระดับ เสียง ของ คำ แน่นอน";
    for style in style_names() {
        for page in &styled(style, text).pages {
            let joined: Vec<&str> = text.split(' ').collect();
            let said = &page.text.text;
            assert!(joined.concat().contains(said.as_str()), "{style}: {said}");
            for (bytes, word) in page.text.bytes.iter().zip(&page.text.indexes) {
                assert_eq!(&said[bytes.clone()], joined[*word]);
            }
            let sheet = &page.sheet;
            assert!(
                sheet.words.iter().all(|word| word.parts.len() <= 1),
                "{style}"
            );
        }
    }
}

#[test]
fn a_word_that_no_font_has_is_told_and_leaves_its_place_to_others() {
    let mut captions = captions(spoken("one \u{e123} two"));
    captions.style = NameOr::Name("highlight".into());
    let (track, report) = resolve_on(HD, &captions);
    let warning = &report.warnings[0];
    assert_eq!(
        (warning.code, &*warning.path),
        ("missing_glyph", "captions.words[1].text")
    );
    assert!(warning.message.contains("U+E123") && !warning.message.contains("fonts-noto"));
    let track = track.unwrap();
    let page = &track.pages[0];
    let rect = page.sheet.words[1].rect;
    assert!(
        rect.width == 0.0 && (0.0..1080.0).contains(&rect.x),
        "{rect:?}"
    );
    assert!(layer(&track, middle(&page.words[1]), MARKER).is_none());
    for at in instants(page) {
        for shape in track.layers_at(at, MAIN).iter().flat_map(boxes) {
            assert!((0.0..1080.0).contains(&shape.rect.x), "{shape:?}");
        }
    }
    for (c, package) in [
        ('漢', Some("fonts-noto-cjk")),
        ('한', Some("fonts-noto-cjk")),
        ('😀', Some("fonts-noto-color-emoji")),
        ('⭐', Some("fonts-noto-color-emoji")),
        ('ខ', Some("fonts-noto-core")),
        ('\u{f0000}', None),
    ] {
        assert_eq!(crate::text::package_for(c), package, "{c}");
    }
}

#[test]
fn nothing_to_draw_is_no_page() {
    let mut captions = captions(spoken("\u{e123} \u{e124}"));
    captions.style = NameOr::Name("highlight".into());
    assert!(resolve_on(HD, &captions).0.is_none());
}

#[test]
fn a_panel_rule_stands_where_lines_start() {
    for (text, right) in [("שלום לכולם", true), ("Every night", false)] {
        let track = styled("intellectual", text);
        let panel = layer(&track, Time::from_millis(400), PANEL).unwrap();
        let shapes = boxes(&panel);
        let (body, rule) = (shapes[0].rect, shapes[1].rect);
        assert_eq!(rule.x > body.x + body.width / 2.0, right, "{text}");
    }
}
