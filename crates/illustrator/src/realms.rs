//! Places without land and sky: space and caves.

use crate::brief::Brief;
use crate::canvas::{Canvas, Ink};
use crate::color::{Color, ramp};
use crate::light::Light;
use crate::noise::{Rng, cloudy, cos_turns, grain, sin_turns, smooth, wave};
use crate::subjects::{self, Floor};

/// Paints stars, clouds of gas, planets, and what drifts among them.
pub(crate) fn space(canvas: &mut Canvas, light: &Light, brief: &Brief) {
    let mut rng = brief.rng.fork("space");
    heaven(canvas, light, &mut rng);
    let u = canvas.u;
    canvas.layer("planets", 0.4);
    let side = light.side;
    planet(
        canvas,
        light,
        (
            (canvas.w * (0.5 + side * 0.24), canvas.h * 0.23),
            u * rng.range(80.0, 150.0),
            true,
        ),
        &mut rng,
    );
    planet(
        canvas,
        light,
        (
            (canvas.w * (0.5 - side * 0.34), canvas.h * 0.4),
            u * rng.range(24.0, 42.0),
            false,
        ),
        &mut rng,
    );
    canvas.layer("near", 0.8);
    let near = u * rng.range(640.0, 800.0);
    planet(
        canvas,
        light,
        (
            (canvas.w * (0.5 - side * 0.1), canvas.h * 0.74 + near),
            near,
            false,
        ),
        &mut rng,
    );
    canvas.layer("subjects", 0.95);
    subjects::adrift(canvas, light, brief);
}

/// Paints gas and stars.
fn heaven(canvas: &mut Canvas, light: &Light, rng: &mut Rng) {
    let noise = cloudy();
    let p = light.palette;
    let (ox, oy) = (rng.range(0.0, 512.0), rng.range(0.0, 512.0));
    let (u, h) = (canvas.u, canvas.h + canvas.margin);
    let warm = p.accent.mix(Color::hex(0xe0609a), rng.unit());
    let tilt = rng.range(-0.5, 0.5);
    let center = canvas.h * rng.range(0.3, 0.5);
    canvas.wash(-canvas.margin, h, |x, y| {
        let n = noise.sample(ox + x / (u * 5.5), oy + y / (u * 5.5));
        let m = noise.sample(oy + x / (u * 2.3), ox + y / (u * 2.3));
        let lane = (y - center - (x - u * 350.0) * tilt) / (u * 360.0);
        let band = 1.0 / (1.0 + 2.6 * lane * lane);
        let base = ramp(&p.sky[..3], y / h * 0.7);
        let gas = smooth(0.34, 0.9, n * 0.7 + m * 0.3) * band;
        let c = base
            .mix(p.sky[3], gas * 0.95)
            .mix(warm, smooth(0.55, 0.95, m * 0.55 + n * 0.45) * band * 0.55);
        (c, 1.0)
    });
    let white = Color::hex(0xfff8ec);
    for _ in 0..420 {
        let at = (
            rng.range(-0.05, 1.05) * canvas.w,
            rng.range(-0.05, 1.05) * canvas.h,
        );
        let k = rng.unit();
        let r = u * (0.5 + 2.2 * k * k * k * k);
        canvas.ellipse(at, (r, r), Ink::Flat(white, 0.3 + 0.65 * k));
        if k > 0.97 {
            canvas.glow(at, r * 9.0, p.light, 0.5);
        }
    }
}

/// Colors of land, sea and clouds of planets.
const SKINS: [[Color; 3]; 5] = [
    [
        Color::hex(0xd9a066),
        Color::hex(0x9f5f4a),
        Color::hex(0xf0d9a8),
    ],
    [
        Color::hex(0x3f7fae),
        Color::hex(0x5f9a6a),
        Color::hex(0xe8f0f0),
    ],
    [
        Color::hex(0x8f6fae),
        Color::hex(0x5a4a8f),
        Color::hex(0xd9b0d0),
    ],
    [
        Color::hex(0xb5533c),
        Color::hex(0x7a3a36),
        Color::hex(0xe0946a),
    ],
    [
        Color::hex(0x5aa6a0),
        Color::hex(0x2f6f7f),
        Color::hex(0xc9ecd9),
    ],
];

/// Paints a lit planet with bands or continents, air at its rim, and sometimes a ring.
fn planet(canvas: &mut Canvas, light: &Light, of: ((f32, f32), f32, bool), rng: &mut Rng) {
    let ((cx, cy), r, ringed) = of;
    let skin = rng.pick(&SKINS).unwrap_or(SKINS[0]);
    let noise = cloudy();
    let seed = rng.range(0.0, 512.0);
    let banded = rng.chance(0.5);
    let to_sun = (light.side * 0.62, -0.6);
    canvas.glow((cx, cy), r * 1.35, skin[2], 0.3);
    let ring = ringed && rng.chance(0.75);
    let dark = light.palette.sky[0];
    if ring {
        halo(canvas, (cx, cy, r), (skin[2], -1.0));
    }
    canvas.wash(
        cy - r - 2.0,
        (cy + r + 2.0).min(canvas.h + canvas.margin),
        |x, y| {
            let (dx, dy) = ((x - cx) / r, (y - cy) / r);
            let d2 = dx * dx + dy * dy;
            if d2 > 1.02 {
                return (dark, 0.0);
            }
            let z = (1.0 - d2).max(0.0).sqrt();
            let lat = dy + dx * 0.25;
            let n = noise.sample(
                seed + dx * 60.0 / (0.5 + z),
                seed + if banded {
                    lat * 150.0 + dx * 8.0
                } else {
                    dy * 60.0 / (0.5 + z)
                },
            );
            let c = skin[0]
                .mix(skin[1], smooth(0.45, 0.62, n))
                .mix(skin[2], smooth(0.66, 0.8, n) * 0.8);
            let facing = (dx * to_sun.0 + dy * to_sun.1 + z * 0.42).clamp(0.0, 1.0);
            let lit = smooth(0.0, 0.75, facing);
            let rim = (1.0 - z) * (1.0 - z) * smooth(0.0, 0.5, facing);
            let c = dark
                .mix(c.scale(0.3), 0.7)
                .mix(c.times(light.palette.light.mix(Color::gray(1.0), 0.6)), lit)
                .mix(skin[2], rim * 0.8);
            (c, ((1.0 - d2.sqrt()) * r + 0.5).clamp(0.0, 1.0))
        },
    );
    if ring {
        halo(canvas, (cx, cy, r), (skin[2], 1.0));
    }
}

