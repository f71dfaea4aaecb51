//! Clips as written: a moving picture in place of a shot's picture.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::audio::Trim;

/// A moving picture: its file, the part played, its speed, and what is shown if it ends before its shot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clip {
    /// Asset name of an MP4, MOV, WebM or Matroska file with H.264, AV1 or VP9, or of an animated GIF, WebP or PNG.
    pub file: String,
    /// The part that is played. Default all.
    #[serde(default)]
    pub trim: Trim,
    /// Playback speed, 0.25 to 4. Default 1.
    #[serde(default = "one")]
    pub speed: f64,
    /// What is shown if the clip ends before its shot. Default `hold`.
    #[serde(default)]
    pub fill: ClipFill,
    /// Gain of the clip's own sound in dB, -60 to 20; if absent, the clip is muted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain_db: Option<f64>,
}

impl Clip {
    /// Returns a clip that plays all of `file` at normal speed, muted.
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

/// What is shown if a clip ends before its shot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClipFill {
    /// The last frame is held.
    #[default]
    Hold,
    /// The clip repeats.
    Loop,
    /// The clip slows down evenly to a standstill at the end of the shot, starting as late as possible. A clip shorter than half of its shot slows down
    /// from its start, and then its last frame is held.
    Slow,
}
