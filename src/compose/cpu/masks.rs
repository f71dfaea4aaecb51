//! Coverage of glyph runs, kept as long as it is used.

use std::sync::Arc;

use super::cache::Lru;
use crate::plan::draw::GlyphRun;
use crate::text::{Fonts, RunMask};

/// Memory for masks that the current frame does not show, bytes.
const MASK_BYTES: usize = 16 << 20;

/// Draws masks with the text room's fonts and remembers them.
#[derive(Debug)]
pub(super) struct MaskStore {
    fonts: Fonts,
    masks: Lru<Vec<u32>, RunMask>,
}

impl MaskStore {
    /// No masks yet.
    pub fn new(fonts: &Fonts) -> MaskStore {
        MaskStore {
            fonts: fonts.clone(),
            masks: Lru::new(MASK_BYTES),
        }
    }

    /// What only the frames before used may go.
    pub fn begin_frame(&mut self) {
        self.masks.begin_frame();
    }

    /// The coverage of a run, from the cache if it was drawn before.
    pub fn mask(&mut self, run: &GlyphRun) -> Arc<RunMask> {
        let key = mask_key(run);
        if let Some(mask) = self.masks.get(&key) {
            return mask;
        }
        let mask = self.fonts.rasterize(run);
        let n_bytes = mask.coverage.len() + mask.color.as_ref().map_or(0, Vec::len) + key.len() * 4;
        self.masks.insert(key, mask, n_bytes)
    }

    /// Gives a run a mask, whatever the fonts would draw.
    #[cfg(test)]
    pub fn set(&mut self, run: &GlyphRun, mask: RunMask) {
        self.masks.insert(mask_key(run), mask, 0);
    }
}

/// Everything that a run's coverage depends on: all but its paint.
fn mask_key(run: &GlyphRun) -> Vec<u32> {
    let glyphs = run.glyphs.get(run.range.clone()).unwrap_or_default();
    let mut key = vec![
        run.spread_px.to_bits(),
        run.blur_px.to_bits(),
        run.offset[0].to_bits(),
        run.offset[1].to_bits(),
    ];
    for glyph in glyphs {
        key.extend([
            glyph.font,
            u32::from(glyph.id),
            glyph.size_px.to_bits(),
            glyph.x.to_bits(),
            glyph.y.to_bits(),
        ]);
    }
    key
}
