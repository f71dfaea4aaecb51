//! Separable Catmull-Rom resampling of one plane: columns first (source rows to one float row), then rows, without gathers.
//!
//! Output column `x` reads four source columns from `first(x)` on. At scales near one, `first(x) - x` is constant over runs of columns, so a run is
//! filtered in blocks of contiguous loads, with a weight per column and tap. The last block of a run may overrun into the next run's columns, which
//! are overwritten right afterwards.

use multiversion::multiversion;

use crate::compose::cpu::lanes::{fused, madd};
use crate::compose::sampling::{catmull_rom, tap_index};
use crate::scene::draw::Edge;

/// Number of columns filtered at a time.
pub(super) const BLOCK: usize = 8;

/// Maximum number of source rows read for one output row of chroma (two of luma): at up to [`MAX_STEP`], the two luma rows start at most 2 apart.
const MAX_TAPS: usize = 6;

/// Smallest number of source px per output px in the short way; the choice of the mip level keeps uniform scales below 1.42.
pub(super) const MIN_STEP: f64 = 0.7;
/// Largest number; see [`MIN_STEP`].
pub(super) const MAX_STEP: f64 = 1.5;

/// Maximum distance of a tap outside the source, px.
const MAX_OUTSIDE: i32 = 4;

/// One axis of a map: the center of output px `i` lies at source px `(i + 0.5)*step + start`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Source px per output px.
    pub step: f64,
    /// Source coordinate of the output's left or top border.
    pub start: f64,
}

impl Axis {
    /// Returns the first of the four taps, and their weights.
    fn taps(&self, i: usize) -> (i32, [f32; 4]) {
        let at = (i as f64 + 0.5) * self.step + self.start - 0.5;
        let low = at.floor();
        (low as i32 - 1, catmull_rom((at - low) as f32))
    }

    /// Returns whether `n_out` px can be computed from a source side of `n_in`: scale near one, all taps inside or just outside.
    pub fn fits(&self, n_out: usize, n_in: usize) -> bool {
        // Checked first, so that the positions below are small numbers.
        if !(MIN_STEP..=MAX_STEP).contains(&self.step)
            || self.start.is_nan()
            || self.start.abs() > 1e6
        {
            return false;
        }
        let (first, last) = (self.taps(0).0, self.taps(n_out - 1).0 + 3);
        n_in as i32 > MAX_OUTSIDE && first >= -MAX_OUTSIDE && last < n_in as i32 + MAX_OUTSIDE
    }
}

/// The columns of a map, shared by every row of a picture in a frame.
#[derive(Debug)]
pub(super) struct Columns {
    /// Source column of the row buffer's first entry; may be below 0.
    first: i32,
    /// Number of row buffer entries whose values are used.
    n_read: usize,
    blocks: Vec<Block>,
}

/// Output columns that read evenly spaced source columns.
#[derive(Debug)]
struct Block {
    /// First output column.
    x: usize,
    /// Position of its first tap in the row buffer.
    place: usize,
    /// Weights by tap, then column; those past the end of the run are unused.
    weights: [[f32; BLOCK]; 4],
}

impl Columns {
    /// Builds the table for `n_out` columns.
    pub fn new(axis: Axis, n_out: usize) -> Columns {
        let first = axis.taps(0).0;
        let (mut blocks, mut last) = (Vec::<Block>::new(), 0);
        for x in 0..n_out {
            let (tap, weights) = axis.taps(x);
            last = (tap - first) as usize;
            let goes_on = blocks
                .last()
                .is_some_and(|b| x < b.x + BLOCK && last - b.place == x - b.x);
            if !goes_on {
                blocks.push(Block {
                    x,
                    place: last,
                    weights: [[0.0; BLOCK]; 4],
                });
            }
            let block = blocks.last_mut().expect("one was just made");
            for (row, weight) in block.weights.iter_mut().zip(weights) {
                row[x - block.x] = weight;
            }
        }
        Columns {
            first,
            n_read: last + 4,
            blocks,
        }
    }

    /// Returns the length of a row buffer.
    pub fn buffer_len(&self) -> usize {
        self.n_read + BLOCK
    }

    /// Filters a row buffer into `out`, which holds the table's columns plus one block.
    pub fn filter(&self, row: &[f32], out: &mut [f32]) {
        filter_columns(&self.blocks, row, out);
    }
}

