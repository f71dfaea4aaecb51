//! Limits for pictures, checked before a byte is decoded.

use crate::scene::{MAX_PIXELS, MAX_SIDE_PX};

/// Bounds on a picture file, checked from its length and header; a file beyond them is refused, never cut down.
///
/// Peak memory of one load is about the size of the file plus `decoded_bytes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PictureLimits {
    /// Size of the file in bytes.
    pub file_bytes: u64,
    /// Longer side in px.
    pub side_px: u32,
    /// Returns width times height.
    pub n_pixels: u64,
    /// Maximum bytes that decoding may allocate: the pixels as stored in the file, and the decoder's own buffers.
    pub decoded_bytes: u64,
    /// Whether HEIC is decoded by this machine's libheif, in this process.
    pub libheif: bool,
}

impl Default for PictureLimits {
    /// Returns generous limits, for files that the user owns: 200 MB, 32,768 px per side, 200 megapixels, 1 GiB decoded.
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
    /// Returns limits for untrusted uploads: 20 MiB, 8,192 px per side, 40 megapixels, 320 MiB decoded, no HEIC: a fault in a C++ library ends the process.
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
