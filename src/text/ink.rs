//! The area that glyphs touch, from their outlines.

use swash::zeno::Transform;

use super::face::Face;
use crate::scene::draw::Glyph;
use crate::units::Rect;

/// The bounding box of outlines.
pub(super) struct Ink {
    min: [f32; 2],
    max: [f32; 2],
}

impl Default for Ink {
    fn default() -> Ink {
        Ink {
            min: [f32::MAX; 2],
            max: [f32::MIN; 2],
        }
    }
}

impl Ink {
    /// Adds a glyph.
    pub(super) fn add(&mut self, glyph: &Glyph, face: &Face) {
        if !face.draws(glyph.id) {
            return;
        }
        let size = glyph.size_px;
        let bounds = face.scale(size, |scaler| {
            if let Some(mut outline) = scaler.scale_outline(glyph.id)
                && !outline.is_empty()
            {
                let skew = face.skew();
                outline.transform(&Transform::new(1.0, 0.0, skew, 1.0, 0.0, 0.0));
                let b = outline.bounds();
                let wide = face.embolden_em() * size;
                return Some([
                    b.min.x - wide,
                    -b.max.y - wide,
                    b.max.x + wide,
                    -b.min.y + wide,
                ]);
            }
            // Bitmap glyphs (emoji) cover about an em square on the baseline.
            let bitmap = scaler.has_color_bitmaps() || scaler.has_bitmaps();
            bitmap.then_some([-0.2 * size, -1.2 * size, 1.5 * size, 0.5 * size])
        });
        let Some([left, top, right, bottom]) = bounds else {
            return;
        };
        self.min = [
            self.min[0].min(glyph.x + left),
            self.min[1].min(glyph.y + top),
        ];
        self.max = [
            self.max[0].max(glyph.x + right),
            self.max[1].max(glyph.y + bottom),
        ];
    }

    /// Adds everything in `other`.
    pub(super) fn join(&mut self, other: &Ink) {
        for axis in 0..2 {
            self.min[axis] = self.min[axis].min(other.min[axis]);
            self.max[axis] = self.max[axis].max(other.max[axis]);
        }
    }

    /// Returns the bounding box of all added glyphs; empty if none has ink.
    pub(super) fn rect(&self) -> Rect {
        if self.min[0] > self.max[0] {
            return Rect::default();
        }
        Rect {
            x: self.min[0],
            y: self.min[1],
            width: self.max[0] - self.min[0],
            height: self.max[1] - self.min[1],
        }
    }
}
