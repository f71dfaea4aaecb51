//! PNG, WebP, GIF, BMP, TIFF and QOI by the crate `image`.

use std::io::{BufRead, Cursor, Seek};

use image::metadata::Orientation;
use image::{ColorType, ImageDecoder, ImageFormat, ImageReader, Limits};

use super::narrow::{Samples, gray_alpha_to_rgba, to_8_bits};
use super::{Header, Pixels, exif_orientation, size, tiff};
use crate::media::PictureLimits;
use crate::media::refusal::Refusal;

/// Maximum memory of a decoder before the size is known: color profiles and comments can inflate without limit.
const HEADER_BYTES: u64 = 16 << 20;

/// Reads a header.
pub(super) fn header(
    mut stream: impl BufRead + Seek,
    format: ImageFormat,
    limits: &PictureLimits,
) -> Result<Header, Refusal> {
    if format == ImageFormat::Tiff {
        tiff::layout(&mut stream)?;
        stream.rewind().map_err(|e| Refusal::of_read(&e))?;
    }
    open(stream, format, limits).map(|(header, _)| header)
}

/// Decodes a whole file.
pub(super) fn pixels(
    bytes: &[u8],
    format: ImageFormat,
    limits: &PictureLimits,
) -> Result<Pixels, Refusal> {
    let are_integers = match format {
        ImageFormat::Tiff => tiff::layout(Cursor::new(bytes))?.has_32_bit_integers,
        _ => false,
    };
    let (header, mut decoder) = open(Cursor::new(bytes), format, limits)?;
    check_whole(bytes, format, size::n_pixels((header.width, header.height)))?;
    // An unreadable profile is ignored like a broken one.
    let profile = decoder.icc_profile().ok().flatten();
    let color = decoder.color_type();
    let samples = match Samples::of(color) {
        Samples::Floats if are_integers => Samples::Integers,
        samples => samples,
    };
    let mut stored = vec![0; usize::try_from(decoder.total_bytes()).map_err(Refusal::damaged)?];
    decoder
        .read_image(&mut stored)
        .map_err(|e| Refusal::of_decoder(&e))?;
    let narrow = to_8_bits(stored, samples);
    let (bytes, n_channels) = match color.channel_count() {
        2 => (gray_alpha_to_rgba(&narrow), 4),
        n => (narrow, usize::from(n)),
    };
    Ok(Pixels {
        header,
        n_channels,
        bytes,
        is_premultiplied: false,
        profile,
    })
}

/// Opens a decoder and checks its header against the limits.
fn open<'a>(
    stream: impl BufRead + Seek + 'a,
    format: ImageFormat,
    limits: &PictureLimits,
) -> Result<(Header, impl ImageDecoder + 'a), Refusal> {
    let mut reader = ImageReader::with_format(stream, format);
    let mut decoder_limits = Limits::no_limits();
    decoder_limits.max_alloc = Some(limits.decoded_bytes.min(HEADER_BYTES));
    reader.limits(decoder_limits.clone());
    let mut decoder = reader.into_decoder().map_err(|e| Refusal::of_decoder(&e))?;
    let (width, height) = decoder.dimensions();
    let color = decoder.color_type();
    size::check(
        (width, height),
        need((width, height), color, format),
        limits,
    )?;
    decoder_limits.max_alloc = Some(limits.decoded_bytes);
    decoder
        .set_limits(decoder_limits)
        .map_err(|e| Refusal::of_decoder(&e))?;
    let header = Header {
        width,
        height,
        orientation: orientation(&mut decoder),
        has_alpha: color.has_alpha(),
    };
    Ok((header, decoder))
}

/// Returns the bytes that decoding allocates.
fn need(size: (u32, u32), color: ColorType, format: ImageFormat) -> u64 {
    let n_pixels = size::n_pixels(size);
    let stored = n_pixels.saturating_mul(u64::from(color.bytes_per_pixel()));
    // Additional memory of the decoder: TIFF holds the whole picture once more (CMYK with a fourth sample), GIF a frame beside its canvas, WebP both
    // of these for an animation and otherwise four bytes per pixel.
    let beside = match format {
        ImageFormat::Tiff => stored / 3 * 4,
        ImageFormat::Gif => stored,
        ImageFormat::WebP => n_pixels * 4,
        _ => 0,
    };
    let widened = if color.channel_count() == 2 {
        n_pixels * 4
    } else {
        0
    };
    stored.saturating_add(beside.max(widened))
}

fn orientation(decoder: &mut impl ImageDecoder) -> Orientation {
    match decoder.orientation() {
        Ok(found) if found != Orientation::NoTransforms => found,
        // The decoders of `image` only read bare TIFF.
        _ => {
            let exif = decoder.exif_metadata().ok().flatten();
            exif.map_or(Orientation::NoTransforms, |exif| exif_orientation(&exif))
        }
    }
}

/// Rejects files that cannot contain all of their pixels, before memory is allocated. The decoders report a missing end themselves, except WebP's.
fn check_whole(bytes: &[u8], format: ImageFormat, n_pixels: u64) -> Result<(), Refusal> {
    let most = match format {
        // A code has at least nine bits, for a run of up to 4096 pixels.
        ImageFormat::Gif => 4096,
        // Two bytes for a run of 255.
        ImageFormat::Bmp => 128,
        // A run of 62.
        ImageFormat::Qoi => 62,
        // Deflate expands one byte to at most 1032, and each may be eight pixels.
        ImageFormat::Png => 1032 * 8,
        ImageFormat::WebP if !webp_has_end(bytes) => return Err(size::cut_short()),
        _ => return Ok(()),
    };
    size::check_length(n_pixels, bytes.len(), most)
}

/// Compares the length in the RIFF header (RFC 9649, section 2.4) with the real one.
fn webp_has_end(bytes: &[u8]) -> bool {
    match bytes.get(4..8) {
        Some(&[a, b, c, d]) => {
            let riff_bytes = u64::from(u32::from_le_bytes([a, b, c, d]));
            bytes.len() as u64 >= riff_bytes.saturating_add(8)
        }
        _ => false,
    }
}
