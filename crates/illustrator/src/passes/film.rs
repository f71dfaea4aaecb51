//! A picture being processed: three floats a pixel, and what passes need to sample around a pixel.

use image::RgbImage;
use rayon::prelude::*;
use tiny_skia::Pixmap;

use crate::color::{Color, LUMA};
use crate::noise::grain;

/// A picture of values 0 to 1, not premultiplied.
pub(crate) struct Film {
    pub w: usize,
    pub h: usize,
    /// A thousandth of the mean side, px.
    pub u: f32,
    /// The seed of this picture's noise.
    pub seed: u64,
    pub pixels: Vec<[f32; 3]>,
}

/// A small copy for looking up blurred colors.
pub(crate) struct Small {
    w: usize,
    h: usize,
    step: f32,
    pixels: Vec<[f32; 3]>,
}

impl Film {
    /// Converts a sheet that covers everything.
    pub fn new(picture: &Pixmap, seed: u64) -> Film {
        let (w, h) = (picture.width() as usize, picture.height() as usize);
        let pixels = picture
            .pixels()
            .par_iter()
            .map(|p| [p.red(), p.green(), p.blue()].map(|v| f32::from(v) / 255.0))
            .collect();
        Film {
            w,
            h,
            u: ((w * h) as f32).sqrt() / 1000.0,
            seed,
            pixels,
        }
    }

    /// Converts to bytes, dithered.
    pub fn develop(&self, to: &mut RgbImage) {
        let noise = grain();
        let w = self.w;
        to.par_chunks_mut(w * 3)
            .zip(self.pixels.par_chunks(w))
            .enumerate()
            .for_each(|(y, (row, from))| {
                for (x, (out, p)) in row.chunks_exact_mut(3).zip(from).enumerate() {
                    let dither = 0.5 + noise.at(x as i32, y as i32) * 0.5;
                    for (o, v) in out.iter_mut().zip(p) {
                        *o = (v * 255.0 + dither).clamp(0.0, 255.0) as u8;
                    }
                }
            });
    }

    /// Changes each pixel by its color and position.
    pub fn each(&mut self, change: impl Fn(Color, f32, f32) -> Color + Sync + Send) {
        let w = self.w;
        self.pixels
            .par_chunks_mut(w)
            .enumerate()
            .for_each(|(y, row)| {
                for (x, p) in row.iter_mut().enumerate() {
                    let c = Color {
                        r: p[0],
                        g: p[1],
                        b: p[2],
                    };
                    let c = change(c, x as f32, y as f32).clamp();
                    *p = [c.r, c.g, c.b];
                }
            });
    }

    /// Returns the color at a pixel; outside, the nearest one.
    pub fn at(&self, x: i32, y: i32) -> Color {
        let x = x.min(self.w as i32 - 1).max(0) as usize;
        let y = y.min(self.h as i32 - 1).max(0) as usize;
        let p = self.pixels[y * self.w + x];
        Color {
            r: p[0],
            g: p[1],
            b: p[2],
        }
    }

    /// Returns the lightness of every pixel.
    pub fn luma(&self) -> Luma {
        let values = self
            .pixels
            .par_iter()
            .map(|p| p[0] * LUMA[0] + p[1] * LUMA[1] + p[2] * LUMA[2])
            .collect();
        Luma {
            w: self.w,
            h: self.h,
            values,
        }
    }

    /// Returns a copy blurred by about `radius` px, at reduced size.
    pub fn blurred(&self, radius: f32) -> Small {
        let step = (radius * 0.5).clamp(1.0, 64.0) as usize;
        let (w, h) = (self.w.div_ceil(step), self.h.div_ceil(step));
        let mut pixels = vec![[0.0f32; 3]; w * h];
        pixels.par_chunks_mut(w).enumerate().for_each(|(y, row)| {
            let rows = y * step..((y + 1) * step).min(self.h);
            for (x, out) in row.iter_mut().enumerate() {
                let cols = x * step..((x + 1) * step).min(self.w);
                let n = (rows.len() * cols.len()).max(1) as f32;
                for sy in rows.clone() {
                    for p in &self.pixels[sy * self.w + cols.start..sy * self.w + cols.end] {
                        out.iter_mut().zip(p).for_each(|(o, v)| *o += v);
                    }
                }
                out.iter_mut().for_each(|o| *o /= n);
            }
        });
        let mut small = Small {
            w,
            h,
            step: step as f32,
            pixels,
        };
        small.smooth();
        small.smooth();
        small
    }
}

impl Small {
    /// Blurs by a small kernel, 1 4 6 4 1 in each direction.
    fn smooth(&mut self) {
        const KERNEL: [f32; 5] = [0.0625, 0.25, 0.375, 0.25, 0.0625];
        for (dx, dy) in [(1i32, 0i32), (0, 1)] {
            let from = self.pixels.clone();
            let (w, h) = (self.w as i32, self.h as i32);
            self.pixels.par_iter_mut().enumerate().for_each(|(i, out)| {
                let (x, y) = (i as i32 % w, i as i32 / w);
                let mut sum = [0.0; 3];
                for (k, weight) in KERNEL.iter().enumerate() {
                    let o = k as i32 - 2;
                    let sx = (x + dx * o).min(w - 1).max(0);
                    let sy = (y + dy * o).min(h - 1).max(0);
                    let p = from[(sy * w + sx) as usize];
                    sum.iter_mut().zip(p).for_each(|(s, v)| *s += v * weight);
                }
                *out = sum;
            });
        }
    }

    /// Returns the blurred color at a pixel of the full-size picture.
    pub fn at(&self, x: f32, y: f32) -> Color {
        let fx = ((x + 0.5) / self.step - 0.5)
            .min((self.w - 1) as f32)
            .max(0.0);
        let fy = ((y + 0.5) / self.step - 0.5)
            .min((self.h - 1) as f32)
            .max(0.0);
        let (ix, iy) = (fx as usize, fy as usize);
        let (tx, ty) = (fx - ix as f32, fy - iy as f32);
        let (jx, jy) = ((ix + 1).min(self.w - 1), (iy + 1).min(self.h - 1));
        let p = |x: usize, y: usize| self.pixels[y * self.w + x];
        let (a, b, c, d) = (p(ix, iy), p(jx, iy), p(ix, jy), p(jx, jy));
        let mix = |i: usize| {
            let top = a[i] + (b[i] - a[i]) * tx;
            let low = c[i] + (d[i] - c[i]) * tx;
            top + (low - top) * ty
        };
        Color {
            r: mix(0),
            g: mix(1),
            b: mix(2),
        }
    }
}

/// Lightness, pixel by pixel.
pub(crate) struct Luma {
    w: usize,
    h: usize,
    values: Vec<f32>,
}

impl Luma {
    /// Returns the lightness at a pixel; outside, the nearest one.
    pub fn at(&self, x: i32, y: i32) -> f32 {
        let x = x.min(self.w as i32 - 1).max(0) as usize;
        let y = y.min(self.h as i32 - 1).max(0) as usize;
        self.values[y * self.w + x]
    }
}
