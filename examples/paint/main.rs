//! Paints the pictures of `examples/first-light`: `cargo run --release --example paint -- examples/first-light`.
//!
//! Each scene is a pure function from a point to a color, so a picture is the same on every machine and at every size.

mod brush;
mod city;
mod dawn;
mod forest;
mod lighthouse;
mod sea;

use std::path::PathBuf;

use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage};
use rayon::prelude::*;

use brush::{Color, Point, noise};

const WIDTH: u32 = 1350;
const HEIGHT: u32 = 2400;
/// Largest file, so that the example stays light to clone.
const MAX_BYTES: usize = 240_000;

/// A scene: the color at a point, x 0..1 from left to right, y 0..16/9 from top to bottom.
type Scene = fn(Point) -> Color;

const SCENES: [(&str, Scene); 5] = [
    ("1-sea.jpg", sea::color_at),
    ("2-forest.jpg", forest::color_at),
    ("3-city.jpg", city::color_at),
    ("4-lighthouse.jpg", lighthouse::color_at),
    ("5-dawn.jpg", dawn::color_at),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "target".into()));
    for (name, scene) in SCENES {
        let picture = paint(scene);
        let bytes = jpeg(&picture)?;
        let path = folder.join(name);
        println!("{}: {} KB", path.display(), bytes.len() / 1000);
        std::fs::write(path, bytes)?;
    }
    Ok(())
}

/// The best JPEG that is small enough.
fn jpeg(picture: &RgbImage) -> image::ImageResult<Vec<u8>> {
    let mut bytes = Vec::new();
    for quality in (50..=90).rev().step_by(4) {
        bytes.clear();
        picture.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, quality))?;
        if bytes.len() <= MAX_BYTES {
            break;
        }
    }
    Ok(bytes)
}

/// Every pixel from four points of it, with a grain fine enough to be unseen and strong enough that no gradient shows bands.
fn paint(scene: Scene) -> RgbImage {
    let row = |y: u32| {
        (0..WIDTH).map(move |x| {
            let mut sum = [0.0; 3];
            for (dx, dy) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
                let point = Point {
                    x: (x as f32 + dx) / WIDTH as f32,
                    y: (y as f32 + dy) / WIDTH as f32,
                };
                sum = brush::add(sum, scene(point), 0.25);
            }
            let grain = (noise::lattice(x as i32, y as i32, 99) - 0.5) * 1.6;
            sum.map(|c| {
                (c.clamp(0.0, 1.0) * 255.0 + grain)
                    .round()
                    .clamp(0.0, 255.0) as u8
            })
        })
    };
    let rows: Vec<Vec<[u8; 3]>> = (0..HEIGHT)
        .into_par_iter()
        .map(|y| row(y).collect())
        .collect();
    RgbImage::from_fn(WIDTH, HEIGHT, |x, y| Rgb(rows[y as usize][x as usize]))
}
