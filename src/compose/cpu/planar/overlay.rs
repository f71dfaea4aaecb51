//! Captions and other small layers as premultiplied YUV with alpha, laid over rows of a planar YUV frame.

use multiversion::multiversion;

use crate::compose::cpu::sheet::{Px, Sheet};
use crate::compose::cpu::yuv::{chroma, luma};
use crate::units::{Size, within};

/// A sheet's pixels on the canvas. With alpha `a`, a code below becomes `above + (1 - a)*below`; `above` includes the offsets.
///
/// Chroma and its alpha are 2x2 means. Where an edge of the sheet crosses an edge of the picture inside one 2x2 block, chroma differs slightly from the
/// general path; luma never does.
#[derive(Debug, Default)]
pub(in crate::compose::cpu) struct Overlay {
    /// Canvas px of the first entry; even.
    x: usize,
    y: usize,
    /// Columns; even.
    width: usize,
    /// Luma and its alpha, row by row.
    luma: Vec<f32>,
    luma_alpha: Vec<f32>,
    /// Chroma and its alpha at half size.
    chroma: [Vec<f32>; 2],
    chroma_alpha: Vec<f32>,
    /// First and last (exclusive) non-empty column for each pair of rows; even.
    spans: Vec<[usize; 2]>,
}

impl Overlay {
    /// Converts a sheet whose px (0, 0) lies at `origin` of the canvas.
    pub fn new(sheet: &Sheet, origin: [i32; 2], canvas: Size) -> Overlay {
        let Some([x0, y0, x1, y1]) = drawn(sheet, origin, canvas) else {
            return Overlay::default();
        };
        let (width, height) = (x1 - x0, y1 - y0);
        let mut overlay = Overlay {
            x: x0,
            y: y0,
            width,
            ..Overlay::default()
        };
        let mut rows = [vec![[0.0; 4]; width], vec![[0.0; 4]; width]];
        for y in (y0..y0 + height).step_by(2) {
            for (dy, row) in rows.iter_mut().enumerate() {
                copy_row(
                    sheet,
                    [x0 as i32 - origin[0], (y + dy) as i32 - origin[1]],
                    row,
                );
            }
            overlay.push_rows([&rows[0], &rows[1]]);
        }
        overlay
    }

    fn push_rows(&mut self, rows: [&[Px]; 2]) {
        for row in rows {
            let at = self.luma.len();
            self.luma.resize(at + row.len(), 0.0);
            self.luma_alpha.resize(at + row.len(), 0.0);
            to_luma(row, &mut self.luma[at..], &mut self.luma_alpha[at..]);
        }
        let [above, below] = rows.map(|row| row.as_chunks::<2>().0);
        let at = self.chroma_alpha.len();
        let planes = self.chroma.iter_mut().chain([&mut self.chroma_alpha]);
        for plane in planes {
            plane.resize(at + above.len(), 0.0);
        }
        let chroma = self.chroma.each_mut().map(|plane| &mut plane[at..]);
        to_chroma([above, below], chroma, &mut self.chroma_alpha[at..]);
        let n = self.width / 2;
        let used = |i: usize| {
            let pair = [above[i][0], above[i][1], below[i][0], below[i][1]];
            pair.iter().any(|px| *px != [0.0; 4])
        };
        let first = (0..n).find(|&i| used(i)).unwrap_or(n);
        let last = (first..n).rfind(|&i| used(i)).map_or(first, |i| i + 1);
        self.spans.push([2 * first, 2 * last]);
    }

    /// Returns whether it includes canvas rows `y` and `y + 1` (`y` even).
    pub fn touches(&self, y: usize) -> bool {
        let rows = self.y..self.y + 2 * self.spans.len();
        rows.contains(&y)
    }

    /// Returns the memory held, in bytes.
    pub fn n_bytes(&self) -> usize {
        let floats = self.luma.len() * 2 + self.chroma_alpha.len() * 3;
        floats * size_of::<f32>() + self.spans.len() * size_of::<[usize; 2]>()
    }

