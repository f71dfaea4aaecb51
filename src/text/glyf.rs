//! Measures the work of a TrueType outline: its points, with those of components counted at each use, times the variations that move them.

use std::collections::HashMap;

use skrifa::raw::tables::gvar::Gvar;
use skrifa::raw::tables::loca::Loca;
use skrifa::raw::{FontData, TableProvider};
use skrifa::{FontRef, GlyphId};

/// Maximum number of components of a glyph; nested ones count at each use. Real fonts have a dozen.
const MAX_PARTS: u64 = 1000;

/// Number of point variations that cost as much as drawing one point; each is just an addition.
const VARIATIONS_A_POINT: u64 = 8;

/// Maximum nesting depth of components.
const MAX_DEPTH: usize = 16;

/// Component flags (OpenType specification, `glyf`).
const WORDS: u16 = 0x1;
const SCALE: u16 = 0x8;
const MORE: u16 = 0x20;
const SCALE_XY: u16 = 0x40;
const SCALE_2X2: u16 = 0x80;

/// Cost of drawing a glyph.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    parts: u64,
    points: u64,
}

/// The outlines of a TrueType face, with the known costs.
pub(super) struct Glyphs<'a> {
    glyf: FontData<'a>,
    loca: Loca<'a>,
    gvar: Option<Gvar<'a>>,
    known: HashMap<u16, Cost>,
}

impl<'a> Glyphs<'a> {
    /// Returns the outlines, or `None` if the face has none of this kind.
    pub(super) fn of(font: &FontRef<'a>) -> Option<Glyphs<'a>> {
        Some(Glyphs {
            glyf: font.glyf().ok()?.offset_data(),
            loca: font.loca(None).ok()?,
            gvar: font.gvar().ok(),
            known: HashMap::new(),
        })
    }

    /// Returns the points computed for a glyph, or `None` if it has too many components.
    pub(super) fn work(&mut self, glyph: u16) -> Option<u64> {
        let cost = self.cost(glyph, 0)?;
        (cost.parts <= MAX_PARTS).then_some(cost.points)
    }

    /// Returns the cost of a glyph, or `None` if its components nest too deep.
    fn cost(&mut self, glyph: u16, depth: usize) -> Option<Cost> {
        if depth > MAX_DEPTH {
            return None;
        }
        if let Some(known) = self.known.get(&glyph) {
            return Some(*known);
        }
        let (n_points, parts) = self.content(glyph);
        let mut cost = Cost {
            parts: 1,
            points: n_points + n_points * self.n_variations(glyph) / VARIATIONS_A_POINT,
        };
        for part in parts {
            let part = self.cost(part, depth + 1)?;
            cost.parts += part.parts;
            cost.points = cost.points.saturating_add(part.points);
            if cost.parts > MAX_PARTS {
                break;
            }
        }
        self.known.insert(glyph, cost);
        Some(cost)
    }

    /// Returns the number of points of a glyph, and its component glyphs.
    fn content(&self, glyph: u16) -> (u64, Vec<u16>) {
        let empty = (0, Vec::new());
        let at = usize::from(glyph);
        let (Some(start), Some(end)) = (self.loca.get_raw(at), self.loca.get_raw(at + 1)) else {
            return empty;
        };
        let Some(bytes) = self.glyf.slice(start as usize..end as usize) else {
            return empty;
        };
        let number = |at: usize| bytes.read_at::<u16>(at).ok();
        match number(0) {
            None | Some(0) => empty,
            // A negative number of contours marks a composite glyph.
            Some(0x8000..) => {
                let parts = parts(&bytes);
                (parts.len() as u64, parts)
            }
            Some(n) => {
                let last = number(10 + 2 * (usize::from(n) - 1)).unwrap_or(0);
                (u64::from(last) + 1, Vec::new())
            }
        }
    }

    /// Returns the number of variations of a glyph.
    fn n_variations(&self, glyph: u16) -> u64 {
        let Some(gvar) = &self.gvar else {
            return 0;
        };
        let data = gvar.data_for_gid(GlyphId::from(glyph)).ok().flatten();
        let count = data.and_then(|data| data.read_at::<u16>(0).ok());
        // OpenType specification, "GlyphVariationData header": the upper four bits are flags.
        u64::from(count.unwrap_or(0) & 0x0fff)
    }
}

fn parts(bytes: &FontData<'_>) -> Vec<u16> {
    let number = |at: usize| bytes.read_at::<u16>(at).ok();
    let (mut parts, mut at) = (Vec::new(), 10);
    while let (Some(flags), Some(part)) = (number(at), number(at + 2)) {
        parts.push(part);
        at += 4 + if flags & WORDS != 0 { 4 } else { 2 };
        at += match () {
            () if flags & SCALE != 0 => 2,
            () if flags & SCALE_XY != 0 => 4,
            () if flags & SCALE_2X2 != 0 => 8,
            () => 0,
        };
        if flags & MORE == 0 || parts.len() as u64 > MAX_PARTS {
            break;
        }
    }
    parts
}
