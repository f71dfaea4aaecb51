//! Requests of both interfaces, read word for word: every default, range, list, alias and exclusion.
//!
//! Takes: a body as bytes or JSON. Gives: a typed request with warnings, or every problem at once; with a universe's settings, a resolved request.
//! Never: looks anything up (keys, voices, saved characters, plans); that is the service's work.
//!
//! Decided where the interface is silent:
//! - Fields that are not known are ignored, at every level, with a warning: clients that know newer fields go on.
//! - `null` is the same as a field that is not there. So is a text of white space only (`"prompt": " "`), also where no text belongs (`"captions": ""`), and
//!   an empty body is the same as `{}`.
//! - Keys that stand twice, bodies that are no object, and more than 128 levels are refused. A byte order mark is skipped.
//! - Types are strict: no numbers or booleans as text. The one exception is `duration`, text in the interface, which may also be a whole number.
//!   Whole numbers may be written `70`, `70.0` or `7e1`.
//! - Names are matched letter for letter; what is near is only suggested.
//! - A text that holds NUL is refused; other controls than tabs and line ends are left out with a warning. Limits count Unicode scalar values.
//! - A script that takes more than [`MAX_SPOKEN_SECS`] to say is refused: videos last up to 10 minutes.
//! - Styles that do not go with the model are left out with a warning, but have to be of their list all the same.
//! - `prompt` with `script`: a problem of `script`. `userScript` with `voiceoverKey`: a problem of `voiceoverKey`. What needs a `voiceoverKey` that is
//!   not there (`voiceoverDuration`, `audioKind: song`): `voiceoverKey` is missing. `captions` and `captionsEnabled` with different values: a problem
//!   of `captionsEnabled`.
//! - `animationPreset`: `static` is `just_storyboard`, `pro` is `pro_animation`; `animation: true` is `fast`, `false` is `just_storyboard`; neither is
//!   `just_storyboard`, which costs least.
//! - Characters: 50 at most; the same id twice, or two names that make the same handle, are refused.
//! - A universe's music: `enabled: false` is off, whatever else stands there; a track switches it on; `true` without a track plays the universe's, or
//!   leaves the choice to the director; without either the universe decides. `volume` and `loop` come from the request, else the universe, else 0.3
//!   and true.
//! - `language` has to be one of the universe's; where it has only one, no other is refused in silence either. `EN` is `en`. Without it, the
//!   prompt's own if the universe has it, else the universe's first.
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

/// A valid request, and what in it has no effect.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Parsed<T> {
    /// The request.
    pub request: T,
    /// In the order in which they were found.
    pub warnings: Vec<FieldWarning>,
}

/// The fields of a body that is no request: the same checks of JSON, in the same words. An empty body has none.
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
                "{} is not an object, which a body has to be",
                problem::quoted(&other)
            );
            report.problem(FieldProblem::invalid("body", reason));
            serde_json::Map::new()
        }
        None => serde_json::Map::new(),
    };
    report.end(map).map(|parsed| parsed.request)
}

/// Why a prompt says nothing, if it does not.
fn without_words(prompt: &str) -> Option<String> {
    let has_words = prompt.contains(char::is_alphanumeric);
    let reason = "it has no words: say in a sentence what the video is about";
    (!has_words).then(|| reason.to_owned())
}

/// Why a script is too long, if it is.
fn too_long_to_say(script: &str) -> Option<String> {
    let secs = spoken_secs(script);
    (secs > MAX_SPOKEN_SECS).then(|| {
        format!(
            "the script takes about {:.0} minutes to say; a video lasts up to {:.0} minutes (about 1500 words of English)",
            secs / 60.0,
            MAX_VIDEO_SECS / 60.0
        )
    })
}

/// `Deserialize` by the one reader there is, so that kept requests pass the same checks as new ones.
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
