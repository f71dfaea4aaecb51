//! Passes that change a pixel by its own color and position alone.

use super::Film;
use crate::color::{Color, ramp};
use crate::noise::{cloudy, grain, paper, smooth};

/// Changes contrast, saturation, brightness, warmth.
pub(super) fn tone(film: &mut Film, of: [f32; 4]) {
    let [contrast, saturation, bright, warm] = of;
    film.each(|c, _, _| {
        let c = c.saturate(saturation);
        let curve = |v: f32| {
            let v = (v - 0.5) * contrast + 0.5 + bright;
            // A soft shoulder and toe avoid hard clipping.
            if v > 0.85 {
                0.85 + (v - 0.85) / (1.0 + (v - 0.85) * 4.0)
            } else if v < 0.12 {
                0.12 - (0.12 - v) / (1.0 + (0.12 - v) * 4.0)
            } else {
                v
            }
        };
        Color {
            r: curve(c.r),
            g: curve(c.g),
            b: curve(c.b),
        }
        .warm(warm)
    });
}

/// Maps lightness to colors.
pub(super) fn ramp_map(film: &mut Film, colors: &[u32], mix: f32) {
    let stops: Vec<Color> = colors.iter().map(|c| Color::hex(*c)).collect();
    film.each(|c, _, _| c.mix(ramp(&stops, c.luma()), mix));
}

/// Reduces lightness to steps and keeps the hue.
pub(super) fn posterize(film: &mut Film, levels: f32, soft: f32) {
    film.each(|c, _, _| {
        let l = c.luma().max(0.004);
        let at = l * levels;
        let step = at.floor();
        let edge = 0.5 * soft.max(0.02);
        let to = (step + smooth(0.5 - edge, 0.5 + edge, at - step)) / levels;
        c.scale((to.max(0.25 / levels) / l).min(2.5))
            .mix(c, soft * 0.3)
    });
}

/// Darkens the corners.
pub(super) fn vignette(film: &mut Film, k: f32) {
    let (w, h) = (film.w as f32, film.h as f32);
    film.each(|c, x, y| {
        let (dx, dy) = (x / w - 0.5, y / h - 0.46);
        let d = dx * dx + dy * dy;
        c.scale(1.0 - k * smooth(0.1, 0.55, d))
    });
}

/// Adds film grain, strongest in half light.
pub(super) fn film_grain(film: &mut Film, k: f32, size: f32) {
    let noise = grain();
    let pitch = 1.0 / (size * film.u).max(1.0);
    let shift = (film.seed % 509) as f32;
    film.each(|c, x, y| {
        let n = noise.sample(x * pitch + shift, y * pitch + shift * 0.7);
        let l = c.luma();
        c.lift(n * k * (0.35 + 2.6 * l * (1.0 - l)))
    });
}

/// Adds paper: fibers and pits darken and lighten.
pub(super) fn paper_grain(film: &mut Film, k: f32) {
    let (fiber, broad) = (paper(), cloudy());
    let pitch = 1.0 / film.u.max(0.4);
    film.each(|c, x, y| {
        let n = fiber.sample(x * pitch, y * pitch) - 0.5;
        let m = broad.sample(x * pitch * 0.2, y * pitch * 0.2) - 0.5;
        c.scale(1.0 + (n * 0.8 + m * 0.14) * k)
    });
}

/// Lights the middle, like a flash at the camera.
pub(super) fn flash(film: &mut Film, k: f32) {
    let (w, h) = (film.w as f32, film.h as f32);
    film.each(|c, x, y| {
        let (dx, dy) = ((x / w - 0.5) * 1.2, y / h - 0.5);
        let near = 1.0 / (1.0 + 7.0 * (dx * dx + dy * dy));
        let dark = c.scale(1.0 - k * 0.75 * (1.0 - near));
        dark.mix(Color::hex(0xfffaf2), k * 0.24 * near * near)
            .scale(1.0 + k * 0.3 * near)
    });
}

/// Leaves bare paper around an uneven edge.
pub(super) fn border(film: &mut Film, k: f32) {
    let noise = cloudy();
    let (w, h, u) = (film.w as f32, film.h as f32, film.u);
    let sheet = Color::hex(0xf7f2e6);
    film.each(|c, x, y| {
        let edge = x.min(w - 1.0 - x).min(y).min(h - 1.0 - y) / u;
        let rough = noise.sample(x / (u * 2.0), y / (u * 2.0)) * 34.0
            + noise.sample(x / (u * 0.5), y / (u * 0.5)) * 9.0;
        let bare = smooth(30.0 * k + 4.0, 22.0 * k, edge - (rough - 20.0) * k);
        let rim = smooth(44.0 * k, 24.0 * k, edge - (rough - 20.0) * k) * (1.0 - bare);
        c.scale(1.0 - 0.14 * rim).mix(sheet, bare)
    });
}
