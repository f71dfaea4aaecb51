//! What is known of pictures, sounds and clips without decoding them: what the plan is made from.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::units::Time;

/// What is known of a picture without decoding its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureFacts {
    /// Upright (after the EXIF orientation), px.
    pub width: u32,
    /// Upright, px.
    pub height: u32,
    /// The file carries alpha. `true` for every GIF: whether its first frame is opaque is only known once decoded ([`crate::media::Picture::opaque`]).
    pub has_alpha: bool,
}

/// What is known of a sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoundFacts {
    /// Length; `None` when the container does not say.
    pub duration: Option<Time>,
    /// Channels.
    pub channels: u16,
    /// Sample rate in Hz.
    pub rate_hz: u32,
    /// What is wrong with it, though it is heard.
    pub flaw: Option<SoundFlaw>,
}

/// What is wrong with a sound that is heard all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoundFlaw {
    /// The file was cut: only its beginning is there.
    Cut,
    /// Its samples are floats of the size of integers; they are brought to full scale.
    IntegerScale,
}

/// A word and when it is spoken, found in a sound or guessed.
#[derive(Clone, Debug, PartialEq)]
pub struct SpokenWord {
    /// As it is written, punctuation included.
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
    /// Assets that the machine's ffmpeg reads, and what its user should know of them, to follow their names.
    pub foreign: BTreeMap<String, String>,
    /// The words of the captions' text and when they are spoken; none when the captions have timed words.
    pub spoken: Vec<SpokenWord>,
}

/// What is known of a clip without decoding it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipFacts {
    /// Columns as shown: after rotation, with square pixels.
    pub width: u32,
    /// Rows as shown.
    pub height: u32,
    /// When each shown frame begins, in the order of presentation: rising, the first at 0. Edit lists are applied.
    pub starts: Arc<[Time]>,
    /// End of the last frame.
    pub duration: Time,
    /// How its pictures are coded.
    pub codec: ClipCodec,
    /// It has a track of sound, of any codec.
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
    /// Another, decoded by the machine's ffmpeg ([`Ffmpeg`](crate::media::Ffmpeg)).
    Foreign,
}
