//! Captions as written: words with their times, or the text of which they are found; a style and a position.

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
    /// Where the block stands. Default `bottom`.
    #[serde(default)]
    pub position: CaptionPosition,
    /// The words in the order of their times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Word>,
    /// Instead of `words`: what is spoken. When each word is spoken is then found in the sound of `audio.voice`; without a voice the words are
    /// spread at 137 a minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The language of `text` as a tag such as `en`; by itself found for English, French and German.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

fn default_style() -> NameOr<CaptionStyle> {
    NameOr::Name("default".into())
}

impl Captions {
    /// These words, with every other field at its default.
    pub fn new(words: Vec<Word>) -> Captions {
        Captions {
            style: default_style(),
            position: CaptionPosition::default(),
            words,
            text: None,
            language: None,
        }
    }

    /// The words of a text, whose times are found in the voice; every other field at its default.
    pub fn from_text(text: impl Into<String>) -> Captions {
        Captions {
            text: Some(text.into()),
            ..Captions::new(Vec::new())
        }
    }
}

/// Where the caption block stands on the canvas.
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
    /// As it is shown, punctuation included.
    pub text: String,
    /// Start in seconds.
    pub start: f64,
    /// End in seconds, not before the start.
    pub end: f64,
}

impl Word {
    /// `text`, spoken from `start` to `end` seconds.
    pub fn new(text: impl Into<String>, start: f64, end: f64) -> Word {
        Word {
            text: text.into(),
            start,
            end,
        }
    }
}
