//! Captions resolved: words become pages, each shaped once, and any instant is a group of glyph runs.
//!
//! Takes: captions as written, the canvas, fonts. Gives: a [`CaptionTrack`], whose [`CaptionTrack::layer_at`] is what is seen at an instant.
//! The word being spoken changes the color of its glyphs and never their place.

mod look;
mod overlay;
mod pages;
mod place;
mod sheet;
mod shown;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

pub(crate) use overlay::{TextOverlay, text_block};
pub(crate) use shown::ShownPage;

use self::look::Look;
use self::place::{Spot, spot, style_scale};
use self::sheet::Sheet;
use self::words::Spoken;
use super::draw::{Content, Homography, Known, Layer, LayerId};
use super::report::Report;
use crate::error::Warning;
use crate::text::{Fonts, TextRequest};
use crate::timeline::{Blend, Captions};
use crate::units::{Color, Rect, Size, Time};

/// All pages of a video's captions.
#[derive(Clone, Debug)]
pub(crate) struct CaptionTrack {
    look: Look,
    pages: Vec<Page>,
}

#[derive(Clone, Debug)]
struct Page {
    start: Time,
    end: Time,
    /// From here on it disappears; `end` when it is cut.
    leaves: Time,
    sheet: Sheet,
    words: Vec<ShownWord>,
    text: shown::Text,
}

#[derive(Clone, Debug)]
struct ShownWord {
    start: Time,
    end: Time,
    glyphs: Range<usize>,
}

impl CaptionTrack {
    /// Checks and lays out captions for a video that ends at `end`. Every problem and warning goes to the report;
    /// `None` when there are problems or nothing is to be seen.
    pub(crate) fn resolve(
        captions: &Captions,
        canvas: Size,
        end: Time,
        fonts: &Fonts,
        report: &mut Report,
    ) -> Option<CaptionTrack> {
        let n_problems = report.problems.len();
        let scale = style_scale(canvas);
        let look = look::resolve(&captions.style, "captions.style", scale, fonts, report);
        let words = words::check(&captions.words, end, report);
        if report.problems.len() > n_problems {
            return None;
        }
        let look = look?;
        let spot = spot(canvas, captions.position);
        let mut missing = Missing::default();
        let pages: Vec<Page> = pages::break_pages(&words, look.max_words, end)
            .into_iter()
            .filter_map(|span| lay_out(&words, &span, &look, &spot, &mut (fonts, &mut missing)))
            .collect();
        if let Some(first) = missing.first_word {
            let chars: Vec<char> = missing.chars.into_iter().collect();
            warn_of_missing(&chars, &format!("captions.words[{first}].text"), report);
        }
        (!pages.is_empty()).then_some(CaptionTrack { look, pages })
    }

    /// What is seen at `t`; `None` between pages.
    pub(crate) fn layer_at(&self, t: Time, id: LayerId) -> Option<Layer> {
        let index = self
            .pages
            .partition_point(|page| page.start <= t)
            .checked_sub(1)?;
        let page = &self.pages[index];
        if t >= page.end {
            return None;
        }
        let shown = ease_out(t.progress_in(page.start, page.start + self.look.entry));
        let gone = if t < page.leaves {
            0.0
        } else {
            t.progress_in(page.leaves, page.end)
        };
        let opacity = (shown * (1.0 - gone)) as f32;
        if opacity <= 0.0 {
            return None;
        }
        let active = self.look.active.and_then(|color| {
            let i = page.words.iter().position(|w| w.start <= t && t < w.end)?;
            Some((i, color))
        });
        let key = content_key(index, active.map(|(i, _)| i));
        let mut group = page.sheet.group(&self.look, &self.fills(page, active), key);
        let rise = f64::from(self.look.rise) * (1.0 - shown);
        if rise != 0.0 {
            group.pose.maps = vec![Homography::shift(0.0, rise)];
        }
        Some(Layer {
            id,
            known: Known::New,
            opacity,
            blend: Blend::Normal,
            content: Content::Group(group),
        })
    }

