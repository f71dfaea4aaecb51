//! Built-up land: skylines, streets that lead into the picture, villages on a slope.

use crate::canvas::{Canvas, Ink};
use crate::color::Color;
use crate::light::Light;
use crate::noise::Rng;
use crate::shape::{Dye, Stand, shape};
use crate::terrain::Ridge;

/// A row of towers along a line.
pub(crate) struct Skyline {
    /// Y of their ground, px.
    pub y: f32,
    /// Height of the highest tower, px.
    pub height: f32,
    pub depth: f32,
}

const WALLS: [Color; 6] = [
    Color::hex(0x7f8fa3),
    Color::hex(0xa88f86),
    Color::hex(0x6f7f92),
    Color::hex(0xb8a48c),
    Color::hex(0x8d7f92),
    Color::hex(0x96a3a3),
];

/// Paints towers from left to right.
pub(crate) fn skyline(canvas: &mut Canvas, light: &Light, of: &Skyline, rng: &mut Rng) {
    let u = canvas.u;
    let center = canvas.w * rng.range(0.3, 0.7);
    let reach = canvas.w * 0.5;
    let mut x = -canvas.margin - u * 20.0;
    while x < canvas.w + canvas.margin {
        let wide = u * rng.range(34.0, 92.0) * (0.6 + 0.5 * of.depth);
        let off = (x + wide * 0.5 - center) / reach;
        let swell = 1.0 / (1.0 + 1.4 * off * off);
        let tall = of.height * rng.range(0.32, 1.0) * swell;
        tower(
            canvas,
            light,
            (x, of.y, wide, tall.max(wide * 0.8), of.depth),
            rng,
        );
        x += wide * rng.range(0.82, 1.12);
    }
}

/// Paints one tower: `x, y` of the left corner of its base, width, height, depth.
fn tower(canvas: &mut Canvas, light: &Light, of: (f32, f32, f32, f32, f32), rng: &mut Rng) {
    let (x, y, w, h, depth) = of;
    let local = rng.pick(&WALLS).unwrap_or(WALLS[0]);
    let at = |c: Color, k: f32| light.air(light.lit(c, k), depth);
    let (bright, dim) = (at(local, 0.9), at(local.scale(0.7), 0.1));
    let haze = light.palette.haze;
    let fade = (1.0 - depth) * 0.35;
    let split = w * rng.range(0.3, 0.5);
    let side = if light.side < 0.0 {
        [(x, split), (x + split, w - split)]
    } else {
        [(x + w - split, split), (x, w - split)]
    };
    let low = canvas.h + canvas.margin - y;
    for (i, (sx, sw)) in side.into_iter().enumerate() {
        let c = if i == 0 { bright } else { dim };
        let ink = Ink::Blend {
            from: (sx, y - h),
            to: (sx, y),
            colors: [c, c.mix(haze, fade)],
            alphas: [1.0, 1.0],
        };
        canvas.rect((sx, y - h), (sw + 0.6, h + low.max(0.0)), ink);
    }
    roof(canvas, (x, y - h, w), (bright, dim), rng.below(6));
    windows(canvas, light, (x, y - h, w, h, depth), rng);
}

/// Paints the top of a tower: a mast, a step, a slope, a spire or nothing. `of` is `x, top` of its left corner and its width.
fn roof(canvas: &mut Canvas, of: (f32, f32, f32), colors: (Color, Color), kind: usize) {
    let (x, top, w) = of;
    let (bright, dim) = colors;
    match kind {
        0 => canvas.rect(
            (x + w * 0.48, top - w * 0.7),
            (canvas.u * 2.0, w * 0.7),
            Ink::Flat(dim, 1.0),
        ),
        1 => {
            canvas.rect(
                (x + w * 0.2, top - w * 0.22),
                (w * 0.6, w * 0.24),
                Ink::Flat(dim, 1.0),
            );
            canvas.rect(
                (x + w * 0.35, top - w * 0.4),
                (w * 0.3, w * 0.2),
                Ink::Flat(bright, 1.0),
            );
        }
        2 => canvas.polygon(
            &[(x, top + 1.0), (x + w, top + 1.0), (x + w, top - w * 0.45)],
            Ink::Flat(dim, 1.0),
        ),
        3 => canvas.polygon(
            &[
                (x + w * 0.1, top + 1.0),
                (x + w * 0.9, top + 1.0),
                (x + w * 0.5, top - w * 0.9),
            ],
            Ink::Flat(dim, 1.0),
        ),
        _ => {}
    }
}

