//! The script as the director works on it: scenes, what is said in each, and what is seen.

use serde::{Deserialize, Serialize};

/// A whole script.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Script {
    /// A title, if one was written.
    pub title: Option<String>,
    /// The language as a tag such as `en`.
    pub language: String,
    /// At least one.
    pub scenes: Vec<Scene>,
}

/// What is said while one picture is seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// In their order; empty where nothing is said.
    pub lines: Vec<Line>,
    /// What is seen, in plain words, without style or director's notes.
    pub brief: String,
    /// How long it should last where nothing is said, in seconds; what is said decides otherwise.
    pub secs: Option<f64>,
}

/// What one voice says without a break.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The handle of the character who says it; `None` is the narrator.
    pub speaker: Option<String>,
    /// As captions show it: plain text without markup. What the voice says (`1984` as words) is derived from it.
    pub text: String,
}

impl Line {
    /// Said by the narrator.
    pub fn narrated(text: impl Into<String>) -> Line {
        Line {
            speaker: None,
            text: text.into(),
        }
    }
}
