//! Resolves captions: words become pages, each shaped once, and any instant is a group of glyph runs.
//!
//! Input: captions as written, the canvas, fonts. Output: a [`CaptionTrack`], whose [`CaptionTrack::layers_at`] returns what is visible at an instant.
//! The word being spoken changes the color of its glyphs, never their position.

mod area;
mod around;
mod at;
mod case;
mod check;
mod letters;
mod look;
mod moves;
mod overlay;
mod pages;
mod panel;
mod place;
mod sheet;
mod shown;
mod stage;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeSet;
use std::ops::Range;

pub(crate) use overlay::{TextOverlay, text_block};
pub(crate) use pages::sentence_ends;
pub(crate) use shown::{PageWord, ShownPage};
pub(crate) use words::Timing;
pub(in crate::plan) use words::{point_to_text, written};

use self::letters::Words;
use self::look::Look;
use self::place::{Spot, spot, style_scale};
use self::sheet::Sheet;
use self::words::Spoken;
use super::report::Report;
use super::seed::Seed;
use crate::error::Warning;
use crate::text::{Context, Fonts, Refused, TextBlock, TextRequest};
use crate::timeline::Captions;
use crate::units::{Rect, Size, Time};

/// Maximum height difference between the two ends of a tilted page, in em; long pages are tilted less so that they stay in their area.
const TILT_EM: f64 = 1.4;

/// All pages of a video's captions.
#[derive(Clone, Debug)]
pub(crate) struct CaptionTrack {
    look: Look,
    pages: Vec<Page>,
    /// All spoken words, in order.
    words: Vec<Spoken>,
}

#[derive(Clone, Debug)]
struct Page {
    /// Its index among all pages.
    index: usize,
    start: Time,
    end: Time,
    /// When it starts to disappear; equal to `end` for a hard cut.
    leaves: Time,
    /// Whether the next page replaces it immediately.
    replaced: bool,
    /// Tilt in radians.
    tilt: f64,
    sheet: Sheet,
    words: Vec<ShownWord>,
    text: shown::Text,
}

#[derive(Clone, Debug)]
struct ShownWord {
    start: Time,
    end: Time,
}

impl CaptionTrack {
    /// Checks and lays out captions for a video that ends at `end`. Every problem and warning goes to the report;
    /// returns `None` if there are problems or nothing is visible.
    pub(crate) fn resolve(
        captions: &Captions,
        canvas: Size,
        end: Time,
        fonts: &Fonts,
        report: &mut Report,
    ) -> Option<CaptionTrack> {
        let n_problems = report.problems.len();
        let scale = style_scale(canvas);
        let look = check::resolve(&captions.style, "captions.style", scale, fonts, report);
        let words = words::check(&captions.words, end, report);
        if report.problems.len() > n_problems {
            return None;
        }
        let look = look?;
        let mut setter = Setter {
            words: &words,
            look: &look,
            spot: spot(canvas, captions.position),
            context: Context::of(words.iter().map(|word| word.text.as_str())),
            fonts,
            missing: Missing::default(),
            refused: None,
        };
        let spans = pages::break_pages(&words, look.max_words, end);
        let pages = spans.into_iter().enumerate();
        let pages: Vec<Page> = pages
            .filter_map(|(i, span)| setter.lay_out(i, &span))
            .collect();
        let (missing, refused) = (setter.missing, setter.refused);
        warn_of_refused(refused.as_ref(), "captions.words", report);
        if let Some(first) = missing.first_word {
            let chars: Vec<char> = missing.chars.into_iter().collect();
            warn_of_missing(&chars, &format!("captions.words[{first}].text"), report);
        }
        (!pages.is_empty()).then_some(CaptionTrack { look, pages, words })
    }
}

/// Characters that no font has, and the first word with one.
#[derive(Default)]
struct Missing {
    chars: BTreeSet<char>,
    first_word: Option<usize>,
}

impl Missing {
    /// Adds characters; `first_word` returns the first word that contains one of them.
    fn add(&mut self, chars: &[char], first_word: impl Fn(&[char]) -> Option<usize>) {
        if !chars.is_empty() {
            self.first_word = self.first_word.or_else(|| first_word(chars));
            self.chars.extend(chars);
        }
    }
}

/// Inputs for laying out pages.
struct Setter<'a> {
    words: &'a [Spoken],
    look: &'a Look,
    spot: Spot,
    context: Context,
    fonts: &'a Fonts,
    missing: Missing,
    refused: Option<Refused>,
}

