//! Canonical scripts: scenes, shots, what is seen and said in each, and the elements that come back.
//!
//! Takes: text. Gives: a [`Canonical`] script, or every [`Diagnostic`] at once; [`rewrite()`] makes a canonical script of any text.
//! Never: guesses. What could be read in two ways is refused with what to write instead.
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
//! Read besides: `## 1. The Harbor (6 s)`, `## Scene 1 - The Harbor (6 seconds)`, `#### 1.2 (3,5 sec)`, a length without its unit, words between a shot's
//! number and its length (they become its first description), typographic quotes of one kind on both sides, `\"` inside a quotation, the three lines
//! of elements in any order, elements parted by commas, semicolons or spaces, `none` without parentheses, blank lines and rules (`---`) anywhere.
//! `@` in a description mentions an element; within a quotation it does not. The character `@Narrator` is the narrator. Where the length of a scene
//! and its shots differ by more than half a second, the shots' count.

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
    /// What comes back in several shots.
    pub elements: Elements,
}

/// A scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CanonicalScene {
    /// On one line.
    pub title: String,
    /// As its heading says, in seconds.
    pub secs: f64,
    /// At least one; numbered from 1 in each scene.
    pub shots: Vec<CanonicalShot>,
}

/// A shot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CanonicalShot {
    /// How long it lasts, in seconds, if what is said does not take longer.
    pub secs: f64,
    /// What is seen, line by line, with `@` before elements.
    pub description: Vec<String>,
    /// What is said, in its order.
    pub speech: Vec<Speech>,
}

/// What one character says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Speech {
    /// Its handle without `@`.
    pub handle: String,
    /// Without quotes.
    pub text: String,
}

/// Handles without `@`, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Elements {
    /// Who takes part.
    pub characters: Vec<String>,
    /// Where it takes place.
    pub locations: Vec<String>,
    /// What matters besides.
    pub objects: Vec<String>,
}

/// A script that could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The script.
    pub script: Canonical,
    /// What is odd about it.
    pub warnings: Vec<Diagnostic>,
}

impl Canonical {
    /// Every shot, in its order.
    pub fn shots(&self) -> impl Iterator<Item = &CanonicalShot> {
        self.scenes.iter().flat_map(|scene| &scene.shots)
    }

    /// How long the video becomes, in seconds: of each shot what is longer, its length or what is said in it with the pauses about it, and never
    /// shorter than it takes to see a picture.
    pub fn spoken_or_written_secs(&self) -> f64 {
        let n_shots = self.shots().count();
        let secs = self.shots().enumerate().map(|(i, shot)| {
            let lines: Vec<f64> = shot.speech.iter().map(Speech::secs).collect();
            pace::scene_secs(Some(shot.secs), &lines, (i == 0, i + 1 == n_shots))
        });
        secs.sum()
    }

    /// What the director works on: one scene for each shot, in the language of this tag.
    pub fn to_script(&self, language: &str) -> Script {
        let mut scenes = Vec::new();
        for scene in &self.scenes {
            // A shot that names no place is where the shot before it was, else where the scene's first place is.
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

    /// The first location that a shot's description mentions.
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
    /// How long what is said takes, in seconds.
    pub fn spoken_secs(&self) -> f64 {
        self.speech.iter().map(Speech::secs).sum()
    }

    /// A shot without a description shows what its scene is called.
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
    /// The same in a place, which is put into words where the brief has none of it.
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

    /// Whether the narrator speaks.
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
