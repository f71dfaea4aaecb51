//! The deep sea: light from above, rocks, corals, weeds, and swimming creatures.

use crate::brief::Brief;
use crate::canvas::{Canvas, Ink};
use crate::color::{Color, ramp};
use crate::light::Light;
use crate::noise::{Rng, cloudy, cos_turns, sin_turns, smooth, wave};
use crate::plants::tuft;
use crate::subjects;
use crate::terrain::{Band, Form, Ground, ground, paint as paint_band, ridge};

/// Paints light from above, rocks, corals, weeds, bubbles, and swimming creatures.
pub(crate) fn underwater(canvas: &mut Canvas, light: &Light, brief: &Brief) {
    let mut rng = brief.rng.fork("deep");
    let p = light.palette;
    let (u, w, h) = (canvas.u, canvas.w, canvas.h);
    rays(canvas, light);
    let lands = [(0.5, 0.2, 0.24), (0.6, 0.16, 0.42), (0.68, 0.1, 0.6)];
    for (y, rise, depth) in lands {
        canvas.layer("rocks", depth);
        let band = Band {
            form: Form::Hills,
            y: h * y,
            rise: h * rise,
            local: Color::hex(0x3f7f8a).mix(p.dark, depth * 0.4),
            depth,
            snow: 0.0,
            foot: h,
        };
        let line = ridge(canvas, &band, &mut rng);
        paint_band(canvas, light, &band, &line);
        for _ in 0..14 {
            let x = rng.range(-0.05, 1.05) * w;
            weed(
                canvas,
                light,
                (
                    (x, line.at(x) + u * 10.0),
                    u * rng.range(50.0, 150.0) * (0.4 + depth),
                    depth,
                ),
                &mut rng,
            );
        }
    }
    canvas.layer("ground", 0.7);
    let of = Ground {
        local: Color::hex(0xd9c79a),
        patch: Color::hex(0x9fb59a),
        y: h * 0.73,
        depth: 0.5,
        furrows: 0.25,
    };
    let band = Band {
        form: Form::Flat,
        y: of.y,
        rise: h * 0.04,
        local: of.local,
        depth: 0.6,
        snow: 0.0,
        foot: h,
    };
    let line = ridge(canvas, &band, &mut rng);
    ground(canvas, light, &of, &line);
    corals(canvas, light, &mut rng);
    canvas.layer("subjects", 0.85);
    school(canvas, light, &mut rng);
    subjects::adrift(canvas, light, brief);
    canvas.layer("bubbles", 1.0);
    bubbles(canvas, light, &mut rng);
}

/// Paints water from bright to deep, with the sun's rays.
fn rays(canvas: &mut Canvas, light: &Light) {
    let p = light.palette;
    let (u, w, h) = (canvas.u, canvas.w, canvas.h);
    let bottom = h + canvas.margin;
    let noise = cloudy();
    let top = w * (0.5 + light.side * 0.2);
    canvas.wash(-canvas.margin, bottom, |x, y| {
        let t = (y / h).clamp(0.0, 1.0);
        let fan = (x - top) / (y + h * 0.35) * 3.0;
        let ray = smooth(
            0.46,
            0.78,
            wave(fan * 4.0 + 20.0, 7) * 0.6 + wave(fan * 9.5, 8) * 0.4,
        );
        let glow =
            1.0 / (1.0 + ((x - top) / (u * 330.0)) * ((x - top) / (u * 330.0)) + t * t * 7.0);
        let veil = (noise.sample(x / (u * 6.0), y / (u * 9.0)) - 0.5) * 0.06;
        let base = ramp(&p.sky, t * 0.95 + 0.1 + veil);
        (
            base.mix(p.sun, (ray * (1.0 - t) * 0.34 + glow * 0.34).min(0.8)),
            1.0,
        )
    });
}

