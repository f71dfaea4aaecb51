//! A style in drawable form: colors parsed, lengths in canvas pixels, times in ticks.

use crate::scene::draw::Paint;
use crate::text::{Align, FontRequest};
use crate::timeline::{EntryEach, EntryKind, LetterCase, MarkerKind};
use crate::units::{Color, Rect, Time};

/// A style ready to draw; lengths in canvas px.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Look {
    pub(super) font: FontRequest,
    pub(super) case: LetterCase,
    pub(super) size: f32,
    pub(super) line_height: f32,
    pub(super) align: Align,
    pub(super) fill: Tint,
    /// Widening on each side, and color.
    pub(super) stroke: Option<(f32, Tint)>,
    pub(super) shadows: Vec<Shadow>,
    pub(super) panel: Option<Panel>,
    pub(super) wander: f32,
    /// Radians.
    pub(super) tilt: f32,
    /// Factor on the size, and color.
    pub(super) initial: Option<(f32, Color)>,
    pub(super) active: Option<WordLook>,
    pub(super) idle: Option<WordLook>,
    pub(super) spoken: Option<WordLook>,
    pub(super) marker: Option<Marker>,
    /// Color and time between changes.
    pub(super) caret: Option<(Color, Time)>,
    pub(super) burst: Option<Burst>,
    pub(super) next: f32,
    pub(super) entry: Entry,
    pub(super) exit: Time,
    pub(super) max_words: usize,
    pub(super) max_lines: usize,
}

impl Look {
    /// Returns whether single words or a marker move over the shadows of the other words.
    pub(super) fn lifts(&self) -> bool {
        let acts = |word: &WordLook| word.scale != 1.0 || word.sway != 0.0 || word.shake != 0.0;
        let one_by_one = self.entry.each != EntryEach::Page;
        one_by_one || self.marker.is_some() || self.active.as_ref().is_some_and(acts)
    }
}

/// One color, or several with their positions.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tint {
    One(Color),
    Down([(f32, Color); 4]),
    Across([(f32, Color); 4]),
    Pages(Vec<Color>),
    Words(Vec<Color>),
}

/// The word to paint, and its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Painted {
    pub(super) page: usize,
    /// Its index among all words.
    pub(super) word: usize,
    /// From the top of its letters to the bottom.
    pub(super) rect: Rect,
}

impl Tint {
    /// Returns the paint for a word; `opacity` multiplies each color's own.
    pub(super) fn paint(&self, at: Painted, opacity: f32) -> Paint {
        let turn =
            |colors: &[Color], i: usize| Paint::Solid(colors[i % colors.len()].faded(opacity));
        let fade = |stops: &[(f32, Color); 4]| stops.map(|(at, color)| (at, color.faded(opacity)));
        let r = at.rect;
        match self {
            Tint::One(color) => Paint::Solid(color.faded(opacity)),
            Tint::Pages(colors) => turn(colors, at.page),
            Tint::Words(colors) => turn(colors, at.word),
            Tint::Down(stops) => Paint::Linear {
                from: [0.0, r.y],
                to: [0.0, r.y + r.height],
                stops: fade(stops),
            },
            Tint::Across(stops) => Paint::Linear {
                from: [r.x, 0.0],
                to: [r.x + r.width, 0.0],
                stops: fade(stops),
            },
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shadow {
    pub(super) offset: [f32; 2],
    pub(super) sigma: f32,
    /// Widening on each side before the blur.
    pub(super) spread: f32,
    pub(super) color: Tint,
    pub(super) above_stroke: bool,
}

impl Shadow {
    /// Returns whether it is blurred and lies below the rest of the letters.
    pub(super) fn is_soft(&self) -> bool {
        self.sigma > 0.0 && !self.above_stroke
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Panel {
    pub(super) color: Color,
    pub(super) per_line: bool,
    pub(super) radius: f32,
    pub(super) padding: [f32; 2],
    pub(super) border: Option<(f32, Color)>,
    pub(super) rule: Option<(f32, Color)>,
    pub(super) brackets: Option<(f32, Color)>,
    /// Standard deviation of the blur of the picture behind it.
    pub(super) glass_sigma: f32,
    pub(super) torn: f32,
}

/// How a word looks in one state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WordLook {
    pub(super) fill: Option<Tint>,
    pub(super) opacity: f32,
    /// A different face of the style's family.
    pub(super) font: Option<FontRequest>,
    pub(super) flash: Option<Color>,
    pub(super) sweep: bool,
    pub(super) scale: f64,
    /// Radians.
    pub(super) sway: f64,
    pub(super) shake: f64,
    pub(super) change: Time,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Marker {
    pub(super) kind: MarkerKind,
    pub(super) color: Tint,
    pub(super) width: f32,
    pub(super) radius_em: f32,
    pub(super) padding_em: [f32; 2],
    /// Width and color.
    pub(super) outline: Option<(f32, Color)>,
    pub(super) glide: Time,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Burst {
    pub(super) count: usize,
    pub(super) colors: Vec<Color>,
    pub(super) size: f32,
    pub(super) reach: f32,
    pub(super) time: Time,
}

/// How pages or words enter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) kind: EntryKind,
    pub(super) each: EntryEach,
    pub(super) rise: f64,
    pub(super) scale: [f64; 2],
    pub(super) blur: f32,
    pub(super) split: f64,
    pub(super) before: f32,
    pub(super) time: Time,
    pub(super) stagger: Time,
}
