//! What is drawn around a page's words: the neighboring pages, the marker, colored ghosts, the caret.

use super::at::WordAt;
use super::letters::WordShape;
use super::moves::ease_out;
use super::panel::{caret, marker};
use super::sheet::{Parts, Shown, State};
use super::stage::{CARET, MARKER, MARKER_BEFORE, Move, NEXT, OLD, SPLITS, Stage};
use super::{CaptionTrack, Page};
use crate::scene::draw::{Content, Homography, Paint};
use crate::timeline::MarkerKind;
use crate::units::{Color, Time};

/// Longest gap after the previous page for which a page is previewed below it.
const ANNOUNCED: Time = Time::from_millis(500);

/// Colors of the red and blue ghosts, and the direction in which each is shifted.
const SPLIT: [(&str, f64); 2] = [("#FF2040B0", -1.0), ("#20D0FFB0", 1.0)];

impl CaptionTrack {
    /// Returns whether page `i` was previewed below the page before it.
    pub(super) fn announced(&self, i: usize) -> bool {
        let before = i.checked_sub(1).and_then(|b| self.pages.get(b));
        self.look.next > 0.0
            && self.pages.get(i).is_some_and(|page| {
                before.is_some_and(|b| b.replaced || page.start - b.end <= ANNOUNCED)
            })
    }

    /// Draws the previous page moving up and out, and the next page below.
    pub(super) fn neighbors(&self, i: usize, t: Time, stage: &mut Stage) {
        let page = &self.pages[i];
        let look = &self.look;
        let p = t.progress_in(page.start, page.start + look.entry.time);
        let (shown, pitch) = (ease_out(p), page.sheet.pitch());
        let mut put = |place: u32, of: &Page, state: State, own: Move| {
            let words = all(of, state);
            if let Some(group) = of.sheet.group(look, &words, Parts::All) {
                let mut alone = Stage {
                    page: Move::NONE,
                    layers: Vec::new(),
                };
                alone.group(place, group, &own);
                stage.layers.append(&mut alone.layers);
            }
        };
        if self.announced(i) && p < 1.0 {
            let own = Move {
                map: Homography::shift(0.0, -pitch * shown),
                opacity: (1.0 - shown) as f32,
                ..Move::NONE
            };
            put(OLD, &self.pages[i - 1], State::Spoken, own);
        }
        if self.announced(i + 1) {
            let shown = if self.announced(i) { shown } else { 1.0 };
            let gone = match t < page.leaves {
                true => 0.0,
                false => t.progress_in(page.leaves, page.end) as f32,
            };
            let own = Move {
                map: Homography::shift(0.0, pitch * (2.0 - shown)),
                opacity: look.next * shown as f32 * (1.0 - gone),
                ..Move::NONE
            };
            put(NEXT, &self.pages[i + 1], State::Idle, own);
        }
    }

    pub(super) fn marker(&self, page: &Page, t: Time, stage: &mut Stage) {
        let Some(style) = &self.look.marker else {
            return;
        };
        let started = page.words.iter().take_while(|word| word.start <= t);
        let Some(word) = started.count().checked_sub(1) else {
            return;
        };
        let spoken = &page.words[word];
        let p = t.progress_in(spoken.start, spoken.start + style.glide);
        let drawn = if style.glide == Time::ZERO {
            1.0
        } else {
            ease_out(p)
        };
        let boxes = marker(style, &page.sheet, (page.index, word), drawn as f32);
        // The lines of the previous word fade as the new one is drawn.
        if style.kind != MarkerKind::Box && word > 0 && p < 1.0 {
            let before = marker(style, &page.sheet, (page.index, word - 1), 1.0);
            stage.boxes(MARKER_BEFORE, &before, ((1.0 - drawn) as f32, None));
        }
        stage.boxes(MARKER, &boxes, (1.0, None));
    }

    /// Draws red and blue ghosts while a page enters.
    pub(super) fn split(&self, page: &Page, t: Time, stage: &mut Stage) {
        let entry = &self.look.entry;
        let rest = 1.0 - t.progress_in(page.start, page.start + entry.time);
        if entry.split == 0.0 || rest <= 0.0 {
            return;
        }
        let words = all(page, State::Plain);
        for ((color, side), i) in SPLIT.into_iter().zip(0..) {
            let (Some(color), Some(mut group)) = (
                Color::parse(color),
                page.sheet.group(&self.look, &words, Parts::Fill),
            ) else {
                continue;
            };
            group.content = group.content.map(|key| key.rotate_left(8 * (i + 1)));
            for layer in &mut group.layers {
                if let Content::Glyphs(run) = &mut layer.content {
                    run.paint = Paint::Solid(color);
                }
            }
            let shift = 2.0 * entry.split * side * rest.max(0.5);
            let own = Move {
                map: Homography::shift(shift, 0.0),
                ..Move::NONE
            };
            stage.group(SPLITS + i, group, &own);
        }
    }

    pub(super) fn caret(&self, page: &Page, words: &[WordAt], t: Time, stage: &mut Stage) {
        let Some((color, blink)) = self.look.caret else {
            return;
        };
        let shapes = &page.sheet.words;
        let there = |(word, shape): (&WordAt, &WordShape)| {
            word.shown.letters > 0 && !shape.steps.is_empty()
        };
        let Some(last) = words.iter().zip(shapes).rposition(there) else {
            return;
        };
        let typing = words[last].shown.letters < usize::MAX;
        let since = (t - page.words[last].end).0.max(0);
        if !typing && since / blink.0.max(1) % 2 == 1 {
            return;
        }
        let Some(pen) = shapes[last].pen(words[last].shown.letters) else {
            return;
        };
        let block = caret(&page.sheet, last, pen, color);
        stage.boxes(CARET, &[block], (1.0, None));
    }
}

/// Returns all words of a page in one state.
fn all(page: &Page, state: State) -> Vec<Shown> {
    let words = 0..page.words.len();
    words
        .map(|word| Shown {
            word,
            state,
            letters: usize::MAX,
        })
        .collect()
}
