//! The pictures and clip frames that a plan draws, and their sizes.

use std::sync::Arc;

use super::draw::PictureId;

/// Maximum side of a picture in a plan, px; every limit on files allows it.
pub const MAX_SIDE_PX: u32 = 8192;
/// Maximum number of pixels of a picture in a plan; every limit on files allows it.
pub const MAX_PIXELS: u64 = 40_000_000;

/// A picture as the compositor needs it: asset, crop and size in pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureUse {
    /// The asset's name.
    pub asset: String,
    /// Document path where it is named, for errors.
    pub path: String,
    /// Part of the upright source that is ever seen, source px: `[x, y, width, height]`.
    pub crop: [f64; 4],
    /// Size to which that part is resampled once, so that the compositor samples at about one pixel per pixel.
    pub width: u32,
    /// See `width`.
    pub height: u32,
    /// Standard deviation of a Gaussian blur after resampling, px; 0 for none.
    pub blur_px: f32,
    /// Factor on the color.
    pub brightness: f32,
    /// First frame that draws it.
    pub first_frame: u64,
    /// One past the last frame that draws it.
    pub end_frame: u64,
}

/// The frames of a clip as the compositor needs them, each a separate picture.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipUse {
    /// File, crop, size in pixels and time span.
    pub look: PictureUse,
    /// Id of the first frame shown; the others follow consecutively.
    pub first_id: PictureId,
    /// Which clip frames are shown when.
    pub played: Arc<Played>,
}

/// Clip frames that a shot shows, in display order.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// First video frame that shows the clip.
    first_frame: u64,
    /// For each video frame, the index into `indices` of the clip frame it shows; rising.
    runs: Vec<u32>,
    /// Clip frames; neighbors differ.
    indices: Vec<u32>,
}

impl Played {
    /// Creates it from the run that each video frame shows, from `first_frame` on, and the clip frame that each run shows.
    pub(crate) fn new(first_frame: u64, runs: Vec<u32>, indices: Vec<u32>) -> Played {
        Played {
            first_frame,
            runs,
            indices,
        }
    }

    /// Returns the run that a video frame shows. Frames before the first or after the last are clamped.
    pub(crate) fn run_at(&self, frame: u64) -> u32 {
        let last = self.runs.len().saturating_sub(1);
        let at = frame.saturating_sub(self.first_frame).min(last as u64) as usize;
        self.runs.get(at).copied().unwrap_or(0)
    }

    /// Returns the clip frame that a run shows, or `None` past the last run.
    pub(crate) fn index_of(&self, run: u32) -> Option<u32> {
        self.indices.get(run as usize).copied()
    }

    /// Returns the number of runs.
    pub(crate) fn n_runs(&self) -> u32 {
        self.indices.len() as u32
    }
}