    /// Lays the overlay, faded to `opacity`, over canvas rows `y` and `y + 1` (`y` even) and the chroma row they share.
    pub fn lay(&self, y: usize, opacity: f32, luma: [&mut [f32]; 2], chroma: [&mut [f32]; 2]) {
        let Some(pair) = y.checked_sub(self.y).map(|dy| dy / 2) else {
            return;
        };
        let Some(&[low, high]) = self.spans.get(pair) else {
            return;
        };
        for (dy, row) in luma.into_iter().enumerate() {
            let at = (2 * pair + dy) * self.width;
            let (above, alpha) = (
                &self.luma[at + low..at + high],
                &self.luma_alpha[at + low..],
            );
            lay_row(&mut row[self.x + low..], above, alpha, opacity);
        }
        let at = pair * (self.width / 2);
        let (low, high) = (low / 2, high / 2);
        for (row, plane) in chroma.into_iter().zip(&self.chroma) {
            let (above, alpha) = (&plane[at + low..at + high], &self.chroma_alpha[at + low..]);
            lay_row(&mut row[self.x / 2 + low..], above, alpha, opacity);
        }
    }
}

/// Converts a row of premultiplied pixels to luma and its alpha.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn to_luma(row: &[Px], codes: &mut [f32], alphas: &mut [f32]) {
    for ((px, code), alpha) in row.iter().zip(codes).zip(alphas) {
        *code = luma(px) + 16.0 * px[3];
        *alpha = px[3];
    }
}

/// Converts two rows of premultiplied pixels to a row of chroma and its alpha.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn to_chroma(rows: [&[[Px; 2]]; 2], [cb, cr]: [&mut [f32]; 2], alphas: &mut [f32]) {
    let codes = cb.iter_mut().zip(cr).zip(alphas);
    for (([a, b], [c, d]), ((cb, cr), alpha)) in rows[0].iter().zip(rows[1]).zip(codes) {
        let mean: Px = std::array::from_fn(|i| (a[i] + b[i] + c[i] + d[i]) * 0.25);
        let [blue, red] = chroma(&mean);
        *cb = blue + 128.0 * mean[3];
        *cr = red + 128.0 * mean[3];
        *alpha = mean[3];
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn lay_row(row: &mut [f32], above: &[f32], alpha: &[f32], opacity: f32) {
    for ((v, above), alpha) in row.iter_mut().zip(above).zip(alpha) {
        *v += opacity * (above - alpha * *v);
    }
}

/// Returns the part of the canvas that the sheet's non-empty pixels touch, with even borders.
fn drawn(sheet: &Sheet, origin: [i32; 2], canvas: Size) -> Option<[usize; 4]> {
    let used = |row: &[Px]| {
        let is_used = |px: &Px| *px != [0.0; 4];
        let first = row.iter().position(is_used)?;
        Some((first, row.iter().rposition(is_used)? + 1))
    };
    let (mut x, mut y) = ([usize::MAX, 0], [usize::MAX, 0]);
    for (i, row) in sheet.px.chunks_exact(sheet.width).enumerate() {
        if let Some((first, last)) = used(row) {
            x = [x[0].min(first), x[1].max(last)];
            y = [y[0].min(i), i + 1];
        }
    }
    if x[1] == 0 {
        return None;
    }
    let on_canvas = |side: [usize; 2], origin: i32, length: u32| {
        let place = |v: usize| within(v as i64 + i64::from(origin), 0, i64::from(length)) as usize;
        let (low, high) = (place(side[0]) / 2 * 2, place(side[1]).div_ceil(2) * 2);
        (low < high).then_some([low, high])
    };
    let [x0, x1] = on_canvas(x, origin[0], canvas.width)?;
    let [y0, y1] = on_canvas(y, origin[1], canvas.height)?;
    Some([x0, y0, x1, y1])
}

/// Copies pixels of the sheet from `at` on; transparent outside.
fn copy_row(sheet: &Sheet, [x, y]: [i32; 2], out: &mut [Px]) {
    out.fill([0.0; 4]);
    if !(0..sheet.height as i32).contains(&y) {
        return;
    }
    let row = sheet.row(y as usize);
    let skipped = (-x).max(0) as usize;
    let from = row.get(x.max(0) as usize..).unwrap_or_default();
    for (px, from) in out.iter_mut().skip(skipped).zip(from) {
        *px = *from;
    }
}
