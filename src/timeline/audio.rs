//! Sound as written: the voice, the music behind it, any other sounds, and how loud the whole is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ducking::{self, Ducking, DuckingForm};
use super::one_or_many::{self, OneOrMany};

/// Voice, music and sounds; with none of them the video has a silent track.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Audio {
    /// What is spoken: one recording, or up to 1,000 pieces at their places, each brought to the same loudness. Pieces that begin or end in mid-signal
    /// are faded over 5 ms there, so that no join clicks.
    #[serde(with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMany<Voice>")]
    pub voice: Vec<Voice>,
    /// The music behind it: one piece, or up to 100 at their places.
    #[serde(with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "OneOrMany<Music>")]
    pub music: Vec<Music>,
    /// Any other sounds, such as effects at cuts; at most 10,000. Their gain is relative to a voice at -16 LUFS.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sounds: Vec<Sound>,
    /// Integrated loudness of the whole in LUFS (EBU R128), -40 to -5; `null` leaves every level as it is. Default -14.
    pub loudness: Option<f64>,
    /// What a video without any sound gets. Default `track`.
    pub when_silent: WhenSilent,
    /// Seconds over which everything but the voice fades out at the end of the video, 0 to 30; the last word is never faded. Default 1.
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
    /// A silent track, which some players and platforms ask for.
    #[default]
    Track,
    /// No sound track at all.
    None,
}

/// A span of a sound file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Trim {
    /// Seconds into the file where it begins to be heard, 0 to 86400. Default 0.
    pub start: f64,
    /// Seconds into the file where it ends, after `start`; `null` is the file's end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<f64>,
}

/// A piece of what is spoken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Voice {
    /// A sound file that the assets know.
    pub file: String,
    /// Where on the timeline it begins, in seconds, 0 to 3600. Default 0.
    #[serde(default)]
    pub start: f64,
    /// Gain in dB after its loudness was normalized, -60 to 20. Default 0.
    #[serde(default)]
    pub gain_db: f64,
    /// The part of the file that is heard. Default all.
    #[serde(default)]
    pub trim: Trim,
    /// How fast it is spoken, 0.25 to 4, its pitch kept. Default 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub speed: f64,
}

impl Voice {
    /// The whole of `file` from the start.
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
    /// A sound file that the assets know.
    pub file: String,
    /// Loudness relative to the voice where the music is not ducked: 0 silent, 1 as loud. Default 0.3 (10.5 dB below).
    #[serde(default = "volume")]
    pub volume: f64,
    /// How it gives way to speech; `null` or `false` never, `true` as by default.
    #[serde(default = "ducking::usual", deserialize_with = "ducking::deserialize")]
    #[schemars(with = "DuckingForm")]
    pub ducking: Option<Ducking>,
    /// Begins again when it ends: at a place that fits, by a crossfade, or exactly where the file was made to repeat. Default true.
    #[serde(default = "yes", rename = "loop")]
    pub looped: bool,
    /// Where on the timeline it begins, in seconds, 0 to 3600. Default 0.
    #[serde(default)]
    pub start: f64,
    /// Where on the timeline it ends at the latest, in seconds, after `start`; `null` is the end of the video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<f64>,
    /// The part of the file that is heard, and repeated. Default all.
    #[serde(default)]
    pub trim: Trim,
    /// Seconds over which it fades in, 0 to 30. Default 0.
    #[serde(default)]
    pub fade_in: f64,
    /// Seconds over which it fades out where it ends, 0 to 30. Default 0; at the end of the video `audio.fade_out` holds too.
    #[serde(default)]
    pub fade_out: f64,
}

impl Music {
    /// The sound of `file`, with every other field at its default.
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
    /// A sound file that the assets know.
    pub file: String,
    /// Where on the timeline it begins, in seconds, 0 to 3600. Default 0.
    #[serde(default)]
    pub start: f64,
    /// Where on the timeline it ends at the latest, in seconds, after `start`; `null` is the end of the video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<f64>,
    /// Gain in dB, -60 to 20. Default 0.
    #[serde(default)]
    pub gain_db: f64,
    /// Where between the speakers: -1 left, 1 right (constant power). Default 0.
    #[serde(default)]
    pub pan: f64,
    /// Seconds over which it fades in, 0 to 30. Default 0.
    #[serde(default)]
    pub fade_in: f64,
    /// Seconds over which it fades out where it ends, 0 to 30. Default 0.
    #[serde(default)]
    pub fade_out: f64,
    /// The part of the file that is heard. Default all.
    #[serde(default)]
    pub trim: Trim,
    /// Begins again when it ends. Default false.
    #[serde(default, rename = "loop")]
    pub looped: bool,
}

impl Sound {
    /// The whole of `file` from `start` seconds on.
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
