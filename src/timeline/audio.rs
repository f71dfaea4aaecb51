//! Sound as written: a voice and a music bed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Voice and music; both absent gives a silent track.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Audio {
    /// The spoken track.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<Voice>,
    /// The music behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub music: Option<Music>,
    /// Seconds over which everything fades out at the end of the video, 0 to 30. Default 1.
    pub fade_out: f64,
}

impl Default for Audio {
    fn default() -> Audio {
        Audio {
            voice: None,
            music: None,
            fade_out: 1.0,
        }
    }
}

/// The spoken track.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Voice {
    /// A sound file that the assets know.
    pub file: String,
    /// Where on the timeline it begins, in seconds, 0 to 3600. Default 0.
    #[serde(default)]
    pub start: f64,
    /// Gain in dB, -60 to 20. Default 0.
    #[serde(default)]
    pub gain_db: f64,
}

impl Voice {
    /// The sound of `file` from the start, as loud as it is.
    pub fn new(file: impl Into<String>) -> Voice {
        Voice {
            file: file.into(),
            start: 0.0,
            gain_db: 0.0,
        }
    }
}

/// The music behind the voice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Music {
    /// A sound file that the assets know.
    pub file: String,
    /// Loudness relative to the voice: 0 silent, 1 as loud. Default 0.3.
    #[serde(default = "volume")]
    pub volume: f64,
    /// Begins again when it ends. Default true.
    #[serde(default = "yes", rename = "loop")]
    pub looped: bool,
    /// Seconds over which it fades in, 0 to 30. Default 0.
    #[serde(default)]
    pub fade_in: f64,
}

impl Music {
    /// The sound of `file`, with every other field at its default.
    pub fn new(file: impl Into<String>) -> Music {
        Music {
            file: file.into(),
            volume: volume(),
            looped: yes(),
            fade_in: 0.0,
        }
    }
}

fn volume() -> f64 {
    0.3
}

fn yes() -> bool {
    true
}
