//! A picture file to pixels: format by content, limits before allocation, profile to sRGB, alpha premultiplied.

use std::io::{BufRead, Cursor, Read, Seek, SeekFrom};

use fast_image_resize::images::Image;
use fast_image_resize::{MulDiv, PixelType};
use image::metadata::Orientation;
use image::{ColorType, DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};

use super::refusal::{Refusal, guarded};
use super::{AssetRead, PictureLimits, icc, sniff, whole};

/// What a header tells.
#[derive(Clone, Copy)]
pub(crate) struct Header {
    /// Columns as stored.
    pub width: u32,
    /// Rows as stored.
    pub height: u32,
    /// How the stored picture must be turned to stand upright.
    pub orientation: Orientation,
    /// Pixels as the decoder gives them.
    pub color: ColorType,
}

impl Header {
    /// Whether standing upright swaps width and height.
    pub fn is_sideways(&self) -> bool {
        use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
        matches!(
            self.orientation,
            Rotate90 | Rotate270 | Rotate90FlipH | Rotate270FlipH
        )
    }

    /// `(width, height)` of the picture stood upright.
    pub fn upright_size(&self) -> (u32, u32) {
        if self.is_sideways() {
            (self.height, self.width)
        } else {
            (self.width, self.height)
        }
    }
}

/// A decoded picture as it lies in its file: not yet upright.
pub(crate) struct Source {
    /// Stored size and orientation.
    pub header: Header,
    /// 1 gray, 3 RGB (both opaque), or 4 premultiplied RGBA.
    pub n_channels: usize,
    /// Non-linear sRGB, 8 bits, no row padding.
    pub pixels: Vec<u8>,
}

/// The length of a stream, which is then at its start again; refused beyond the limit.
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
            format!("has {len} bytes; at most {} are read", limits.file_bytes),
        ));
    }
    Ok(len)
}

/// All bytes of a stream, never more than the limit (streams may grow while they are read).
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

/// What a decoder may take before the size is known: color profiles and comments inflate to as much as they like.
const HEADER_BYTES: u64 = 16 << 20;

/// Opens a decoder and checks what its header asks for; no pixel is decoded.
pub(crate) fn header<'a>(
    reader: impl BufRead + Seek + 'a,
    format: ImageFormat,
    limits: &PictureLimits,
) -> Result<(Header, impl ImageDecoder + 'a), Refusal> {
    let mut reader = ImageReader::with_format(reader, format);
    let mut decoder_limits = Limits::no_limits();
    decoder_limits.max_alloc = Some(limits.decoded_bytes.min(HEADER_BYTES));
    reader.limits(decoder_limits.clone());
    let mut decoder = reader.into_decoder().map_err(|e| Refusal::of_decoder(&e))?;
    let (width, height) = decoder.dimensions();
    check_size(width, height, decoder.total_bytes(), limits)?;
    decoder_limits.max_alloc = Some(limits.decoded_bytes);
    decoder
        .set_limits(decoder_limits)
        .map_err(|e| Refusal::of_decoder(&e))?;
    let header = Header {
        width,
        height,
        // Broken EXIF is common and harmless: the picture is then shown as it is stored.
        orientation: decoder.orientation().unwrap_or(Orientation::NoTransforms),
        color: decoder.color_type(),
    };
    Ok((header, decoder))
}

fn check_size(width: u32, height: u32, bytes: u64, limits: &PictureLimits) -> Result<(), Refusal> {
    if width == 0 || height == 0 {
        return Err(Refusal::damaged(format_args!(
            "its header says {width}x{height}"
        )));
    }
    let n_pixels = u64::from(width) * u64::from(height);
    let allowed = if width.max(height) > limits.side_px {
        format!("a side may have {}", limits.side_px)
    } else if n_pixels > limits.n_pixels {
        format!("{} in all are allowed", limits.n_pixels)
    } else if bytes > limits.decoded_bytes {
        format!(
            "they take {bytes} bytes, {} are allowed",
            limits.decoded_bytes
        )
    } else {
        return Ok(());
    };
    Err(Refusal::new(
        "too_large",
        format!("is {width}x{height} px; {allowed}"),
    ))
}

/// Decodes the bytes of a picture file; of an animation, its first frame.
pub(crate) fn decode(bytes: Vec<u8>, limits: &PictureLimits) -> Result<Source, Refusal> {
    guarded(move || {
        let format = sniff::format_of(&bytes[..bytes.len().min(sniff::HEAD_BYTES)])?;
        let (header, mut decoder) = header(Cursor::new(&bytes), format, limits)?;
        let n_pixels = u64::from(header.width) * u64::from(header.height);
        whole::check(&bytes, format, n_pixels)?;
        // An unreadable profile is passed over like a broken one.
        let profile = decoder.icc_profile().ok().flatten();
        let decoded = DynamicImage::from_decoder(decoder).map_err(|e| Refusal::of_decoder(&e))?;
        drop(bytes);
        let (mut pixels, n_channels) = to_8_bits(decoded);
        if let Some(profile) = profile {
            icc::to_srgb(&mut pixels, n_channels, &profile);
        }
        if n_channels == 4 {
            pixels = premultiply(pixels, header.width, header.height)?;
        }
        Ok(Source {
            header,
            n_channels,
            pixels,
        })
    })
}

/// Gray stays gray and opaque stays without alpha: a third to a quarter of the memory and of the resampling.
fn to_8_bits(decoded: DynamicImage) -> (Vec<u8>, usize) {
    let color = decoded.color();
    if color.has_alpha() {
        (decoded.into_rgba8().into_raw(), 4)
    } else if color.has_color() {
        (decoded.into_rgb8().into_raw(), 3)
    } else {
        (decoded.into_luma8().into_raw(), 1)
    }
}

fn premultiply(pixels: Vec<u8>, width: u32, height: u32) -> Result<Vec<u8>, Refusal> {
    let mut image =
        Image::from_vec_u8(width, height, pixels, PixelType::U8x4).map_err(Refusal::damaged)?;
    MulDiv::new()
        .multiply_alpha_inplace(&mut image)
        .map_err(Refusal::damaged)?;
    Ok(image.into_vec())
}
