//! Drawn landscapes for machines without photographs: a sky, a sun and ridges in haze, each with its own colors.

use image::{Rgb, RgbImage};
use rayon::prelude::*;

use crate::noise::{clouds, lattice};

const WIDTH: u32 = 720;
const HEIGHT: u32 = 1280;
/// Number of ridges.
const N_RIDGES: usize = 5;

type Color = [f64; 3];

/// The colors and the shapes of a landscape.
struct Scene {
    /// Top, middle and horizon.
    sky: [u32; 3],
    /// Farthest and nearest ridge.
    land: [u32; 2],
    sun: u32,
    /// The sun's center and radius as shares of the width and height (radius: of the width).
    place: [f64; 3],
    /// How rough the ridges are.
    rough: f64,
    stars: bool,
}

const SCENES: [Scene; 6] = [
    Scene {
        sky: [0x2B2D5B, 0xC2577B, 0xFFC58A],
        land: [0xA0628A, 0x1B1230],
        sun: 0xFFF1CC,
        place: [0.62, 0.44, 0.085],
        rough: 0.20,
        stars: false,
    },
    Scene {
        sky: [0x2E7DD1, 0x7CC0F0, 0xE8F6FF],
        land: [0x8CB6D2, 0x17382A],
        sun: 0xFFFFFF,
        place: [0.26, 0.17, 0.06],
        rough: 0.32,
        stars: false,
    },
    Scene {
        sky: [0xE8744A, 0xF6A45C, 0xFFE2AE],
        land: [0xD07A4A, 0x43171A],
        sun: 0xFFF7DC,
        place: [0.34, 0.36, 0.12],
        rough: 0.12,
        stars: false,
    },
    Scene {
        sky: [0x070B1F, 0x1B2A5A, 0x5F74B0],
        land: [0x3A4A86, 0x05070F],
        sun: 0xF4F7FF,
        place: [0.70, 0.20, 0.07],
        rough: 0.26,
        stars: true,
    },
    Scene {
        sky: [0xBFD8C2, 0xDCE9CF, 0xF8F4DC],
        land: [0xA3C0A0, 0x10301E],
        sun: 0xFFFDF0,
        place: [0.50, 0.28, 0.05],
        rough: 0.38,
        stars: false,
    },
    Scene {
        sky: [0x06283B, 0x14747A, 0xF2B866],
        land: [0x3E8A86, 0x041A22],
        sun: 0xFFE9B0,
        place: [0.44, 0.47, 0.10],
        rough: 0.17,
        stars: false,
    },
];

/// Draws every landscape.
pub(super) fn draw_all() -> Vec<RgbImage> {
    SCENES
        .par_iter()
        .enumerate()
        .map(|(i, scene)| draw(scene, i as u32))
        .collect()
}

fn draw(scene: &Scene, seed: u32) -> RgbImage {
    let aspect = f64::from(HEIGHT) / f64::from(WIDTH);
    let crests: Vec<[f64; N_RIDGES]> = (0..WIDTH)
        .map(|x| {
            let u = f64::from(x) / f64::from(WIDTH);
            std::array::from_fn(|i| crest(u, i, seed, scene.rough))
        })
        .collect();
    RgbImage::from_fn(WIDTH, HEIGHT, |x, y| {
        let (u, v) = (
            f64::from(x) / f64::from(WIDTH),
            f64::from(y) / f64::from(HEIGHT),
        );
        let crests = &crests[x as usize];
        // Ridges from back to front, each anti-aliased over a pixel at its crest.
        let mut color = sky(scene, [u, v], seed, aspect);
        for (i, crest) in crests.iter().enumerate() {
            let cover = ((v - crest) * f64::from(HEIGHT) + 0.5).clamp(0.0, 1.0);
            if cover > 0.0 {
                color = mix(color, land(scene, i, [u, v - crest], seed), cover);
            }
        }
        let grain = 5.0 * (lattice(i64::from(x), i64::from(y), seed) - 0.5);
        Rgb(color.map(|c| (c + grain).clamp(0.0, 255.0) as u8))
    })
}

/// Returns the top of a ridge, as a share of the height: mountains in the distance, hills in front.
fn crest(u: f64, i: usize, seed: u32, rough: f64) -> f64 {
    let depth = i as f64 / (N_RIDGES - 1) as f64;
    let scale = 5.0 - 2.5 * depth;
    let shape = clouds(
        [u * scale + 3.7 * i as f64, 0.5],
        seed * 31 + i as u32 * 7,
        6,
    ) - 0.5;
    0.54 + 0.36 * depth + rough * (1.0 - 0.45 * depth) * shape
}

fn sky(scene: &Scene, [u, v]: [f64; 2], seed: u32, aspect: f64) -> Color {
    let [top, middle, horizon] = scene.sky.map(rgb);
    let at = (v / 0.62).min(1.0);
    let base = match at {
        at if at < 0.55 => mix(top, middle, at / 0.55),
        at => mix(middle, horizon, (at - 0.55) / 0.45),
    };
    // Thin clouds, wider than high, tinted by the horizon's light.
    let veil = ((clouds([u * 2.2, v * 9.0], seed + 90, 5) - 0.52) * 3.2).clamp(0.0, 0.5);
    let mut color = mix(
        base,
        mix(horizon, [255.0; 3], 0.35),
        veil * (1.0 - 0.6 * at),
    );
    if scene.stars {
        let cell = [(u * 90.0) as i64, (v * 90.0 * aspect) as i64];
        let spot = lattice(cell[0], cell[1], seed + 5);
        let (dx, dy) = ((u * 90.0).fract() - 0.5, (v * 90.0 * aspect).fract() - 0.5);
        if spot > 0.965 && dx * dx + dy * dy < 0.012 {
            color = mix(color, [255.0; 3], 0.85 * (1.0 - at));
        }
    }
    let [x, y, radius] = scene.place;
    let far = ((u - x).powi(2) + ((v - y) * aspect).powi(2)).sqrt();
    let sun = rgb(scene.sun);
    color = mix(color, sun, 0.55 * (-(far / radius / 2.6).powi(2)).exp());
    let edge = ((radius - far) * f64::from(WIDTH) + 0.5).clamp(0.0, 1.0);
    mix(color, sun, edge)
}

fn land(scene: &Scene, i: usize, [u, below]: [f64; 2], seed: u32) -> Color {
    let [far, near] = scene.land.map(rgb);
    let depth = i as f64 / (N_RIDGES - 1) as f64;
    let body = mix(far, near, depth.powf(0.8));
    let texture = 26.0 * (clouds([u * 40.0, below * 60.0], seed + 200 + i as u32, 4) - 0.5);
    let shade = mix(body, [0.0; 3], 0.12).map(|c| c + texture * (0.35 + 0.65 * depth));
    // Haze at the foot of each ridge, in the color of the horizon.
    let haze = (below / 0.16).clamp(0.0, 1.0) * 0.55 * (1.0 - depth);
    mix(shade, rgb(scene.sky[2]), haze)
}

fn rgb(hex: u32) -> Color {
    [16, 8, 0].map(|shift| f64::from((hex >> shift) & 255))
}

fn mix(a: Color, b: Color, t: f64) -> Color {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t)
}
