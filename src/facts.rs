//! What is known of pictures, sounds and clips without decoding them: what the plan is made from.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::units::Time;

/// Facts about a picture that are known without decoding its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureFacts {
    /// Width when upright (after the EXIF orientation), px.
    pub width: u32,
    /// Height when upright, px.
    pub height: u32,
    /// The file carries alpha. `true` for every GIF: whether its first frame is opaque is only known once decoded ([`crate::media::Picture::opaque`]).
    pub has_alpha: bool,
}

/// Facts about a sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoundFacts {
    /// Length; `None` when the container does not specify it.
    pub duration: Option<Time>,
    /// Number of channels.
    pub channels: u16,
    /// Sample rate in Hz.
    pub rate_hz: u32,
    /// A flaw that does not prevent playback.
    pub flaw: Option<SoundFlaw>,
}

/// A flaw of a sound that is played anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoundFlaw {
    /// The file is truncated: only its beginning exists.
    Cut,
    /// Its samples are floats in an integer range; they are scaled to full scale.
    IntegerScale,
}

/// A word and its time, found in a sound or estimated.
#[derive(Clone, Debug, PartialEq)]
pub struct SpokenWord {
    /// The word as written, including punctuation.
    pub text: String,
    /// Start in seconds.
    pub start: f64,
    /// End in seconds.
    pub end: f64,
}

/// Facts of every asset that a document names, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Pictures.
    pub pictures: BTreeMap<String, PictureFacts>,
    /// Sounds.
    pub sounds: BTreeMap<String, SoundFacts>,
    /// Clips.
    pub clips: BTreeMap<String, ClipFacts>,
    /// Assets that the machine's ffmpeg reads, with notes for the user that follow their names.
    pub foreign: BTreeMap<String, String>,
    /// The words of the captions' text and their times; empty when the captions have timed words.
    pub spoken: Vec<SpokenWord>,
}

/// Facts about a clip that are known without decoding it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipFacts {
    /// Columns as shown: after rotation, with square pixels.
    pub width: u32,
    /// Rows as shown.
    pub height: u32,
    /// Start of each shown frame in presentation order: ascending, the first at 0. Edit lists are applied.
    pub starts: Arc<[Time]>,
    /// End of the last frame.
    pub duration: Time,
    /// Codec of its pictures.
    pub codec: ClipCodec,
    /// Whether it has a sound track, of any codec.
    pub has_sound: bool,
}

/// Codecs that can be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClipCodec {
    /// ITU-T H.264, 8 bits, 4:2:0, progressive.
    H264,
    /// AV1, 8 to 12 bits.
    Av1,
    /// VP9, 8 to 12 bits.
    Vp9,
    /// An animated GIF.
    Gif,
    /// An animated WebP.
    WebP,
    /// An animated PNG.
    Png,
    /// Another codec, decoded by the machine's ffmpeg ([`Ffmpeg`](crate::media::Ffmpeg)).
    Foreign,
}
