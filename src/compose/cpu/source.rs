//! Sampling of pictures and sheets through a map.

use std::sync::Arc;

use super::bilinear::{self, Sight};
use super::lanes::madd;
use super::sheet::{Px, Sheet};
use super::taps;
use crate::compose::sampling::{MipLevel, SampledMap};
use crate::media::Picture;
use crate::scene::draw::Edge;

/// Points with a smaller homogeneous coordinate lie on or behind the horizon; it is 1 at the source's center.
const MIN_W: f32 = 1e-6;

/// Limit of level coordinates before they are converted to integers.
const MAX_LEVEL_PX: f32 = 1e6;

/// The pixels of one mip level.
#[derive(Clone, Debug)]
pub(super) enum Pixels {
    /// A picture at full size.
    Picture(Arc<Picture>),
    /// A smaller level of a picture.
    Mip(Arc<MipLevel>),
    /// A sheet or one of its levels.
    Sheet(Arc<Sheet>),
}

/// One map of a pose with the pixels it samples.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// Map from the canvas to those pixels.
    pub map: SampledMap,
    /// Pixels of the map's level.
    pub pixels: Pixels,
}

/// Filter for the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    /// Four taps per axis.
    CatmullRom,
    /// Two taps per axis.
    Bilinear,
}

/// The pixels a view samples.
enum Samples<'a> {
    Bytes(Grid<'a, u8>),
    Floats(Grid<'a, f32>),
}

impl View {
    fn samples(&self) -> Samples<'_> {
        let size = self.map.level_size;
        match &self.pixels {
            Pixels::Picture(p) => Samples::Bytes(Grid::new(&p.rgba, size)),
            Pixels::Mip(m) => Samples::Bytes(Grid::new(&m.rgba, size)),
            Pixels::Sheet(s) => Samples::Floats(Grid::new(s.px.as_flattened(), size)),
        }
    }
}

/// Value of one byte step.
const PER_BYTE: f32 = 1.0 / 255.0;

/// Adds `gain` times the samples of all views at the pixel centers `x, x + 1, ...` of row `y` to `out`.
pub(super) fn add_samples(
    views: &[Option<View>],
    (edge, filter): (Edge, Filter),
    at: [i32; 2],
    gain: f32,
    out: &mut [Px],
) {
    let (mut bytes, mut floats) = (Vec::new(), Vec::new());
    for view in views.iter().flatten() {
        let ray = Ray::new(&view.map, edge, at);
        match (view.samples(), filter) {
            (Samples::Bytes(grid), Filter::Bilinear) => bytes.push(Sight::new(ray, grid)),
            (Samples::Floats(grid), Filter::Bilinear) => floats.push(Sight::new(ray, grid)),
            (Samples::Bytes(grid), Filter::CatmullRom) => {
                taps::add_bytes(&ray, grid, gain * PER_BYTE, out);
            }
            (Samples::Floats(grid), Filter::CatmullRom) => {
                taps::add_floats(&ray, grid, gain, out);
            }
        }
    }
    if !bytes.is_empty() {
        bilinear::add_bytes(&bytes, gain * PER_BYTE, out);
    }
    if !floats.is_empty() {
        bilinear::add_floats(&floats, gain, out);
    }
}

/// Pixels of four channels, rows without padding.
#[derive(Clone, Copy)]
pub(super) struct Grid<'a, T> {
    /// `width*height*4` values.
    pub data: &'a [T],
    /// Columns.
    pub width: i32,
    /// Rows.
    pub height: i32,
}

impl<'a, T> Grid<'a, T> {
    fn new(data: &'a [T], [width, height]: [u32; 2]) -> Grid<'a, T> {
        debug_assert_eq!(data.len(), width as usize * height as usize * 4);
        Grid {
            data,
            width: width as i32,
            height: height as i32,
        }
    }
}

/// A canvas row in level px: numerators and denominator are linear in x.
pub(super) struct Ray<'a> {
    map: &'a SampledMap,
    edge: Edge,
    /// Center of the first pixel.
    x: f32,
    /// `u*w`, `v*w` and `w` at x = 0.
    start: [f32; 3],
    /// Canvas px per level px across each border, if the map is affine.
    affine: Option<[f32; 2]>,
}

