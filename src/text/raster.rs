//! Turns glyph runs into coverage masks: glyphs are merged, then widened, blurred and shifted as requested.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::RunMask;
use super::blur;
use super::fonts::{Fonts, lock};
use super::glyph::{self, GlyphKey, GlyphMask, MAX_SIZE_PX, N_BINS};
use super::trust::guarded;
use crate::scene::draw::{Glyph, GlyphRun};
use crate::units::within;

/// Range of canvas coordinates in which glyphs are drawn, px: the largest canvas plus a margin.
const FIELD: std::ops::Range<i32> = -256..3840 + 256;

/// Maximum number of glyphs drawn in one run.
const MAX_GLYPHS: usize = 20_000;

/// Maximum spread and blur, px.
const MAX_SPREAD_PX: f32 = 200.0;
const MAX_BLUR_PX: f32 = 200.0;

/// Identifies a run's mask: glyph array (kept alive, so its address stays unique), range, spread, blur, offset; everything but the paint.
#[derive(Clone, Debug)]
pub(crate) struct RunKey {
    glyphs: Arc<[Glyph]>,
    range: (usize, usize),
    numbers: [u32; 4],
}

impl PartialEq for RunKey {
    fn eq(&self, other: &RunKey) -> bool {
        Arc::ptr_eq(&self.glyphs, &other.glyphs)
            && self.range == other.range
            && self.numbers == other.numbers
    }
}

impl Eq for RunKey {}

impl Hash for RunKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (
            Arc::as_ptr(&self.glyphs).cast::<Glyph>(),
            self.range,
            self.numbers,
        )
            .hash(state);
    }
}

impl RunKey {
    /// Creates the key of a run.
    pub(crate) fn new(run: &GlyphRun) -> RunKey {
        RunKey {
            glyphs: run.glyphs.clone(),
            range: (run.range.start, run.range.end),
            numbers: [run.spread_px, run.blur_px, run.offset[0], run.offset[1]].map(f32::to_bits),
        }
    }

    /// Returns the memory of the glyphs it keeps alive.
    pub(crate) fn n_bytes(&self) -> usize {
        size_of::<RunKey>() + size_of_val(&*self.glyphs)
    }
}

impl Fonts {
    /// Rasterizes a run: merged coverage, widened, blurred and shifted as requested, clipped to 3840x3840 px plus margins. Masks in use are cached.
    ///
    /// Glyphs sit on quarter pixels. Values out of range (sizes above 2000 px, spreads or blurs above 200 px, non-finite numbers) give an empty mask.
    pub fn rasterize(&self, run: &GlyphRun) -> Arc<RunMask> {
        let numbers = [run.spread_px, run.blur_px, run.offset[0], run.offset[1]];
        let in_range = (0.0..=MAX_SPREAD_PX).contains(&run.spread_px)
            && (0.0..=MAX_BLUR_PX).contains(&run.blur_px)
            && numbers.iter().all(|n| n.is_finite());
        let Some(glyphs) = run.glyphs.get(run.range.clone()).filter(|_| in_range) else {
            return Arc::default();
        };
        let key = RunKey::new(run);
        let key_bytes = key.n_bytes();
        let bytes = |mask: &RunMask| key_bytes + mask.n_bytes();
        if let Some(mask) = lock(&self.shared.runs).get(&key, bytes) {
            return mask;
        }
        let mask = Arc::new(self.draw_run(run, glyphs));
        let size = bytes(&mask);
        lock(&self.shared.runs).put(key, mask.clone(), size);
        mask
    }

    /// Sets a run's mask, regardless of what the fonts would draw.
    #[cfg(test)]
    pub(crate) fn plant(&self, run: &GlyphRun, mask: RunMask) {
        lock(&self.shared.runs).put(RunKey::new(run), Arc::new(mask), 0);
    }

    fn draw_run(&self, run: &GlyphRun, glyphs: &[Glyph]) -> RunMask {
        let placed: Vec<Placed> = glyphs
            .iter()
            .take(MAX_GLYPHS)
            .filter_map(|glyph| self.place_glyph(glyph, run))
            .collect();
        let margin = blur::margin(run.blur_px) as i32;
        let mut mask = empty_around(&placed, margin);
        if mask.width == 0 {
            return RunMask::default();
        }
        let keeps_color = run.spread_px == 0.0 && run.blur_px == 0.0;
        for glyph in &placed {
            match &glyph.mask.color {
                Some(color) if keeps_color => add_color(&mut mask, glyph, color),
                _ => unite(&mut mask, glyph),
            }
        }
        blur::blur(&mut mask.coverage, mask.width as usize, run.blur_px);
        mask
    }

