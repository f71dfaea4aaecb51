//! Pictures, sounds and clips that servers give.

use std::f64::consts::TAU;
use std::io::Cursor;
use std::path::PathBuf;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

pub fn png(width: u32, height: u32) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let picture = RgbImage::from_fn(width, height, |x, y| Rgb([x as u8, y as u8, 9]));
    DynamicImage::from(picture)
        .write_to(&mut file, ImageFormat::Png)
        .unwrap();
    file.into_inner()
}

/// A tone at 24 kHz mono, as speech servers send: with a length in the header that is not known yet.
pub fn wav(secs: f64) -> Vec<u8> {
    let n = (secs * 24_000.0) as usize;
    let mut wav = b"RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\x01\0\x01\0\xc0\x5d\0\0\x80\xbb\0\0\x02\0\x10\0data\xff\xff\xff\xff".to_vec();
    wav.extend((0..n).flat_map(|i| {
        let sample = (i as f64 / 24_000.0 * 220.0 * TAU).sin() * 8000.0;
        (sample as i16).to_le_bytes()
    }));
    wav
}

pub fn mp4() -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/clips/fixtures/h264-fast-start.mp4");
    std::fs::read(path).unwrap()
}