impl<'a> Ray<'a> {
    fn new(map: &'a SampledMap, edge: Edge, [x, y]: [i32; 2]) -> Ray<'a> {
        let m = &map.canvas_to_level;
        let y = y as f32 + 0.5;
        let steepness = |dx: f32, dy: f32| 1.0 / (dx * dx + dy * dy).sqrt().max(1e-12);
        Ray {
            map,
            edge,
            x: x as f32 + 0.5,
            start: [m[1] * y + m[2], m[4] * y + m[5], m[7] * y + m[8]],
            affine: (m[6] == 0.0 && m[7] == 0.0)
                .then(|| [steepness(m[0], m[1]), steepness(m[3], m[4])]),
        }
    }

    /// Returns how taps outside the level's pixels are resolved.
    pub fn tap_edge(&self) -> Edge {
        match self.map.is_window {
            true => Edge::Clamp,
            false => self.edge,
        }
    }

    /// Returns whether a canvas row maps to a single source row.
    pub fn is_level(&self) -> bool {
        self.affine.is_some() && self.map.canvas_to_level[3] == 0.0
    }

    /// Computes where [`CHUNK`] pixels from the `first`-th on are sampled. Each step is a loop without branches, so that it becomes vector code.
    #[inline(always)]
    pub fn places<const FMA: bool>(&self, first: usize, to: &mut Places) {
        let m = &self.map.canvas_to_level;
        for i in 0..CHUNK {
            let x = self.x + (first + i) as f32;
            to.u[i] = madd::<FMA>(m[0], x, self.start[0]);
            to.v[i] = madd::<FMA>(m[3], x, self.start[1]);
            to.cover[i] = 1.0;
        }
        let is_transparent = self.edge == Edge::Transparent;
        match self.affine {
            Some(per_px) if is_transparent => {
                for i in 0..CHUNK {
                    to.cover[i] = self.cover([to.u[i], to.v[i]], per_px);
                }
            }
            Some(_) => {}
            None => {
                for i in 0..CHUNK {
                    let x = self.x + (first + i) as f32;
                    let w = madd::<FMA>(m[6], x, self.start[2]);
                    to.cover[i] = if w > MIN_W { 1.0 } else { 0.0 };
                    let nearness = 1.0 / w.max(MIN_W);
                    to.u[i] *= nearness;
                    to.v[i] *= nearness;
                }
                if is_transparent {
                    self.cover_perspective::<FMA>(first, to);
                }
            }
        }
        let [left, top, right, bottom] = match self.map.is_window {
            true => self.map.borders,
            false => {
                let [width, height] = self.map.level_size.map(|side| side as f32);
                [0.0, 0.0, width, height]
            }
        };
        if self.edge == Edge::Mirror {
            fold(&mut to.u, [left, right]);
            fold(&mut to.v, [top, bottom]);
        } else if self.map.is_window && !is_transparent {
            keep(&mut to.u, [left, right]);
            keep(&mut to.v, [top, bottom]);
        }
    }

    #[inline(always)]
    fn cover_perspective<const FMA: bool>(&self, first: usize, to: &mut Places) {
        let m = &self.map.canvas_to_level;
        for i in 0..CHUNK {
            let x = self.x + (first + i) as f32;
            let w = madd::<FMA>(m[6], x, self.start[2]);
            let across = |a: f32, b: f32, t: f32| {
                let (dx, dy) = (a - t * m[6], b - t * m[7]);
                w / (dx * dx + dy * dy).sqrt().max(1e-12)
            };
            let (u, v) = (to.u[i], to.v[i]);
            to.cover[i] *= self.cover([u, v], [across(m[0], m[1], u), across(m[3], m[4], v)]);
        }
    }

    #[inline(always)]
    fn cover(&self, [u, v]: [f32; 2], per_px: [f32; 2]) -> f32 {
        let [left, top, right, bottom] = self.map.borders;
        let border = |d: f32, per_px: f32| (0.5 + d * per_px).clamp(0.0, 1.0);
        border(u - left, per_px[0])
            * border(right - u, per_px[0])
            * border(v - top, per_px[1])
            * border(bottom - v, per_px[1])
    }
}

/// Mirrors coordinates outside the borders back inside.
#[inline(always)]
fn fold(to: &mut [f32; CHUNK], [low, high]: [f32; 2]) {
    let period = 2.0 * (high - low);
    let per_period = 1.0 / period;
    for at in to {
        let past = *at - low;
        let past = past - period * (past * per_period).floor();
        *at = low + past.min(period - past);
    }
}

/// Clamps coordinates to half a px within the borders.
#[inline(always)]
fn keep(to: &mut [f32; CHUNK], [low, high]: [f32; 2]) {
    for at in to {
        *at = at.min(high - 0.5).max(low + 0.5);
    }
}

/// Number of pixels whose positions are computed together.
pub(super) const CHUNK: usize = 32;

/// Sampling positions of a few pixels, in level px, and the source coverage of each.
pub(super) struct Places {
    /// Columns.
    pub u: [f32; CHUNK],
    /// Rows.
    pub v: [f32; CHUNK],
    /// 0 to 1.
    pub cover: [f32; CHUNK],
}

impl Places {
    /// Placeholder, to be filled.
    pub const NOWHERE: Places = Places {
        u: [0.0; CHUNK],
        v: [0.0; CHUNK],
        cover: [0.0; CHUNK],
    };
}

/// Returns the last pixel center at or before a level coordinate, and the distance from it.
#[expect(
    clippy::manual_clamp,
    reason = "`max` turns NaN into a number, `clamp` keeps it"
)]
#[inline(always)]
pub(super) fn tap_and_rest(at: f32) -> (i32, f32) {
    let at = (at - 0.5).max(-MAX_LEVEL_PX).min(MAX_LEVEL_PX);
    let low = at.floor();
    (whole(low), at - low)
}

/// Converts a whole number of at most [`MAX_LEVEL_PX`] to an integer.
#[inline(always)]
pub(super) fn whole(v: f32) -> i32 {
    // 1.5 * 2^23 moves the integer into the low bits: one vector instruction, where a saturating cast takes many.
    const SHIFT: f32 = 12_582_912.0;
    (v + SHIFT).to_bits() as i32 - SHIFT.to_bits() as i32
}
