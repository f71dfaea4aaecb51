//! Audio as written: the voice, the music behind it, other sounds, and the overall loudness.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ducking::{self, Ducking, DuckingForm};
use super::one_or_many::{self, OneOrMany};

/// Voice, music and sounds; a video without any of them gets a silent track.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Audio {
    /// The voice: one recording, or up to 1,000 pieces on the timeline, each normalized to the same loudness. A piece that begins or ends mid-signal
    /// is faded over 5 ms there, so that no join clicks.
    #[serde(with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMany<Voice>")]
    pub voice: Vec<Voice>,
    /// The music behind the voice: one piece, or up to 100 on the timeline.
    #[serde(with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMany<Music>")]
    pub music: Vec<Music>,
    /// Other sounds, such as effects at cuts; at most 10,000. Their gain is relative to a voice at -16 LUFS.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sounds: Vec<Sound>,
    /// Integrated loudness of the whole mix in LUFS (EBU R128), -40 to -5; `null` leaves every level unchanged. Default -14.
    pub loudness: Option<f64>,
    /// What a video without any sound gets. Default `track`.
    pub when_silent: WhenSilent,
    /// Length in seconds of the fade-out of everything but the voice at the end of the video, 0 to 30; the last word is never faded. Default 1.
    pub fade_out: f64,
}

impl Default for Audio {
    fn default() -> Audio {
        Audio {
            voice: Vec::new(),
            music: Vec::new(),
            sounds: Vec::new(),
            loudness: Some(-14.0),
            when_silent: WhenSilent::default(),
            fade_out: 1.0,
        }
    }
}

/// What a video without any sound gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhenSilent {
    /// A silent audio track, which some players and platforms require.
    #[default]
    Track,
    /// No audio track.
    None,
}

/// A span of a sound file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Trim {
    /// Start in the file, in seconds, 0 to 86400. Default 0.
    pub start: f64,
    /// End in the file, in seconds, after `start`; `null` means the file's end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<f64>,
}

/// A piece of the voice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Voice {
    /// Asset name of a sound file.
    pub file: String,
    /// Start on the timeline in seconds, 0 to 3600. Default 0.
    #[serde(default)]
    pub start: f64,
    /// Gain in dB after loudness normalization, -60 to 20. Default 0.
    #[serde(default)]
    pub gain_db: f64,
    /// The part of the file that is played. Default all.
    #[serde(default)]
    pub trim: Trim,
    /// Playback speed, 0.25 to 4; the pitch is kept. Default 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub speed: f64,
}

impl Voice {
    /// Returns a voice that plays all of `file` from the start.
    pub fn new(file: impl Into<String>) -> Voice {
        Voice {
            file: file.into(),
            start: 0.0,
            gain_db: 0.0,
            trim: Trim::default(),
            speed: one(),
        }
    }
}

/// Music behind the voice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Music {
    /// Asset name of a sound file.
    pub file: String,
    /// Loudness relative to the voice while the music is not ducked: 0 silent, 1 as loud. Default 0.3 (10.5 dB below).
    #[serde(default = "volume")]
    pub volume: f64,
    /// How it is ducked under speech; `null` or `false` for no ducking, `true` for the defaults.
    #[serde(default = "ducking::usual", deserialize_with = "ducking::deserialize")]
    #[schemars(with = "DuckingForm")]
    pub ducking: Option<Ducking>,
    /// Repeat when it ends: at a point that fits, by a crossfade, or exactly where the file was made to loop. Default true.
    #[serde(default = "yes", rename = "loop")]
    pub looped: bool,
    /// Start on the timeline in seconds, 0 to 3600. Default 0.
    #[serde(default)]
    pub start: f64,
    /// Latest end on the timeline in seconds, after `start`; `null` means the end of the video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<f64>,
    /// The part of the file that is played, and repeated. Default all.
    #[serde(default)]
    pub trim: Trim,
    /// Length of the fade-in in seconds, 0 to 30. Default 0.
    #[serde(default)]
    pub fade_in: f64,
    /// Length of the fade-out where it ends, in seconds, 0 to 30. Default 0; at the end of the video `audio.fade_out` applies too.
    #[serde(default)]
    pub fade_out: f64,
}

impl Music {
    /// Returns music that plays `file`, with every other field at its default.
    pub fn new(file: impl Into<String>) -> Music {
        Music {
            file: file.into(),
            volume: volume(),
            ducking: ducking::usual(),
            looped: yes(),
            start: 0.0,
            end: None,
            trim: Trim::default(),
            fade_in: 0.0,
            fade_out: 0.0,
        }
    }
}

/// Any other sound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sound {
    /// Asset name of a sound file.
    pub file: String,
    /// Start on the timeline in seconds, 0 to 3600. Default 0.
    #[serde(default)]
    pub start: f64,
    /// Latest end on the timeline in seconds, after `start`; `null` means the end of the video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<f64>,
    /// Gain in dB, -60 to 20. Default 0.
    #[serde(default)]
    pub gain_db: f64,
    /// Position between the speakers: -1 left, 1 right (constant power). Default 0.
    #[serde(default)]
    pub pan: f64,
    /// Length of the fade-in in seconds, 0 to 30. Default 0.
    #[serde(default)]
    pub fade_in: f64,
    /// Length of the fade-out where it ends, in seconds, 0 to 30. Default 0.
    #[serde(default)]
    pub fade_out: f64,
    /// The part of the file that is played. Default all.
    #[serde(default)]
    pub trim: Trim,
    /// Repeat when it ends. Default false.
    #[serde(default, rename = "loop")]
    pub looped: bool,
}

impl Sound {
    /// Returns a sound that plays all of `file` from `start` seconds on.
    pub fn new(file: impl Into<String>, start: f64) -> Sound {
        Sound {
            file: file.into(),
            start,
            end: None,
            gain_db: 0.0,
            pan: 0.0,
            fade_in: 0.0,
            fade_out: 0.0,
            trim: Trim::default(),
            looped: false,
        }
    }
}

fn one() -> f64 {
    1.0
}

fn is_one(factor: &f64) -> bool {
    *factor == 1.0
}

fn volume() -> f64 {
    0.3
}

fn yes() -> bool {
    true
}
