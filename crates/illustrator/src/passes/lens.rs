//! Passes that look around a pixel: light that spreads, blur, unsteady hands, relief.

use super::Film;
use crate::color::Color;
use crate::noise::{Rng, cloudy, smooth};

/// Spreads light around bright parts.
pub(super) fn bloom(film: &mut Film, k: f32) {
    let wide = film.blurred(film.u * 42.0);
    film.each(|c, x, y| {
        let glow = wide.at(x, y);
        let bright = glow.scale(smooth(0.35, 0.95, glow.luma()) * k);
        Color {
            r: 1.0 - (1.0 - c.r) * (1.0 - bright.r),
            g: 1.0 - (1.0 - c.g) * (1.0 - bright.g),
            b: 1.0 - (1.0 - c.b) * (1.0 - bright.b),
        }
    });
}

/// Blurs away from the center of interest.
pub(super) fn focus(film: &mut Film, k: f32) {
    let (near, far) = (film.blurred(film.u * 5.0), film.blurred(film.u * 14.0));
    let (w, h) = (film.w as f32, film.h as f32);
    film.each(|c, x, y| {
        let (dx, dy) = (x / w - 0.5, (y / h - 0.58) * 1.5);
        let d = (dx * dx + dy * dy).sqrt();
        let out = smooth(0.16, 0.5, d) * k;
        c.mix(near.at(x, y), (out * 2.0).min(1.0))
            .mix(far.at(x, y), (out * 2.0 - 1.0).clamp(0.0, 1.0))
    });
}

/// Adds discs of light out of focus, in the colors of the picture under them.
pub(super) fn bokeh(film: &mut Film, k: f32) {
    let wide = film.blurred(film.u * 30.0);
    let mut rng = Rng::new(film.seed ^ 0xb0ce);
    let (w, h) = (film.w as f32, film.h as f32);
    let discs: Vec<(f32, f32, f32, Color)> = (0..34)
        .map(|_| {
            let (x, y) = (rng.unit() * w, rng.unit() * h * 0.62);
            let r = film.u * rng.range(14.0, 58.0);
            let c = wide.at(x, y).saturate(1.5).mix(Color::hex(0xfff3d0), 0.4);
            (x, y, r, c.scale(1.1))
        })
        .collect();
    film.each(|mut c, x, y| {
        for (cx, cy, r, light) in &discs {
            let (dx, dy) = ((x - cx).abs(), (y - cy).abs());
            if dx < *r && dy < *r {
                let d = (dx * dx + dy * dy).sqrt() / r;
                let disc = smooth(1.0, 0.93, d) * (0.55 + 0.45 * d * d);
                c = c.mix(*light, disc * k * 0.5);
            }
        }
        c
    });
}

/// Blurs horizontally, more so away from the middle.
pub(super) fn streak(film: &mut Film, length: f32) {
    let reach = (length * film.u).max(2.0);
    let from = film.pixels.clone();
    let (w, h) = (film.w as i32, film.h as f32);
    film.each(|_, x, y| {
        let away = smooth(0.06, 0.4, (y / h - 0.56).abs()) * 0.85 + 0.15;
        let row = y as i32 * w;
        let mut sum = [0.0f32; 3];
        for i in 0..12 {
            let o = (i as f32 / 11.0 - 0.5) * reach * away;
            let p = from[(row + ((x + o) as i32).min(w - 1).max(0)) as usize];
            sum.iter_mut().zip(p).for_each(|(s, v)| *s += v);
        }
        Color {
            r: sum[0] / 12.0,
            g: sum[1] / 12.0,
            b: sum[2] / 12.0,
        }
    });
}

/// Raises contrast against the surroundings.
pub(super) fn local(film: &mut Film, k: f32) {
    let (small, wide) = (film.blurred(film.u * 8.0), film.blurred(film.u * 60.0));
    film.each(|c, x, y| {
        let l = c.luma();
        let fine = l - small.at(x, y).luma();
        let broad = l - wide.at(x, y).luma();
        let flat = (0.5 - wide.at(x, y).luma()) * 0.22;
        c.lift((fine * 1.1 + broad * 0.45 + flat) * k)
    });
}

/// Distorts everything, as if drawn by an unsteady hand.
pub(super) fn wobble(film: &mut Film, k: f32) {
    let from = Film {
        w: film.w,
        h: film.h,
        u: film.u,
        seed: film.seed,
        pixels: film.pixels.clone(),
    };
    let noise = cloudy();
    let (u, reach) = (film.u, k * film.u * 3.0);
    film.each(|_, x, y| {
        let dx = noise.sample(x / (u * 1.6), y / (u * 1.6)) - 0.5;
        let dy = noise.sample(x / (u * 1.6) + 211.0, y / (u * 1.6) + 97.0) - 0.5;
        from.at((x + dx * reach + 0.5) as i32, (y + dy * reach + 0.5) as i32)
    });
}

/// Shifts red and blue apart.
pub(super) fn fringe(film: &mut Film, k: f32) {
    let from = film.pixels.clone();
    let (w, reach) = (film.w as i32, (k * film.u).round().max(1.0) as i32);
    film.each(|c, x, y| {
        let row = y as i32 * w;
        let at = |o: i32| from[(row + (x as i32 + o).min(w - 1).max(0)) as usize];
        Color {
            r: at(reach)[0],
            g: c.g,
            b: at(-reach)[2],
        }
    });
}

/// Lights the picture from the upper left, as a surface whose height is its lightness.
pub(super) fn relief(film: &mut Film, k: f32, width: f32) {
    let soft = film.blurred((film.u * width).max(2.0));
    let reach = film.u * width * 0.7;
    film.each(|c, x, y| {
        let slope = soft.at(x + reach, y + reach).luma() - soft.at(x - reach, y - reach).luma();
        let shine = smooth(0.05, 0.3, slope) * 0.4;
        c.scale(1.0 + slope.clamp(-0.45, 0.45) * 1.3 * k)
            .mix(Color::gray(1.0), shine * k * 0.4)
    });
}

/// Blurs everything.
pub(super) fn soften(film: &mut Film, radius: f32) {
    let soft = film.blurred((film.u * radius).max(2.0));
    film.each(|_, x, y| soft.at(x, y));
}