fn windows(canvas: &mut Canvas, light: &Light, of: (f32, f32, f32, f32, f32), rng: &mut Rng) {
    let (x, top, w, h, depth) = of;
    let n = (w / (canvas.u * 11.0)).round().clamp(2.0, 6.0) as usize;
    let pitch = w / (n as f32 + 0.5);
    let rows = ((h / (pitch * 1.25)) as usize).min(34);
    let lit = light.lamp(Color::hex(0xffd37a));
    let pane = light.air(light.palette.sky[2].mix(light.palette.shade, 0.3), depth);
    let dark = light.air(light.palette.dark, depth * 0.8);
    let share = if light.night { 0.42 } else { 0.08 };
    for row in 0..rows {
        for col in 0..n {
            let at = (
                x + pitch * (0.42 + col as f32),
                top + pitch * (0.6 + row as f32 * 1.25),
            );
            let (color, alpha) = if rng.chance(share) {
                (lit, 0.55 + 0.45 * depth)
            } else if light.night {
                (dark, 0.3 * depth)
            } else {
                (pane, 0.34 * depth + 0.1)
            };
            canvas.rect(at, (pitch * 0.55, pitch * 0.7), Ink::Flat(color, alpha));
        }
    }
}

/// Paints houses on a slope, the far ones small.
pub(crate) fn village(canvas: &mut Canvas, light: &Light, of: (&Ridge, f32, f32), rng: &mut Rng) {
    let (ridge, size, depth) = of;
    let roofs = [0xb5533c, 0xa8623f, 0x8f4a42, 0x6f6a78, 0xc07a4a].map(Color::hex);
    let Some(house) = shape("house") else {
        return;
    };
    let n = (canvas.w / (size * 0.62)) as usize + 2;
    for row in 0..3 {
        let near = row as f32 / 2.0;
        for i in 0..n {
            if rng.chance(0.3) {
                continue;
            }
            let x = (i as f32 + rng.range(0.0, 0.7) + 0.35 * near) * size * 0.66 - size * 0.4;
            let height = size * (0.55 + 0.35 * near) * rng.range(0.8, 1.15);
            let y = ridge.at(x) + size * (0.12 + 0.42 * near) + size * rng.range(0.0, 0.06);
            let stand = Stand {
                x,
                y,
                height,
                facing: rng.sign(),
                depth: depth + 0.16 * near,
            };
            let dye = Dye {
                main: rng.pick(&roofs).unwrap_or(roofs[0]),
                second: roofs[1],
            };
            house.draw(canvas, light, &stand, &dye);
        }
    }
    if let Some(church) = shape("church").filter(|_| rng.chance(0.6)) {
        let x = canvas.w * rng.range(0.25, 0.75);
        let stand = Stand {
            x,
            y: ridge.at(x) + size * 0.3,
            height: size * 1.7,
            facing: 1.0,
            depth: depth + 0.06,
        };
        church.draw(
            canvas,
            light,
            &stand,
            &Dye {
                main: roofs[3],
                second: roofs[0],
            },
        );
    }
}

/// Paints a street between two rows of houses that meet in the distance.
pub(crate) fn street(canvas: &mut Canvas, light: &Light, y: f32, rng: &mut Rng) {
    let (w, h, m) = (canvas.w, canvas.h, canvas.margin);
    let vanish = (w * rng.range(0.42, 0.58), y);
    let colors = [0xb98f6f, 0x9f6f5f, 0x8f9a8f, 0xc7a67a, 0x7f8a9f, 0xb07f7a].map(Color::hex);
    for side in [-1.0f32, 1.0] {
        let edge = if side < 0.0 { -m } else { w + m };
        for i in 0..7 {
            let near = i as f32 / 7.0;
            let (a, b) = (
                0.06 + 0.94 * near * near,
                0.06 + 0.94 * ((i + 1) as f32 / 7.0) * ((i + 1) as f32 / 7.0),
            );
            let x_at = |k: f32| vanish.0 + (edge - vanish.0) * k;
            let tall = rng.range(0.8, 1.3);
            let top_at = |k: f32| y - h * 0.62 * k * tall;
            let foot_at = |k: f32| y + (h * 0.3) * k;
            let depth = 0.35 + 0.6 * near;
            let faces_light = side * light.side < 0.0;
            let local = rng.pick(&colors).unwrap_or(colors[0]);
            let at = |k: f32| light.air(light.lit(local, k), depth);
            let (top, low) = if faces_light {
                (at(1.0), at(0.55))
            } else {
                (at(0.35), at(0.0).scale(0.82))
            };
            let ink = Ink::Blend {
                from: (x_at(a), top_at(b)),
                to: (x_at(a), foot_at(b)),
                colors: [top, low],
                alphas: [1.0, 1.0],
            };
            canvas.polygon(
                &[
                    (x_at(a), top_at(a)),
                    (x_at(b), top_at(b)),
                    (x_at(b), foot_at(b)),
                    (x_at(a), foot_at(a)),
                ],
                ink,
            );
            street_windows(
                canvas,
                light,
                (
                    [x_at(a), x_at(b)],
                    [top_at(a), top_at(b)],
                    [foot_at(a), foot_at(b)],
                    depth,
                ),
                rng,
            );
        }
    }
    road(canvas, light, (vanish, y), rng);
}