/// Paints half of a planet's ring: behind (-1) or in front (1) of it.
fn halo(canvas: &mut Canvas, of: (f32, f32, f32), ink: (Color, f32)) {
    let (cx, cy, r) = of;
    for k in 0..7 {
        let reach = r * (1.45 + 0.1 * k as f32);
        let points: Vec<(f32, f32)> = (0..=40)
            .map(|i| {
                let turn = 0.5 * i as f32 / 40.0;
                let (x, y) = (
                    cos_turns(turn) * reach,
                    sin_turns(turn) * reach * 0.22 * ink.1,
                );
                (cx + x * 0.96 - y * 0.28, cy + y * 0.96 + x * 0.28)
            })
            .collect();
        if let Some(path) = crate::canvas::line(&points) {
            let alpha = [0.7, 0.4, 0.8, 0.6, 0.2, 0.5, 0.3][k];
            canvas.stroke(
                &path,
                r * 0.075,
                Ink::Flat(ink.0.scale(if ink.1 < 0.0 { 0.7 } else { 1.0 }), alpha),
            );
        }
    }
}

/// Paints a view out of a cave, or into one by lantern light.
pub(crate) fn cave(canvas: &mut Canvas, light: &Light, brief: &Brief) {
    let mut rng = brief.rng.fork("cave");
    let p = light.palette;
    let (u, w, h) = (canvas.u, canvas.w, canvas.h);
    let bottom = h + canvas.margin;
    let gate = (w * (0.5 + light.side * 0.08), h * 0.42);
    let noise = cloudy();
    let glow = p.sky[3].mix(p.sun, 0.65);
    canvas.wash(-canvas.margin, bottom, |x, y| {
        let (dx, dy) = ((x - gate.0) / (u * 300.0), (y - gate.1) / (u * 360.0));
        let d = dx * dx + dy * dy;
        let mist = noise.sample(x / (u * 6.0), y / (u * 5.0)) - 0.5;
        (
            p.sky[1].mix(glow, (1.0 / (1.0 + 1.7 * d) + mist * 0.2).clamp(0.0, 1.0)),
            1.0,
        )
    });
    for (depth, open) in [(0.35, 0.62), (0.6, 0.86), (0.85, 1.1)] {
        canvas.layer("rock", depth);
        let seed = rng.bits() as u32;
        rock(canvas, light, (gate, open, depth), seed);
    }
    let floor = Floor {
        y: h * 0.74,
        depth: 0.95,
    };
    canvas.ellipse(
        (gate.0, h * 0.76),
        (w * 0.42, h * 0.03),
        Ink::Flat(glow, 0.16),
    );
    canvas.layer("subjects", 0.95);
    subjects::paint(canvas, light, brief, &floor);
}

/// Paints a wall of rock around an opening: its middle, its relative width, and its depth.
fn rock(canvas: &mut Canvas, light: &Light, of: ((f32, f32), f32, f32), seed: u32) {
    let (gate, open, depth) = of;
    let (u, w, h) = (canvas.u, canvas.w, canvas.h);
    let bottom = h + canvas.margin;
    let noise = cloudy();
    let glow = light.palette.sky[3].mix(light.palette.sun, 0.65);
    let local = Color::hex(0x6f6a7c);
    let (lit, dim) = (
        light
            .air(light.lit(local, 0.9), depth)
            .mix(glow, 0.37 - 0.2 * depth),
        light
            .palette
            .dark
            .mix(light.air(light.lit(local, 0.0), depth), 0.6 - 0.3 * depth),
    );
    let speck = grain();
    canvas.wash(-canvas.margin, bottom, |x, y| {
        let (dx, dy) = (
            (x - gate.0) / (w * 0.46 * open),
            (y - gate.1) / (h * 0.33 * open),
        );
        let teeth = wave(x / (u * 34.0), seed) * 0.5 + wave(x / (u * 13.0), seed + 1) * 0.3;
        let drip = if dy < 0.0 { teeth * 0.34 } else { teeth * 0.1 };
        let ragged = noise.sample(x / (u * 3.0) + depth * 99.0, y / (u * 4.0)) * 0.3;
        let d = dx * dx + dy * dy * if dy > 0.0 { 1.5 } else { 1.0 };
        let edge = d.sqrt() - 1.0 + drip + ragged - 0.15;
        if edge < 0.0 {
            return (dim, 0.0);
        }
        let rough = noise.sample(x / (u * 1.6), y / (u * 2.2) + depth * 50.0);
        let k = (1.0 / (1.0 + edge * 5.0) + (rough - 0.5) * 0.5).clamp(0.0, 1.0);
        (
            dim.mix(lit, k).lift(speck.at(x as i32, y as i32) * 0.012),
            (edge * u * 400.0).min(1.0),
        )
    });
}
