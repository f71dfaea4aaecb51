//! The script as the director processes it: scenes with their speech and their picture.

use serde::{Deserialize, Serialize};

/// A whole script.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Script {
    /// The title, if there is one.
    pub title: Option<String>,
    /// The language as a tag such as `en`.
    pub language: String,
    /// At least one.
    pub scenes: Vec<Scene>,
    /// The director's notes for all pictures, used if the user gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// A picture and the speech during it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// In order; empty if nothing is said.
    pub lines: Vec<Line>,
    /// What the picture shows, in plain words, without style or director's notes.
    pub brief: String,
    /// Target length in seconds for a scene without speech; otherwise the speech decides.
    pub secs: Option<f64>,
    /// The place, in the words of a canonical script's location; scenes with the same place look alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Handles of a canonical script that are mentioned here: what is seen without being named otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<String>,
    /// Whether `brief` was derived from the lines by rules: keywords for the illustrator, too terse for other providers.
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

/// What one voice says without interruption.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The handle of the speaking character; `None` is the narrator.
    pub speaker: Option<String>,
    /// The text as shown in captions: plain, without markup. The spoken text (`1984` as words) is derived from it.
    pub text: String,
}

impl Line {
    /// Creates a line of the narrator.
    pub fn narrated(text: impl Into<String>) -> Line {
        Line {
            speaker: None,
            text: text.into(),
        }
    }
}

/// Returns the voice id for the `n`-th character (from 0) without a voice: `cast:N:woman`, `cast:N:man` or `cast:N:any`, by its English description, else by
/// its name. Providers give different voices to different ids of a cast, and fitting ones if they can.
pub fn cast_voice(n: usize, name: &str, told: &str) -> String {
    const WOMEN: &str = "woman girl lady mother mom grandmother grandma sister daughter aunt wife queen princess witch actress nun bride she her female";
    const MEN: &str = "man boy gentleman father dad grandfather grandpa brother son uncle husband king prince wizard actor monk he his male fisherman sailor soldier";
    let told = told.to_lowercase();
    // In the most common languages, most names with this ending are women's.
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

/// Parses the result of [`cast_voice`]: the character's number, and `woman`, `man` or `any`.
pub fn cast_member(id: &str) -> Option<(usize, &str)> {
    let (n, sex) = id.strip_prefix("cast:")?.split_once(':')?;
    Some((n.parse().ok()?, sex))
}
