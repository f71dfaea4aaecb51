//! The mask of one glyph at one quarter-pixel position, filled or widened, and color glyphs.

use swash::scale::image::{Content, Image};
use swash::scale::outline::Outline;
use swash::scale::{Render, Source, StrikeWith};
use swash::zeno::{Mask, Origin, Transform};

use super::face::Face;
use super::guard::{are_light, is_light};
use super::widen::{Grid, Piece, pieces_of, pieces_of_mask, widen};

/// Number of subpixel positions at which glyphs are drawn, per axis.
pub(super) const N_BINS: i32 = 4;

/// Largest em size, px.
pub(super) const MAX_SIZE_PX: f32 = 2000.0;

/// Above this em size, quarter-pixel positions come from moving the outline; below, from sampling a mask of four times the size.
const MAX_SUPERSAMPLED_PX: f32 = 256.0;

/// Identifies a glyph mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct GlyphKey {
    pub(super) font: u32,
    pub(super) id: u16,
    /// Bits of the em size in px.
    pub(super) size: u32,
    /// Quarter pixels right of and below the whole pixel, 0..4.
    pub(super) bin: [u8; 2],
    /// Bits of the widening in px.
    pub(super) spread: u32,
}

/// One glyph; its grid position is relative to the whole pixel of its origin.
#[derive(Clone, Debug, Default)]
pub(super) struct GlyphMask {
    pub(super) grid: Grid,
    /// Premultiplied RGBA, for color glyphs that are not widened.
    pub(super) color: Option<Vec<u8>>,
}

impl GlyphMask {
    /// Returns the memory it holds.
    pub(super) fn bytes(&self) -> usize {
        self.grid.coverage.len() + self.color.as_ref().map_or(0, Vec::len) + 128
    }
}

/// Maximum number of pixel distances computed for one glyph, summed over all pieces of its edge.
const MAX_DISTANCES: f32 = 1e9;

/// Draws a glyph. The mask is empty if the size is out of range, the glyph has no shape (white space), or an untrusted glyph needs too much work.
pub(super) fn draw(face: &Face, key: &GlyphKey) -> GlyphMask {
    let (size, spread) = (f32::from_bits(key.size), f32::from_bits(key.spread));
    if !(size > 0.0 && size <= MAX_SIZE_PX && (0.0..=MAX_SIZE_PX).contains(&spread)) {
        return GlyphMask::default();
    }
    if !face.draws(key.id) {
        return GlyphMask::default();
    }
    if let Some(mask) = color_glyph(face, key, size, spread) {
        return mask;
    }
    let fill = match supersampled(face, key, size) {
        Some(mask) => mask,
        None => outline(face, key, size),
    };
    if spread == 0.0 || fill.grid.coverage.is_empty() {
        return fill;
    }
    let pieces = shaped(face, key, size, |outline| pieces_of(outline.path()));
    let pieces = pieces.unwrap_or_default();
    if n_distances(&pieces, spread) > MAX_DISTANCES {
        return GlyphMask::default();
    }
    let grid = widen(&fill.grid, &pieces, spread);
    GlyphMask { grid, color: None }
}

/// Returns the number of pixel distances computed to widen a shape of these pieces.
fn n_distances(pieces: &[Piece], radius: f32) -> f32 {
    let across = 2.0 * (radius + 1.0);
    let area = |[a, b]: &Piece| ((a.x - b.x).abs() + across) * ((a.y - b.y).abs() + across);
    pieces.iter().map(area).sum()
}

