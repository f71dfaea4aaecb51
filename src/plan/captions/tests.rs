//! Captions from words to layers, and a tool that paints them.

mod checks;
mod layers;
mod lifted;
mod preview;
mod scripts;
mod styles;

use super::*;
use crate::scene::draw::{BoxShape, Content, Group, Homography, Layer, LayerId, Paint};
use crate::timeline::{CaptionPosition, NameOr, Word};
use crate::units::Color;

/// Returns the start of a narration, with the word times from its voice.
fn sample() -> Vec<Word> {
    let words = [
        ("Every", 0.05, 0.383),
        ("night", 0.383, 0.716),
        ("at", 0.716, 0.906),
        ("nine", 0.906, 1.192),
        ("the", 1.192, 1.43),
        ("lighthouse", 1.43, 2.0),
        ("keeper", 2.0, 2.381),
        ("climbed", 2.381, 2.809),
        ("one", 2.809, 3.047),
        ("hundred", 3.047, 3.475),
        ("and", 3.475, 3.713),
        ("forty", 3.713, 4.046),
        ("two", 4.046, 4.284),
        ("steps.", 4.284, 4.712),
        ("He", 5.412, 5.602),
        ("carried", 5.602, 6.03),
        ("a", 6.03, 6.173),
        ("lamp,", 6.173, 6.506),
        ("a", 6.506, 6.649),
        ("flask", 6.649, 6.982),
    ];
    let word = |(text, start, end): (&str, f64, f64)| Word {
        text: text.into(),
        start,
        end,
    };
    words.into_iter().map(word).collect()
}

/// Words of 0.3 s each.
fn spoken(text: &str) -> Vec<Word> {
    let word = |(i, text): (usize, &str)| Word {
        text: text.into(),
        start: i as f64 * 0.3,
        end: (i + 1) as f64 * 0.3,
    };
    text.split_whitespace().enumerate().map(word).collect()
}

fn captions(words: Vec<Word>) -> Captions {
    Captions {
        style: NameOr::Name(super::super::styles::style_names().next().unwrap().into()),
        position: CaptionPosition::Bottom,
        ..Captions::new(words)
    }
}

const HD: [u32; 2] = [1080, 1920];

fn resolve_on([width, height]: [u32; 2], captions: &Captions) -> (Option<CaptionTrack>, Report) {
    let canvas = Size::new(width, height).unwrap();
    let end = Time::from_millis(60_000);
    let mut report = Report::default();
    let fonts = Fonts::default();
    let track = CaptionTrack::resolve(captions, canvas, end, &fonts, &mut report);
    (track, report)
}

fn track(captions: &Captions) -> CaptionTrack {
    let (track, report) = resolve_on(HD, captions);
    assert_eq!(report.problems, []);
    track.expect("words are shown")
}

fn group_at(track: &CaptionTrack, ms: i64) -> Option<(f32, Group)> {
    let layers = track.layers_at(Time::from_millis(ms), LayerId(7));
    let layer = layers.into_iter().find(|layer| layer.id == LayerId(7))?;
    match layer.content {
        Content::Group(group) => Some((layer.opacity, group)),
        other => panic!("captions are a group, not {other:?}"),
    }
}
