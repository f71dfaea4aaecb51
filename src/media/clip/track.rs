//! A container's video track, independent of its format.

use super::animation::Animation;
use super::clock::Clock;
use super::timing::Edit;
use crate::bitstream::ColorFacts;

/// The coding of pictures, with the data that a decoder needs before the first one.
#[derive(Clone, Debug)]
pub(super) enum Coding {
    /// H.264 in NAL units after lengths of `length_size` bytes; parameter sets in Annex B form.
    H264 {
        length_size: usize,
        parameter_sets: Vec<u8>,
    },
    /// AV1 in OBUs; holds those of the configuration record.
    Av1 { config_obus: Vec<u8> },
    /// VP9 in (super)frames.
    Vp9,
    /// An animated picture; its decoder gets the whole file.
    Animation(Animation),
}

/// One access unit in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) offset: u64,
    pub(super) n_bytes: u32,
    /// Whether the container says that decoding can start here.
    pub(super) is_sync: bool,
    /// Presentation time, in units of the track's clock.
    pub(super) pts: i64,
    /// Duration in the same units; 0 if the container does not specify it.
    pub(super) duration: i64,
}

/// Orientation of the decoded picture: first mirrored left to right, then turned clockwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Orientation {
    pub(super) quarter_turns: u8,
    pub(super) is_mirrored: bool,
}

/// The container's display properties; those of the bitstream take precedence.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    pub(super) orientation: Orientation,
    /// Ratio of width to height of a pixel.
    pub(super) pixel_aspect: Option<(u32, u32)>,
    pub(super) color: Option<ColorFacts>,
}

/// The video track of a file, as described by its container.
#[derive(Debug)]
pub(super) struct Track {
    pub(super) coding: Coding,
    /// Bytes that begin every sample but are left out of the file (Matroska's header stripping).
    pub(super) stripped: Vec<u8>,
    /// The samples in decoding order.
    pub(super) samples: Vec<Sample>,
    pub(super) clock: Clock,
    /// The edit list; if empty, everything is shown.
    pub(super) edits: Vec<Edit>,
    pub(super) look: Look,
    pub(super) has_sound: bool,
}
