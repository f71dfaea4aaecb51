//! The fine filter: four taps per axis (Catmull-Rom).

use multiversion::multiversion;

use super::lanes::{fused, madd};
use super::sheet::Px;
use super::source::{CHUNK, Grid, Places, Ray, tap_and_rest};
use crate::compose::sampling::{catmull_rom, tap_index};
use crate::scene::draw::Edge;

/// Adds Catmull-Rom samples of bytes to a row.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub(super) fn add_bytes(ray: &Ray, grid: Grid<u8>, gain: f32, out: &mut [Px]) {
    fused!(add_row::<u8>(ray, grid, gain, out))
}

/// Adds Catmull-Rom samples of floats to a row.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub(super) fn add_floats(ray: &Ray, grid: Grid<f32>, gain: f32, out: &mut [Px]) {
    fused!(add_row::<f32>(ray, grid, gain, out))
}

/// The first of four taps on each axis for a few pixels, and their weights.
struct Taps {
    column: [i32; CHUNK],
    row: [i32; CHUNK],
    wx: [[f32; CHUNK]; 4],
    wy: [[f32; CHUNK]; 4],
}

#[inline(always)]
fn add_row<T: Copy + Default + Into<f32>, const FMA: bool>(
    ray: &Ray<'_>,
    grid: Grid<'_, T>,
    gain: f32,
    out: &mut [Px],
) {
    // For a much wider source, mixing a whole row is not worth it for a few px.
    if ray.is_level() && grid.width as usize <= 2 * out.len() + CHUNK {
        return add_level_row::<T, FMA>(ray, grid, gain, out);
    }
    let mut places = Places::NOWHERE;
    let mut taps = Taps::NONE;
    for (chunk, out) in out.chunks_mut(CHUNK).enumerate() {
        ray.places::<FMA>(chunk * CHUNK, &mut places);
        choose(&places.u, &mut taps.column, &mut taps.wx);
        choose(&places.v, &mut taps.row, &mut taps.wy);
        for (i, px) in out.iter_mut().enumerate() {
            let cover = places.cover[i];
            if cover > 0.0 {
                let sample = taps_4x4::<T, FMA>(grid, &taps, i, ray.tap_edge());
                for c in 0..4 {
                    px[c] = madd::<FMA>(sample[c], gain * cover, px[c]);
                }
            }
        }
    }
}

impl Taps {
    /// Placeholder before taps are chosen.
    const NONE: Taps = Taps {
        column: [0; CHUNK],
        row: [0; CHUNK],
        wx: [[0.0; CHUNK]; 4],
        wy: [[0.0; CHUNK]; 4],
    };
}

/// Chooses first taps and weights around positions on an axis.
#[inline(always)]
fn choose(places: &[f32; CHUNK], first: &mut [i32; CHUNK], weights: &mut [[f32; CHUNK]; 4]) {
    for i in 0..CHUNK {
        let (at, rest) = tap_and_rest(places[i]);
        first[i] = at - 1;
        let own = catmull_rom(rest);
        for k in 0..4 {
            weights[k][i] = own[k];
        }
    }
}

/// Number of px added at both ends of a mixed row, so that all taps lie inside.
const PADDING: i32 = 4;

/// Adds a row of px that all sample the same four source rows, which are mixed only once.
#[inline(always)]
fn add_level_row<T: Copy + Default + Into<f32>, const FMA: bool>(
    ray: &Ray<'_>,
    grid: Grid<'_, T>,
    gain: f32,
    out: &mut [Px],
) {
    let (mut places, mut taps) = (Places::NOWHERE, Taps::NONE);
    let edge = ray.tap_edge();
    let mut mixed: Vec<f32> = Vec::new();
    for (chunk, out) in out.chunks_mut(CHUNK).enumerate() {
        ray.places::<FMA>(chunk * CHUNK, &mut places);
        choose(&places.u, &mut taps.column, &mut taps.wx);
        if mixed.is_empty() {
            choose(&places.v, &mut taps.row, &mut taps.wy);
            let weights = [0, 1, 2, 3].map(|k| taps.wy[k][0]);
            mixed = mixed_rows::<T, FMA>(grid, (taps.row[0], weights), edge);
        }
        for i in 0..CHUNK {
            let cover = places.cover[i] * gain;
            for weights in &mut taps.wx {
                weights[i] *= cover;
            }
            // Farther out, values no longer change.
            let first = taps.column[i].max(-PADDING).min(grid.width);
            taps.column[i] = (first + PADDING) * 4;
        }
        for (i, px) in out.iter_mut().enumerate() {
            let Some(four) = mixed[taps.column[i] as usize..].first_chunk::<16>() else {
                continue;
            };
            for k in 0..4 {
                *px = std::array::from_fn(|c| madd::<FMA>(four[4 * k + c], taps.wx[k][i], px[c]));
            }
        }
    }
}

/// Mixes four rows from `first` on, with padding.
#[inline(always)]
fn mixed_rows<T: Copy + Into<f32>, const FMA: bool>(
    grid: Grid<'_, T>,
    (first, weights): (i32, [f32; 4]),
    edge: Edge,
) -> Vec<f32> {
    let width = grid.width as usize * 4;
    let rows = [0, 1, 2, 3].map(|k| {
        let y = tap_index(first + k, grid.height, edge) as usize;
        &grid.data[y * width..][..width]
    });
    let pad = PADDING as usize * 4;
    let mut mixed = vec![0.0; width + 2 * pad];
    let inner = &mut mixed[pad..pad + width];
    let [a, b, c, d] = rows;
    let pairs = a.iter().zip(b).zip(c.iter().zip(d));
    for (to, ((a, b), (c, d))) in inner.iter_mut().zip(pairs) {
        let upper = madd::<FMA>((*b).into(), weights[1], (*a).into() * weights[0]);
        let lower = madd::<FMA>((*d).into(), weights[3], (*c).into() * weights[2]);
        *to = upper + lower;
    }
    for i in 0..PADDING {
        for at in [i - PADDING, grid.width + i] {
            let from = (tap_index(at, grid.width, edge) + PADDING) as usize * 4;
            let to = (at + PADDING) as usize * 4;
            mixed.copy_within(from..from + 4, to);
        }
    }
    mixed
}

/// Returns the Catmull-Rom sample at the `i`-th position.
#[inline(always)]
fn taps_4x4<T: Copy + Default + Into<f32>, const FMA: bool>(
    grid: Grid<'_, T>,
    taps: &Taps,
    i: usize,
    edge: Edge,
) -> Px {
    let (x, y) = (taps.column[i], taps.row[i]);
    let wy: [f32; 4] = std::array::from_fn(|r| taps.wy[r][i]);
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
            let row: [T; 16] = row_at_border(grid, [x, y + r as i32], edge);
            for k in 0..16 {
                acc[k] = madd::<FMA>(row[k].into(), *wy, acc[k]);
            }
        }
    }
    let mut out = [0.0; 4];
    for k in 0..4 {
        for c in 0..4 {
            out[c] = madd::<FMA>(acc[4 * k + c], taps.wx[k][i], out[c]);
        }
    }
    out
}

#[inline(never)]
fn row_at_border<T: Copy + Default>(grid: Grid<'_, T>, [x, y]: [i32; 2], edge: Edge) -> [T; 16] {
    let y = tap_index(y, grid.height, edge);
    let mut row = [T::default(); 16];
    for (t, px) in row.chunks_exact_mut(4).enumerate() {
        let x = tap_index(x + t as i32, grid.width, edge);
        px.copy_from_slice(&grid.data[(y * grid.width + x) as usize * 4..][..4]);
    }
    row
}
