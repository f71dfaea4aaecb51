//! The document as written: the only serialized form of a video, in JSON or Rust.
//!
//! Input: JSON text, or structs built in Rust. Output: a [`Timeline`], or all structural problems together.
//! It does not resolve anything, derive defaults from other fields, or read files; the plan does.
//!
//! Times are in seconds and lengths in fractions of the canvas, because people write them; in the plan they become integers and pixels.

mod arrays;
mod audio;
mod caption_parts;
mod caption_style;
mod captions;
mod clip;
mod ducking;
mod layers;
mod looks;
mod name_or;
mod one_or_many;
mod read;

pub use audio::{Audio, Music, Sound, Trim, Voice, WhenSilent};
pub use caption_parts::*;
pub use caption_style::CaptionStyle;
pub use captions::{CaptionPosition, Captions, Word};
pub use clip::{Clip, ClipFill};
pub use ducking::Ducking;
pub use layers::{Blend, BoxDraw, Draw, GroupDraw, Layer, PictureDraw, Place, PlaceKey, TextDraw};
pub use looks::{Motion, PoseKey, Transition, TransitionPoses, ViewKey};
pub use name_or::NameOr;
pub(crate) use read::{nearest, read};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A video as data: what is shown, said and heard, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timeline {
    /// Version of this format: 1.
    pub version: u32,
    /// Size, frame rate, background and codec of the picture.
    #[serde(default)]
    pub output: Output,
    /// Seed of all random choices (floating motion, Random transitions). The same document always gives the same video.
    #[serde(default)]
    pub seed: u64,
    /// Transition of every cut whose shot does not set one. Default `fade`.
    #[serde(default = "fade")]
    pub transition: NameOr<Transition>,
    /// Motion of every picture shot that does not set one. Default `floating`.
    #[serde(default = "floating")]
    pub motion: NameOr<Motion>,
    /// The shots in order; at least one. Transitions overlap neighboring shots around the cut and never shorten the timeline.
    pub shots: Vec<Shot>,
    /// Words shown on screen as they are spoken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captions: Option<Captions>,
    /// Seconds of video after the last word, 0 to 30, if words determine the length of the last shot (see [`Shot::words`]). Default 0: the video ends with the word.
    #[serde(default)]
    pub tail: f64,
    /// Font files (TrueType, OpenType, collections), at most 16. Styles name them by family, and they supply characters that other fonts lack.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fonts: Vec<String>,
    /// Voice, music and other sounds.
    #[serde(default)]
    pub audio: Audio,
    /// Overlays above the shots and below the captions, back to front: watermarks, titles, boxes, groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
}

fn fade() -> NameOr<Transition> {
    NameOr::Name("fade".into())
}

fn floating() -> NameOr<Motion> {
    NameOr::Name("floating".into())
}

impl Timeline {
    /// Version of the format that this engine reads and writes.
    pub const VERSION: u32 = 1;

    /// Returns a timeline of `shots` with every other field at its default.
    pub fn new(shots: Vec<Shot>) -> Timeline {
        Timeline {
            version: Self::VERSION,
            output: Output::default(),
            seed: 0,
            transition: fade(),
            motion: floating(),
            shots,
            captions: None,
            tail: 0.0,
            fonts: Vec::new(),
            audio: Audio::default(),
            layers: Vec::new(),
        }
    }
}

/// Size, frame rate, background and codec of the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// Width in pixels: even, 16 to 3840. Default 1080.
    pub width: u32,
    /// Height in pixels: even, 16 to 3840. Default 1920.
    pub height: u32,
    /// Frames per second: 1 to 120, or a fraction such as `"30000/1001"`. Default 30.
    pub fps: Fps,
    /// Color behind everything, `#rrggbb`. Default black.
    pub background: String,
    /// Video codec of the file; the audio codec is AAC with `h264`, Opus with `av1`. Default `av1`; a render may choose another (`--codec`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codec: Option<Codec>,
}

impl Default for Output {
    fn default() -> Output {
        Output {
            width: 1080,
            height: 1920,
            fps: Fps::Whole(30),
            background: "#000000".into(),
            codec: None,
        }
    }
}

/// A video codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Codec {
    /// H.264: plays on every phone and in every browser and player, and every network accepts it.
    H264,
    /// AV1: royalty-free and smaller; plays in current browsers and on recent phones.
    Av1,
}

/// Frames per second: a whole number, or a fraction as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "frames per second must be a whole number, or text such as \"30000/1001\" or \"29.97\""
)]
pub enum Fps {
    /// Whole frames per second.
    Whole(u32),
    /// `"num/den"`, such as `"30000/1001"`, or `"29.97"`.
    Text(String),
}

/// A span of the picture between two cuts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shot {
    /// The picture shown: an asset name (on the command line, a path relative to the document). Give this or `clip`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// The clip shown, starting at the first instant when the shot is visible. Give this or `picture`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<Clip>,
    /// Length in seconds, up to 3600. Give this or `words`. Without either, a shot with a clip lasts as long as the clip. In a video with captions, a last
    /// shot with a picture then lasts until the last word plus the timeline's `tail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// Number of caption words spoken during this shot. It lasts until the next shot's first word; the last shot lasts until its last word ends, plus
    /// the timeline's `tail`. Give this or `duration`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<u32>,
    /// How the picture fills the canvas. Default `cover`.
    #[serde(default)]
    pub fit: Fit,
    /// The point of the picture kept in view when it is cropped, as fractions of its width and height. Default `[0.5, 0.5]`.
    #[serde(default = "center")]
    pub focus: [f64; 2],
    /// How this shot replaces the previous one. Not allowed on the first shot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transition: Option<NameOr<Transition>>,
    /// How the picture moves while it is shown. Default: the timeline's `motion` for a picture, `still` for a clip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<NameOr<Motion>>,
}

fn center() -> [f64; 2] {
    [0.5, 0.5]
}

// Not derived: a focus of zeros would mean the upper left corner.
impl Default for Shot {
    fn default() -> Shot {
        Shot {
            picture: None,
            clip: None,
            duration: None,
            words: None,
            fit: Fit::Cover,
            focus: center(),
            transition: None,
            motion: None,
        }
    }
}

impl Shot {
    /// Returns a shot of `picture` that lasts `secs` seconds.
    pub fn new(picture: impl Into<String>, secs: f64) -> Shot {
        Shot {
            picture: Some(picture.into()),
            duration: Some(secs),
            ..Shot::default()
        }
    }

    /// Returns a shot of a clip, as long as the clip.
    pub fn of_clip(clip: Clip) -> Shot {
        Shot {
            clip: Some(clip),
            ..Shot::default()
        }
    }
}

/// How a picture fills an area of a different aspect ratio.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// Fills the area; the rest is cropped around the focus.
    #[default]
    Cover,
    /// Shown whole; a blurred, darkened copy of itself fills the rest.
    Contain,
}

/// Returns the JSON Schema of [`Timeline`] (draft 2020-12), generated from these types.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Timeline).to_value()
}
