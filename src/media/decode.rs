//! Decodes a picture file to pixels: format by content, limits before allocation, profile to sRGB, alpha premultiplied.

use std::io::{Read, SeekFrom};

use fast_image_resize::MulDiv;
use fast_image_resize::images::TypedImage;
use fast_image_resize::pixels::U8x4;
use image::{DynamicImage, GrayImage, RgbImage, RgbaImage};

use super::refusal::{Refusal, guarded};
use super::still::{self, Header, Pixels};
use super::{AssetRead, PictureLimits, icc, sniff};

/// A decoded picture as stored in its file: not yet upright.
pub(crate) struct Source {
    /// Stored size and orientation.
    pub header: Header,
    /// 1 gray, 3 RGB (both opaque), or 4 premultiplied RGBA.
    pub n_channels: usize,
    /// Non-linear sRGB, 8 bits, no row padding.
    pub pixels: Vec<u8>,
}

/// Returns the length of a stream and rewinds it; returns an error beyond the limit.
pub(crate) fn checked_len(
    stream: &mut dyn AssetRead,
    limits: &PictureLimits,
) -> Result<u64, Refusal> {
    let len = stream
        .seek(SeekFrom::End(0))
        .and_then(|len| stream.rewind().map(|()| len))
        .map_err(|e| Refusal::of_read(&e))?;
    if len > limits.file_bytes {
        return Err(Refusal::new(
            "too_large",
            format!("has {len} bytes; at most {} are allowed", limits.file_bytes),
        ));
    }
    Ok(len)
}

/// Reads all bytes of a stream, but never more than the limit (streams may grow while they are read).
pub(crate) fn read_all(
    stream: &mut dyn AssetRead,
    limits: &PictureLimits,
) -> Result<Vec<u8>, Refusal> {
    checked_len(stream, limits)?;
    let mut bytes = Vec::new();
    stream
        .take(limits.file_bytes)
        .read_to_end(&mut bytes)
        .map_err(|e| Refusal::of_read(&e))?;
    Ok(bytes)
}

/// Decodes the bytes of a picture file; for an animation, its first frame.
pub(crate) fn decode(bytes: Vec<u8>, limits: &PictureLimits) -> Result<Source, Refusal> {
    guarded(move || {
        let kind = sniff::kind_of(&bytes[..bytes.len().min(sniff::HEAD_BYTES)])?;
        let decoded = still::pixels(&bytes, kind, limits)?;
        drop(bytes);
        finish(decoded)
    })
}

/// Decodes a picture file completely, upright and in sRGB: gray, RGB, or RGBA with straight (not premultiplied) colors.
///
/// # Errors
/// Describes the problem; the text follows the file's name.
pub fn decode_picture(bytes: &[u8], limits: &PictureLimits) -> Result<DynamicImage, String> {
    let picture = guarded(|| {
        let kind = sniff::kind_of(&bytes[..bytes.len().min(sniff::HEAD_BYTES)])?;
        let mut decoded = still::pixels(bytes, kind, limits)?;
        if let Some(profile) = decoded.profile.take() {
            icc::to_srgb(&mut decoded.bytes, decoded.n_channels, &profile);
        }
        if decoded.is_premultiplied {
            decoded.bytes = divide_by_alpha(decoded.bytes, &decoded.header)?;
        }
        let Header { width, height, .. } = decoded.header;
        let pixels = decoded.bytes;
        let picture = match decoded.n_channels {
            1 => GrayImage::from_raw(width, height, pixels).map(DynamicImage::from),
            3 => RgbImage::from_raw(width, height, pixels).map(DynamicImage::from),
            _ => RgbaImage::from_raw(width, height, pixels).map(DynamicImage::from),
        };
        let mut picture =
            picture.ok_or_else(|| Refusal::damaged("its size does not match its header"))?;
        picture.apply_orientation(decoded.header.orientation);
        Ok(picture)
    });
    picture.map_err(|refusal| match refusal.hint {
        Some(hint) => format!("{} ({hint})", refusal.reason),
        None => refusal.reason,
    })
}

fn divide_by_alpha(mut pixels: Vec<u8>, header: &Header) -> Result<Vec<u8>, Refusal> {
    let mut image = TypedImage::<U8x4>::from_buffer(header.width, header.height, &mut pixels)
        .map_err(Refusal::damaged)?;
    MulDiv::new()
        .divide_alpha_inplace_typed(&mut image)
        .map_err(Refusal::damaged)?;
    Ok(pixels)
}

fn finish(decoded: Pixels) -> Result<Source, Refusal> {
    let Pixels {
        header,
        n_channels,
        bytes: mut pixels,
        is_premultiplied,
        profile,
    } = decoded;
    if let Some(profile) = profile {
        icc::to_srgb(&mut pixels, n_channels, &profile);
    }
    if n_channels == 4 && !is_premultiplied {
        pixels = premultiply(pixels, header.width, header.height)?;
    }
    Ok(Source {
        header,
        n_channels,
        pixels,
    })
}

fn premultiply(mut pixels: Vec<u8>, width: u32, height: u32) -> Result<Vec<u8>, Refusal> {
    let mut image =
        TypedImage::<U8x4>::from_buffer(width, height, &mut pixels).map_err(Refusal::damaged)?;
    MulDiv::new()
        .multiply_alpha_inplace_typed(&mut image)
        .map_err(Refusal::damaged)?;
    Ok(pixels)
}
