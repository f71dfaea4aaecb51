//! Checks the memory that a picture needs, known from its header, before any of it is allocated.

use crate::media::PictureLimits;
use crate::media::refusal::Refusal;

/// Returns an error for sizes and memory beyond the limits. `bytes` is everything that decoding allocates, including the output pixels.
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
        format!("at most {} px per side are allowed", limits.side_px)
    } else if n_pixels((width, height)) > limits.n_pixels {
        format!("at most {} px in total are allowed", limits.n_pixels)
    } else if bytes > limits.decoded_bytes {
        format!(
            "decoding it needs {bytes} bytes of memory; at most {} are allowed",
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

/// Returns width times height.
pub(super) fn n_pixels((width, height): (u32, u32)) -> u64 {
    u64::from(width) * u64::from(height)
}

/// Returns an error for files that are too short for their pixels; a byte gives at most `most` pixels.
pub(super) fn check_length(n_pixels: u64, n_bytes: usize, most: u64) -> Result<(), Refusal> {
    if n_pixels / most > n_bytes as u64 {
        return Err(cut_short());
    }
    Ok(())
}

/// Creates the error for a file that ends early.
pub(super) fn cut_short() -> Refusal {
    Refusal::damaged("the file ends before the picture does")
}