impl Setter<'_> {
    fn lay_out(&mut self, index: usize, span: &pages::PageSpan) -> Option<Page> {
        let (words, look, spot) = (self.words, self.look, &self.spot);
        let case = (look.case, self.context.turkic);
        // A line may break between words written without spaces.
        let (text, bytes) = pages::page_text(words, &span.words, case, "\u{200b}");
        let block = self.fonts.layout(&TextRequest {
            text: &text,
            font: &look.font,
            size_px: look.size,
            line_height: look.line_height,
            max_width_px: spot.max_width,
            max_lines: look.max_lines,
            align: look.align,
            context: self.context,
        });
        Refused::join(&mut self.refused, block.refused.as_ref());
        self.missing.add(&block.missing, |lost| {
            let mut shown = span.words.clone().zip(&bytes);
            let first = shown.find(|(_, bytes)| text[(*bytes).clone()].contains(lost));
            first.map(|(i, _)| words[i].index)
        });
        let top = block.baselines.first().copied().unwrap_or(0.0) - block.cap_height_px;
        let bottom = block.baselines.last().copied().unwrap_or(0.0);
        let center = [spot.center[0], spot.center[1] + spot.nudge(top, bottom)];
        let ranges: Vec<Range<usize>> = bytes.iter().map(|b| block.glyphs_of(b)).collect();
        let of = Words {
            text: &text,
            glyphs: &ranges,
            first: span.words.start,
            page: index,
        };
        let mut sheet = Sheet::new(&block, center, &of, look)?;
        self.add_faces(&mut sheet, &text, &bytes);
        let shown = span.words.clone().map(|i| ShownWord {
            start: words[i].start,
            end: words[i].end,
        });
        let said = pages::page_text(words, &span.words, case, "");
        let most = TILT_EM * f64::from(sheet.size_px / sheet.frame.width.max(1.0));
        let tilt = f64::from(look.tilt).min(most);
        Some(Page {
            index,
            start: span.start,
            end: span.end,
            leaves: self.leaves(span),
            replaced: span.replaced,
            tilt: Seed::new(0, "tilt", index as u64).between(-tilt, tilt),
            words: shown.collect(),
            sheet,
            text: shown::Text {
                indexes: span.words.clone().map(|i| words[i].index).collect(),
                ink: block.ink.shifted(center),
                body: Rect {
                    y: center[1] + top,
                    height: bottom - top,
                    ..block.ink.shifted(center)
                },
                room: spot.room(),
                text: said.0,
                bytes: said.1,
            },
        })
    }

    /// Returns when a page starts to disappear.
    fn leaves(&self, span: &pages::PageSpan) -> Time {
        let last_word_end = self.words[span.words.end - 1].end;
        match span.replaced {
            true => span.end,
            false => last_word_end.max(span.end - self.look.exit).min(span.end),
        }
    }

    /// Shapes words again, each alone, in the faces of states that have their own face.
    fn add_faces(&self, sheet: &mut Sheet, text: &str, bytes: &[Range<usize>]) {
        let look = self.look;
        let states = [&look.idle, &look.active, &look.spoken];
        for (state, own) in states.into_iter().enumerate() {
            let Some(font) = own.as_ref().and_then(|word| word.font.as_ref()) else {
                continue;
            };
            for (i, bytes) in bytes.iter().enumerate() {
                // A broken word keeps its face: in another face it would break elsewhere.
                if sheet.words[i].parts.len() > 1 {
                    continue;
                }
                let block = self.fonts.layout(&TextRequest {
                    text: &text[bytes.clone()],
                    font,
                    size_px: sheet.size_px,
                    line_height: look.line_height,
                    // One line, however long.
                    max_width_px: 1e6,
                    max_lines: 1,
                    align: look.align,
                    context: self.context.within(sheet.rtl),
                });
                if !block.glyphs.is_empty() {
                    sheet.add_face(i, state, &block);
                }
            }
        }
    }
}

/// Warns about everything a block had to leave out.
fn warn_of_left_out(block: &TextBlock, path: &str, report: &mut Report) {
    warn_of_missing(&block.missing, path, report);
    warn_of_refused(block.refused.as_ref(), path, report);
}

/// Warns about characters whose glyphs are not drawn because they need too much work.
fn warn_of_refused(refused: Option<&Refused>, path: &str, report: &mut Report) {
    const SHOWN: usize = 20;
    let Some(refused) = refused else {
        return;
    };
    let shown: String = refused.chars.iter().take(SHOWN).collect();
    report.warn(Warning::new(
        "refused_glyph",
        path,
        format!(
            "the font \"{}\" is too complex to draw some of \"{shown}\": left out. Name another font",
            refused.family
        ),
    ));
}

/// Warns about characters that no font has, and names the Debian packages that would help.
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
        .filter_map(|c| crate::text::package_for(*c))
        .collect();
    let packages: Vec<&str> = packages.into_iter().collect();
    let help = match packages.as_slice() {
        [] => "Name a font that has them".to_owned(),
        some => format!(
            "Install {} (Debian), or name a font that has them",
            some.join(" and ")
        ),
    };
    report.warn(Warning::new(
        "missing_glyph",
        path,
        format!(
            "no font has {}{more}: left out. {help} in `fonts`",
            names.join(", "),
        ),
    ));
}
