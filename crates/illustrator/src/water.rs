//! Water: a rippled reflection of the sky and the shores, with the light's path on it.

use crate::canvas::Canvas;
use crate::color::{Color, ramp};
use crate::light::Light;
use crate::noise::{cloudy, smooth};

/// Where water lies and how it moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Water {
    /// Y of its far edge, px.
    pub y: f32,
    /// 0 is a mirror, 1 open sea.
    pub rough: f32,
    /// The lowest y at which it may be visible, px.
    pub foot: f32,
}

/// Paints water over everything below its far edge.
pub(crate) fn paint(canvas: &mut Canvas, light: &Light, water: &Water) {
    let mirror = canvas.above(water.y);
    let noise = cloudy();
    let u = canvas.u;
    let (h, y0) = (canvas.h, water.y);
    let p = &light.palette;
    let deep = p.sky[0].mix(p.sky[1], 0.35).mix(p.dark, 0.2);
    let sparkle = p.sun.mix(Color::gray(1.0), 0.3);
    let bottom = if canvas.is_layered() {
        h + canvas.margin
    } else {
        water.foot
    };
    canvas.wash(y0, bottom, |x, y| {
        let d = ((y - y0) / (h - y0).max(1.0)).clamp(0.0, 1.0);
        let z = 1.0 / (d + 0.06);
        let long = noise.sample(
            (x - light.sun.0) * z / (u * 20.0) + 60.0,
            z * 22.0 + y / (u * 2.4),
        );
        let short = noise.sample(
            x / (u * (1.6 + 5.0 * d)) + 17.0,
            y / (u * (0.35 + 1.1 * d)) + z * 5.0,
        );
        let ripple = (long - 0.5) * 0.7 + (short - 0.5) * 0.6;
        let sway = ripple * u * (6.0 + 70.0 * d) * (0.35 + water.rough);
        let seen = mirror.at(x + sway * 0.7, y0 - (y - y0) * 0.92 + sway);
        let sky = ramp(&p.sky, 0.95 - d * 0.8);
        let calm = seen.mix(sky, 0.2 + water.rough * 0.45);
        let tone = calm.mix(deep, 0.16 + 0.5 * d * (0.4 + 0.6 * water.rough));
        let crest = smooth(0.08, 0.3, ripple) * (0.1 + 0.22 * water.rough);
        let trough = smooth(-0.05, -0.3, ripple) * (0.12 + 0.18 * water.rough);
        let c = tone.mix(p.sky[3], crest).mix(deep.scale(0.8), trough);
        let wide = u * (26.0 + 150.0 * d);
        let off = (x - light.sun.0) / wide;
        let path = smooth(0.02, 0.22, ripple + 0.1 / (1.0 + off * off * 3.0))
            / (1.0 + off * off * off * off);
        let edge = 1.0 - smooth(0.0, 0.012, d);
        (
            c.mix(sparkle, (path * 0.75 + edge * 0.3).min(0.9)),
            (y - y0 + 0.5).min(1.0),
        )
    });
}