    /// Ranges of glyphs by color: before, at and behind the active word.
    fn fills(&self, page: &Page, active: Option<(usize, Color)>) -> Vec<(Range<usize>, Color)> {
        let idle = self.look.idle.unwrap_or(self.look.fill);
        let n = page.sheet.glyphs.len();
        match active {
            None => vec![(0..n, idle)],
            Some((i, color)) => {
                let word = page.words[i].glyphs.clone();
                vec![
                    (0..word.start, idle),
                    (word.clone(), color),
                    (word.end..n, idle),
                ]
            }
        }
    }
}

/// Characters that no font has, and the first word with one.
#[derive(Default)]
struct Missing {
    chars: BTreeSet<char>,
    first_word: Option<usize>,
}

fn lay_out(
    words: &[Spoken],
    span: &pages::PageSpan,
    look: &Look,
    spot: &Spot,
    (fonts, missing): &mut (&Fonts, &mut Missing),
) -> Option<Page> {
    let (text, bytes) = pages::page_text(words, &span.words, look.case);
    let block = fonts.layout(&TextRequest {
        text: &text,
        font: &look.font,
        size_px: look.size,
        line_height: look.line_height,
        max_width_px: spot.max_width,
        max_lines: look.max_lines,
        align: look.align,
    });
    if !block.missing.is_empty() {
        let first = span
            .words
            .clone()
            .zip(&bytes)
            .find(|(_, bytes)| text[(*bytes).clone()].contains(&block.missing[..]));
        missing.first_word = missing.first_word.or(first.map(|(i, _)| words[i].index));
        missing.chars.extend(&block.missing);
    }
    let top = block.baselines.first().copied().unwrap_or(0.0) - block.cap_height_px;
    let bottom = block.baselines.last().copied().unwrap_or(0.0);
    let center = [spot.center[0], spot.center[1] + spot.nudge(top, bottom)];
    let sheet = Sheet::new(&block, center, look)?;
    let shown = span.words.clone().zip(&bytes).map(|(i, bytes)| ShownWord {
        start: words[i].start,
        end: words[i].end,
        glyphs: block.glyphs_of(bytes),
    });
    let indexes = span.words.clone().map(|i| words[i].index).collect();
    let last_word_end = words[span.words.end - 1].end;
    let leaves = if span.replaced {
        span.end
    } else {
        last_word_end.max(span.end - look.exit).min(span.end)
    };
    let words: Vec<ShownWord> = shown.collect();
    Some(Page {
        start: span.start,
        end: span.end,
        leaves,
        words,
        sheet,
        text: shown::Text {
            indexes,
            ink: Rect {
                x: block.ink.x + center[0],
                y: block.ink.y + center[1],
                ..block.ink
            },
            room: spot.room(),
            text,
            bytes,
        },
    })
}

/// Fast at first, then slower: `1 - (1 - p)³`.
fn ease_out(p: f64) -> f64 {
    1.0 - (1.0 - p).powi(3)
}

/// Equal for equal sheets of one track, and different from every overlay's with overwhelming likelihood.
fn content_key(page: usize, active: Option<usize>) -> u64 {
    let mut hasher = DefaultHasher::new();
    ("captions", page, active).hash(&mut hasher);
    hasher.finish()
}

/// Warns of characters that no font has, with the Debian packages that would help.
fn warn_of_missing(missing: &[char], path: &str, report: &mut Report) {
    const SHOWN: usize = 20;
    if missing.is_empty() {
        return;
    }
    let names: Vec<String> = missing
        .iter()
        .take(SHOWN)
        .map(|c| format!("{c} (U+{:04X})", *c as u32))
        .collect();
    let more = match missing.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let packages: BTreeSet<&str> = missing
        .iter()
        .map(|c| crate::text::package_for(*c))
        .collect();
    let packages: Vec<&str> = packages.into_iter().collect();
    report.warn(Warning::new(
        "missing_glyph",
        path,
        format!(
            "no font has {}{more}: left out. Install {} (Debian), or add a font with `Fonts::with_font`",
            names.join(", "),
            packages.join(" and ")
        ),
    ));
}
