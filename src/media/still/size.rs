//! What a picture will take is known from its header, and refused before any of it is allocated.

use crate::media::PictureLimits;
use crate::media::refusal::Refusal;

/// Refuses sizes and needs of memory beyond the limits. `bytes` is all that decoding allocates, the pixels that come out included.
pub(super) fn check(
    (width, height): (u32, u32),
    bytes: u64,
    limits: &PictureLimits,
) -> Result<(), Refusal> {
    if width == 0 || height == 0 {
        return Err(Refusal::damaged(format_args!(
            "its header says {width}x{height}"
        )));
    }
    let allowed = if width.max(height) > limits.side_px {
        format!("a side may have {}", limits.side_px)
    } else if n_pixels((width, height)) > limits.n_pixels {
        format!("{} in all are allowed", limits.n_pixels)
    } else if bytes > limits.decoded_bytes {
        format!(
            "decoding it takes {bytes} bytes, {} are allowed",
            limits.decoded_bytes
        )
    } else {
        return Ok(());
    };
    Err(
        Refusal::new("too_large", format!("is {width}x{height} px; {allowed}"))
            .hint("make the picture smaller"),
    )
}

/// Width times height.
pub(super) fn n_pixels((width, height): (u32, u32)) -> u64 {
    u64::from(width) * u64::from(height)
}

/// Refuses files that are too short for their pixels, of which a byte gives `most` at best.
pub(super) fn check_length(n_pixels: u64, n_bytes: usize, most: u64) -> Result<(), Refusal> {
    if n_pixels / most > n_bytes as u64 {
        return Err(cut_short());
    }
    Ok(())
}

/// A file that ends early.
pub(super) fn cut_short() -> Refusal {
    Refusal::damaged("the file ends before the picture does")
}
