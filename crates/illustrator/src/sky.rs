//! Skies: a gradient with the light's glow, sun or moon, stars, clouds, aurora, rainbow.

use crate::brief::Brief;
use crate::canvas::{Canvas, Ink};
use crate::color::{Color, ramp};
use crate::light::Light;
use crate::noise::{Rng, cloudy, smooth, wave};
use crate::vocabulary::{Time, Weather};

/// Paints the sky down to `horizon` px and a little below.
pub(crate) fn paint(canvas: &mut Canvas, light: &Light, brief: &Brief, horizon: f32) {
    let mut rng = brief.rng.fork("sky");
    gradient(canvas, light, brief, horizon);
    let dark = brief.time == Time::Night;
    if dark && brief.weather != Weather::Storm || brief.sky.contains(&"stars") {
        stars(canvas, light, horizon, &mut rng);
    }
    if brief.sky.contains(&"aurora") {
        aurora(canvas, horizon, &mut rng);
    }
    if brief.weather != Weather::Fog || dark {
        orb(canvas, light, dark);
    }
    if brief.sky.contains(&"sun") && !dark {
        canvas.glow(light.sun, canvas.u * 520.0, light.palette.sun, 0.5);
        orb(canvas, light, false);
    }
    if brief.sky.contains(&"rainbow") {
        rainbow(canvas, light, horizon);
    }
    let amount = match brief.weather {
        Weather::Clear => 0.36,
        Weather::Fog => 0.2,
        Weather::Clouds | Weather::Wind => 0.56,
        Weather::Snow | Weather::Rain => 0.66,
        Weather::Storm => 0.74,
    };
    clouds(canvas, light, (horizon, amount), &mut rng);
    if matches!(
        brief.weather,
        Weather::Clear | Weather::Clouds | Weather::Wind
    ) {
        cumuli(canvas, light, (horizon, amount), &mut rng);
    }
    if brief.weather == Weather::Storm {
        lightning(canvas, light, horizon, &mut rng);
    }
}

fn gradient(canvas: &mut Canvas, light: &Light, brief: &Brief, horizon: f32) {
    let stops = light.palette.sky;
    let glow = light.palette.sun;
    let (sx, sy) = light.sun;
    let reach = canvas.u * 420.0;
    let strength = match brief.time {
        Time::Dawn | Time::Sunset => 0.75,
        Time::Day => 0.5,
        Time::Night => 0.34,
    };
    let noise = cloudy();
    let soft = 1.0 / (canvas.u * 3.0);
    let bottom = if canvas.is_layered() {
        canvas.h + canvas.margin
    } else {
        horizon + canvas.u * 90.0
    };
    canvas.wash(-canvas.margin, bottom, |x, y| {
        let brush = (noise.sample(x * soft * 0.35, y * soft) - 0.5) * 0.045;
        let t = (y / horizon + brush).clamp(0.0, 1.0);
        let base = ramp(&stops, t * t * 0.35 + t * 0.65);
        let (dx, dy) = ((x - sx) / reach, (y - sy) / reach);
        let near = strength / (1.0 + 3.0 * (dx * dx + dy * dy * 1.5));
        (base.mix(glow, near * near + near * 0.18), 1.0)
    });
}

fn orb(canvas: &mut Canvas, light: &Light, moon: bool) {
    let u = canvas.u;
    let color = light.palette.sun;
    canvas.glow(light.sun, u * 330.0, color, if moon { 0.3 } else { 0.42 });
    canvas.glow(light.sun, u * 130.0, color, 0.5);
    let r = u * if moon { 46.0 } else { 54.0 };
    canvas.ellipse(
        light.sun,
        (r, r),
        Ink::Flat(color.mix(Color::gray(1.0), 0.35), 0.97),
    );
    if moon {
        let spots = [
            (-0.3, -0.2, 0.26),
            (0.25, 0.3, 0.2),
            (0.32, -0.32, 0.12),
            (-0.15, 0.42, 0.13),
        ];
        for (dx, dy, k) in spots {
            let at = (light.sun.0 + dx * r, light.sun.1 + dy * r);
            canvas.ellipse(
                at,
                (k * r, k * r * 0.9),
                Ink::Flat(light.palette.sky[2], 0.22),
            );
        }
    }
}

