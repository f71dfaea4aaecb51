//! Sampling of pictures and sheets through a map.

use std::sync::Arc;

use multiversion::multiversion;

use super::lanes::{fused, madd};
use super::sheet::{Px, Sheet};
use crate::compose::sampling::{MipLevel, SampledMap, catmull_rom, tap_index};
use crate::media::Picture;
use crate::plan::draw::Edge;

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

/// Adds `gain` (per channel) times the samples at the pixel centers `x, x + 1, ...` of row `y` to `out`.
pub(super) fn add_samples(view: &View, edge: Edge, at: [i32; 2], gain: Px, out: &mut [Px]) {
    let ray = Ray::new(&view.map, edge, at);
    let bytes_gain = gain.map(|g| g * (1.0 / 255.0));
    let [w, h] = view.map.level_size;
    match &view.pixels {
        Pixels::Picture(p) => add_bytes(&ray, Grid::new(&p.rgba, w, h), bytes_gain, out),
        Pixels::Mip(m) => add_bytes(&ray, Grid::new(&m.rgba, w, h), bytes_gain, out),
        Pixels::Sheet(s) => add_floats(&ray, Grid::new(s.px.as_flattened(), w, h), gain, out),
    }
}

/// Four channels a pixel, rows without padding.
#[derive(Clone, Copy)]
struct Grid<'a, T> {
    data: &'a [T],
    width: i32,
    height: i32,
}

impl<'a, T> Grid<'a, T> {
    fn new(data: &'a [T], width: u32, height: u32) -> Grid<'a, T> {
        debug_assert_eq!(data.len(), width as usize * height as usize * 4);
        Grid {
            data,
            width: width as i32,
            height: height as i32,
        }
    }
}

/// A row of the canvas seen in level px: numerators and denominator are linear in x.
struct Ray<'a> {
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

    /// Where the pixels from the `first`-th on are seen. Branches depend on the map, not the pixel, so that the loop becomes vector code.
    #[inline(always)]
    fn places<const FMA: bool>(&self, first: usize, to: &mut Places) {
        let m = &self.map.canvas_to_level;
        for i in 0..CHUNK {
            let x = self.x + (first + i) as f32;
            let mut per_px = [1.0; 2];
            let (mut u, mut v) = (
                madd::<FMA>(m[0], x, self.start[0]),
                madd::<FMA>(m[3], x, self.start[1]),
            );
            let mut cover = 1.0;
            if let Some(steepness) = self.affine {
                per_px = steepness;
            } else {
                let w = madd::<FMA>(m[6], x, self.start[2]);
                cover = if w > MIN_W { 1.0 } else { 0.0 };
                let nearness = 1.0 / w.max(MIN_W);
                (u, v) = (u * nearness, v * nearness);
                if self.edge == Edge::Transparent {
                    let across = |a: f32, b: f32, t: f32| {
                        let (dx, dy) = (a - t * m[6], b - t * m[7]);
                        w / (dx * dx + dy * dy).sqrt().max(1e-12)
                    };
                    per_px = [across(m[0], m[1], u), across(m[3], m[4], v)];
                }
            }
            if self.edge == Edge::Transparent {
                cover *= self.cover([u, v], per_px);
            }
            to.cover[i] = cover;
            let (column, wx) = tap_and_weights(u);
            let (row, wy) = tap_and_weights(v);
            (to.column[i], to.row[i]) = (column, row);
            for k in 0..4 {
                (to.wx[k][i], to.wy[k][i]) = (wx[k], wy[k]);
            }
        }
    }

    #[inline(always)]
    fn cover(&self, [u, v]: [f32; 2], per_px: [f32; 2]) -> f32 {
        let [right, bottom] = self.map.extent;
        let border = |d: f32, per_px: f32| (0.5 + d * per_px).clamp(0.0, 1.0);
        border(u, per_px[0])
            * border(right - u, per_px[0])
            * border(v, per_px[1])
            * border(bottom - v, per_px[1])
    }
}

/// Pixels whose places are computed at a time.
const CHUNK: usize = 32;

/// Where a few pixels are seen: the first of four taps on each axis, their weights, and how much of the source covers the pixel.
struct Places {
    column: [i32; CHUNK],
    row: [i32; CHUNK],
    wx: [[f32; CHUNK]; 4],
    wy: [[f32; CHUNK]; 4],
    cover: [f32; CHUNK],
}

