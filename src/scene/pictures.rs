//! Which pictures and which frames of clips a plan draws, at which sizes.

use std::sync::Arc;

use super::draw::PictureId;

/// Longest side of a picture in a plan, px; every limit on files allows it.
pub const MAX_SIDE_PX: u32 = 8192;
/// Most pixels of a picture in a plan; every limit on files allows it.
pub const MAX_PIXELS: u64 = 40_000_000;

/// A picture as the compositor wants it: which asset, which part, how many pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureUse {
    /// The asset's name.
    pub asset: String,
    /// Where in the document it is named, for errors.
    pub path: String,
    /// Part of the upright source that is ever seen, source px: `[x, y, width, height]`.
    pub crop: [f64; 4],
    /// Size to which that part is resampled, once, so that the compositor samples it at nearly one pixel per pixel.
    pub width: u32,
    /// See `width`.
    pub height: u32,
    /// Standard deviation of a Gaussian blur after resampling, px; 0 none.
    pub blur_px: f32,
    /// Factor on the color.
    pub brightness: f32,
    /// First frame that draws it.
    pub first_frame: u64,
    /// One past the last frame that draws it.
    pub end_frame: u64,
}

/// The frames of a clip as the compositor wants them: each a picture of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipUse {
    /// Which file and which part, how many pixels, and when.
    pub look: PictureUse,
    /// Id of the first frame that is shown; those after it have the ids that follow.
    pub first_id: PictureId,
    /// Which frames are shown when.
    pub played: Arc<Played>,
}

/// The frames of a clip that a shot shows, in the order in which they are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The frame of the video that shows the first.
    first_frame: u64,
    /// For each frame of the video, which of `indices` it shows; rising.
    runs: Vec<u32>,
    /// Frames of the clip, no two neighbors alike.
    indices: Vec<u32>,
}

impl Played {
    /// Of the runs that each frame of the video shows, from `first_frame` on, and the frame of the clip that each run shows.
    pub(crate) fn new(first_frame: u64, runs: Vec<u32>, indices: Vec<u32>) -> Played {
        Played {
            first_frame,
            runs,
            indices,
        }
    }

    /// The run that a frame of the video shows: frames before the first and past the last show those.
    pub(crate) fn run_at(&self, frame: u64) -> u32 {
        let last = self.runs.len().saturating_sub(1);
        let at = frame.saturating_sub(self.first_frame).min(last as u64) as usize;
        self.runs.get(at).copied().unwrap_or(0)
    }

    /// The frame of the clip that a run shows; `None` past the last.
    pub(crate) fn index_of(&self, run: u32) -> Option<u32> {
        self.indices.get(run as usize).copied()
    }

    /// How many runs there are.
    pub(crate) fn n_runs(&self) -> u32 {
        self.indices.len() as u32
    }
}