fn stars(canvas: &mut Canvas, light: &Light, horizon: f32, rng: &mut Rng) {
    let u = canvas.u;
    let white = light.palette.sun.mix(Color::gray(1.0), 0.5);
    for _ in 0..260 {
        let x = rng.range(-0.05, 1.05) * canvas.w;
        let y = rng.unit() * horizon;
        let fade = 1.0 - smooth(0.55, 1.0, y / horizon);
        let size = rng.unit();
        let r = u * (0.6 + 2.0 * size * size * size * size);
        canvas.ellipse((x, y), (r, r), Ink::Flat(white, fade * (0.35 + 0.6 * size)));
        if size > 0.965 {
            canvas.glow((x, y), r * 7.0, white, 0.35 * fade);
            for (rx, ry) in [(r * 6.0, r * 0.28), (r * 0.28, r * 6.0)] {
                canvas.ellipse((x, y), (rx, ry), Ink::Flat(white, 0.7 * fade));
            }
        }
    }
}

fn aurora(canvas: &mut Canvas, horizon: f32, rng: &mut Rng) {
    let seed = rng.bits() as u32;
    let noise = cloudy();
    let u = canvas.u;
    canvas.wash(0.0, horizon, |x, y| {
        let curtain = wave(x / (u * 230.0), seed) * 0.5 + wave(x / (u * 90.0), seed + 1) * 0.18;
        let foot = horizon * (0.3 + curtain * 0.55);
        let up = (foot - y) / (horizon * 0.42);
        let rays = noise.sample(x / (u * 2.2), y / (u * 60.0));
        let body = smooth(0.0, 0.08, up) * (1.0 - smooth(0.15, 1.0, up));
        let green = Color::hex(0x6df0b0).mix(Color::hex(0xb06ff0), smooth(0.2, 0.9, up));
        (green, body * (0.2 + 0.55 * rays))
    });
}

fn rainbow(canvas: &mut Canvas, light: &Light, horizon: f32) {
    let center = (
        canvas.w * (0.5 - light.side * 0.3),
        horizon + canvas.u * 120.0,
    );
    let (inner, wide) = (canvas.u * 500.0, canvas.u * 70.0);
    const BOW: [Color; 6] = [
        Color::hex(0x8f6fd0),
        Color::hex(0x5f8fe0),
        Color::hex(0x6fcf8f),
        Color::hex(0xf3e07a),
        Color::hex(0xf3a35f),
        Color::hex(0xe8665f),
    ];
    canvas.wash(0.0, horizon, |x, y| {
        let (dx, dy) = (x - center.0, y - center.1);
        let t = ((dx * dx + dy * dy).sqrt() - inner) / wide;
        let edge = smooth(0.0, 0.15, t) * (1.0 - smooth(0.85, 1.0, t));
        (ramp(&BOW, t), edge * 0.42)
    });
}

/// Paints streaks and sheets of cloud from noise, stretched sideways, flatter toward the horizon.
fn clouds(canvas: &mut Canvas, light: &Light, of: (f32, f32), rng: &mut Rng) {
    let (horizon, amount) = of;
    let noise = cloudy();
    let (ox, oy) = (rng.range(0.0, 512.0), rng.range(0.0, 512.0));
    let p = &light.palette;
    let bright = p.sky[3].mix(p.sun, 0.55);
    let dim = p.sky[1]
        .mix(p.shade, 0.4)
        .mix(p.sky[0], if amount > 0.6 { 0.5 } else { 0.15 });
    let (sx, sy) = light.sun;
    let u = canvas.u;
    let edge = 1.0 - amount;
    canvas.wash(-canvas.margin, horizon, |x, y| {
        let t = (y / horizon).max(0.0);
        let flat = 1.0 / (1.12 - t);
        let nx = ox + x / (u * 7.5) * (0.6 + 0.4 * flat);
        let ny = oy + y / (u * 2.1) * (0.35 + 0.3 * flat);
        let n = noise.sample(nx, ny) * 0.72 + noise.sample(nx * 2.7, ny * 2.3) * 0.28;
        let body = smooth(edge, edge + 0.2, n);
        if body < 0.004 {
            return (bright, 0.0);
        }
        let toward = noise.sample(nx + (sx - x) * 0.004 / u, ny + (sy - y).signum() * 3.0);
        let (dx, dy) = ((x - sx) / (u * 520.0), (y - sy) / (u * 520.0));
        let near = 1.0 / (1.0 + 2.2 * (dx * dx + dy * dy));
        let lit = (0.5 + (n - toward) * 2.6).clamp(0.0, 1.0) * (0.45 + 0.55 * near) + near * 0.2;
        let fade = smooth(0.0, 0.18, t + 0.08) * (1.0 - smooth(0.94, 1.0, t) * 0.8);
        (dim.mix(bright, lit), body * fade * (0.42 + amount * 0.5))
    });
}

