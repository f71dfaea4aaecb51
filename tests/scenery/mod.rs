//! Assets drawn for the tests, by name: two photo-like pictures, a busy one, color bars, a zone plate, a mark with alpha. Only basic arithmetic, so the same bytes on every machine.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, dead_code)]

use std::io::Cursor;

use image::{ImageFormat, Rgba, RgbaImage};
use kinora::media::MemoryAssets;

/// The 75 % bars as sRGB: white, yellow, cyan, green, magenta, red, blue.
pub const BARS: [[u8; 3]; 7] = [
    [191, 191, 191],
    [191, 191, 0],
    [0, 191, 191],
    [0, 191, 0],
    [191, 0, 191],
    [191, 0, 0],
    [0, 0, 191],
];

/// Every picture under its name.
pub fn assets() -> MemoryAssets {
    let mut assets = MemoryAssets::default();
    for (name, picture) in [
        ("photo-a.png", evening(480, 320)),
        ("photo-b.png", harbor(320, 480)),
        ("busy.png", busy(320)),
        ("bars.png", bars(280, 160)),
        ("zone.png", zone_plate(320, 320)),
        ("alpha.png", mark(160, 160)),
    ] {
        assets.insert(name, png(&picture));
    }
    assets
}

pub fn png(picture: &RgbaImage) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// Bars of equal width, the same in every row.
pub fn bars(width: u32, height: u32) -> RgbaImage {
    RgbaImage::from_fn(width, height, |x, _| {
        let [r, g, b] = BARS[(x * 7 / width) as usize];
        Rgba([r, g, b, 255])
    })
}

/// A landscape at dusk, wider than high: sky, sun, two ridges, a house with lit windows on the left, rough grass.
pub fn evening(width: u32, height: u32) -> RgbaImage {
    paint(width, height, |x, y| {
        let sky = mix(
            [24.0, 44.0, 96.0],
            [250.0, 176.0, 112.0],
            (y / 0.62).min(1.0),
        );
        let glow = (1.0 - distance(x, y, 1.02, 0.44) / 0.5).max(0.0);
        let mut color = mix(sky, [255.0, 226.0, 170.0], glow * glow);
        color = mix(
            color,
            [255.0, 246.0, 214.0],
            inside(0.10 - distance(x, y, 1.02, 0.44)),
        );
        let far = 0.52 + 0.30 * (x - 0.5) * (x - 0.5);
        color = mix(color, [96.0, 76.0, 108.0], inside(y - far));
        let near = 0.60 + 0.22 * (x - 1.2) * (x - 1.2) - 0.05;
        color = mix(color, [44.0, 48.0, 62.0], inside(y - near));
        let grass = 0.80 + 0.02 * (x - 0.3);
        let blade = 22.0 * noise((x * 320.0) as u32, (y * 320.0) as u32);
        color = mix(
            color,
            [34.0 + blade, 58.0 + blade, 38.0 + blade / 2.0],
            inside(y - grass),
        );
        house(x, y, color)
    })
}

fn house(x: f32, y: f32, below: [f32; 3]) -> [f32; 3] {
    let wall = inside(0.14 - (x - 0.34).abs()) * inside(0.12 - (y - 0.70).abs());
    let roof = inside(0.19 - (x - 0.34).abs() - (0.585 - y).abs() * 1.3) * inside(0.60 - y);
    let pane = |cx: f32| inside(0.03 - (x - cx).abs()) * inside(0.04 - (y - 0.68).abs());
    let color = mix(below, [222.0, 214.0, 200.0], wall);
    let color = mix(color, [140.0, 52.0, 44.0], roof);
    mix(color, [255.0, 196.0, 72.0], pane(0.27).max(pane(0.41)))
}

/// A harbor at noon, higher than wide: clear sky, a white cloud, a red boat with a mast, bands of water.
pub fn harbor(width: u32, height: u32) -> RgbaImage {
    paint(width, height, |x, y| {
        let sky = mix(
            [70.0, 150.0, 214.0],
            [206.0, 232.0, 240.0],
            (y / 0.85).min(1.0),
        );
        let puff = |cx: f32, cy: f32, r: f32| inside((r - distance(x, y, cx, cy)) / 2.0);
        let cloud = puff(0.24, 0.30, 0.10)
            .max(puff(0.38, 0.26, 0.13))
            .max(puff(0.52, 0.31, 0.09));
        let mut color = mix(sky, [252.0, 252.0, 250.0], cloud);
        let depth = (y - 0.85).max(0.0);
        let wave = ((depth * 22.0 / (0.4 + depth)) as u32 % 2) as f32;
        let water = mix([30.0, 122.0, 140.0], [16.0, 74.0, 104.0], depth / 0.65);
        let grain = 8.0 * noise((x * 160.0) as u32, (y * 640.0) as u32);
        color = mix(
            color,
            water.map(|c| c + 14.0 * wave + grain),
            inside(y - 0.85),
        );
        let sail = inside(0.23 - (y - 0.69).abs())
            * inside(x - 0.56)
            * inside(0.40 * (y - 0.46) - (x - 0.56));
        color = mix(color, [248.0, 240.0, 222.0], sail);
        color = mix(
            color,
            [60.0, 44.0, 36.0],
            inside(0.008 - (x - 0.55).abs()) * inside(0.30 - (y - 0.66).abs()),
        );
        let hull =
            inside(0.07 - (y - 0.99).abs()) * inside(0.30 - (x - 0.56).abs() - (y - 0.92) * 0.7);
        mix(color, [196.0, 40.0, 40.0], hull)
    })
}

