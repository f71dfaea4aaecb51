//! Weather in front of everything: rain, snow, fog, leaves in the wind.

use crate::brief::Brief;
use crate::canvas::{Canvas, Ink, line};
use crate::color::Color;
use crate::light::Light;
use crate::noise::{cloudy, smooth};
use crate::vocabulary::Weather;

/// Paints what falls or drifts between the viewer and the scene.
pub(crate) fn paint(canvas: &mut Canvas, light: &Light, brief: &Brief) {
    match brief.weather {
        Weather::Rain => rain(canvas, light, brief, 190),
        Weather::Storm => rain(canvas, light, brief, 320),
        Weather::Snow => snow(canvas, brief),
        Weather::Fog => fog(canvas, light, brief),
        Weather::Wind => leaves(canvas, light, brief),
        Weather::Clear | Weather::Clouds => {}
    }
}

fn rain(canvas: &mut Canvas, light: &Light, brief: &Brief, n: usize) {
    let mut rng = brief.rng.fork("rain");
    let color = light.palette.sky[3].mix(Color::gray(1.0), 0.4);
    let slant = rng.sign() * rng.range(0.08, 0.24);
    for _ in 0..n {
        let near = rng.unit();
        let at = (
            rng.range(-0.1, 1.1) * canvas.w,
            rng.range(-0.05, 1.0) * canvas.h,
        );
        let length = canvas.u * (14.0 + 66.0 * near * near);
        if let Some(path) = line(&[at, (at.0 + slant * length, at.1 + length)]) {
            canvas.stroke(
                &path,
                canvas.u * (0.7 + 1.5 * near),
                Ink::Flat(color, 0.16 + 0.3 * near),
            );
        }
    }
}

fn snow(canvas: &mut Canvas, brief: &Brief) {
    let mut rng = brief.rng.fork("snow");
    for _ in 0..420 {
        let near = rng.unit();
        let at = (
            rng.range(-0.05, 1.05) * canvas.w,
            rng.range(-0.05, 1.05) * canvas.h,
        );
        let r = canvas.u * (1.0 + 8.5 * near * near * near * near);
        let white = Color::hex(0xfffdf8);
        if r > canvas.u * 5.0 {
            canvas.glow(at, r * 1.6, white, 0.75);
        } else {
            canvas.ellipse(at, (r, r), Ink::Flat(white, 0.5 + 0.4 * near));
        }
    }
}

fn fog(canvas: &mut Canvas, light: &Light, brief: &Brief) {
    let mut rng = brief.rng.fork("fog");
    let noise = cloudy();
    let (ox, u, h) = (rng.range(0.0, 512.0), canvas.u, canvas.h);
    let color = light.palette.haze.mix(light.palette.sky[3], 0.4);
    canvas.wash(h * 0.3, h + canvas.margin, |x, y| {
        let n = noise.sample(ox + x / (u * 9.0), y / (u * 3.0));
        let band = smooth(0.32, 0.56, y / h) * (1.0 - smooth(0.62, 0.95, y / h));
        (color, smooth(0.3, 0.8, n) * band * 0.62)
    });
}

fn leaves(canvas: &mut Canvas, light: &Light, brief: &Brief) {
    let mut rng = brief.rng.fork("leaves");
    let colors = [0xcf7a35, 0xd99a3f, 0x8fa54f, 0xb5532e].map(Color::hex);
    for _ in 0..34 {
        let near = rng.unit();
        let at = (rng.unit() * canvas.w, rng.range(0.1, 0.95) * canvas.h);
        let size = canvas.u * (3.0 + 11.0 * near * near);
        let tilt = rng.range(-0.7, 0.7);
        let c = light.at(rng.pick(&colors).unwrap_or(colors[0]), 0.9);
        let (dx, dy) = (size, size * tilt);
        let points = [
            (at.0 - dx, at.1 - dy),
            (at.0 - dy * 0.35, at.1 + dx * 0.4),
            (at.0 + dx, at.1 + dy),
            (at.0 + dy * 0.35, at.1 - dx * 0.35),
        ];
        canvas.polygon(&points, Ink::Flat(c, 0.9));
    }
}