    fn place_glyph(&self, glyph: &Glyph, run: &GlyphRun) -> Option<Placed> {
        let sane = |v: f32| v.is_finite() && v.abs() < 1e5;
        let (x, y) = (glyph.x + run.offset[0], glyph.y + run.offset[1]);
        if !(sane(x) && sane(y) && glyph.size_px > 0.0 && glyph.size_px <= MAX_SIZE_PX) {
            return None;
        }
        let (qx, qy) = (quarters(x), quarters(y));
        let key = GlyphKey {
            font: glyph.font,
            id: glyph.id,
            size: glyph.size_px.to_bits(),
            bin: [qx.rem_euclid(N_BINS) as u8, qy.rem_euclid(N_BINS) as u8],
            // -0.0 is in range and means no widening.
            spread: (run.spread_px + 0.0).to_bits(),
        };
        let mask = self.glyph_mask(&key)?;
        Some(Placed {
            x: qx.div_euclid(N_BINS) + mask.grid.x,
            y: qy.div_euclid(N_BINS) + mask.grid.y,
            mask,
        })
        .filter(|placed| placed.mask.grid.width > 0 && placed.touches_field())
    }

    fn glyph_mask(&self, key: &GlyphKey) -> Option<Arc<GlyphMask>> {
        if let Some(mask) = lock(&self.shared.glyphs).get(key, GlyphMask::bytes) {
            return Some(mask);
        }
        let face = self.face(key.font)?;
        // Even a checked face may have a glyph on which its reader gives up; that glyph stays empty.
        let mask = guarded(|| glyph::draw(&face, key)).unwrap_or_default();
        let mask = Arc::new(mask);
        lock(&self.shared.glyphs).put(*key, mask.clone(), mask.bytes());
        Some(mask)
    }
}

fn quarters(v: f32) -> i32 {
    (v * N_BINS as f32).round() as i32
}

/// A glyph's mask on the canvas.
struct Placed {
    x: i32,
    y: i32,
    mask: Arc<GlyphMask>,
}

impl Placed {
    fn right(&self) -> i32 {
        self.x + self.mask.grid.width as i32
    }

    fn bottom(&self) -> i32 {
        self.y + self.mask.grid.height as i32
    }

    fn touches_field(&self) -> bool {
        self.x < FIELD.end
            && self.y < FIELD.end
            && self.right() > FIELD.start
            && self.bottom() > FIELD.start
    }
}

/// Returns an empty mask around glyphs, grown by `margin`, inside the field.
fn empty_around(placed: &[Placed], margin: i32) -> RunMask {
    let around = |low: i32, high: i32| {
        let low = (low - margin).clamp(FIELD.start, FIELD.end);
        (low, within(high + margin, low, FIELD.end))
    };
    let (Some(left), Some(top)) = (
        placed.iter().map(|p| p.x).min(),
        placed.iter().map(|p| p.y).min(),
    ) else {
        return RunMask::default();
    };
    let right = placed.iter().map(Placed::right).max().unwrap_or(left);
    let bottom = placed.iter().map(Placed::bottom).max().unwrap_or(top);
    let ((x, right), (y, bottom)) = (around(left, right), around(top, bottom));
    let (width, height) = ((right - x) as u32, (bottom - y) as u32);
    if width == 0 || height == 0 {
        return RunMask::default();
    }
    RunMask {
        x,
        y,
        width,
        height,
        coverage: vec![0; width as usize * height as usize],
        color: None,
    }
}

/// Returns the rows where a glyph's mask overlaps the run's mask: offset in the run's, offset in the glyph's, length.
fn overlap(mask: &RunMask, glyph: &Placed) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
    let left = glyph.x.max(mask.x);
    let right = glyph.right().min(mask.x + mask.width as i32);
    let top = glyph.y.max(mask.y);
    let bottom = glyph.bottom().min(mask.y + mask.height as i32);
    let (mx, my, mw) = (mask.x, mask.y, mask.width as usize);
    let (gx, gy, gw) = (glyph.x, glyph.y, glyph.mask.grid.width);
    let length = (right - left).max(0) as usize;
    (top..bottom.max(top))
        .filter(move |_| length > 0)
        .map(move |y| {
            let to = (y - my) as usize * mw + (left - mx) as usize;
            let from = (y - gy) as usize * gw + (left - gx) as usize;
            (to, from, length)
        })
}

/// Takes the larger coverage, so that the overlap of neighboring strokes does not show.
fn unite(mask: &mut RunMask, glyph: &Placed) {
    for (to, from, length) in overlap(mask, glyph) {
        let line = &glyph.mask.grid.coverage[from..from + length];
        for (o, v) in mask.coverage[to..to + length].iter_mut().zip(line) {
            *o = (*o).max(*v);
        }
    }
}

/// Draws a color glyph over the earlier ones.
fn add_color(mask: &mut RunMask, glyph: &Placed, color: &[u8]) {
    let rows: Vec<_> = overlap(mask, glyph).collect();
    let size = mask.coverage.len() * 4;
    let sheet = mask.color.get_or_insert_with(|| vec![0; size]);
    for (to, from, length) in rows {
        let line = color[4 * from..4 * (from + length)].chunks_exact(4);
        for (o, v) in sheet[4 * to..4 * (to + length)]
            .chunks_exact_mut(4)
            .zip(line)
        {
            let keep = 255 - u16::from(v[3]);
            for (o, v) in o.iter_mut().zip(v) {
                *o = v.saturating_add(((u16::from(*o) * keep + 127) / 255) as u8);
            }
        }
    }
}
