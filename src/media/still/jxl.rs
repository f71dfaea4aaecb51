//! JPEG XL by the crate `jxl-oxide`; for an animation, its first frame.

use std::borrow::Cow;

use image::metadata::Orientation;
use jxl_oxide::{AllocTracker, InitializeResult, JxlImage, JxlThreadPool, PixelFormat};

use super::narrow::gray_alpha_to_rgba;
use super::{Header, Pixels, size};
use crate::media::PictureLimits;
use crate::media::refusal::Refusal;

/// Bytes passed to the decoder at a time.
const PIECE: usize = 64 << 10;

/// Reads a header.
pub(super) fn header(bytes: &[u8], limits: &PictureLimits) -> Result<Header, Refusal> {
    let bytes = codestream(bytes)?;
    let mut rest = &bytes[..];
    let image = started(&mut rest, limits)?;
    checked(&image, limits).map(|(header, _)| header)
}

/// Decodes a whole file.
pub(super) fn pixels(bytes: &[u8], limits: &PictureLimits) -> Result<Pixels, Refusal> {
    let bytes = codestream(bytes)?;
    let mut rest = &bytes[..];
    let mut image = started(&mut rest, limits)?;
    let (header, n_channels) = checked(&image, limits)?;
    while image.num_loaded_keyframes() == 0 && !rest.is_empty() {
        let n = rest.len().min(PIECE);
        let n_taken = image.feed_bytes(&rest[..n]).map_err(|e| refusal(&*e))?;
        if n_taken == 0 {
            break;
        }
        rest = &rest[n_taken..];
    }
    if image.num_loaded_keyframes() == 0 {
        return Err(size::cut_short());
    }
    let profile = image.rendered_icc();
    let channels = &image.image_header().metadata.ec_info;
    let is_premultiplied = channels.iter().any(|c| c.alpha_associated() == Some(true));
    let render = image.render_frame(0).map_err(|e| refusal(&*e))?;
    let n_pixels = header.width as usize * header.height as usize;
    let mut stored = vec![0_u8; n_pixels * n_channels];
    let is_whole = {
        let mut stream = render.stream();
        (stream.width(), stream.height(), stream.channels() as usize)
            == (header.width, header.height, n_channels)
            && stream.write_to_buffer(&mut stored) == stored.len()
    };
    if !is_whole {
        return Err(Refusal::damaged("its first frame has a different size"));
    }
    drop((render, image));
    let (bytes, n_channels) = match n_channels {
        2 => (gray_alpha_to_rgba(&stored), 4),
        n => (stored, n),
    };
    Ok(Pixels {
        header,
        n_channels,
        bytes,
        is_premultiplied,
        profile: Some(profile),
    })
}

/// Extracts the picture from the boxes around it (ISO/IEC 18181-2). Other boxes are dropped: they may be compressed and inflate without limit.
fn codestream(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Refusal> {
    if bytes.starts_with(b"\xff\x0a") {
        return Ok(Cow::Borrowed(bytes));
    }
    let (mut parts, mut rest) = (Vec::new(), bytes);
    while let Some((&[a, b, c, d, ref kind @ ..], after)) = rest.split_first_chunk::<8>() {
        let (body, size) = match u32::from_be_bytes([a, b, c, d]) {
            0 => (after, rest.len()),
            1 => {
                let (size, body) = after.split_first_chunk().ok_or_else(size::cut_short)?;
                let size = usize::try_from(u64::from_be_bytes(*size)).map_err(Refusal::damaged)?;
                (body, size)
            }
            size => (after, size as usize),
        };
        let header_bytes = rest.len() - body.len();
        let n = size.checked_sub(header_bytes).ok_or_else(size::cut_short)?;
        // A truncated part is decoded as far as it goes.
        let body = &body[..n.min(body.len())];
        match kind {
            b"jxlc" => parts.extend_from_slice(body),
            // The number of the part comes first.
            b"jxlp" => parts.extend_from_slice(body.get(4..).unwrap_or_default()),
            _ => {}
        }
        rest = rest.get(size..).unwrap_or_default();
    }
    Ok(Cow::Owned(parts))
}

/// Creates a decoder that has read the header; unread bytes are left in `rest`.
fn started(rest: &mut &[u8], limits: &PictureLimits) -> Result<JxlImage, Refusal> {
    let tracker =
        AllocTracker::with_limit(usize::try_from(limits.decoded_bytes).unwrap_or(usize::MAX));
    let builder = JxlImage::builder()
        .pool(JxlThreadPool::none())
        .alloc_tracker(tracker);
    let mut waiting = builder.build_uninit();
    loop {
        if rest.is_empty() {
            return Err(size::cut_short());
        }
        let n = rest.len().min(PIECE);
        let n_taken = waiting.feed_bytes(&rest[..n]).map_err(|e| refusal(&*e))?;
        *rest = &rest[n_taken..];
        match waiting.try_init().map_err(|e| refusal(&*e))? {
            InitializeResult::NeedMoreData(_) if n_taken == 0 => return Err(size::cut_short()),
            InitializeResult::NeedMoreData(more) => waiting = more,
            InitializeResult::Initialized(image) => return Ok(image),
        }
    }
}

/// Checks the header's facts; also returns the number of output channels.
fn checked(image: &JxlImage, limits: &PictureLimits) -> Result<(Header, usize), Refusal> {
    let n_channels = match image.pixel_format() {
        PixelFormat::Gray => 1,
        PixelFormat::Graya => 2,
        PixelFormat::Rgb => 3,
        PixelFormat::Rgba => 4,
        PixelFormat::Cmyk | PixelFormat::Cmyka => {
            let reason = "is a JPEG XL in CMYK, which is not supported";
            return Err(
                Refusal::new("unsupported_picture", reason).hint("save it again in RGB, or as PNG")
            );
        }
    };
    let size = (image.width(), image.height());
    // A float for each sample during decoding, then a byte (for gray with alpha four).
    let need = size::n_pixels(size).saturating_mul(n_channels as u64 * 5 + 4);
    size::check(size, need, limits)?;
    let header = Header {
        width: size.0,
        height: size.1,
        // The decoder turns the picture upright.
        orientation: Orientation::NoTransforms,
        has_alpha: n_channels % 2 == 0,
    };
    Ok((header, n_channels))
}

fn refusal(e: &(dyn std::error::Error + Send + Sync)) -> Refusal {
    let text = e.to_string();
    if text.contains("out of memory") || text.contains("allocation") {
        return Refusal::new("too_large", "needs more memory to decode than is allowed")
            .hint("make the picture smaller");
    }
    Refusal::damaged(text)
}
