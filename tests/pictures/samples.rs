//! Pictures and uses made for the tests.

use std::io::Cursor;
use std::sync::Arc;

use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use kinora::error::{Problem, Result};
use kinora::facts::PictureFacts;
use kinora::media::{Assets, MemoryAssets, Picture, load};
use kinora::scene::PictureUse;
use kinora::{Named, probe};

pub const FORMATS: [ImageFormat; 6] = [
    ImageFormat::Jpeg,
    ImageFormat::Png,
    ImageFormat::WebP,
    ImageFormat::Gif,
    ImageFormat::Bmp,
    ImageFormat::Tiff,
];

/// Flat blocks of 8x8 px, each unlike its neighbors: they survive JPEG and GIF nearly unchanged.
pub fn blocks(n_columns: u32, n_rows: u32) -> DynamicImage {
    let rgba = RgbaImage::from_fn(n_columns * 8, n_rows * 8, |x, y| {
        let i = y / 8 * n_columns + x / 8;
        // Away from black and white, where the overshoot of a filter would be cut.
        let value = |step: u32| (64 + i * step % 128) as u8;
        Rgba([value(37), value(91), value(53), 255])
    });
    DynamicImage::ImageRgba8(rgba)
}

pub fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    if format == ImageFormat::Jpeg {
        let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, 100);
        picture.to_rgb8().write_with_encoder(encoder).unwrap();
    } else {
        picture.write_to(&mut bytes, format).unwrap();
    }
    bytes.into_inner()
}

pub fn assets(files: &[(&str, &[u8])]) -> MemoryAssets {
    let mut assets = MemoryAssets::default();
    for (name, bytes) in files {
        assets.insert(*name, *bytes);
    }
    assets
}

/// The whole of a picture of this size, unchanged.
pub fn whole(asset: &str, width: u32, height: u32) -> PictureUse {
    PictureUse {
        asset: asset.to_owned(),
        path: format!("shots[0].picture of {asset}"),
        crop: [0.0, 0.0, f64::from(width), f64::from(height)],
        width,
        height,
        blur_px: 0.0,
        brightness: 1.0,
        first_frame: 0,
        end_frame: 1,
    }
}

pub fn facts_of(bytes: &[u8]) -> std::result::Result<PictureFacts, Problem> {
    facts_in(&assets(&[("p", bytes)]))
}

pub fn facts_in(assets: &dyn Assets) -> std::result::Result<PictureFacts, Problem> {
    let named = Named {
        pictures: vec![("p".to_owned(), "at.p".to_owned())],
        ..Named::default()
    };
    let (facts, mut problems) = probe(&named, assets);
    match facts.pictures.get("p") {
        Some(facts) => Ok(*facts),
        None => Err(problems.remove(0)),
    }
}

/// Loads a file at its own size.
pub fn load_whole(bytes: &[u8]) -> Result<Arc<Picture>> {
    let (width, height) = facts_of(bytes).map_or((8, 8), |f| (f.width, f.height));
    load(&whole("p", width, height), &assets(&[("p", bytes)]))
}

/// The greatest difference of two pictures' bytes.
pub fn worst(a: &[u8], b: &[u8]) -> u8 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
}

/// A small generator for test noise (xorshift64*), the same on every run.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Noise that compresses badly, so that its file has a long body to be cut.
pub fn noise(width: u32, height: u32) -> DynamicImage {
    let mut noise = Noise(7);
    let rgb = image::RgbImage::from_fn(width, height, |_, _| {
        image::Rgb([noise.next() as u8, noise.next() as u8, noise.next() as u8])
    });
    DynamicImage::ImageRgb8(rgb)
}
