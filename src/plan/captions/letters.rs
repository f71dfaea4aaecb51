//! Words as shapes: their glyphs, where they stand, which way they run, and the letters they are typed by.

use std::ops::Range;

use super::super::seed::Seed;
use super::area::united;
use super::look::Look;
use super::sheet::State;
use crate::text::{Placed, TextBlock, joins_letters, stands_alone};
use crate::units::{Color, Rect};

/// A word on a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WordShape {
    /// Its glyphs in the style's face; none where no font has its characters.
    pub(super) glyphs: Range<usize>,
    /// Its glyphs in the faces of its states (idle, active, spoken), where those have one.
    pub(super) others: [Option<Range<usize>>; 3],
    /// As wide as its letters advance, from the top of its capital letters to its baseline; of all its lines, where it takes several.
    pub(super) rect: Rect,
    /// The same for each of its lines; one, unless the word is broken.
    pub(super) parts: Vec<Rect>,
    /// Its place among all words of the track.
    pub(super) index: usize,
    /// It runs from right to left.
    pub(super) rtl: bool,
    /// Its letters as they are typed.
    pub(super) steps: Vec<Step>,
    /// What its letters touch.
    pub(super) ink: Rect,
}

/// A word typed up to some letter. Letters are clusters: a conjunct, a letter with its marks, an emoji come at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    /// How many of its glyphs are there.
    pub(super) glyphs: usize,
    /// Where the pen is then: on its baseline.
    pub(super) pen: [f32; 2],
}

impl WordShape {
    /// Its glyphs in a state.
    pub(super) fn glyphs_in(&self, state: State) -> Range<usize> {
        let other = match state {
            State::Plain => &None,
            State::Idle => &self.others[0],
            State::Active => &self.others[1],
            State::Spoken => &self.others[2],
        };
        other.clone().unwrap_or(self.glyphs.clone())
    }

    /// How many glyphs are there at a share of its time, 0 to 1.
    pub(super) fn typed(&self, p: f64) -> usize {
        let step = self.steps.get((p * self.steps.len() as f64) as usize);
        step.or(self.steps.last()).map_or(0, |step| step.glyphs)
    }

    /// Where the pen is when so many glyphs are there.
    pub(super) fn pen(&self, n_glyphs: usize) -> Option<[f32; 2]> {
        let step = self.steps.iter().rfind(|step| step.glyphs <= n_glyphs);
        step.map(|step| step.pen)
    }
}

/// Which words of a block are which: its text, their glyphs, and the place of the first among all.
pub(super) struct Words<'a> {
    pub(super) text: &'a str,
    pub(super) glyphs: &'a [Range<usize>],
    pub(super) first: usize,
    pub(super) page: usize,
}

impl Words<'_> {
    /// The shapes of all words of a block whose center stands at `center` and whose glyphs are shifted.
    pub(super) fn shapes(
        &self,
        block: &TextBlock,
        center: [f32; 2],
        shifts: &[[f32; 2]],
    ) -> Vec<WordShape> {
        let ranges = self.glyphs.iter().enumerate();
        let mut shapes: Vec<WordShape> = ranges
            .map(|(i, range)| {
                let shape = shape(block, range.clone(), shifts, center);
                WordShape {
                    index: self.first + i,
                    ..shape
                }
            })
            .collect();
        stand_empty_ones(&mut shapes);
        shapes
    }
}

fn shape(
    block: &TextBlock,
    range: Range<usize>,
    shifts: &[[f32; 2]],
    center: [f32; 2],
) -> WordShape {
    let places = &block.places[range.clone()];
    let lines = places.iter().map(|p| p.line);
    let (first, last) = (lines.clone().min(), lines.max());
    let shifted = places.iter().zip(&shifts[range.clone()]);
    let pens = shifted.clone();
    let pens = pens.map(|(place, [dx, _])| (place, place.pen.map(|x| x + center[0] + dx)));
    let baseline = |line: usize| block.baselines.get(line).copied().unwrap_or(0.0) + center[1];
    let part = |line: usize| {
        let own = pens.clone().filter(|(place, _)| place.line == line);
        let left = own.clone().map(|(_, pen)| pen[0]).fold(f32::MAX, f32::min);
        let right = own.map(|(_, pen)| pen[1]).fold(f32::MIN, f32::max);
        Rect {
            x: left,
            y: baseline(line) - block.cap_height_px,
            width: (right - left).max(0.0),
            height: block.cap_height_px,
        }
    };
    let lines = first.zip(last).map(|(first, last)| first..=last);
    let parts: Vec<Rect> = lines.into_iter().flatten().map(part).collect();
    let n_rtl = places.iter().filter(|place| place.rtl).count();
    WordShape {
        others: [None, None, None],
        rect: match parts[..] {
            [only] => only,
            _ => united(parts.iter().copied()),
        },
        parts,
        index: 0,
        rtl: 2 * n_rtl > places.len(),
        steps: steps(pens, baseline),
        ink: united(shifted.map(|(place, own)| place.ink.shifted(center).shifted(*own))),
        glyphs: range,
    }
}

