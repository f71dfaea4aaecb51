//! The fast filter: two taps per axis (bilinear), for the many samples of motion blur. Coordinates outside the pixels are clamped before taps are
//! chosen. The result equals clamping each tap, and the loops need no branches.

use std::borrow::Cow;

use multiversion::multiversion;

use super::lanes::{fused, madd};
use super::sheet::Px;
use super::source::{CHUNK, Grid, Places, Ray, whole};

/// One map of a pose along a canvas row, with the pixels it samples.
pub(super) struct Sight<'a, T: Copy> {
    ray: Ray<'a>,
    /// The pixels (at least 2x2) and their size.
    pixels: Cow<'a, [T]>,
    size: [i32; 2],
    /// The size before a single row or column was doubled.
    limits: [i32; 2],
}

impl<'a, T: Copy> Sight<'a, T> {
    /// Returns the view of `grid` along `ray`.
    pub fn new(ray: Ray<'a>, grid: Grid<'a, T>) -> Sight<'a, T> {
        let (pixels, size) = at_least_2x2(grid);
        Sight {
            ray,
            pixels,
            size,
            limits: [grid.width, grid.height],
        }
    }

    fn stride(&self) -> usize {
        self.size[0] as usize * 4
    }

    /// Chooses the taps of a chunk and multiplies their coverage by `gain`; returns `false` if nothing is visible.
    #[inline(always)]
    fn look<const FMA: bool>(
        &self,
        (first, gain): (usize, f32),
        places: &mut Places,
        taps: &mut Taps,
    ) -> bool {
        self.ray.places::<FMA>(first, places);
        if places.cover.iter().all(|cover| *cover <= 0.0) {
            return false;
        }
        for cover in &mut places.cover {
            *cover *= gain;
        }
        taps.choose(places, self.limits, self.size);
        true
    }
}

/// Returns the pixels, with a single row or column doubled, and their size.
fn at_least_2x2<T: Copy>(grid: Grid<'_, T>) -> (Cow<'_, [T]>, [i32; 2]) {
    if grid.width > 1 && grid.height > 1 {
        return (Cow::Borrowed(grid.data), [grid.width, grid.height]);
    }
    let twice = |n: i32| if n > 1 { 1 } else { 2 };
    let [across, down] = [twice(grid.width), twice(grid.height)];
    let row: Vec<T> = match across {
        1 => grid.data.to_vec(),
        _ => grid.data.chunks(4).flat_map(|px| px.repeat(2)).collect(),
    };
    let size = [grid.width * across, grid.height * down];
    (Cow::Owned(row.repeat(down as usize)), size)
}

/// Adds `gain` times the sum of bilinear samples of bytes to a row.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub(super) fn add_bytes(sights: &[Sight<u8>], gain: f32, out: &mut [Px]) {
    fused!(add_byte_row(sights, gain, out))
}

/// Adds `gain` times the sum of bilinear samples of floats to a row.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub(super) fn add_floats(sights: &[Sight<f32>], gain: f32, out: &mut [Px]) {
    fused!(add_float_row(sights, gain, out))
}

/// Maximum number of samples summed in 16 bits.
const SUMMED: usize = 16;

/// Scale of a byte in the packed sums.
const SUM_PER_BYTE: f32 = 16.0;

/// Red and blue, green and alpha of a few pixels, 16 bits each: sums of samples, scaled by [`SUM_PER_BYTE`].
type Sums = [[u32; CHUNK]; 2];

