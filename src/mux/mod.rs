//! Writes packets to an MP4 file, `moov` first, or to a stream of fragments; sound only to M4A, Ogg Opus or WAV. Checks finished files.
//!
//! Takes: packets of one video and at most one audio track; for WAV the samples. Gives: bytes in any `Write + Seek`, for a stream in any `Write`;
//! facts of any MP4. Never: handles encoding.
//!
//! The writer builds its boxes with `mp4-atom`; the check parses bytes with separate code, so that neither can hide a mistake of the other.

mod check;
mod clocks;
mod entry;
mod facts;
mod fragments;
mod m4a;
mod moov;
mod ogg;
mod track;
mod wav;
mod writer;

pub use check::{check, probe};
pub use facts::{AudioFacts, EditFacts, FileFacts, TrackFacts, VideoFacts};
pub use fragments::FragmentWriter;
pub(crate) use m4a::M4aWriter;
pub(crate) use ogg::OggOpusWriter;
pub use wav::WavBits;
pub(crate) use wav::WavWriter;
pub use writer::Mp4Writer;

pub use crate::bitstream::ColorFacts;
use crate::units::{FrameRate, Size};

/// Properties of the output that are known before the first packet.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Size of the picture.
    pub size: Size,
    /// Frames per second.
    pub rate: FrameRate,
    /// Frames in the video.
    pub n_frames: u64,
    /// Number of audible samples (48 kHz); `None` without an audio track.
    pub n_samples: Option<u64>,
    /// Samples per audio packet.
    pub packet_samples: u32,
}
