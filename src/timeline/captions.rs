//! Captions as written: timed words, or a text whose words are found in the voice; a style and a position.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CaptionStyle, NameOr};

/// Words shown on screen as they are spoken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Captions {
    /// A built-in style's name or a style row written out. Default `default`.
    #[serde(default = "default_style")]
    pub style: NameOr<CaptionStyle>,
    /// Position of the block. Default `bottom`.
    #[serde(default)]
    pub position: CaptionPosition,
    /// The words, in order of their times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Word>,
    /// Instead of `words`: the spoken text. The time of each word is then detected in the sound of `audio.voice`; without a voice, the words are
    /// spread at 137 per minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Language of `text` as a tag such as `en`; detected automatically for English, French and German.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

fn default_style() -> NameOr<CaptionStyle> {
    NameOr::Name("default".into())
}

impl Captions {
    /// Returns captions with these words, with every other field at its default.
    pub fn new(words: Vec<Word>) -> Captions {
        Captions {
            style: default_style(),
            position: CaptionPosition::default(),
            words,
            text: None,
            language: None,
        }
    }

    /// Returns captions whose words are given as a text and timed from the voice, with every other field at its default.
    pub fn from_text(text: impl Into<String>) -> Captions {
        Captions {
            text: Some(text.into()),
            ..Captions::new(Vec::new())
        }
    }
}

/// Position of the caption block on the canvas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CaptionPosition {
    /// In the upper part, below the safe area's top.
    Top,
    /// In the middle.
    Center,
    /// In the lower part, above the safe area's bottom.
    #[default]
    Bottom,
}

/// A word and when it is spoken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Word {
    /// The word as shown, including punctuation.
    pub text: String,
    /// Start in seconds.
    pub start: f64,
    /// End in seconds, not before the start.
    pub end: f64,
}

impl Word {
    /// Returns the word `text`, spoken from `start` to `end` seconds.
    pub fn new(text: impl Into<String>, start: f64, end: f64) -> Word {
        Word {
            text: text.into(),
            start,
            end,
        }
    }
}
