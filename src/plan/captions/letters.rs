//! Words as shapes: their glyphs, where they stand, which way they run, and the letters they are typed by.

use std::ops::Range;

use super::super::seed::Seed;
use super::look::Look;
use super::sheet::{State, united};
use crate::text::{TextBlock, joins_letters, stands_alone};
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
    pub(super) line: usize,
    /// How many lines it takes.
    pub(super) n_lines: usize,
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
    /// Where the pen is then.
    pub(super) x: f32,
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
    pub(super) fn pen(&self, n_glyphs: usize) -> Option<f32> {
        let step = self.steps.iter().rfind(|step| step.glyphs <= n_glyphs);
        step.map(|step| step.x)
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
    let pens = places.iter().zip(&shifts[range.clone()]);
    let pens = pens.map(|(place, [dx, _])| place.pen.map(|x| x + center[0] + dx));
    let left = pens.clone().map(|pen| pen[0]).fold(f32::MAX, f32::min);
    let right = pens.clone().map(|pen| pen[1]).fold(f32::MIN, f32::max);
    let baseline = |line: Option<usize>| {
        let own = line.and_then(|line| block.baselines.get(line));
        own.copied().unwrap_or(0.0) + center[1]
    };
    let top = baseline(first) - block.cap_height_px;
    let inks = places.iter().zip(&shifts[range.clone()]);
    let n_rtl = places.iter().filter(|place| place.rtl).count();
    let mut steps: Vec<Step> = Vec::new();
    for (i, (place, pen)) in places.iter().zip(pens).enumerate() {
        let (goes_on, x) = match (i.checked_sub(1), steps.last()) {
            (Some(before), Some(step)) if places[before].cluster == place.cluster => {
                (true, Some(step.x))
            }
            _ => (false, None),
        };
        let x = match (place.rtl, x) {
            (true, x) => x.unwrap_or(f32::MAX).min(pen[0]),
            (false, x) => x.unwrap_or(f32::MIN).max(pen[1]),
        };
        if goes_on {
            steps.pop();
        }
        steps.push(Step { glyphs: i + 1, x });
    }
    WordShape {
        glyphs: range,
        others: [None, None, None],
        rect: Rect {
            x: left,
            y: top,
            width: (right - left).max(0.0),
            height: baseline(last) - top,
        },
        line: first.unwrap_or(0),
        n_lines: last.zip(first).map_or(0, |(last, first)| last - first + 1),
        index: 0,
        rtl: 2 * n_rtl > places.len(),
        steps,
        ink: united(inks.map(|(place, own)| place.ink.shifted(center).shifted(*own))),
    }
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
        let (rect, line, rtl) = (near.rect, near.line, near.rtl);
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
        (shape.line, shape.rtl) = (line, rtl);
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