/// Paints heaps of cloud: round tops in the light over a flat base that dissolves.
fn cumuli(canvas: &mut Canvas, light: &Light, of: (f32, f32), rng: &mut Rng) {
    let (horizon, amount) = of;
    let n = rng.below(3) + if amount > 0.5 { 4 } else { 2 };
    let mut places: Vec<(f32, f32)> = (0..n)
        .map(|_| (rng.range(-0.05, 1.05) * canvas.w, rng.range(0.34, 0.86)))
        .collect();
    places.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (x, far) in places {
        let size = canvas.u * rng.range(110.0, 250.0) * (1.3 - far * 0.85);
        let mut puffs: Vec<(f32, f32, f32)> = (0..14)
            .map(|_| {
                let dx = rng.range(-1.0, 1.0);
                let high = (1.0 - dx * dx) * rng.range(0.04, 0.6);
                let r = rng.range(0.15, 0.34) * (1.15 - dx.abs() * 0.65);
                (x + dx * size, horizon * far - high * size * 0.8, r * size)
            })
            .collect();
        puffs.sort_by(|a, b| a.1.total_cmp(&b.1));
        heap(canvas, light, &puffs, (horizon * far, far));
    }
}

/// Paints one heap of round puffs (x, y, radius), the far ones first, over a base line at `of.0`; `of.1` is 1 at the horizon.
fn heap(canvas: &mut Canvas, light: &Light, puffs: &[(f32, f32, f32)], of: (f32, f32)) {
    let (base, far) = of;
    let p = &light.palette;
    let dim = if light.night { 0.62 } else { 0.0 };
    let top = p.sky[3]
        .mix(p.sun, 0.75)
        .mix(p.haze, far * 0.25)
        .mix(p.sky[1], dim);
    let low = p.sky[2]
        .mix(p.shade, 0.32)
        .mix(p.haze, far * 0.3)
        .mix(p.sky[1], dim);
    let bounds = puffs.iter().fold((f32::MAX, f32::MIN, f32::MAX), |b, q| {
        (
            b.0.min(q.0 - q.2 * 1.2),
            b.1.max(q.0 + q.2 * 1.2),
            b.2.min(q.1 - q.2 * 1.2),
        )
    });
    let (noise, u) = (cloudy(), canvas.u);
    let deep = (base - bounds.2).max(1.0);
    canvas.wash(bounds.2, base + deep * 0.12, |x, y| {
        if x < bounds.0 || x > bounds.1 {
            return (top, 0.0);
        }
        let rough = 1.0 + (noise.sample(x / (u * 0.8), y / (u * 0.8)) - 0.5) * 0.16;
        let (mut c, mut cover) = (low, 0.0f32);
        for (px, py, r) in puffs {
            let (dx, dy) = ((x - px) / r, (y - py) / r);
            let d = (dx * dx + dy * dy).sqrt() * rough;
            let body = smooth(1.04, 0.94, d);
            if body > 0.0 {
                let lit = (0.55 - dy * 0.5 + dx * light.side * 0.3).clamp(0.0, 1.0);
                c = c.mix(low.mix(top, lit), body * 0.85);
                cover = cover.max(body);
            }
        }
        let melt = smooth(1.08, 0.55, (y - bounds.2) / deep);
        (c, cover * melt * (0.95 - far * 0.15))
    });
}

fn lightning(canvas: &mut Canvas, light: &Light, horizon: f32, rng: &mut Rng) {
    let white = Color::hex(0xf6f2ff);
    let x = canvas.w
        * if light.side < 0.0 {
            rng.range(0.55, 0.85)
        } else {
            rng.range(0.15, 0.45)
        };
    let mut at = (x, horizon * 0.12);
    canvas.glow(
        (x, horizon * 0.3),
        canvas.u * 420.0,
        Color::hex(0xcfd2ff),
        0.45,
    );
    let mut points = vec![at];
    while at.1 < horizon * 0.98 {
        at = (
            at.0 + canvas.u * rng.range(-42.0, 42.0),
            at.1 + canvas.u * rng.range(18.0, 48.0),
        );
        points.push(at);
        if rng.chance(0.22) {
            let mut twig = vec![at];
            let mut p = at;
            let drift = rng.sign();
            for _ in 0..4 {
                p = (
                    p.0 + drift * canvas.u * rng.range(6.0, 34.0),
                    p.1 + canvas.u * rng.range(10.0, 30.0),
                );
                twig.push(p);
            }
            if let Some(path) = crate::canvas::line(&twig) {
                canvas.stroke(&path, canvas.u * 1.6, Ink::Flat(white, 0.7));
            }
        }
    }
    if let Some(path) = crate::canvas::line(&points) {
        canvas.stroke(&path, canvas.u * 14.0, Ink::Flat(white, 0.14));
        canvas.stroke(&path, canvas.u * 6.0, Ink::Flat(white, 0.3));
        canvas.stroke(&path, canvas.u * 2.6, Ink::Flat(white, 1.0));
    }
}