/// Letters as they are typed, from their glyphs with the pen before and after each.
fn steps<'a>(
    pens: impl Iterator<Item = (&'a Placed, [f32; 2])>,
    baseline: impl Fn(usize) -> f32,
) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut before = None;
    for (i, (place, pen)) in pens.enumerate() {
        // A cluster goes on.
        let begun = (before == Some(place.cluster))
            .then(|| steps.pop())
            .flatten();
        before = Some(place.cluster);
        let x = match (place.rtl, begun.map(|step| step.pen[0])) {
            (true, x) => x.unwrap_or(f32::MAX).min(pen[0]),
            (false, x) => x.unwrap_or(f32::MIN).max(pen[1]),
        };
        steps.push(Step {
            glyphs: i + 1,
            pen: [x, baseline(place.line)],
        });
    }
    steps
}

/// Words without glyphs stand, without width, where the word before them ends or else the one after them starts.
fn stand_empty_ones(shapes: &mut [WordShape]) {
    let full = |shape: &&WordShape| !shape.glyphs.is_empty();
    for i in 0..shapes.len() {
        if !shapes[i].glyphs.is_empty() {
            continue;
        }
        let before = shapes[..i].iter().rfind(full);
        let Some(near) = before.or_else(|| shapes[i..].iter().find(full)) else {
            return;
        };
        let at_right = before.is_some() != near.rtl;
        let (rect, rtl) = (near.rect, near.rtl);
        let x = if at_right {
            rect.x + rect.width
        } else {
            rect.x
        };
        let shape = &mut shapes[i];
        shape.rect = Rect {
            x,
            width: 0.0,
            ..rect
        };
        shape.parts = vec![shape.rect];
        shape.rtl = rtl;
    }
}

/// Scale and color of a large first letter; `None` where a letter is no shape of its own: it joins its neighbors, carries marks, or runs against its line.
pub(super) fn initial(block: &TextBlock, words: &Words<'_>, look: &Look) -> Option<(f32, Color)> {
    let wanted = look.initial?;
    let [first, rest @ ..] = block.places.as_slice() else {
        return None;
    };
    let c = words.text.get(first.cluster..)?.chars().next()?;
    let alone = rest
        .first()
        .is_none_or(|next| next.cluster != first.cluster);
    (alone && stands_alone(c) && first.rtl == block.rtl).then_some(wanted)
}

/// How far each glyph stands from where it was laid out: by chance, and to make room for a large first letter.
pub(super) fn shifts(
    block: &TextBlock,
    words: &Words<'_>,
    look: &Look,
    initial: Option<(f32, Color)>,
) -> Vec<[f32; 2]> {
    let room = initial
        .zip(block.places.first())
        .map_or(0.0, |((scale, _), place)| {
            (scale - 1.0) * (place.pen[1] - place.pen[0])
        });
    // A letter grows to its right, so that one at the right end pushes its line by moving with it.
    let first = if block.rtl { -room / 2.0 } else { room / 2.0 };
    let places = block.places.iter().enumerate();
    let mut shifts: Vec<[f32; 2]> = places
        .map(|(i, place)| match (i, place.line) {
            (0, _) => [-room / 2.0, 0.0],
            (_, 0) => [first, 0.0],
            _ => [0.0; 2],
        })
        .collect();
    if look.wander > 0.0 {
        for (i, range) in words.glyphs.iter().enumerate() {
            let mut seed = Seed::new(0, "wander", (words.first + i) as u64);
            let wander = f64::from(look.wander);
            let word = seed.between(-wander, wander) as f32;
            let mut own = 0.0;
            for g in range.clone() {
                // A cluster stays together, and so do letters that join.
                let starts =
                    g == range.start || block.places[g].cluster != block.places[g - 1].cluster;
                if starts && !joins_letters(words.text) {
                    own = seed.between(-wander, wander) as f32 * 0.4;
                }
                shifts[g][1] += word + own;
            }
        }
    }
    shifts
}

/// A letter's box when it is made larger about its origin on the baseline, on the safe side.
pub(super) fn grown_letter(ink: Rect, scale: f32) -> Rect {
    let more = (scale - 1.0).abs();
    Rect {
        x: ink.x - ink.width * more,
        y: ink.y - ink.height * more,
        width: ink.width * (1.0 + 2.0 * more),
        height: ink.height * (1.0 + 2.0 * more),
    }
}
