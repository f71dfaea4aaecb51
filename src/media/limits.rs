//! How much a picture may ask for before a byte of it is decoded.

/// Bounds on a picture file, checked from its length and header; a file beyond them is refused, never cut down.
///
/// The peak of one load is about the file, its decoded pixels and, for 16-bit and float sources, a copy of them at 8 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PictureLimits {
    /// Length of the file in bytes.
    pub file_bytes: u64,
    /// Longer side in px.
    pub side_px: u32,
    /// Width times height.
    pub n_pixels: u64,
    /// Decoded pixels as the file holds them, and apart from those what a decoder may allocate for itself, in bytes.
    pub decoded_bytes: u64,
}

impl Default for PictureLimits {
    /// Generous, for files that the user owns: 200 MB, 32,768 px a side, 200 megapixels, 1 GiB decoded.
    fn default() -> PictureLimits {
        PictureLimits {
            file_bytes: 200_000_000,
            side_px: 32_768,
            n_pixels: 200_000_000,
            decoded_bytes: 1 << 30,
        }
    }
}

impl PictureLimits {
    /// For strangers' uploads: 20 MiB, 8,192 px a side, 40 megapixels, 256 MiB decoded.
    pub fn strict() -> PictureLimits {
        PictureLimits {
            file_bytes: 20 << 20,
            side_px: 8192,
            n_pixels: 40_000_000,
            decoded_bytes: 256 << 20,
        }
    }
}
