//! Hills of spruce in the mist, one behind the other.

use crate::brush::{Color, Point, glow, gradient, hex, light, mix, noise, ramp};

/// A rank of trees: from the farthest to the nearest.
struct Rank {
    /// Where its ground lies.
    ground: f32,
    /// How much the ground rolls.
    roll: f32,
    /// Height of a tree.
    tree: f32,
    color: u32,
    seed: i32,
}

const RANKS: [Rank; 7] = [
    Rank {
        ground: 0.70,
        roll: 0.26,
        tree: 0.028,
        color: 0x9F_B7BD,
        seed: 1,
    },
    Rank {
        ground: 0.84,
        roll: 0.24,
        tree: 0.045,
        color: 0x82_A1A9,
        seed: 2,
    },
    Rank {
        ground: 0.98,
        roll: 0.20,
        tree: 0.075,
        color: 0x63_868F,
        seed: 3,
    },
    Rank {
        ground: 1.13,
        roll: 0.18,
        tree: 0.120,
        color: 0x46_6A73,
        seed: 4,
    },
    Rank {
        ground: 1.31,
        roll: 0.14,
        tree: 0.190,
        color: 0x2C_4E57,
        seed: 5,
    },
    Rank {
        ground: 1.54,
        roll: 0.12,
        tree: 0.300,
        color: 0x17_353D,
        seed: 6,
    },
    Rank {
        ground: 1.90,
        roll: 0.08,
        tree: 0.520,
        color: 0x09_1D24,
        seed: 7,
    },
];

pub fn color_at(p: Point) -> Color {
    let mut color = sky(p);
    for (i, rank) in RANKS.iter().enumerate() {
        color = mix(color, rank_color(rank, p), coverage(rank, p));
        color = mist(p, color, rank, i as f32 / (RANKS.len() - 1) as f32);
    }
    color
}

fn sky(p: Point) -> Color {
    let color = gradient(
        &[
            (0.0, hex(0x5E_7F94)),
            (0.4, hex(0x9F_B8BE)),
            (0.8, hex(0xE9_E0CC)),
        ],
        p.y,
    );
    let veil = noise::fractal(p.x * 2.2, p.y * 5.0, 81, 5);
    let color = mix(color, hex(0xF0_ECE2), ramp(-0.05, 0.35, veil) * 0.5);
    let sun = p.to(0.33, 0.40);
    let color = light(color, hex(0xFF_EFC9), 0.55 * glow(sun, 0.16));
    mix(color, hex(0xFF_FBEF), ramp(0.064, 0.056, sun) * 0.85)
}

fn ground_at(rank: &Rank, x: f32) -> f32 {
    rank.ground
        + rank.roll * noise::fractal(x * 1.6 + rank.seed as f32 * 3.7, 0.0, 90 + rank.seed, 3)
}

/// How much of the point a rank's ground and trees cover.
fn coverage(rank: &Rank, p: Point) -> f32 {
    let mut cover = ramp(-0.001, 0.002, p.y - ground_at(rank, p.x));
    let step = rank.tree * 0.17;
    let column = (p.x / step).floor() as i32;
    for cell in column - 2..=column + 2 {
        let pick = |salt: i32| noise::lattice(cell, salt, rank.seed);
        let x = (cell as f32 + pick(0)) * step;
        let height = rank.tree * (0.45 + 0.65 * pick(1));
        let foot = ground_at(rank, x) + rank.tree * 0.05;
        cover = cover.max(spruce(
            Point {
                x: p.x - x,
                y: (p.y - foot + height) / height,
            },
            height,
            pick(2),
        ));
    }
    cover
}

/// A spruce: tiers of hanging boughs around a thin trunk. `at.y` runs from 0 at the tip to 1 at the foot.
fn spruce(at: Point, height: f32, lean: f32) -> f32 {
    if !(0.0..1.0).contains(&at.y) {
        return 0.0;
    }
    let tier = (at.y.powf(0.8) * 14.0 + lean * 3.0).fract();
    let ragged = noise::fractal(at.x / height * 55.0, at.y * 60.0 + lean * 50.0, 17, 4);
    let boughs = height * 0.19 * at.y.powf(0.85) * (0.42 + 0.58 * tier + 0.55 * ragged);
    let trunk = height * 0.008;
    ramp(0.0012, -0.0012, at.x.abs() - boughs.max(trunk))
}

fn rank_color(rank: &Rank, p: Point) -> Color {
    let texture = noise::fractal(
        p.x * 3.0 / rank.tree,
        p.y * 4.0 / rank.tree,
        120 + rank.seed,
        4,
    );
    let base = hex(rank.color);
    mix(
        base,
        [base[0] * 1.5, base[1] * 1.45, base[2] * 1.35],
        texture * 0.55,
    )
}

/// Mist lies in the valley below a rank and thins towards the viewer.
fn mist(p: Point, color: Color, rank: &Rank, near: f32) -> Color {
    let drift = noise::fractal(p.x * 2.5 + rank.seed as f32, p.y * 5.0, 140 + rank.seed, 5);
    let reach = 0.08 + 0.10 * near;
    let low = ramp(0.0, reach, p.y - ground_at(rank, p.x) + drift * 0.16);
    let tint = mix(hex(0xEA_E6DA), hex(0xA9_BFC2), near);
    mix(
        color,
        tint,
        low * (0.92 - 0.55 * near) * if near >= 1.0 { 0.0 } else { 1.0 },
    )
}