fn bubbles(canvas: &mut Canvas, light: &Light, rng: &mut Rng) {
    let p = light.palette;
    let (u, w, h) = (canvas.u, canvas.w, canvas.h);
    for _ in 0..46 {
        let at = (rng.unit() * w, rng.unit() * h * 0.9);
        let r = u * (1.5 + 8.0 * rng.unit() * rng.unit());
        canvas.ellipse(at, (r, r), Ink::Flat(p.sky[0], 0.22));
        canvas.ellipse(
            (at.0 - r * 0.3, at.1 - r * 0.3),
            (r * 0.3, r * 0.3),
            Ink::Flat(Color::gray(1.0), 0.7),
        );
    }
}

fn weed(canvas: &mut Canvas, light: &Light, of: ((f32, f32), f32, f32), rng: &mut Rng) {
    let ((x, y), height, depth) = of;
    let color = light.at(
        Color::hex(
            rng.pick(&[0x3f8f6a, 0x5f9a5a, 0x7f6f9a])
                .unwrap_or(0x3f8f6a),
        ),
        depth + 0.15,
    );
    for _ in 0..3 {
        let tall = height * rng.range(0.6, 1.1);
        let sway = rng.range(-0.2, 0.2) * tall;
        let foot = x + rng.range(-0.12, 0.12) * height;
        let knots = [
            [foot, y, tall * 0.03],
            [foot + sway, y - tall * 0.4, tall * 0.045],
            [foot - sway * 0.6, y - tall * 0.75, tall * 0.03],
            [foot + sway * 0.4, y - tall, 0.5],
        ];
        if let Some(path) = crate::shape::limb(&knots) {
            canvas.fill(&path, Ink::Flat(color, 1.0));
        }
    }
}

fn corals(canvas: &mut Canvas, light: &Light, rng: &mut Rng) {
    let colors = [0xe8735f, 0xe8a05a, 0xc85f8f, 0x9a6fc0, 0xf0c86a].map(Color::hex);
    for _ in 0..16 {
        let edge = rng.unit() * rng.unit() * 0.46;
        let x = canvas.w * if rng.chance(0.5) { edge } else { 1.0 - edge };
        let y = canvas.h * rng.range(0.75, 0.98);
        let size = canvas.u * rng.range(36.0, 100.0) * (y / canvas.h) * (y / canvas.h) * 1.5;
        let local = rng.pick(&colors).unwrap_or(colors[0]);
        let color = light.at(local, 0.9);
        match rng.below(3) {
            0 => tuft(canvas, (x, y), (size, color, 9), rng),
            1 => {
                for i in 0..7 {
                    let turn = 0.5 + 0.5 * (i as f32 + 0.5) / 7.0;
                    let end = (x + cos_turns(turn) * size * 0.7, y + sin_turns(turn) * size);
                    if let Some(path) =
                        crate::shape::limb(&[[x, y, size * 0.09], [end.0, end.1, size * 0.075]])
                    {
                        canvas.fill(&path, Ink::Flat(color.scale(0.86 + 0.04 * i as f32), 1.0));
                    }
                }
            }
            _ => {
                for (k, tone) in [(1.0, 0.72), (0.8, 0.88), (0.5, 1.06)] {
                    let at = (
                        x + light.side * (1.0 - k) * size * 0.3,
                        y - size * 0.1 - (1.0 - k) * size * 0.2,
                    );
                    canvas.ellipse(
                        at,
                        (size * 0.55 * k, size * 0.42 * k),
                        Ink::Flat(color.scale(tone), 1.0),
                    );
                }
            }
        }
    }
}

fn school(canvas: &mut Canvas, light: &Light, rng: &mut Rng) {
    let Some(fish) = crate::shape::shape("fish") else {
        return;
    };
    let center = (
        canvas.w * rng.range(0.3, 0.7),
        canvas.h * rng.range(0.22, 0.36),
    );
    for _ in 0..13 {
        let at = (
            center.0 + rng.range(-0.28, 0.28) * canvas.w,
            center.1 + rng.range(-0.08, 0.08) * canvas.h,
        );
        let stand = crate::shape::Stand {
            x: at.0,
            y: at.1,
            height: canvas.u * rng.range(12.0, 26.0),
            facing: light.side,
            depth: 0.5,
        };
        fish.draw(
            canvas,
            light,
            &stand,
            &crate::look::dye("shoal", Some("orange")),
        );
    }
}
