//! Re-encodes an uploaded, untrusted picture: upright, of a moderate size, without camera metadata.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use kinora::media::{PictureLimits, decode_picture};

/// Longest accepted side, px.
const MAX_SIDE_PX: u32 = 8192;
/// Maximum number of pixels accepted.
const MAX_PIXELS: u64 = 40_000_000;
/// Maximum decoder memory, in bytes.
const MAX_DECODED: u64 = 320 << 20;
/// The same before the size is known, because color profiles can inflate without bound.
const MAX_HEADER: u64 = 16 << 20;
/// Maximum number of scans in a progressive JPEG; each costs a pass over all pixels, and cameras write about ten.
const MAX_SCANS: usize = 64;
/// Longest stored side, px.
const KEPT_SIDE_PX: u32 = 2048;
/// Shortest side that models accept, px; smaller pictures are enlarged to it.
const LEAST_SIDE_PX: u32 = 256;
/// Shortest side at which a person can be recognized, px.
const MIN_SIDE_PX: u32 = 64;
const JPEG_QUALITY: u8 = 90;

/// A stored picture.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) bytes: Vec<u8>,
    pub(super) extension: &'static str,
    /// A note for its owner.
    pub(super) note: Option<String>,
}

/// Decodes and re-encodes a picture. Blocks until done.
///
/// # Errors
/// The reason for refusing it, to follow "the picture".
pub(super) fn written_anew(file: &[u8]) -> Result<Kept, String> {
    let (picture, note) = sized(decoded(file)?)?;
    let mut bytes = Cursor::new(Vec::new());
    let cannot = |e: image::ImageError| format!("cannot be written: {e}");
    let extension = if picture.color().has_alpha() {
        let picture = DynamicImage::from(picture.to_rgba8());
        picture
            .write_to(&mut bytes, ImageFormat::Png)
            .map_err(cannot)?;
        "png"
    } else {
        let encoder = JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY);
        picture
            .to_rgb8()
            .write_with_encoder(encoder)
            .map_err(cannot)?;
        "jpg"
    };
    Ok(Kept {
        bytes: bytes.into_inner(),
        extension,
        note,
    })
}

/// Scales a picture to the allowed sizes.
fn sized(picture: DynamicImage) -> Result<(DynamicImage, Option<String>), String> {
    let (width, height) = (picture.width(), picture.height());
    let (least, most) = (width.min(height), width.max(height));
    if least < MIN_SIDE_PX {
        return Err(format!(
            "has {width}x{height} px: send one with at least {LEAST_SIDE_PX} px on each side"
        ));
    }
    let filter = FilterType::Lanczos3;
    if most > KEPT_SIDE_PX {
        return Ok((picture.resize(KEPT_SIDE_PX, KEPT_SIDE_PX, filter), None));
    }
    let by = f64::from(LEAST_SIDE_PX) / f64::from(least);
    if by <= 1.0 || f64::from(most) * by > f64::from(KEPT_SIDE_PX) {
        return Ok((picture, None));
    }
    let [wide, high] = [width, height].map(|side| (f64::from(side) * by).ceil() as u32);
    let note = format!(
        "the picture has {width}x{height} px and was enlarged to {wide}x{high}; a larger one would show the character better"
    );
    Ok((picture.resize_exact(wide, high, filter), Some(note)))
}

fn decoded(file: &[u8]) -> Result<DynamicImage, String> {
    let format = format_of(file).ok_or("is not a PNG, JPEG or WebP")?;
    if format == ImageFormat::Jpeg && n_scans(file) > MAX_SCANS {
        return Err(format!("has more than {MAX_SCANS} scans"));
    }
    opened(file, format)?;
    // Decoded as for a render: upright, in sRGB, with an error if data is missing.
    let mut limits = PictureLimits::strict();
    limits.side_px = MAX_SIDE_PX;
    limits.n_pixels = MAX_PIXELS;
    limits.decoded_bytes = MAX_DECODED;
    decode_picture(file, &limits)
}

/// Returns a decoder that has read the header and checked the size.
fn opened(file: &[u8], format: ImageFormat) -> Result<impl ImageDecoder, String> {
    let mut reader = ImageReader::with_format(Cursor::new(file), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE_PX);
    limits.max_image_height = Some(MAX_SIDE_PX);
    limits.max_alloc = Some(MAX_HEADER);
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(format!(
            "has {width}x{height} px, which is more than {MAX_PIXELS} pixels"
        ));
    }
    limits.max_alloc = Some(MAX_DECODED);
    decoder.set_limits(limits).map_err(damaged)?;
    Ok(decoder)
}

fn damaged(error: image::ImageError) -> String {
    format!("cannot be decoded: {error}")
}

fn format_of(file: &[u8]) -> Option<ImageFormat> {
    match file {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(ImageFormat::Png),
        [0xff, 0xd8, 0xff, ..] => Some(ImageFormat::Jpeg),
        _ if file.starts_with(b"RIFF") && file.get(8..12) == Some(b"WEBP") => {
            Some(ImageFormat::WebP)
        }
        _ => None,
    }
}

/// Counts start-of-scan markers; these bytes cannot occur inside a scan (ITU-T T.81, B.1.1.5).
fn n_scans(file: &[u8]) -> usize {
    file.windows(2).filter(|pair| *pair == [0xff, 0xda]).count()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn pictures_are_turned_upright_and_lose_what_cameras_note() {
        let mut jpeg = Cursor::new(Vec::new());
        image::RgbImage::new(600, 300)
            .write_to(&mut jpeg, ImageFormat::Jpeg)
            .unwrap();
        // Exif with one entry, orientation 6: a quarter turn to the right.
        let exif = b"\xff\xe1\x00\x22Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        let mut turned = jpeg.get_ref()[..2].to_vec();
        turned.extend_from_slice(exif);
        turned.extend_from_slice(&jpeg.get_ref()[2..]);
        let kept = written_anew(&turned).unwrap();
        assert!(!kept.bytes.windows(4).any(|part| part == b"Exif"));
        let again = image::load_from_memory(&kept.bytes).unwrap();
        assert_eq!((again.width(), again.height()), (300, 600));
    }

    /// Builds a PNG chunk (PNG specification, 5.3).
    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let mut crc = flate2::Crc::new();
        crc.update(kind);
        crc.update(data);
        let size = (data.len() as u32).to_be_bytes();
        [&size, kind.as_slice(), data, &crc.sum().to_be_bytes()].concat()
    }

    #[test]
    fn a_profile_is_not_inflated_without_end() {
        let mut png = Cursor::new(Vec::new());
        image::RgbImage::new(300, 300)
            .write_to(&mut png, ImageFormat::Png)
            .unwrap();
        for (size, is_read) in [(1 << 20, true), (20 << 20, false)] {
            let mut packed =
                flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
            packed.write_all(&vec![0; size]).unwrap();
            let profile = [b"a\0\0".to_vec(), packed.finish().unwrap()].concat();
            // After the signature and the header chunk, 33 bytes.
            let (head, rest) = png.get_ref().split_at(33);
            let bomb = [head, &chunk(b"iCCP", &profile), rest].concat();
            let mut decoder = opened(&bomb, ImageFormat::Png).unwrap();
            assert_eq!(decoder.icc_profile().unwrap().is_some(), is_read, "{size}");
            assert!(written_anew(&bomb).is_ok());
        }
    }

    #[test]
    fn jpegs_of_very_many_scans_are_refused() {
        let bomb = [b"\xff\xd8\xff".to_vec(), b"\xff\xda".repeat(100)].concat();
        assert!(written_anew(&bomb).unwrap_err().contains("scans"));
    }
}
