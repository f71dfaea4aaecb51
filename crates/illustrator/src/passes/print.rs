//! Passes that rebuild the picture from larger pieces: dots, pixels, brush strokes.

use rayon::prelude::*;

use super::Film;
use crate::color::Color;
use crate::noise::smooth;

/// Renders printed dots on a slanted grid: dark ones that grow with the shade.
pub(super) fn halftone(film: &mut Film, pitch: f32, k: f32) {
    let step = (pitch * film.u).max(3.0);
    film.each(|c, x, y| {
        let (gx, gy) = ((x * 0.866 + y * 0.5) / step, (y * 0.866 - x * 0.5) / step);
        let (dx, dy) = (gx - gx.floor() - 0.5, gy - gy.floor() - 0.5);
        let r = (dx * dx + dy * dy).sqrt();
        let dark = 1.0 - c.luma();
        let size = (dark * 0.62).sqrt() * 0.78;
        let dot = smooth(size + 0.1, size - 0.1, r);
        let light = c.mix(Color::gray(1.0), 0.16);
        c.mix(light.mix(c.scale(0.55), dot), k)
    });
}

/// A 4 by 4 dither matrix (Bayer 1973).
const BAYER: [f32; 16] = [
    0.0, 8.0, 2.0, 10.0, 12.0, 4.0, 14.0, 6.0, 3.0, 11.0, 1.0, 9.0, 15.0, 7.0, 13.0, 5.0,
];

/// Renders square pixels of few colors.
pub(super) fn pixels(film: &mut Film, side: f32, levels: f32) {
    let step = (side * film.u).round().max(2.0) as usize;
    let (w, h) = (film.w, film.h);
    let (cols, rows) = (w.div_ceil(step), h.div_ceil(step));
    let cells: Vec<[f32; 3]> = (0..cols * rows)
        .into_par_iter()
        .map(|i| {
            let (cx, cy) = (i % cols, i / cols);
            let at = |k: usize, n: usize| (k * step + step / 2).min(n - 1);
            let near = |k: usize, n: usize| (k * step + step / 4).min(n - 1);
            let a = film.pixels[at(cy, h) * w + at(cx, w)];
            let b = film.pixels[near(cy, h) * w + near(cx, w)];
            let dither = (BAYER[(cy % 4) * 4 + cx % 4] / 16.0 - 0.47) * 0.55;
            std::array::from_fn(|c| {
                let v = (a[c] * 0.6 + b[c] * 0.4 - 0.5) * 1.12 + 0.5;
                ((v * (levels - 1.0) + dither).round() / (levels - 1.0)).clamp(0.0, 1.0)
            })
        })
        .collect();
    film.pixels
        .par_chunks_mut(w)
        .enumerate()
        .for_each(|(y, row)| {
            let line = &cells[(y / step) * cols..(y / step + 1) * cols];
            for (x, p) in row.iter_mut().enumerate() {
                *p = line[x / step];
            }
        });
}

/// Renders brush strokes: each pixel takes the mean of its calmest quadrant (Kuwahara 1976), at half size for large pictures.
pub(super) fn brush(film: &mut Film, radius: f32) {
    let scale = if film.u > 0.6 { 2 } else { 1 };
    let r = (radius * film.u / scale as f32).round().clamp(1.0, 5.0) as i32;
    let (w, h) = (film.w.div_ceil(scale) as i32, film.h.div_ceil(scale) as i32);
    let small: Vec<[f32; 4]> = (0..(w * h) as usize)
        .into_par_iter()
        .map(|i| {
            let (x, y) = (i as i32 % w * scale as i32, i as i32 / w * scale as i32);
            let c = film
                .at(x, y)
                .mix(film.at(x + scale as i32 - 1, y + scale as i32 - 1), 0.5);
            [c.r, c.g, c.b, c.luma()]
        })
        .collect();
    let strokes: Vec<[f32; 3]> = (0..(w * h) as usize)
        .into_par_iter()
        .map(|i| calmest(&small, (w, h), (i as i32 % w, i as i32 / w), r))
        .collect();
    let width = film.w;
    film.pixels
        .par_chunks_mut(width)
        .enumerate()
        .for_each(|(y, row)| {
            let k = 1.0 / scale as f32;
            for (x, p) in row.iter_mut().enumerate() {
                *p = between(&strokes, (w, h), (x as f32 * k, y as f32 * k));
            }
        });
}

fn calmest(of: &[[f32; 4]], size: (i32, i32), at: (i32, i32), r: i32) -> [f32; 3] {
    let mut best = (f32::MAX, [0.0; 3]);
    for (sx, sy) in [(-r, -r), (0, -r), (-r, 0), (0, 0)] {
        let (mut sum, mut squares) = ([0.0f32; 4], 0.0f32);
        for y in (at.1 + sy)..=(at.1 + sy + r) {
            let row = y.min(size.1 - 1).max(0) * size.0;
            for x in (at.0 + sx)..=(at.0 + sx + r) {
                let p = of[(row + x.min(size.0 - 1).max(0)) as usize];
                sum.iter_mut().zip(p).for_each(|(s, v)| *s += v);
                squares += p[3] * p[3];
            }
        }
        let n = ((r + 1) * (r + 1)) as f32;
        let spread = squares / n - (sum[3] / n) * (sum[3] / n);
        if spread < best.0 {
            best = (spread, [sum[0] / n, sum[1] / n, sum[2] / n]);
        }
    }
    best.1
}

fn between(of: &[[f32; 3]], size: (i32, i32), at: (f32, f32)) -> [f32; 3] {
    let (x, y) = (at.0 as i32, at.1 as i32);
    let (tx, ty) = (at.0 - x as f32, at.1 - y as f32);
    let p = |x: i32, y: i32| of[(y.min(size.1 - 1) * size.0 + x.min(size.0 - 1)) as usize];
    let (a, b, c, d) = (p(x, y), p(x + 1, y), p(x, y + 1), p(x + 1, y + 1));
    std::array::from_fn(|i| {
        let top = a[i] + (b[i] - a[i]) * tx;
        top + (c[i] + (d[i] - c[i]) * tx - top) * ty
    })
}
