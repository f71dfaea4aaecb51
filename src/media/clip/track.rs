//! What a container gives of its video track, whichever container it was.

use super::animation::Animation;
use super::clock::Clock;
use super::timing::Edit;
use crate::bitstream::ColorFacts;

/// How pictures are coded, with what a decoder must know before the first.
#[derive(Clone, Debug)]
pub(super) enum Coding {
    /// H.264 in NAL units after lengths of `length_size` bytes; parameter sets in Annex B form.
    H264 {
        length_size: usize,
        parameter_sets: Vec<u8>,
    },
    /// AV1 in OBUs; those of the configuration record.
    Av1 { config_obus: Vec<u8> },
    /// VP9 in (super)frames.
    Vp9,
    /// An animated picture, whose decoder has the whole file.
    Animation(Animation),
}

/// One access unit in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) offset: u64,
    pub(super) n_bytes: u32,
    /// The container says that decoding can start here.
    pub(super) is_sync: bool,
    /// When it is presented, in units of the track's clock.
    pub(super) pts: i64,
    /// How long, in the same units; 0 where the container does not say.
    pub(super) duration: i64,
}

/// How the decoded picture stands: mirrored left to right first, then turned clockwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Orientation {
    pub(super) quarter_turns: u8,
    pub(super) is_mirrored: bool,
}

/// What the container says of the look; the bitstream's own word counts more.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    pub(super) orientation: Orientation,
    /// Width to height of a pixel.
    pub(super) pixel_aspect: Option<(u32, u32)>,
    pub(super) color: Option<ColorFacts>,
}

/// The video track of a file, as its container tells.
#[derive(Debug)]
pub(super) struct Track {
    pub(super) coding: Coding,
    /// What every sample begins with and the file leaves out (Matroska's header stripping).
    pub(super) stripped: Vec<u8>,
    /// In decoding order.
    pub(super) samples: Vec<Sample>,
    pub(super) clock: Clock,
    /// Empty: all is shown.
    pub(super) edits: Vec<Edit>,
    pub(super) look: Look,
    pub(super) has_sound: bool,
}
