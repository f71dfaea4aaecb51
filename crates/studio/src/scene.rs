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
    /// What a director adds for all pictures where the user says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
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
    /// Where it is seen, in the words of a canonical script's location; scenes in the same place show the same place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Handles of a canonical script that are mentioned here: who and what is seen without being named otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<String>,
    /// Whether `brief` was made of the lines by rules: words that the illustrator knows, and too few for anyone else.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_derived: bool,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
pub(crate) fn is_false(value: &bool) -> bool {
    !value
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

/// The id of a voice for the `n`-th character (from 0) that has none of its own: `cast:N:woman`, `cast:N:man` or `cast:N:any`, by what is told of it in
/// English, else by its name. Providers give different voices to different ids of a cast, and such as fit where they can.
pub fn cast_voice(n: usize, name: &str, told: &str) -> String {
    const WOMEN: &str = "woman girl lady mother mom grandmother grandma sister daughter aunt wife queen princess witch actress nun bride she her female";
    const MEN: &str = "man boy gentleman father dad grandfather grandpa brother son uncle husband king prince wizard actor monk he his male fisherman sailor soldier";
    let told = told.to_lowercase();
    // Most names that end so are women's, in the languages that are most written.
    let mut sex = if name.to_lowercase().ends_with('a') {
        "woman"
    } else {
        "any"
    };
    for word in told
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        let is_in = |list: &str| list.split(' ').any(|known| known == word);
        if is_in(WOMEN) {
            sex = "woman";
        } else if is_in(MEN) {
            sex = "man";
        }
    }
    format!("cast:{n}:{sex}")
}

/// What [`cast_voice`] wrote: which character, and `woman`, `man` or `any`.
pub fn cast_member(id: &str) -> Option<(usize, &str)> {
    let (n, sex) = id.strip_prefix("cast:")?.split_once(':')?;
    Some((n.parse().ok()?, sex))
}