/// Draws fontdue's exact-area coverage at four times the size, averaged over 4x4 samples from the wanted quarter pixel on, which is still exact.
fn supersampled(face: &Face, key: &GlyphKey, size: f32) -> Option<GlyphMask> {
    if size > MAX_SUPERSAMPLED_PX {
        return None;
    }
    let font = face.fontdue().filter(|font| key.id < font.glyph_count())?;
    let (metrics, fine) = font.rasterize_indexed(key.id, size * N_BINS as f32);
    // fontdue does not load every glyph; an empty result is left to the other rasterizer.
    if metrics.width == 0 || metrics.height == 0 || fine.iter().all(|v| *v == 0) {
        return None;
    }
    let left = metrics.xmin + i32::from(key.bin[0]);
    let top = -(metrics.ymin + metrics.height as i32) + i32::from(key.bin[1]);
    let (x, y) = (left.div_euclid(N_BINS), top.div_euclid(N_BINS));
    let (dx, dy) = (
        left.rem_euclid(N_BINS) as usize,
        top.rem_euclid(N_BINS) as usize,
    );
    let n = N_BINS as usize;
    let (width, height) = (
        (metrics.width + dx).div_ceil(n),
        (metrics.height + dy).div_ceil(n),
    );
    let mut sums = vec![0_u16; width * height];
    for (row, line) in fine.chunks_exact(metrics.width).enumerate() {
        let out = &mut sums[(row + dy) / n * width..][..width];
        for (column, value) in line.iter().enumerate() {
            out[(column + dx) / n] += u16::from(*value);
        }
    }
    let coverage = sums.into_iter().map(|sum| ((sum + 8) / 16) as u8).collect();
    let grid = Grid {
        x,
        y,
        width,
        height,
        coverage,
    };
    Some(GlyphMask { grid, color: None })
}

/// Fills the outline with swash and zeno.
fn outline(face: &Face, key: &GlyphKey, size: f32) -> GlyphMask {
    let filled = shaped(face, key, size, |outline| {
        let (coverage, place) = Mask::new(outline.path()).origin(Origin::TopLeft).render();
        Grid {
            x: place.left,
            y: place.top,
            width: place.width as usize,
            height: place.height as usize,
            coverage,
        }
    });
    GlyphMask {
        grid: filled.unwrap_or_default(),
        color: None,
    }
}

/// Calls `work` with the outline at its quarter pixel, y down; returns `None` for glyphs without an outline.
fn shaped<T>(
    face: &Face,
    key: &GlyphKey,
    size: f32,
    work: impl FnOnce(&Outline) -> T,
) -> Option<T> {
    face.scale(size, |scaler| {
        let mut outline = scaler.scale_outline(key.id).filter(|o| !o.is_empty())?;
        if face.embolden_em() > 0.0 {
            let strength = face.embolden_em() * size;
            outline.embolden(strength, strength);
        }
        // Outlines are y up, masks y down.
        let shift = |bin: u8| f32::from(bin) / N_BINS as f32;
        let (dx, dy) = (shift(key.bin[0]), shift(key.bin[1]));
        outline.transform(&Transform::new(1.0, 0.0, face.skew(), -1.0, dx, dy));
        is_light(outline.points(), outline.verbs()).then(|| work(&outline))
    })
}

/// Draws a glyph with its own colors; `None` if it has none.
fn color_glyph(face: &Face, key: &GlyphKey, size: f32, spread: f32) -> Option<GlyphMask> {
    let image = face.scale(size, |scaler| {
        if !scaler.has_color_outlines() && !scaler.has_color_bitmaps() {
            return None;
        }
        let outline = scaler.scale_color_outline(key.id);
        let source = match outline {
            Some(outline) if are_light(&outline) => Source::ColorOutline(0),
            None if face.draws_pictures(key.id) => Source::ColorBitmap(StrikeWith::BestFit),
            _ => return None,
        };
        Render::new(&[source]).render(scaler, key.id)
    })?;
    if image.content != Content::Color || image.placement.width == 0 {
        return None;
    }
    Some(from_image(image, spread))
}

fn from_image(image: Image, spread: f32) -> GlyphMask {
    let place = image.placement;
    let grid = Grid {
        x: place.left,
        y: -place.top,
        width: place.width as usize,
        height: place.height as usize,
        coverage: image.data.chunks_exact(4).map(|p| p[3]).collect(),
    };
    if spread > 0.0 {
        let grid = widen(&grid, &pieces_of_mask(&grid), spread);
        return GlyphMask { grid, color: None };
    }
    let scaled = |v: u8, a: u8| ((u16::from(v) * u16::from(a) + 127) / 255) as u8;
    let premultiplied = |p: &[u8]| {
        [
            scaled(p[0], p[3]),
            scaled(p[1], p[3]),
            scaled(p[2], p[3]),
            p[3],
        ]
    };
    let color = image.data.chunks_exact(4).flat_map(premultiplied).collect();
    GlyphMask {
        grid,
        color: Some(color),
    }
}
