//! Shapes a block of text once, breaks it into lines of similar length, and fits it into a width.

use std::collections::BTreeSet;
use std::ops::Range;

use parley::{FontWeight, Layout, LayoutContext};

use super::breaks::{break_lines, shape, spacing_em, span};
use super::engine::{Engine, Trust};
use super::face::FaceKey;
use super::fonts::Fonts;
use super::ink::Ink;
use super::script::Context;
use super::trust::guarded;
use crate::scene::draw::Glyph;
use crate::units::Rect;

/// Maximum length of shaped text in bytes; the rest is cut. Callers cut, with a warning, long before this.
const MAX_BYTES: usize = 16 * 1024;

/// Cap height assumed for a face that states none, em.
const USUAL_CAP_HEIGHT: f32 = 0.7;

/// A requested font.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FontRequest {
    /// Family name.
    pub(crate) family: String,
    /// 1 to 1000.
    pub(crate) weight: u16,
    /// Whether it is slanted.
    pub(crate) italic: bool,
    /// Space added after each letter, em.
    pub(crate) letter_spacing_em: f32,
}

/// Edge on which the lines of a block align.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Where lines start: left, or right in right-to-left text.
    Start,
    /// At their centers.
    Center,
    /// Where lines end.
    End,
}

impl Align {
    /// Returns the left end of a line in a block of width `widest` centered at 0.
    fn left(self, rtl: bool, width: f32, widest: f32) -> f32 {
        match (self, rtl) {
            (Align::Center, _) => -width / 2.0,
            (Align::Start, false) | (Align::End, true) => -widest / 2.0,
            (Align::Start, true) | (Align::End, false) => widest / 2.0 - width,
        }
    }
}

/// A layout request.
#[derive(Clone, Debug)]
pub(crate) struct TextRequest<'a> {
    /// Clean text ([`super::clean`]); `\n` breaks lines.
    pub(crate) text: &'a str,
    /// Requested font.
    pub(crate) font: &'a FontRequest,
    /// Em size, px.
    pub(crate) size_px: f32,
    /// Distance between baselines, em.
    pub(crate) line_height: f32,
    /// Maximum line width, px.
    pub(crate) max_width_px: f32,
    /// Maximum number of lines; text shrinks to 70 % before it takes more.
    pub(crate) max_lines: usize,
    /// How lines align.
    pub(crate) align: Align,
    /// Context of the text.
    pub(crate) context: Context,
}

/// A glyph's position in the text and in the block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed {
    /// Byte offset of its cluster in the text. A cluster is never shown in part.
    pub(crate) cluster: usize,
    /// The area it touches.
    pub(crate) ink: Rect,
    /// Pen positions left and right of it.
    pub(crate) pen: [f32; 2],
    pub(crate) line: usize,
    /// Whether it runs from right to left.
    pub(crate) rtl: bool,
}

/// Characters left out because of their glyphs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refused {
    /// The first family with such glyphs.
    pub(crate) family: String,
    /// Each once.
    pub(crate) chars: BTreeSet<char>,
}

impl Refused {
    /// Merges the characters that another block left out.
    pub(crate) fn join(all: &mut Option<Refused>, new: Option<&Refused>) {
        if let Some(new) = new {
            let all = all.get_or_insert_with(|| new.clone());
            all.chars.extend(&new.chars);
        }
    }
}

/// A laid-out block. The origin is its center: x the middle of the lines, y the middle between the first line's cap height and the last baseline.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TextBlock {
    /// In text order.
    pub(crate) glyphs: Vec<Glyph>,
    /// Position of each glyph.
    pub(crate) places: Vec<Placed>,
    /// Whether lines run from right to left.
    pub(crate) rtl: bool,
    /// Box of each line, top to bottom: as wide as its text and as high as the line height.
    pub(crate) lines: Vec<Rect>,
    /// Baseline of each line.
    pub(crate) baselines: Vec<f32>,
    /// The area the glyphs touch.
    pub(crate) ink: Rect,
    /// Em size after fitting, px.
    pub(crate) size_px: f32,
    /// Height of a capital letter, px.
    pub(crate) cap_height_px: f32,
    /// Characters that no font has; they are left out.
    pub(crate) missing: Vec<char>,
    /// Characters left out because their glyphs need more work than any real glyph, with the family that has them.
    pub(crate) refused: Option<Refused>,
}