/// First tap and weights at a level coordinate.
#[expect(
    clippy::manual_clamp,
    reason = "`max` turns NaN into a number, `clamp` keeps it"
)]
#[inline(always)]
fn tap_and_weights(at: f32) -> (i32, [f32; 4]) {
    let at = (at - 0.5).max(-MAX_LEVEL_PX).min(MAX_LEVEL_PX);
    let low = at.floor();
    // 1.5 * 2^23 leaves the integer in the low bits: a vector instruction, where a saturating cast is many.
    const SHIFT: f32 = 12_582_912.0;
    let index = (low + SHIFT).to_bits() as i32 - SHIFT.to_bits() as i32;
    (index - 1, catmull_rom(at - low))
}

#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn add_bytes(ray: &Ray, grid: Grid<u8>, gain: Px, out: &mut [Px]) {
    fused!(add_row::<u8>(ray, grid, gain, out))
}

#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn add_floats(ray: &Ray, grid: Grid<f32>, gain: Px, out: &mut [Px]) {
    fused!(add_row::<f32>(ray, grid, gain, out))
}

#[inline(always)]
fn add_row<T: Copy + Default + Into<f32>, const FMA: bool>(
    ray: &Ray<'_>,
    grid: Grid<'_, T>,
    gain: Px,
    out: &mut [Px],
) {
    let mut places = Places {
        column: [0; CHUNK],
        row: [0; CHUNK],
        wx: [[0.0; CHUNK]; 4],
        wy: [[0.0; CHUNK]; 4],
        cover: [0.0; CHUNK],
    };
    for (chunk, out) in out.chunks_mut(CHUNK).enumerate() {
        ray.places::<FMA>(chunk * CHUNK, &mut places);
        for (i, px) in out.iter_mut().enumerate() {
            let cover = places.cover[i];
            if cover > 0.0 {
                let sample = taps_4x4::<T, FMA>(grid, &places, i, ray.edge);
                for c in 0..4 {
                    px[c] = madd::<FMA>(sample[c], gain[c] * cover, px[c]);
                }
            }
        }
    }
}

/// The Catmull-Rom sample of the `i`-th place.
#[inline(always)]
fn taps_4x4<T: Copy + Default + Into<f32>, const FMA: bool>(
    grid: Grid<'_, T>,
    places: &Places,
    i: usize,
    edge: Edge,
) -> Px {
    let (x, y) = (places.column[i], places.row[i]);
    let wy: [f32; 4] = std::array::from_fn(|r| places.wy[r][i]);
    let mut acc = [0.0f32; 16];
    if x >= 0 && y >= 0 && x + 3 < grid.width && y + 3 < grid.height {
        let stride = grid.width as usize * 4;
        let first = y as usize * stride + x as usize * 4;
        let span = &grid.data[first..first + 3 * stride + 16];
        for (r, wy) in wy.iter().enumerate() {
            let row: &[T; 16] = span[r * stride..]
                .first_chunk()
                .expect("all taps lie inside");
            for k in 0..16 {
                acc[k] = madd::<FMA>(row[k].into(), *wy, acc[k]);
            }
        }
    } else {
        for (r, wy) in wy.iter().enumerate() {
            let row = row_at_border(grid, x, y + r as i32, edge);
            for k in 0..16 {
                acc[k] = madd::<FMA>(row[k].into(), *wy, acc[k]);
            }
        }
    }
    let mut out = [0.0; 4];
    for k in 0..4 {
        for c in 0..4 {
            out[c] = madd::<FMA>(acc[4 * k + c], places.wx[k][i], out[c]);
        }
    }
    out
}

#[inline(never)]
fn row_at_border<T: Copy + Default>(grid: Grid<'_, T>, x: i32, y: i32, edge: Edge) -> [T; 16] {
    let y = tap_index(y, grid.height, edge);
    let mut row = [T::default(); 16];
    for (t, px) in row.chunks_exact_mut(4).enumerate() {
        let x = tap_index(x + t as i32, grid.width, edge);
        px.copy_from_slice(&grid.data[(y * grid.width + x) as usize * 4..][..4]);
    }
    row
}
