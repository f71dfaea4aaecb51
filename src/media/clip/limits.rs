//! Limits for untrusted clips.

use crate::units::{TICKS_PER_SECOND, Time};

/// Bounds of one clip, checked before anything of that size is allocated or decoded; a clip beyond them is rejected, never truncated.
///
/// Memory for one reader is about 32 bytes per frame of the whole clip, plus at most 33 pictures (references of the decoder, and pictures that wait
/// for their turn) of `n_pixels` each; ordinary clips hold 4 to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClipLimits {
    /// Size of the file in bytes.
    pub file_bytes: u64,
    /// Length of the clip.
    pub duration: Time,
    /// Frames in the clip.
    pub n_frames: u32,
    /// Longer side in px.
    pub side_px: u32,
    /// Width times height.
    pub n_pixels: u32,
}

impl Default for ClipLimits {
    /// Returns limits for files that the user owns: 16 GiB, 4 hours, a million frames, 4,096 px per side, 4096x2304 px.
    fn default() -> ClipLimits {
        ClipLimits {
            file_bytes: 16 << 30,
            duration: Time(4 * 3600 * TICKS_PER_SECOND),
            n_frames: 1_000_000,
            side_px: 4096,
            n_pixels: 4096 * 2304,
        }
    }
}

impl ClipLimits {
    /// Returns limits for untrusted uploads: 1 GiB, 20 minutes, 72,000 frames; picture sizes as in [`ClipLimits::default`].
    pub fn strict() -> ClipLimits {
        ClipLimits {
            file_bytes: 1 << 30,
            duration: Time(20 * 60 * TICKS_PER_SECOND),
            n_frames: 72_000,
            ..ClipLimits::default()
        }
    }
}
