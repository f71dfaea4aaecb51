//! Requests of both interfaces, parsed exactly: every default, range, list, alias and exclusion.
//!
//! Takes a body as bytes or JSON and gives a typed request with warnings, or every problem together; with a universe's settings, a resolved request. It never
//! looks anything up (keys, voices, saved characters, plans): that is the service's work.
//!
//! Decisions where the interface is silent:
//! - Unknown fields are ignored, at every level, with a warning, so that clients with newer fields keep working.
//! - `null` is the same as a missing field. So is a text of white space only (`"prompt": " "`), even in a field of another type (`"captions": ""`), and an
//!   empty body is the same as `{}`.
//! - Duplicate keys, bodies that are not an object, and more than 128 levels are refused. A byte order mark is skipped.
//! - Types are strict: no numbers or booleans as text. The one exception is `duration`, a text in the interface, which may also be a whole number. Whole
//!   numbers may be written `70`, `70.0` or `7e1`.
//! - Names must match exactly, including case; similar names are only suggested.
//! - A text that contains NUL is refused; other control characters except tabs and line ends are dropped with a warning. Limits count Unicode scalar values.
//! - A script that takes more than [`MAX_SPOKEN_SECS`] to speak is refused: videos last up to 10 minutes.
//! - Styles that do not fit the model are dropped with a warning, but must still be in their list.
//! - `prompt` with `script`: a problem of `script`. `userScript` with `voiceoverKey`: a problem of `voiceoverKey`. A field that needs a missing `voiceoverKey`
//!   (`voiceoverDuration`, `audioKind: song`): `voiceoverKey` is missing. `captions` and `captionsEnabled` with different values: a problem of
//!   `captionsEnabled`.
//! - `animationPreset`: `static` is `just_storyboard`, `pro` is `pro_animation`; `animation: true` is `fast`, `false` is `just_storyboard`; without both it is
//!   `just_storyboard`, the cheapest.
//! - Characters: 50 at most; the same id twice, or two names that make the same handle, are refused.
//! - A universe's music: `enabled: false` turns it off, whatever else is set; a track turns it on; `true` without a track plays the universe's track, or leaves
//!   the choice to the director; without either the universe decides. `volume` and `loop` come from the request, else the universe, else 0.3 and true.
//! - `language` must be one of the universe's; a universe with a single language refuses others too. `EN` is `en`. If it is missing, the prompt's own language
//!   if the universe has it, else the universe's first.
//! - `preferAiStyle` is a hint that changes no default.

mod effects;
mod fields;
mod json;
pub mod names;
pub mod problem;
mod resolve;
mod schema;
mod settings;
mod settings_read;
mod short;
mod short_read;
mod texts;
mod universe;
mod universe_read;

pub use names::*;
pub use problem::{FieldProblem, FieldWarning, ProblemCode};
pub use resolve::{ResolvedStyle, ResolvedUniverse, UniverseInput};
pub use settings::{MAX_STYLES, UniverseSettings, UniverseTrack, VisualStyle};
pub use short::*;
pub use texts::{
    MAX_NAME_CHARS, MAX_NOTES_CHARS, MAX_PROFILE_CHARS, MAX_PROMPT_CHARS, MAX_SCRIPT_CHARS,
};
pub use universe::{CharacterRef, InlineCharacter, TargetSecs, UniverseMusic, UniverseRequest};

pub use universe_read::same_handle;

pub use crate::limits::{MAX_SPOKEN_SECS, MAX_VIDEO_SECS};
use crate::script::pace::spoken_secs;

/// A valid request, and warnings about it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Parsed<T> {
    /// The request.
    pub request: T,
    /// In the order of detection.
    pub warnings: Vec<FieldWarning>,
}

/// Reads the fields of a body that is not a request, with the same checks of JSON and the same messages. An empty body has no fields.
///
/// # Errors
/// Everything that is wrong with it as JSON.
pub fn fields_of(
    body: &[u8],
) -> Result<serde_json::Map<String, serde_json::Value>, Vec<FieldProblem>> {
    let mut report = problem::Report::default();
    let value = json::read(body, &mut report);
    let map = match value {
        Some(serde_json::Value::Object(map)) => map,
        Some(other) => {
            let reason = format!(
                "{} is not an object: the body must be one",
                problem::quoted(&other)
            );
            report.problem(FieldProblem::invalid("body", reason));
            serde_json::Map::new()
        }
        None => serde_json::Map::new(),
    };
    report.end(map).map(|parsed| parsed.request)
}

/// Returns why a prompt is meaningless; `None` if it is fine.
fn without_words(prompt: &str) -> Option<String> {
    let has_words = prompt.contains(char::is_alphanumeric);
    let reason = "contains no words: say in a sentence what the video is about";
    (!has_words).then(|| reason.to_owned())
}

/// Returns why a script is too long; `None` if it is not.
fn too_long_to_say(script: &str) -> Option<String> {
    let secs = spoken_secs(script);
    (secs > MAX_SPOKEN_SECS).then(|| {
        format!(
            "the script takes about {:.0} minutes to speak; a video can last up to {:.0} minutes (about 1500 words of English)",
            secs / 60.0,
            MAX_VIDEO_SECS / 60.0
        )
    })
}

/// Implements `Deserialize` with the only reader, so that stored requests pass the same checks as new ones.
macro_rules! deserialize_by_reading {
    ($($request:ident),+) => {$(
        impl<'de> serde::Deserialize<'de> for $request {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$request, D::Error> {
                let body = serde_json::Value::deserialize(from)?;
                let told = |problems: Vec<FieldProblem>| {
                    let problems: Vec<String> = problems.iter().map(FieldProblem::to_string).collect();
                    serde::de::Error::custom(problems.join("\n"))
                };
                $request::from_value(&body).map(|parsed| parsed.request).map_err(told)
            }
        }
    )+};
}
deserialize_by_reading!(ShortRequest, UniverseRequest);
