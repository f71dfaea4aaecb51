//! Canonical scripts: scenes, shots, their pictures and speech, and reusable elements.
//!
//! Takes text and gives a [`Canonical`] script, or all [`Diagnostic`]s together; [`rewrite()`] makes a canonical script from any text. It never guesses: what
//! could be read in two ways is refused, with what to write instead.
//!
//! The form, as printed (the interface, section 2, rule 5):
//! ```text
//! ## Scene 1: The Harbor (6s)
//!
//! #### Shot 1.1 (2.5s)
//! Fog over @Harbor.
//!
//! #### Shot 1.2 (3.5s)
//! @Anna turns around.
//! @Anna: "We leave today."
//!
//! ## Reusable Elements
//! Characters: @Anna
//! Locations: @Harbor
//! Objects: (none)
//! ```
//! Also accepted: `## 1. The Harbor (6 s)`, `## Scene 1 - The Harbor (6 seconds)`, `#### 1.2 (3,5 sec)`, a length without its unit, words between a shot's
//! number and its length (they become its first description), matching typographic quotes, `\"` inside a quotation, the three lines of elements in any order,
//! elements separated by commas, semicolons or spaces, `none` without parentheses, blank lines and rules (`---`) anywhere. `@` in a description mentions an
//! element; within a quotation it does not. The character `@Narrator` is the narrator. If the lengths of a scene and its shots differ by more than half a
//! second, the shots' lengths count.

mod diagnostic;
mod elements;
mod handle;
mod heading;
mod line;
mod parse;
mod print;
mod rewrite;

pub use diagnostic::{Diagnostic, DiagnosticCode};
pub use handle::folded;
pub use parse::parse;
pub use rewrite::rewrite;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scene::{Line, Scene, Script};
use crate::script::pace;

/// A script in canonical form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Canonical {
    /// At least one; numbered from 1.
    pub scenes: Vec<CanonicalScene>,
    /// The elements that appear in several shots.
    pub elements: Elements,
}

/// A scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CanonicalScene {
    /// On one line.
    pub title: String,
    /// Length in seconds, according to its heading.
    pub secs: f64,
    /// At least one; numbered from 1 in each scene.
    pub shots: Vec<CanonicalShot>,
}

/// A shot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CanonicalShot {
    /// Length in seconds, unless its speech takes longer.
    pub secs: f64,
    /// What the shot shows, line by line, with `@` before elements.
    pub description: Vec<String>,
    /// The speech, in order.
    pub speech: Vec<Speech>,
}

/// The speech of one character.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Speech {
    /// Its handle without `@`.
    pub handle: String,
    /// Without quotes.
    pub text: String,
}

/// Handles without `@`, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Elements {
    /// The characters.
    pub characters: Vec<String>,
    /// The locations.
    pub locations: Vec<String>,
    /// Other important things.
    pub objects: Vec<String>,
}

/// A script that was read successfully.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The script.
    pub script: Canonical,
    /// Warnings about it.
    pub warnings: Vec<Diagnostic>,
}

impl Canonical {
    /// Returns every shot, in order.
    pub fn shots(&self) -> impl Iterator<Item = &CanonicalShot> {
        self.scenes.iter().flat_map(|scene| &scene.shots)
    }

    /// Returns the length of the video in seconds: for each shot the longer of its length and its speech with pauses, and never less than a picture needs to be
    /// seen.
    pub fn spoken_or_written_secs(&self) -> f64 {
        let n_shots = self.shots().count();
        let secs = self.shots().enumerate().map(|(i, shot)| {
            let lines: Vec<f64> = shot.speech.iter().map(Speech::secs).collect();
            pace::scene_secs(Some(shot.secs), &lines, (i == 0, i + 1 == n_shots))
        });
        secs.sum()
    }

    /// Converts to the director's form: one scene for each shot, in the language of this tag.
    pub fn to_script(&self, language: &str) -> Script {
        let mut scenes = Vec::new();
        for scene in &self.scenes {
            // A shot that names no place is in the place of the shot before it, else in the scene's first place.
            let named = scene.shots.iter().map(|shot| self.location_of(shot));
            let named: Vec<Option<&str>> = named.collect();
            let mut place = named.iter().flatten().next().copied();
            for (shot, named) in scene.shots.iter().zip(named) {
                let seen = shot.to_scene(&scene.title);
                scenes.push(match (named, place) {
                    (None, Some(place)) => seen.at(&handle::words(place), true),
                    (Some(named), _) => seen.at(&handle::words(named), false),
                    (None, None) => seen,
                });
                place = named.or(place);
            }
        }
        Script {
            notes: None,
            title: None,
            language: language.to_owned(),
            scenes,
        }
    }

    /// Returns the first location that a shot's description mentions.
    fn location_of(&self, shot: &CanonicalShot) -> Option<&str> {
        let mut mentions = shot
            .description
            .iter()
            .flat_map(|line| handle::mentions(line));
        mentions.find_map(|(_, mention)| {
            let known = self.elements.locations.iter();
            known.map(String::as_str).find(|known| *known == mention)
        })
    }
}

impl CanonicalShot {
    /// Returns the length of the speech, in seconds.
    pub fn spoken_secs(&self) -> f64 {
        self.speech.iter().map(Speech::secs).sum()
    }

    /// Converts to a scene. A shot without a description shows its scene's title.
    fn to_scene(&self, title: &str) -> Scene {
        let seen = handle::without_at(&self.description.join(" "));
        let mentions = self
            .description
            .iter()
            .flat_map(|line| handle::mentions(line));
        let mut handles: Vec<String> = Vec::new();
        for (_, handle) in mentions.filter(|(_, handle)| !handle.is_empty()) {
            if !handles.iter().any(|known| known == handle) {
                handles.push(handle.to_owned());
            }
        }
        Scene {
            lines: self.speech.iter().map(Speech::to_line).collect(),
            brief: if seen.is_empty() {
                title.to_owned()
            } else {
                seen
            },
            secs: Some(self.secs),
            place: None,
            mentions: handles,
            is_derived: false,
        }
    }
}

impl Scene {
    /// Sets the place, and adds it to the brief if the brief does not mention it.
    fn at(mut self, place: &str, is_silent: bool) -> Scene {
        let says_it = self.brief.to_lowercase().contains(&place.to_lowercase());
        if is_silent && !says_it {
            let brief = self.brief.trim_end();
            let end = if brief.ends_with(char::is_alphanumeric) {
                "."
            } else {
                ""
            };
            self.brief = format!("{brief}{end} {place}.");
        }
        self.place = Some(place.to_owned());
        self
    }
}

impl Speech {
    fn secs(&self) -> f64 {
        pace::spoken_secs(&self.text)
    }

    /// Returns whether the narrator speaks.
    pub fn is_narrated(&self) -> bool {
        folded(&self.handle) == folded(NARRATOR)
    }

    fn to_line(&self) -> Line {
        Line {
            speaker: (!self.is_narrated()).then(|| self.handle.clone()),
            text: self.text.clone(),
        }
    }
}

/// The handle of the narrator.
pub const NARRATOR: &str = "Narrator";