/// Triangles in light, dark and loud colors, each as large as a letter or two: what captions must be read over.
pub fn busy(side: u32) -> RgbaImage {
    const COLORS: [[u8; 3]; 6] = [
        [250, 250, 246],
        [18, 20, 26],
        [242, 148, 40],
        [52, 120, 214],
        [250, 250, 246],
        [120, 124, 130],
    ];
    const CELL: u32 = 40;
    RgbaImage::from_fn(side, side, |x, y| {
        let (column, row) = (x / CELL, y / CELL);
        let (dx, dy) = (x % CELL, y % CELL);
        let half = match (column + row) % 2 {
            0 => u32::from(dx + dy >= CELL),
            _ => u32::from(dx > dy),
        };
        let chance = noise(2 * column + half, row + 90) * 0.5 + 0.5;
        let [r, g, b] = COLORS[(chance * 5.99) as usize];
        Rgba([r, g, b, 255])
    })
}

/// Rings that grow finer from the center to the edge, where they reach the pixel grid's limit.
pub fn zone_plate(width: u32, height: u32) -> RgbaImage {
    RgbaImage::from_fn(width, height, |x, y| {
        let (dx, dy) = (
            2 * i64::from(x) + 1 - i64::from(width),
            2 * i64::from(y) + 1 - i64::from(height),
        );
        let phase = (dx * dx + dy * dy) % (8 * i64::from(width));
        // Two parabolas instead of a cosine: no library function that could round differently.
        let t = phase as f32 / (4 * i64::from(width)) as f32 - 1.0;
        let value = if t.abs() < 0.5 {
            1.0 - 4.0 * t * t
        } else {
            4.0 * (1.0 - t.abs()) * (1.0 - t.abs()) - 1.0
        };
        let gray = (128.0 + 100.0 * value) as u8;
        Rgba([gray, gray, gray, 255])
    })
}

/// A mark as a channel might have: a ring that fades to one side around a solid triangle, on nothing.
pub fn mark(width: u32, height: u32) -> RgbaImage {
    RgbaImage::from_fn(width, height, |x, y| {
        let (x, y) = (
            (x as f32 + 0.5) / width as f32,
            (y as f32 + 0.5) / height as f32,
        );
        let ring = inside(0.07 - (distance(x, y, 0.5, 0.5) - 0.40).abs()) * (0.25 + 0.75 * x);
        let triangle = inside(x - 0.38) * inside(0.72 - x - 1.3 * (y - 0.5).abs());
        let [r, g, b] = mix([255.0, 92.0, 60.0], [255.0, 255.0, 255.0], triangle);
        let alpha = ring.max(triangle) * 255.0;
        Rgba([r, g, b, alpha].map(|v| (v + 0.5) as u8))
    })
}

/// An opaque picture from a color for each point, `x` and `y` in units of the shorter side.
fn paint(width: u32, height: u32, color: impl Fn(f32, f32) -> [f32; 3]) -> RgbaImage {
    let side = width.min(height) as f32;
    RgbaImage::from_fn(width, height, |x, y| {
        let [r, g, b] = color((x as f32 + 0.5) / side, (y as f32 + 0.5) / side);
        Rgba([r, g, b, 255.0].map(|v| (v + 0.5) as u8))
    })
}

fn mix(a: [f32; 3], b: [f32; 3], t: f32) -> [f32; 3] {
    [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * t)
}

/// 1 where `depth` is positive, 0 where it is negative, with an edge about a pixel wide.
fn inside(depth: f32) -> f32 {
    (depth * 240.0 + 0.5).clamp(0.0, 1.0)
}

fn distance(x: f32, y: f32, cx: f32, cy: f32) -> f32 {
    ((x - cx) * (x - cx) + (y - cy) * (y - cy)).sqrt()
}

/// -1..=1, different at every point and always the same there.
fn noise(x: u32, y: u32) -> f32 {
    let mut n = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77);
    n = (n ^ (n >> 15)).wrapping_mul(0x2c1b_3c6d);
    n ^= n >> 13;
    (n & 0xffff) as f32 / 32768.0 - 1.0
}
