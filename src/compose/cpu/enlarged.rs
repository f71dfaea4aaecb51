//! Enlarges half-size samples row by row during painting.

use multiversion::multiversion;

use super::sheet::{Px, Sheet};

/// A part of the canvas at half size: its px (x, y) covers the canvas px (2x, 2y) to (2x + 1, 2y + 1).
#[derive(Debug)]
pub(super) struct HalfSheet {
    /// Its pixels.
    pub sheet: Sheet,
    /// Position of its px (0, 0), in half px of the canvas.
    pub origin: [i32; 2],
}

impl HalfSheet {
    /// Returns the first half px, and their number, from which the canvas px `left, top, right, bottom` (the last two exclusive) are mixed, including a margin.
    pub fn span([left, top, right, bottom]: [i32; 4]) -> ([i32; 2], [usize; 2]) {
        let low = [left, top].map(|v| v.div_euclid(2) - 1);
        let high = [right, bottom].map(|v| (v - 1).div_euclid(2) + 2);
        let n = [0, 1].map(|i| (high[i] - low[i]).max(1) as usize);
        (low, n)
    }

    /// Writes the canvas px from `at` on, times `gain`: bilinear, px centers aligned. `mixed` is a buffer reused between calls.
    pub fn row(&self, at: [i32; 2], gain: Px, mixed: &mut Vec<Px>, out: &mut [Px]) {
        let near = at[1].div_euclid(2);
        let far = if at[1] & 1 == 0 { near - 1 } else { near + 1 };
        // Starts one half px earlier.
        let x = (at[0].div_euclid(2) - 1 - self.origin[0]) as usize;
        let n = out.len() / 2 + 3;
        let part = |y: i32| &self.sheet.row((y - self.origin[1]) as usize)[x..];
        let (near, far) = (part(near), part(far));
        let n = n.min(near.len());
        mixed.resize(n, [0.0; 4]);
        enlarge_row([&near[..n], &far[..n]], (gain, at[0] & 1 == 1), mixed, out);
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn enlarge_row(rows: [&[Px]; 2], (gain, is_odd): (Px, bool), mixed: &mut [Px], out: &mut [Px]) {
    for ((px, near), far) in mixed.iter_mut().zip(rows[0]).zip(rows[1]) {
        for c in 0..4 {
            px[c] = (0.75 * near[c] + 0.25 * far[c]) * gain[c];
        }
    }
    let between =
        |near: &Px, far: &Px| -> Px { std::array::from_fn(|c| 0.75 * near[c] + 0.25 * far[c]) };
    let mut out = out;
    let mut at = 1;
    if is_odd && let Some((first, rest)) = std::mem::take(&mut out).split_first_mut() {
        *first = between(&mixed[1], &mixed[2]);
        (out, at) = (rest, 2);
    }
    let (pairs, last) = out.as_chunks_mut::<2>();
    for (pair, window) in pairs.iter_mut().zip(mixed[at - 1..].windows(3)) {
        *pair = [
            between(&window[1], &window[0]),
            between(&window[1], &window[2]),
        ];
    }
    if let [last] = last {
        let near = at + pairs.len();
        *last = between(&mixed[near], &mixed[near - 1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_row_is_the_same() {
        let (canvas, gain) = ([-3, -2, 10, 9], [1.0; 4]);
        let (origin, [width, height]) = HalfSheet::span(canvas);
        let mut sheet = Sheet::filled(width, height, [0.0; 4]);
        for (i, px) in sheet.px.iter_mut().enumerate() {
            let (x, y) = (i % width, i / width);
            *px = [
                (x as i32 + origin[0]) as f32,
                (y as i32 + origin[1]) as f32,
                0.0,
                1.0,
            ];
        }
        let half = HalfSheet { sheet, origin };
        let mut mixed = Vec::new();
        for y in canvas[1]..canvas[3] {
            for x in canvas[0]..canvas[2] {
                let mut out = vec![[0.0; 4]; (canvas[2] - x) as usize];
                half.row([x, y], gain, &mut mixed, &mut out);
                for (i, px) in out.iter().enumerate() {
                    // A ramp stays a ramp: half px centers lie at 2x + 1.
                    let place = |v: i32| (v as f32 + 0.5 - 1.0) / 2.0;
                    assert_eq!(*px, [place(x + i as i32), place(y), 0.0, 1.0]);
                }
            }
        }
    }
}
