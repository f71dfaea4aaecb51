//! Moving pictures as written: a clip in the place of a shot's picture.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::audio::Trim;

/// A moving picture: which file, which part of it, how fast, and what is seen when it is over before its shot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clip {
    /// An MP4, MOV, WebM or Matroska file with H.264, AV1 or VP9, or an animated GIF, WebP or PNG, that the assets know.
    pub file: String,
    /// The part that is played. Default all of it.
    #[serde(default)]
    pub trim: Trim,
    /// How fast it is played, 0.25 to 4. Default 1.
    #[serde(default = "one")]
    pub speed: f64,
    /// What is seen when the part is over before its shot. Default `hold`.
    #[serde(default)]
    pub fill: ClipFill,
    /// Gain of its own sound in dB, -60 to 20; without it, the clip is muted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain_db: Option<f64>,
}

impl Clip {
    /// All of `file` at its own speed, muted.
    pub fn new(file: impl Into<String>) -> Clip {
        Clip {
            file: file.into(),
            trim: Trim::default(),
            speed: one(),
            fill: ClipFill::Hold,
            gain_db: None,
        }
    }
}

fn one() -> f64 {
    1.0
}

/// What is seen when a clip is over before its shot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClipFill {
    /// Its last frame.
    #[default]
    Hold,
    /// It begins again.
    Loop,
    /// It slows down evenly to a standstill at the end of the shot, as late as possible; a clip shorter than half of its shot does so from its start,
    /// and then its last frame is held.
    Slow,
}