type Wall = ([f32; 2], [f32; 2], [f32; 2], f32);

fn street_windows(canvas: &mut Canvas, light: &Light, wall: Wall, rng: &mut Rng) {
    let (x, top, foot, depth) = wall;
    let at = |s: f32, t: f32| {
        let (a, b) = (
            top[0] + (top[1] - top[0]) * s,
            foot[0] + (foot[1] - foot[0]) * s,
        );
        (x[0] + (x[1] - x[0]) * s, a + (b - a) * t)
    };
    let lit = light.lamp(Color::hex(0xffcf78));
    let dark = light.at(Color::hex(0x3a4a5c), depth);
    for floor in 0..4 {
        let t = 0.08 + floor as f32 * 0.22;
        for col in 0..2 {
            let s = 0.16 + col as f32 * 0.42;
            let on = rng.chance(if light.night { 0.55 } else { 0.14 });
            let quad = [
                at(s, t),
                at(s + 0.24, t),
                at(s + 0.24, t + 0.12),
                at(s, t + 0.12),
            ];
            canvas.polygon(&quad, Ink::Flat(if on { lit } else { dark }, 0.85));
        }
    }
    let awning = rng
        .pick(&[0xb8483c, 0x4d8b6f, 0xd99a3d, 0x3f6f8f])
        .unwrap_or(0xb8483c);
    let quad = [at(0.08, 0.83), at(0.92, 0.83), at(0.96, 0.9), at(0.04, 0.9)];
    canvas.polygon(&quad, Ink::Flat(light.at(Color::hex(awning), depth), 1.0));
}

fn road(canvas: &mut Canvas, light: &Light, of: ((f32, f32), f32), rng: &mut Rng) {
    let (vanish, y) = of;
    let (w, h, m) = (canvas.w, canvas.h, canvas.margin);
    let far = light.at(Color::hex(0xa39a92), 0.35);
    let near = light
        .at(Color::hex(0x6f6a70), 1.0)
        .mix(light.palette.dark, 0.35);
    let bottom = h + m;
    let spread = (bottom - y) / (h * 0.3) * (w * 0.5 + m);
    let quad = [
        (vanish.0 - spread * 0.06, y),
        (vanish.0 + spread * 0.06, y),
        (vanish.0 + spread, bottom),
        (vanish.0 - spread, bottom),
    ];
    canvas.polygon(
        &quad,
        Ink::Blend {
            from: (0.0, y),
            to: (0.0, bottom),
            colors: [far, near],
            alphas: [1.0, 1.0],
        },
    );
    for i in 0..60 {
        let d = 0.03 + i as f32 / 60.0;
        let row = y + (bottom - y) * d * d;
        let x = vanish.0 + rng.range(-1.0, 1.0) * spread * d * d * 0.8;
        let size = (bottom - y) * d * d;
        let tone = if rng.chance(0.5) {
            far
        } else {
            light.palette.dark
        };
        canvas.ellipse((x, row), (size * 0.09, size * 0.006), Ink::Flat(tone, 0.16));
    }
    lamps(canvas, light, (vanish.0, y, spread));
}

/// Paints street lamps in two rows, from the vanishing point `of.0, of.1` outward to half a street's width `of.2`.
fn lamps(canvas: &mut Canvas, light: &Light, of: (f32, f32, f32)) {
    let (x0, y, spread) = of;
    let (h, bottom) = (canvas.h, canvas.h + canvas.margin);
    for i in 0..6 {
        let d = 0.2 + i as f32 * 0.13;
        for side in [-1.0, 1.0] {
            let k = d * d;
            let foot = y + (bottom - y) * k * 0.62;
            let x = x0 + side * spread * 0.62 * k * 0.86;
            if let Some(lamp) = shape("streetlamp") {
                let stand = Stand {
                    x,
                    y: foot,
                    height: h * 0.46 * k + canvas.u * 22.0,
                    facing: 1.0,
                    depth: 0.4 + 0.6 * d,
                };
                lamp.draw(
                    canvas,
                    light,
                    &stand,
                    &Dye {
                        main: Color::gray(0.2),
                        second: Color::gray(0.2),
                    },
                );
            }
        }
    }
}
