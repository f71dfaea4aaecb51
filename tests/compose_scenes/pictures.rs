//! Test pictures made in code.

use std::sync::Arc;

use kinora::compose::Pictures;
use kinora::media::Picture;

use super::{ALPHA, BARS, NOISE, ZONE};

/// The four pictures that scenes name.
pub fn all() -> Pictures {
    Pictures::from([
        (NOISE, Arc::new(noise(240, 180))),
        (BARS, Arc::new(bars(240, 180))),
        (ZONE, Arc::new(zone_plate(257, 191))),
        (ALPHA, Arc::new(alpha_disc(90, 70))),
    ])
}

/// A picture from a function of the pixel; colors are premultiplied.
pub fn made(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 4]) -> Picture {
    let rgba: Vec<u8> = (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .flat_map(|(x, y)| pixel(x, y))
        .collect();
    Picture {
        opaque: rgba.chunks_exact(4).all(|px| px[3] == 255),
        width,
        height,
        rgba,
    }
}

fn hash(x: u32, y: u32, seed: u32) -> f32 {
    let mut h =
        x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77) ^ seed.wrapping_mul(0xC2B2_AE3D);
    h = (h ^ (h >> 15)).wrapping_mul(0x2C1B_3C6D);
    h = (h ^ (h >> 12)).wrapping_mul(0x297A_2D39);
    (h ^ (h >> 15)) as f32 / u32::MAX as f32
}

fn smooth(x: f32, y: f32, seed: u32) -> f32 {
    let (ix, iy) = (x.floor(), y.floor());
    let ease = |t: f32| t * t * (3.0 - 2.0 * t);
    let (fx, fy) = (ease(x - ix), ease(y - iy));
    let at = |dx, dy| hash(ix as u32 + dx, iy as u32 + dy, seed);
    let top = at(0, 0) * (1.0 - fx) + at(1, 0) * fx;
    let bottom = at(0, 1) * (1.0 - fx) + at(1, 1) * fx;
    top * (1.0 - fy) + bottom * fy
}

/// Like a photo: smooth noise of four octaves with colors that vary slowly.
pub fn noise(width: u32, height: u32) -> Picture {
    made(width, height, |x, y| {
        let (x, y) = (x as f32, y as f32);
        let octaves = |seed: u32| -> f32 {
            (0..4u8)
                .map(|o| {
                    let cell = 48.0 / f32::from(1u8 << o);
                    smooth(x / cell, y / cell, seed + u32::from(o)) * 0.55f32.powi(i32::from(o))
                })
                .sum::<f32>()
                / 2.0
        };
        let light = octaves(1);
        let tint = |seed: u32| {
            ((light * 0.75 + smooth(x / 60.0, y / 60.0, seed) * 0.3) * 255.0).min(255.0) as u8
        };
        [tint(20), tint(30), tint(40), 255]
    })
}

/// 75 % color bars over a ramp.
pub fn bars(width: u32, height: u32) -> Picture {
    const BARS: [[u8; 3]; 7] = [
        [191, 191, 191],
        [191, 191, 0],
        [0, 191, 191],
        [0, 191, 0],
        [191, 0, 191],
        [191, 0, 0],
        [0, 0, 191],
    ];
    made(width, height, |x, y| {
        if y * 4 < height * 3 {
            let [r, g, b] = BARS[(x * 7 / width) as usize];
            [r, g, b, 255]
        } else {
            let v = (x * 255 / (width - 1)) as u8;
            [v, v, v, 255]
        }
    })
}

/// Rings that grow finer outward, up to about 0.4 cycles per px.
pub fn zone_plate(width: u32, height: u32) -> Picture {
    made(width, height, |x, y| {
        let (dx, dy) = (
            x as f32 - width as f32 / 2.0,
            y as f32 - height as f32 / 2.0,
        );
        let phase = (dx * dx + dy * dy) * 0.8 * std::f32::consts::PI / width as f32;
        let v = (127.5 + 120.0 * phase.cos()) as u8;
        [v, v, 255 - v / 2, 255]
    })
}

/// A disc with a soft border on nothing.
pub fn alpha_disc(width: u32, height: u32) -> Picture {
    made(width, height, |x, y| {
        let (dx, dy) = (
            x as f32 + 0.5 - width as f32 / 2.0,
            y as f32 + 0.5 - height as f32 / 2.0,
        );
        let a = ((height as f32 / 2.0 - (dx * dx + dy * dy).sqrt()) / 8.0).clamp(0.0, 1.0);
        let straight = [(x * 255 / width) as f32, 180.0, (y * 255 / height) as f32];
        let [r, g, b] = straight.map(|c| (c * a) as u8);
        [r, g, b, (a * 255.0) as u8]
    })
}
