//! Properties of every built-in style.

use std::collections::BTreeMap;

use super::*;
use crate::plan::styles::style_names;
use crate::scene::draw::Glyph;

const MAIN: LayerId = LayerId(1_000_000);

fn styled(name: &str) -> CaptionTrack {
    let mut captions = captions(sample());
    captions.style = NameOr::Name(name.into());
    let (track, report) = resolve_on(HD, &captions);
    assert_eq!(
        (report.problems, report.warnings),
        (vec![], vec![]),
        "{name}"
    );
    track.expect("words are shown")
}

fn layers_at(track: &CaptionTrack, ms: i64) -> Vec<Layer> {
    track.layers_at(Time::from_millis(ms), MAIN)
}

fn group(layer: &Layer) -> Option<&Group> {
    match &layer.content {
        Content::Group(group) => Some(group),
        _ => None,
    }
}

#[test]
fn no_glyph_moves_while_its_page_is_shown() {
    for name in style_names() {
        let track = styled(name);
        for page in &track.pages {
            let own: &[Glyph] = &page.sheet.glyphs;
            let ms = |t: Time| t.0 / Time::from_millis(1).0;
            for at in (ms(page.start) + 1..ms(page.end)).step_by(41) {
                for layer in layers_at(&track, at) {
                    let runs = group(&layer).into_iter().flat_map(|g| &g.layers);
                    for run in runs {
                        let Content::Glyphs(run) = &run.content else {
                            continue;
                        };
                        let known = track.pages.iter().any(|p| *p.sheet.glyphs == *run.glyphs);
                        assert!(known, "{name}: a page is shaped once");
                        assert!(run.range.end <= run.glyphs.len());
                    }
                }
            }
            let inside = page.sheet.words.iter().all(|w| w.glyphs.end <= own.len());
            assert!(inside && !own.is_empty(), "{name}");
        }
    }
}

#[test]
fn layers_have_ids_of_their_own_and_numbers_that_are_some() {
    for name in style_names() {
        let track = styled(name);
        for ms in (0..7200).step_by(17) {
            let layers = layers_at(&track, ms);
            let mut ids: Vec<LayerId> = layers.iter().map(|layer| layer.id).collect();
            ids.sort();
            ids.dedup();
            assert_eq!(ids.len(), layers.len(), "{name} at {ms}");
            for layer in &layers {
                assert!((0.0..=1.0).contains(&layer.opacity), "{name} at {ms}");
                let maps = group(layer).into_iter().flat_map(|g| &g.pose.maps);
                for map in maps {
                    assert!(map.0.iter().all(|v| v.is_finite()), "{name} at {ms}");
                    assert!(map.inverse().is_some(), "{name} at {ms}");
                }
            }
        }
    }
}

#[test]
fn equal_keys_mean_equal_sheets() {
    for name in style_names() {
        let track = styled(name);
        let mut sheets: BTreeMap<u64, Group> = BTreeMap::new();
        for ms in (0..7200).step_by(23) {
            for layer in layers_at(&track, ms) {
                let Some((group, key)) = group(&layer).and_then(|g| Some((g, g.content?))) else {
                    continue;
                };
                let known = sheets.entry(key).or_insert_with(|| group.clone());
                assert_eq!(known.bounds, group.bounds, "{name} at {ms}");
                assert_eq!(known.layers, group.layers, "{name} at {ms}");
            }
        }
    }
}

#[test]
fn styles_differ_from_each_other() {
    let looks: Vec<String> = style_names()
        .map(|name| {
            let shown = [600, 1300, 2500].map(|ms| layers_at(&styled(name), ms));
            assert!(shown.iter().all(|layers| !layers.is_empty()), "{name}");
            format!("{shown:?}")
        })
        .collect();
    for (i, look) in looks.iter().enumerate() {
        assert!(!looks[..i].contains(look), "style {i}");
    }
}

#[test]
fn styles_resolve_on_every_canvas_and_for_hostile_words() {
    for name in style_names() {
        for canvas in [[16, 16], [3840, 16], [1920, 1080]] {
            let words = [
                "x".repeat(190),
                "漢字".into(),
                "🏳️‍🌈".into(),
                "أهلا".into(),
                "\u{301}\u{301}".into(),
            ];
            let words = words.into_iter().enumerate().map(|(i, text)| Word {
                text,
                start: i as f64 * 0.1,
                end: i as f64 * 0.1,
            });
            let mut captions = captions(words.collect());
            captions.style = NameOr::Name(name.into());
            let (track, report) = resolve_on(canvas, &captions);
            assert_eq!(report.problems, [], "{name}");
            if let Some(track) = track {
                for ms in (0..1200).step_by(60) {
                    layers_at(&track, ms);
                }
            }
        }
    }
}