#[inline(always)]
fn add_byte_row<const FMA: bool>(sights: &[Sight<'_, u8>], gain: f32, out: &mut [Px]) {
    let (mut places, mut taps) = (Places::NOWHERE, Taps::NONE);
    for (chunk, out) in out.chunks_mut(CHUNK).enumerate() {
        for sights in sights.chunks(SUMMED) {
            let mut sums = None;
            for sight in sights {
                if !sight.look::<FMA>((chunk * CHUNK, 1.0), &mut places, &mut taps) {
                    continue;
                }
                let sums = sums.get_or_insert([[0; CHUNK]; 2]);
                add_packed(sight, &taps, &places.cover, sums);
            }
            if let Some(sums) = sums {
                unpack::<FMA>(&sums, gain / SUM_PER_BYTE, out);
            }
        }
    }
}

/// Adds `gain` times the sums to `out`.
#[inline(always)]
fn unpack<const FMA: bool>(sums: &Sums, gain: f32, out: &mut [Px]) {
    let mut channels = [[0.0; CHUNK]; 4];
    for i in 0..CHUNK {
        for pair in 0..2 {
            channels[pair][i] = (sums[pair][i] & 0xffff) as i32 as f32;
            channels[pair + 2][i] = (sums[pair][i] >> 16) as i32 as f32;
        }
    }
    for (i, px) in out.iter_mut().enumerate() {
        *px = std::array::from_fn(|c| madd::<FMA>(channels[c][i], gain, px[c]));
    }
}

#[inline(always)]
fn add_float_row<const FMA: bool>(sights: &[Sight<'_, f32>], gain: f32, out: &mut [Px]) {
    let (mut places, mut taps) = (Places::NOWHERE, Taps::NONE);
    for (chunk, out) in out.chunks_mut(CHUNK).enumerate() {
        for sight in sights {
            if !sight.look::<FMA>((chunk * CHUNK, gain), &mut places, &mut taps) {
                continue;
            }
            add_by_px::<FMA>(sight, &taps, &places.cover, out);
        }
    }
}

/// The first of two taps on each axis for a few pixels, and the weight of the second.
struct Taps {
    column: [i32; CHUNK],
    row: [i32; CHUNK],
    right: [f32; CHUNK],
    lower: [f32; CHUNK],
}

impl Taps {
    /// Placeholder before taps are chosen.
    const NONE: Taps = Taps {
        column: [0; CHUNK],
        row: [0; CHUNK],
        right: [0.0; CHUNK],
        lower: [0.0; CHUNK],
    };

    /// Chooses the taps around each position; `limits` is the size of the source, `size` that of the pixels (at least 2x2).
    #[inline(always)]
    fn choose(&mut self, places: &Places, limits: [i32; 2], size: [i32; 2]) {
        choose(
            &places.u,
            [limits[0], size[0]],
            (&mut self.column, &mut self.right),
        );
        choose(
            &places.v,
            [limits[1], size[1]],
            (&mut self.row, &mut self.lower),
        );
    }
}

#[inline(always)]
fn choose(
    places: &[f32; CHUNK],
    [limit, size]: [i32; 2],
    (first, rest): (&mut [i32; CHUNK], &mut [f32; CHUNK]),
) {
    let (last, last_first) = ((limit - 1) as f32, (size - 2) as f32);
    for i in 0..CHUNK {
        // `max` turns NaN into a number.
        let at = (places[i] - 0.5).max(0.0).min(last);
        let low = at.floor().min(last_first);
        (first[i], rest[i]) = (whole(low), at - low);
    }
}

/// Returns the weights of the four taps (upper left, upper right, lower left, lower right) and the px index of the first.
#[inline(always)]
fn weigh(taps: &Taps, cover: &[f32; CHUNK], width: i32) -> ([[f32; CHUNK]; 4], [i32; CHUNK]) {
    let mut weights = [[0.0; CHUNK]; 4];
    let mut first = [0; CHUNK];
    for i in 0..CHUNK {
        let (right, lower) = (taps.right[i], cover[i] * taps.lower[i]);
        let upper = cover[i] - lower;
        weights[1][i] = upper * right;
        weights[0][i] = upper - weights[1][i];
        weights[3][i] = lower * right;
        weights[2][i] = lower - weights[3][i];
        first[i] = taps.row[i] * width + taps.column[i];
    }
    (weights, first)
}

/// Adds samples of bytes at arbitrary positions. First the taps of all px are fetched; then two channels at a time are weighted inside one integer,
/// with weights of 1/256 that sum exactly to the coverage, so flat colors are unchanged.
#[inline(always)]
fn add_packed(sight: &Sight<'_, u8>, taps: &Taps, cover: &[f32; CHUNK], sums: &mut Sums) {
    let Some([top, bottom]) = fetch(sight, taps) else {
        return;
    };
    let mut fetched = [[0u32; CHUNK]; 4];
    for i in 0..CHUNK {
        fetched[0][i] = top[i] as u32;
        fetched[1][i] = (top[i] >> 32) as u32;
        fetched[2][i] = bottom[i] as u32;
        fetched[3][i] = (bottom[i] >> 32) as u32;
    }
    const PAIR: u32 = 0x00ff_00ff;
    for i in 0..CHUNK {
        let share = |v: f32| whole(v * 256.0) as u32;
        let (right, cover) = (share(taps.right[i]), share(cover[i]));
        let lower = (share(taps.lower[i]) * cover) >> 8;
        let upper = cover - lower;
        let [upper_right, lower_right] = [upper, lower].map(|row| (row * right) >> 8);
        let weights = [
            upper - upper_right,
            upper_right,
            lower - lower_right,
            lower_right,
        ];
        let (mut even, mut odd) = (0x0008_0008, 0x0008_0008);
        for k in 0..4 {
            even += (fetched[k][i] & PAIR) * weights[k];
            odd += ((fetched[k][i] >> 8) & PAIR) * weights[k];
        }
        sums[0][i] += (even >> 4) & 0x0fff_0fff;
        sums[1][i] += (odd >> 4) & 0x0fff_0fff;
    }
}

/// Returns the upper two and the lower two taps of every px, by plain loads: gathers are slower on most processors. Returns `None` if a tap lies
/// outside the pixels, which [`Taps::choose`] rules out.
#[inline(always)]
fn fetch(sight: &Sight<'_, u8>, taps: &Taps) -> Option<[[u64; CHUNK]; 2]> {
    let mut first = [0u32; CHUNK];
    let mut last = 0;
    for ((first, row), column) in first.iter_mut().zip(&taps.row).zip(&taps.column) {
        *first = (row * sight.size[0] + column) as u32 * 4;
        last = last.max(*first);
    }
    let lower = sight.stride();
    if last as usize + lower + 8 > sight.pixels.len() {
        return None;
    }
    let mut rows = [[0u64; CHUNK]; 2];
    let pixels = sight.pixels.as_ptr();
    for i in 0..CHUNK {
        // SAFETY: no `first` is above `last`, and the check above ensured that 8 bytes one row below `last` lie within `pixels`; `u64` needs no alignment here.
        unsafe {
            let top = pixels.add(first[i] as usize);
            rows[0][i] = u64::from_le(top.cast::<u64>().read_unaligned());
            rows[1][i] = u64::from_le(top.add(lower).cast::<u64>().read_unaligned());
        }
    }
    Some(rows)
}

/// Adds samples of floats at arbitrary positions.
#[inline(always)]
fn add_by_px<const FMA: bool>(
    sight: &Sight<'_, f32>,
    taps: &Taps,
    cover: &[f32; CHUNK],
    out: &mut [Px],
) {
    let (weights, first) = weigh(taps, cover, sight.size[0]);
    let (px, width) = (sight.pixels.as_chunks::<4>().0, sight.size[0] as usize);
    for (i, out) in out.iter_mut().enumerate() {
        let at = first[i] as usize;
        let Some(span) = px.get(at..at + width + 2) else {
            continue;
        };
        for (k, tap) in [0, 1, width, width + 1].into_iter().enumerate() {
            *out = std::array::from_fn(|c| madd::<FMA>(span[tap][c], weights[k][i], out[c]));
        }
    }
}
