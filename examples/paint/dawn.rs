//! First light over the mountains, and someone who waited for it.

use crate::brush::{Color, Point, add, glow, gradient, hex, light, mix, noise, ramp, stars};

const SUN: Point = Point { x: 0.42, y: 0.800 };

/// A mountain range: where its crest lies, how high it rises, how rough it is, its color.
const RANGES: [(f32, f32, f32, u32); 6] = [
    (0.90, 0.16, 2.6, 0xE3_9C83),
    (0.98, 0.26, 2.2, 0xC0_7C80),
    (1.09, 0.26, 2.0, 0x93_6079),
    (1.21, 0.24, 1.9, 0x64_486D),
    (1.34, 0.22, 1.7, 0x3F_345A),
    (1.49, 0.14, 1.5, 0x23_2343),
];

pub fn color_at(p: Point) -> Color {
    let mut color = sky(p);
    for (i, (crest, rise, rough, tint)) in RANGES.into_iter().enumerate() {
        let i = i as i32;
        let top = crest - rise * ridge(p.x * rough + i as f32 * 5.3, 160 + i);
        let below = p.y - top;
        let nearness = i as f32 / 5.0;
        let sunward = glow(p.x - SUN.x, 0.28);
        let slope = noise::fractal(p.x * 16.0 + p.y * 9.0, p.y * 12.0, 170 + i, 5);
        let range = mix(
            hex(tint),
            hex(0xFF_C08A),
            sunward * (0.34 - 0.22 * nearness),
        );
        let range = range.map(|c| c * (1.0 + slope * (0.16 + 0.4 * nearness)));
        let range = light(
            range,
            hex(0xFF_D9A0),
            0.35 * sunward * ramp(0.012, 0.0, below) * (1.0 - 0.5 * nearness),
        );
        color = mix(color, range, ramp(-0.001, 0.001, below));
        // Cloud lies in the valleys.
        let billow = noise::fractal(p.x * 3.4 + i as f32, p.y * 7.0, 180 + i, 6);
        let cloud = ramp(0.05, 0.20, below + billow * 0.15) * (0.78 - 0.60 * nearness);
        let lit = mix(hex(0xFF_DDB8), hex(0x7A_5F88), nearness * 0.9);
        color = mix(
            color,
            mix(
                lit,
                hex(0xFF_EBCB),
                ramp(0.05, 0.3, billow) * 0.6 * (1.0 - nearness),
            ),
            cloud,
        );
    }
    watcher(p, meadow(p, color))
}

fn sky(p: Point) -> Color {
    let color = gradient(
        &[
            (0.0, hex(0x16_2450)),
            (0.28, hex(0x3C_4A86)),
            (0.52, hex(0x8F_78A0)),
            (0.70, hex(0xE9_A08E)),
            (0.84, hex(0xFF_CF8F)),
            (0.95, hex(0xFF_EBB5)),
        ],
        p.y,
    );
    let color = add(color, [1.0; 3], stars(p, 29) * ramp(0.42, 0.05, p.y) * 0.8);
    let bend = noise::fractal(p.x * 2.0, p.y * 2.0, 151, 4);
    let cloud = noise::fractal(p.x * 1.5 + bend, p.y * 8.0 + p.x * 1.4 + bend * 2.4, 153, 6);
    let lit = gradient(
        &[
            (0.0, hex(0x4A_5088)),
            (0.4, hex(0xC9_7F97)),
            (0.7, hex(0xFF_B58D)),
            (0.9, hex(0xFF_E6B8)),
        ],
        p.y,
    );
    let color = mix(
        color,
        lit,
        ramp(0.0, 0.28, cloud) * 0.8 * ramp(0.05, 0.35, p.y),
    );
    let distance = p.to(SUN.x, SUN.y);
    let turn = (p.y - SUN.y).atan2(p.x - SUN.x);
    let rays = 1.0 + 0.5 * noise::fractal(turn * 5.0, 0.0, 157, 3) * ramp(0.08, 0.3, distance);
    let color = light(color, hex(0xFF_E2A4), 0.55 * glow(distance, 0.13) * rays);
    mix(color, hex(0xFF_FDF0), ramp(0.062, 0.054, distance))
}

/// Sharp crests: folded noise, 0..1.
fn ridge(x: f32, seed: i32) -> f32 {
    let fold =
        |scale: f32, seed: i32| 1.0 - (2.0 * noise::smooth(x * scale, 0.0, seed) - 1.0).abs();
    fold(1.0, seed) * 0.55
        + fold(2.3, seed + 31) * 0.25
        + fold(5.1, seed + 57) * 0.13
        + noise::smooth(x * 17.0, 0.0, seed + 71) * 0.07
}

fn hill(x: f32) -> f32 {
    1.545 + 0.30 * (x - 0.70).powi(2) + 0.012 * noise::fractal(x * 6.0, 0.0, 191, 3)
}

/// The grassy hill in front.
fn meadow(p: Point, behind: Color) -> Color {
    let blade = noise::smooth(p.x * 260.0 + p.y * 20.0, p.y * 3.0, 193);
    let top = hill(p.x) - 0.012 * blade * noise::smooth(p.x * 40.0, 0.0, 195);
    let below = p.y - top;
    let texture = noise::fractal(p.x * 60.0 + p.y * 30.0, p.y * 26.0, 197, 4);
    let color = mix(hex(0x1C_1B36), hex(0x08_0A19), ramp(0.0, 0.20, below));
    let color = add(
        color,
        hex(0xC0_7A60),
        0.22 * (texture + 0.12).max(0.0) * ramp(0.13, 0.0, below),
    );
    let color = light(
        color,
        hex(0xFF_C38C),
        0.40 * ramp(0.010, 0.0, below) * glow(p.x - SUN.x, 0.35),
    );
    mix(behind, color, ramp(-0.001, 0.001, below))
}

/// A figure in a long coat, seen from behind.
fn watcher(p: Point, behind: Color) -> Color {
    let (x, foot) = (p.x - 0.70, hill(0.70) + 0.004);
    let up = (foot - p.y) / 0.150;
    if !(-0.05..1.1).contains(&up) || x.abs() > 0.06 {
        return behind;
    }
    let legs = ramp(0.0046, 0.0036, (x.abs() - 0.0062).abs()) * ramp(0.36, 0.34, up);
    let coat_half = 0.0225 - 0.0105 * ramp(0.26, 0.66, up) + 0.0045 * ramp(0.62, 0.74, up)
        - 0.0105 * ramp(0.78, 0.85, up);
    let coat = ramp(coat_half + 0.0009, coat_half - 0.0009, x.abs())
        * ramp(0.25, 0.26, up)
        * ramp(0.855, 0.845, up);
    let head = ramp(0.0107, 0.0091, (x * 1.08).hypot((up - 0.925) * 0.150));
    let scarf = ramp(
        0.0030,
        0.0018,
        (p.y - (foot - 0.128) - 0.008 * (x * 90.0).sin()).abs(),
    ) * ramp(0.0, 0.004, x)
        * ramp(0.040, 0.030, x);
    let body = legs.max(coat).max(head).max(scarf).clamp(0.0, 1.0) * ramp(-0.01, 0.0, up);
    let edge = ramp(-0.004, -0.011, x) * 0.40;
    mix(behind, light(hex(0x0B_0C1C), hex(0xFF_B981), edge), body)
}