impl Fonts {
    /// Shapes and breaks a text. Sizes out of range and empty texts return an empty block.
    pub(crate) fn layout(&self, request: &TextRequest<'_>) -> TextBlock {
        let text = &request.text[..request.text.floor_char_boundary(MAX_BYTES)];
        let sane = |v: f32| v.is_finite() && v > 0.0;
        if text.is_empty() || !sane(request.size_px) || !sane(request.max_width_px) {
            return TextBlock::default();
        }
        // Only an untrusted font can make the shaper give up; the text is then set in bundled fonts.
        let block = self.layout_in(request, text, Trust::All);
        block
            .or_else(|| self.layout_in(request, text, Trust::Bundled))
            .unwrap_or_default()
    }

    /// Returns `None` if the shaper gave up.
    fn layout_in(&self, request: &TextRequest<'_>, text: &str, trust: Trust) -> Option<TextBlock> {
        let mut engine = self.engine();
        let region = request.context.han_region();
        let families = engine.families(&request.font.family, text, (region, trust));
        let shaped = guarded(|| {
            let mut layout = shape(&mut engine, request, &families, text);
            let fit = break_lines(&mut layout, request);
            (layout, fit)
        });
        let Some((layout, fit)) = shaped else {
            engine.layouts = LayoutContext::new();
            return None;
        };
        let mut block = TextBlock {
            size_px: request.size_px * fit,
            rtl: layout.is_rtl(),
            ..TextBlock::default()
        };
        block.cap_height_px =
            self.cap_height(&mut engine, &families.names, request) * block.size_px;
        self.place(&mut engine, &layout, request, &mut block);
        block.sort_by_text();
        block.missing = families.missing;
        Some(block)
    }

    /// Returns the cap height in em of the first family's face, so that all pages of a style share the same baselines.
    fn cap_height(
        &self,
        engine: &mut Engine,
        families: &[String],
        request: &TextRequest<'_>,
    ) -> f32 {
        let Some(family) = families.first() else {
            return USUAL_CAP_HEIGHT;
        };
        let context = &mut engine.context;
        let height = context.collection.family_by_name(family).and_then(|info| {
            let weight = FontWeight::new(f32::from(request.font.weight));
            let font = info.match_font(
                parley::FontWidth::NORMAL,
                request.font.style(),
                weight,
                true,
            )?;
            let blob = font.load(Some(&mut context.source_cache))?;
            let face = swash::FontRef::from_index(blob.as_ref(), font.index() as usize)?;
            Some(face.metrics(&[]).scale(1.0).cap_height)
        });
        height
            .filter(|h| (0.3..1.2).contains(h))
            .unwrap_or(USUAL_CAP_HEIGHT)
    }

