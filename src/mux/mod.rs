//! Packets to an MP4 file, `moov` first, and the check of a finished file.
//!
//! Takes: packets of one video and at most one audio track. Gives: bytes in any `Write + Seek`; facts of any MP4. Never: knows how packets were made.
//!
//! The writer builds its boxes with `mp4-atom`; the check reads bytes by itself, so that neither can hide a mistake of the other.

mod av1;
mod avc;
mod bits;
mod check;
mod entry;
mod facts;
mod fragments;
mod moov;
mod track;
mod writer;

pub use check::{check, probe};
pub use facts::{AudioFacts, ColorFacts, EditFacts, FileFacts, TrackFacts, VideoFacts};
pub use fragments::FragmentWriter;
pub use writer::Mp4Writer;

use crate::units::{FrameRate, Size};

/// What is known before the first packet.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Size of the picture.
    pub size: Size,
    /// Frames per second.
    pub rate: FrameRate,
    /// Frames in the video.
    pub n_frames: u64,
    /// Samples (48 kHz) that are heard; `None` without an audio track.
    pub n_samples: Option<u64>,
    /// Samples per audio packet.
    pub packet_samples: u32,
}
