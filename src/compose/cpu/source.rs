//! Sampling of pictures and sheets through a map.

use std::sync::Arc;

use super::bilinear::{self, Sight};
use super::lanes::madd;
use super::sheet::{Px, Sheet};
use super::taps;
use crate::compose::sampling::{MipLevel, SampledMap};
use crate::media::Picture;
use crate::scene::draw::Edge;

/// Points whose homogeneous coordinate is smaller lie on or behind the horizon; 1 is the source's center.
const MIN_W: f32 = 1e-6;

/// Level coordinates are limited to this before they become integers.
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
    /// From canvas to those pixels.
    pub map: SampledMap,
    /// The map's level.
    pub pixels: Pixels,
}

/// Which filter takes the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    /// Four taps each way.
    CatmullRom,
    /// Two taps each way.
    Bilinear,
}

/// What a view samples.
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

/// What a byte counts.
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

/// Four channels a pixel, rows without padding.
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

/// A row of the canvas seen in level px: numerators and denominator are linear in x.
pub(super) struct Ray<'a> {
    map: &'a SampledMap,
    edge: Edge,
    /// Center of the first pixel.
    x: f32,
    /// `u*w`, `v*w` and `w` at x = 0.
    start: [f32; 3],
    /// Canvas px per level px across each border when the map is affine.
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

    /// How taps beyond the level's pixels go on.
    pub fn tap_edge(&self) -> Edge {
        match self.map.is_window {
            true => Edge::Clamp,
            false => self.edge,
        }
    }

    /// Whether a row of the canvas is a row of the source.
    pub fn is_level(&self) -> bool {
        self.affine.is_some() && self.map.canvas_to_level[3] == 0.0
    }

    /// Where [`CHUNK`] pixels from the `first`-th on are seen. Step by step, each a loop without branches, so that it becomes vector code.
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

/// Coordinates beyond a border mirrored back.
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

/// Coordinates kept half a px within the borders.
#[inline(always)]
fn keep(to: &mut [f32; CHUNK], [low, high]: [f32; 2]) {
    for at in to {
        *at = at.min(high - 0.5).max(low + 0.5);
    }
}

/// Pixels whose places are computed at a time.
pub(super) const CHUNK: usize = 32;

/// Where a few pixels are seen, in level px, and how much of the source covers each.
pub(super) struct Places {
    /// Columns.
    pub u: [f32; CHUNK],
    /// Rows.
    pub v: [f32; CHUNK],
    /// 0 to 1.
    pub cover: [f32; CHUNK],
}

impl Places {
    /// To be filled.
    pub const NOWHERE: Places = Places {
        u: [0.0; CHUNK],
        v: [0.0; CHUNK],
        cover: [0.0; CHUNK],
    };
}

/// The pixel that a level coordinate lies behind, and how far.
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

/// A whole number of at most [`MAX_LEVEL_PX`] as an integer.
#[inline(always)]
pub(super) fn whole(v: f32) -> i32 {
    // 1.5 * 2^23 leaves the integer in the low bits: a vector instruction, where a saturating cast is many.
    const SHIFT: f32 = 12_582_912.0;
    (v + SHIFT).to_bits() as i32 - SHIFT.to_bits() as i32
}