    /// Fills in glyphs, lines and ink from broken lines. Shaping is linear in the size, so fitting multiplies every length by a factor.
    fn place(
        &self,
        engine: &mut Engine,
        layout: &Layout<()>,
        request: &TextRequest<'_>,
        block: &mut TextBlock,
    ) {
        let fit = block.size_px / request.size_px;
        let pitch = request.line_height * block.size_px;
        let spacing = spacing_em(request) * block.size_px;
        let mut ink = Ink::default();
        let n_lines = layout.len();
        let spans: Vec<(f32, f32)> = layout
            .lines()
            .map(|line| span(&line, fit, spacing))
            .collect();
        let widest = spans.iter().map(|(l, r)| r - l).fold(0.0, f32::max);
        for (i, (line, (left, right))) in layout.lines().zip(spans).enumerate() {
            let middle = (i as f32 - (n_lines - 1) as f32 / 2.0) * pitch;
            let baseline = middle + block.cap_height_px / 2.0;
            let width = right - left;
            let x = request.align.left(block.rtl, width, widest);
            let mut pen = x - left;
            for run in line.runs() {
                let font = self.run_face(engine, &run);
                for cluster in run.visual_clusters() {
                    for glyph in cluster.glyphs() {
                        let origin = (pen + glyph.x * fit, baseline + glyph.y * fit);
                        let left = pen;
                        pen += glyph.advance * fit;
                        let (Some(font), Ok(id)) = (font, u16::try_from(glyph.id)) else {
                            continue;
                        };
                        let text = &request.text[cluster.text_range()];
                        if id == 0 || self.refuses(font, id, text, block) {
                            continue;
                        }
                        let glyph = Glyph {
                            font,
                            id,
                            size_px: run.font_size() * fit,
                            x: origin.0,
                            y: origin.1,
                        };
                        let own = self.ink_of(&glyph);
                        ink.join(&own);
                        block.glyphs.push(glyph);
                        block.places.push(Placed {
                            cluster: cluster.text_range().start,
                            ink: own.rect(),
                            pen: [left, pen],
                            line: i,
                            rtl: run.is_rtl(),
                        });
                    }
                }
            }
            block.baselines.push(baseline);
            block.lines.push(Rect {
                x,
                y: middle - pitch / 2.0,
                width,
                height: pitch,
            });
        }
        block.ink = ink.rect();
    }

    /// Returns whether a glyph needs too much work; if so, records its characters.
    fn refuses(&self, font: u32, glyph: u16, text: &str, block: &mut TextBlock) -> bool {
        let Some(face) = self.face(font).filter(|face| !face.draws(glyph)) else {
            return false;
        };
        let refused = block.refused.get_or_insert_with(|| Refused {
            family: face.family(),
            chars: BTreeSet::new(),
        });
        refused.chars.extend(text.chars());
        true
    }

    fn ink_of(&self, glyph: &Glyph) -> Ink {
        let mut ink = Ink::default();
        if let Some(face) = self.face(glyph.font) {
            guarded(|| ink.add(glyph, &face));
        }
        ink
    }

    fn run_face(&self, engine: &mut Engine, run: &parley::Run<'_, ()>) -> Option<u32> {
        let synthesis = run.synthesis();
        let key = FaceKey {
            blob: run.font().data.id(),
            index: run.font().index,
            coords: run
                .normalized_coords()
                .iter()
                .map(|c| c.to_bits())
                .collect(),
            embolden: synthesis.embolden(),
            // fontique only ever suggests whole degrees.
            skew_degrees: synthesis.skew().unwrap_or(0.0) as i8,
        };
        self.face_id(engine, key, run.font())
    }
}

impl TextBlock {
    /// Sorts glyphs by their position in the text, so that each word's glyphs are one range; they arrive line by line from left to right.
    fn sort_by_text(&mut self) {
        let mut order: Vec<usize> = (0..self.glyphs.len()).collect();
        order.sort_by_key(|i| self.places[*i].cluster);
        self.glyphs = order.iter().map(|i| self.glyphs[*i]).collect();
        self.places = order.iter().map(|i| self.places[*i].clone()).collect();
    }

    /// Returns the indices of a line's glyphs.
    pub(crate) fn glyphs_in(&self, line: usize) -> Range<usize> {
        let start = self.places.partition_point(|p| p.line < line);
        start..self.places.partition_point(|p| p.line <= line)
    }

    /// Returns the indices of the glyphs that show these bytes of the text.
    pub(crate) fn glyphs_of(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.places.partition_point(|p| p.cluster < bytes.start);
        let end = self.places.partition_point(|p| p.cluster < bytes.end);
        start..end
    }

    /// Returns the bounding box of all lines.
    pub(crate) fn frame(&self) -> Rect {
        let left = self.lines.iter().map(|l| l.x).fold(f32::MAX, f32::min);
        let right = self
            .lines
            .iter()
            .map(|l| l.x + l.width)
            .fold(f32::MIN, f32::max);
        match (self.lines.first(), self.lines.last()) {
            (Some(first), Some(last)) => Rect {
                x: left,
                y: first.y,
                width: right - left,
                height: last.y + last.height - first.y,
            },
            _ => Rect::default(),
        }
    }
}
