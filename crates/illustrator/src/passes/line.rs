//! Passes that draw lines: outlines, pen, burin, pencil, the edges of washes.

use super::Film;
use crate::color::Color;
use crate::noise::{cloudy, paper, smooth};

/// Draws lines where lightness changes.
pub(super) fn outline(film: &mut Film, k: f32, width: f32, ink: u32) {
    let luma = film.luma();
    let reach = (width * film.u * 0.5).round().max(1.0) as i32;
    let noise = cloudy();
    let (u, ink) = (film.u, Color::hex(ink));
    film.each(|c, x, y| {
        let (ix, iy) = (x as i32, y as i32);
        let dx = luma.at(ix + reach, iy) - luma.at(ix - reach, iy);
        let dy = luma.at(ix, iy + reach) - luma.at(ix, iy - reach);
        let press = 0.65 + 0.7 * noise.sample(x / (u * 3.0), y / (u * 3.0));
        let edge = smooth(0.05, 0.2, (dx * dx + dy * dy).sqrt());
        c.mix(ink, edge * k * press)
    });
}

/// Draws pen strokes: one direction in half shade, crossed in the dark.
pub(super) fn hatch(film: &mut Film, pitch: f32, k: f32, ink: u32) {
    let noise = cloudy();
    let (u, ink) = (film.u, Color::hex(ink));
    let step = (pitch * u).max(2.0);
    film.each(|c, x, y| {
        let dark = 1.0 - c.luma();
        let bend = noise.sample(x / (u * 4.0), y / (u * 4.0)) * 2.4;
        let stroke = |at: f32, need: f32| {
            let t = (at / step + bend) - (at / step + bend).floor();
            let wide = ((dark - need) * 1.5).clamp(0.0, 0.5);
            smooth(wide + 0.12, wide, (t - 0.5).abs()) * smooth(need, need + 0.06, dark)
        };
        let one = stroke(x + y, 0.34);
        let two = stroke(x * 0.94 - y * 1.06, 0.55);
        let three = stroke(x * 1.4 + y * 0.2, 0.74);
        c.mix(ink, (one.max(two).max(three)) * k)
    });
}

/// Draws lines that swell with the shade.
pub(super) fn engrave(film: &mut Film, pitch: f32, k: f32) {
    let noise = cloudy();
    let u = film.u;
    let step = (pitch * u).max(3.5);
    let sheet = Color::hex(0xf4ead2);
    film.each(|c, x, y| {
        let bend = noise.sample(x / (u * 24.0), y / (u * 24.0)) * 5.0;
        let at = y / step + bend;
        let t = (at - at.floor() - 0.5).abs() * 2.0;
        let dark = (1.0 - c.luma()) * 1.08;
        let on = smooth(dark + 0.16, dark - 0.16, t);
        let bare = sheet.mix(c, 0.45);
        c.mix(bare.mix(c.scale(0.42), on), k)
    });
}

/// Draws in pencil on paper: soft lines, strokes in the shade, some of the color.
pub(super) fn pencil(film: &mut Film, color: f32, dark: f32) {
    let blurred = film.blurred(film.u * 9.0);
    let (tooth, noise) = (paper(), cloudy());
    let u = film.u;
    let sheet = Color::hex(0xf6f1e4);
    let lead = Color::hex(0x2f2d33);
    film.each(|c, x, y| {
        let around = blurred.at(x, y).luma().max(0.02);
        let l = c.luma();
        let line = smooth(1.0, 0.8, l / around);
        let stroke = noise.sample((x + y) / (u * 0.1), (x - y) / (u * 1.5));
        let shade = smooth(0.62, 0.12, l) * smooth(0.3, 0.62, stroke) * 0.75;
        let pits = tooth.sample(x / u, y / u);
        let press = ((line + shade * dark) * (0.55 + 0.8 * pits)).min(1.0);
        let cover = color * (0.72 + 0.42 * stroke) * (0.7 + 0.5 * pits);
        let chalk = sheet.mix(
            c.mix(sheet, 0.08).saturate(1.15),
            cover.min(1.0) * smooth(1.02, 0.8, l),
        );
        chalk.mix(lead, press * dark * 0.9)
    });
}

/// Renders washes: pigment gathers at their edges and in the paper's pits.
pub(super) fn pool(film: &mut Film, k: f32) {
    let blurred = film.blurred(film.u * 12.0);
    let (tooth, noise) = (paper(), cloudy());
    let u = film.u;
    let sheet = Color::hex(0xfbf7ec);
    film.each(|c, x, y| {
        let around = blurred.at(x, y);
        let edge = (around.luma() - c.luma()).clamp(-0.1, 0.2);
        let flow = noise.sample(x / (u * 5.0), y / (u * 5.0)) - 0.5;
        let pits = tooth.sample(x / u, y / u) - 0.5;
        let thin = (0.22 + flow * 0.5 + pits * 0.22) * k;
        c.scale(1.0 - edge.max(0.0) * 1.6 * k)
            .mix(sheet, thin.clamp(0.0, 0.75))
    });
}
