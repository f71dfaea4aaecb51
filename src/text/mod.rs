//! Turns words into shaped, positioned glyphs, and glyphs into coverage.
//!
//! Input: text, a font request, a width. Output: lines of glyphs with their cluster's position in the text; coverage masks of glyph runs.
//! It knows nothing about styles, time or colors.

mod bitmaps;
mod blur;
#[cfg(test)]
mod bombs;
mod breaks;
mod cache;
mod charstring;
mod clean;
mod emoji;
mod engine;
mod face;
mod fonts;
mod glyf;
mod glyph;
mod guard;
#[cfg(test)]
mod hostile;
mod ink;
mod installed;
mod layout;
mod lookups;
mod raster;
mod script;
#[cfg(test)]
mod tests;
mod trust;
mod weigh;
mod widen;

pub(crate) use clean::{clean, package_for};
pub(crate) use fonts::BUNDLED;
pub use fonts::Fonts;
pub(crate) use layout::{Align, FontRequest, Placed, Refused, TextBlock, TextRequest};
pub(crate) use raster::RunKey;
pub(crate) use script::{Context, joins_letters, joins_without_space, stands_alone};

/// The coverage of a glyph run on the pixel grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunMask {
    /// Canvas column of the first mask column.
    pub x: i32,
    /// Canvas row of the first mask row.
    pub y: i32,
    /// Number of columns; 0 if nothing is covered.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// `width*height` coverage values, 255 full.
    pub coverage: Vec<u8>,
    /// Premultiplied RGBA of color glyphs (emoji), `width*height*4`, drawn over the painted coverage; `None` if the run has none.
    pub color: Option<Vec<u8>>,
}

impl RunMask {
    /// Returns the memory of the values.
    pub(crate) fn n_bytes(&self) -> usize {
        self.coverage.len() + self.color.as_ref().map_or(0, Vec::len)
    }
}
