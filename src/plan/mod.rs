//! Resolution of a timeline into draw lists and a mix plan.
//!
//! Takes: a [`Timeline`](crate::timeline::Timeline), facts about its media, fonts. Gives: a [`Plan`], whose [`Plan::at`] is any frame as a draw list.
//! Never: does I/O, reads a clock, or makes a choice without the document's seed. Same document and facts, same plan.

mod captions;
pub mod draw;
pub mod mix;
mod report;
mod styles;

use crate::units::{Color, FrameRate, Size, Time};

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

/// A document resolved.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Size of the canvas.
    pub size: Size,
    /// Frames per second.
    pub rate: FrameRate,
    /// Frames in the video.
    pub n_frames: u64,
    /// Color behind everything.
    pub background: Color,
    /// Pictures in the order in which they are first drawn; index = [`draw::PictureId`].
    pub pictures: Vec<PictureUse>,
    /// Frames that must be keyframes: 0 and each cut, rising.
    pub keyframes: Vec<u64>,
    /// The sound.
    pub mix: mix::MixPlan,
}

impl Plan {
    /// Length of the video.
    pub fn duration(&self) -> Time {
        self.rate.time_of(self.n_frames)
    }
}
