//! How much a picture may ask for before a byte of it is decoded.

use crate::scene::{MAX_PIXELS, MAX_SIDE_PX};

/// Bounds on a picture file, checked from its length and header; a file beyond them is refused, never cut down.
///
/// The peak of one load is about the file and `decoded_bytes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PictureLimits {
    /// Length of the file in bytes.
    pub file_bytes: u64,
    /// Longer side in px.
    pub side_px: u32,
    /// Width times height.
    pub n_pixels: u64,
    /// All that decoding may allocate, in bytes: the pixels as the file holds them, and what the decoder holds besides.
    pub decoded_bytes: u64,
    /// HEIC is decoded by this machine's libheif, in this process.
    pub libheif: bool,
}

impl Default for PictureLimits {
    /// Generous, for files that the user owns: 200 MB, 32,768 px a side, 200 megapixels, 1 GiB decoded.
    fn default() -> PictureLimits {
        PictureLimits {
            file_bytes: 200_000_000,
            side_px: 32_768,
            n_pixels: 200_000_000,
            decoded_bytes: 1 << 30,
            libheif: true,
        }
    }
}

impl PictureLimits {
    /// For strangers' uploads: 20 MiB, 8,192 px a side, 40 megapixels, 320 MiB decoded, no HEIC: a fault of a library in C++ would end the process.
    pub fn strict() -> PictureLimits {
        PictureLimits {
            file_bytes: 20 << 20,
            side_px: MAX_SIDE_PX,
            n_pixels: MAX_PIXELS,
            decoded_bytes: 320 << 20,
            libheif: false,
        }
    }
}
