//! Words as shapes: their glyphs, position, direction, and the letters by which they are typed.

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
    /// Its glyphs in the style's face; empty if no font has its characters.
    pub(super) glyphs: Range<usize>,
    /// Its glyphs in the faces of its states (idle, active, spoken), for states with their own face.
    pub(super) others: [Option<Range<usize>>; 3],
    /// As wide as its letters' advance, from cap height to baseline; spans all its lines if it is broken.
    pub(super) rect: Rect,
    /// The same for each line; one entry, unless the word is broken.
    pub(super) parts: Vec<Rect>,
    /// Its index among all words of the track.
    pub(super) index: usize,
    /// Whether it runs from right to left.
    pub(super) rtl: bool,
    /// Its typing steps.
    pub(super) steps: Vec<Step>,
    /// The area its letters touch.
    pub(super) ink: Rect,
}

/// A word typed up to some letter. Letters are clusters: a conjunct, a letter with its marks, or an emoji appears as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    /// Number of its glyphs visible so far.
    pub(super) glyphs: usize,
    /// Pen position then, on the baseline.
    pub(super) pen: [f32; 2],
}

impl WordShape {
    /// Returns its glyphs in a state.
    pub(super) fn glyphs_in(&self, state: State) -> Range<usize> {
        let other = match state {
            State::Plain => &None,
            State::Idle => &self.others[0],
            State::Active => &self.others[1],
            State::Spoken => &self.others[2],
        };
        other.clone().unwrap_or(self.glyphs.clone())
    }

    /// Returns the number of glyphs visible at a share of its time, 0 to 1.
    pub(super) fn typed(&self, p: f64) -> usize {
        let step = self.steps.get((p * self.steps.len() as f64) as usize);
        step.or(self.steps.last()).map_or(0, |step| step.glyphs)
    }

    /// Returns the pen position when `n_glyphs` are visible.
    pub(super) fn pen(&self, n_glyphs: usize) -> Option<[f32; 2]> {
        let step = self.steps.iter().rfind(|step| step.glyphs <= n_glyphs);
        step.map(|step| step.pen)
    }
}

/// The words of a block: its text, the glyphs of each word, and the index of the first among all words.
pub(super) struct Words<'a> {
    pub(super) text: &'a str,
    pub(super) glyphs: &'a [Range<usize>],
    pub(super) first: usize,
    pub(super) page: usize,
}

impl Words<'_> {
    /// Returns the shapes of all words of a block centered at `center` with its glyphs shifted.
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

/// Returns typing steps from glyphs, each with the pen position before and after it.
fn steps<'a>(
    pens: impl Iterator<Item = (&'a Placed, [f32; 2])>,
    baseline: impl Fn(usize) -> f32,
) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut before = None;
    for (i, (place, pen)) in pens.enumerate() {
        // A cluster continues.
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

/// Places words without glyphs, with zero width, at the end of the previous word or else at the start of the next one.
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

/// Returns scale and color of a large first letter, or `None` if the letter cannot be drawn alone: it joins its neighbors, carries marks, or runs against its line.
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

/// Returns each glyph's shift from its laid-out position: random wander, and room for a large first letter.
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
    // A letter grows to its right; if it is at the right end, it moves left and takes its line along.
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
                // Glyphs of a cluster, and letters that join, move together.
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

/// Returns a safe bound on a letter's box when scaled about its origin on the baseline.
pub(super) fn grown_letter(ink: Rect, scale: f32) -> Rect {
    let more = (scale - 1.0).abs();
    Rect {
        x: ink.x - ink.width * more,
        y: ink.y - ink.height * more,
        width: ink.width * (1.0 + 2.0 * more),
        height: ink.height * (1.0 + 2.0 * more),
    }
}