/// The source rows of an output row, and their weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    first: i32,
    n: usize,
    weights: [f32; MAX_TAPS],
}

impl Rows {
    /// Returns the rows for output row `y`, times `gain`.
    pub fn of_luma(axis: Axis, y: usize, gain: f32) -> Rows {
        let (first, taps) = axis.taps(y);
        let mut weights = [0.0; MAX_TAPS];
        weights[..4].copy_from_slice(&taps.map(|w| w * gain));
        Rows {
            first,
            n: 4,
            weights,
        }
    }

    /// Returns the rows for the mean of output rows `y` and `y + 1`, times `gain`.
    pub fn of_chroma(axis: Axis, y: usize, gain: f32) -> Rows {
        let ((first, upper), (second, lower)) = (axis.taps(y), axis.taps(y + 1));
        let apart = (second - first) as usize;
        let mut weights = [0.0; MAX_TAPS];
        for k in 0..4 {
            weights[k] += upper[k] * (0.5 * gain);
            weights[k + apart] += lower[k] * (0.5 * gain);
        }
        Rows {
            first,
            n: 4 + apart,
            weights,
        }
    }

    /// Computes the weighted sum of a plane's rows over the columns the table reads; columns outside follow `edge`.
    pub fn sum(&self, plane: (&[u8], usize), columns: &Columns, edge: Edge, out: &mut [f32]) {
        let (data, width) = plane;
        let height = (data.len() / width) as i32;
        let low = columns.first.max(0) as usize;
        let high = ((columns.first + columns.n_read as i32) as usize).min(width);
        let row = |k: usize| {
            let y = tap_index(self.first + k as i32, height, edge) as usize;
            &data[y * width + low..y * width + high]
        };
        let before = (low as i32 - columns.first) as usize;
        let inside = &mut out[before..before + (high - low)];
        let w = &self.weights;
        match self.n {
            4 => sum_4([row(0), row(1), row(2), row(3)], w, inside),
            5 => sum_5([row(0), row(1), row(2), row(3), row(4)], w, inside),
            _ => sum_6([row(0), row(1), row(2), row(3), row(4), row(5)], w, inside),
        }
        for i in (0..before).chain(before + (high - low)..columns.n_read) {
            let from = tap_index(columns.first + i as i32, width as i32, edge) - columns.first;
            out[i] = out[from as usize];
        }
    }
}

macro_rules! sums {
    ($($name:ident $n:literal),*) => {$(
        #[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma", "x86_64+avx2+fma", "aarch64+neon"))]
        fn $name(rows: [&[u8]; $n], weights: &[f32; MAX_TAPS], out: &mut [f32]) {
            let rows = rows.map(|row| &row[..out.len()]);
            if multiversion::target::target_cfg_f!(any(target_feature = "fma", target_feature = "neon")) {
                sum_rows::<$n, true>(rows, weights, out);
            } else {
                sum_rows::<$n, false>(rows, weights, out);
            }
        }
    )*};
}
sums!(sum_4 4, sum_5 5, sum_6 6);

#[inline(always)]
fn sum_rows<const N: usize, const FMA: bool>(
    rows: [&[u8]; N],
    weights: &[f32; MAX_TAPS],
    out: &mut [f32],
) {
    for (i, out) in out.iter_mut().enumerate() {
        let mut sum = f32::from(rows[0][i]) * weights[0];
        for k in 1..N {
            sum = madd::<FMA>(f32::from(rows[k][i]), weights[k], sum);
        }
        *out = sum;
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn filter_columns(blocks: &[Block], row: &[f32], out: &mut [f32]) {
    fused!(filter_in(blocks, row, out))
}

#[inline(always)]
fn filter_in<const FMA: bool>(blocks: &[Block], row: &[f32], out: &mut [f32]) {
    for block in blocks {
        let taps: &[f32; BLOCK + 3] = row[block.place..]
            .first_chunk()
            .expect("row buffers have a spare block");
        let mut sum = [0.0; BLOCK];
        for (k, weights) in block.weights.iter().enumerate() {
            for j in 0..BLOCK {
                sum[j] = madd::<FMA>(taps[j + k], weights[j], sum[j]);
            }
        }
        let out: &mut [f32; BLOCK] = out[block.x..]
            .first_chunk_mut()
            .expect("outputs have a spare block");
        *out = sum;
    }
}
