//! Captions as written: words with their times, a style row and a position.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::NameOr;

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
    pub words: Vec<Word>,
}

fn default_style() -> NameOr<CaptionStyle> {
    NameOr::Name("default".into())
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

/// A caption style as a row of data; lengths in pixels at 1080x1920 (scaled by the canvas), colors `#rrggbb[aa]`.
///
/// The built-in styles are rows of this same struct (`assets/styles/*.json`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CaptionStyle {
    /// Font family, bundled or installed.
    pub font: String,
    /// Weight, 100 to 900.
    pub weight: u16,
    /// Size in px.
    pub size: f32,
}

impl Default for CaptionStyle {
    fn default() -> CaptionStyle {
        CaptionStyle {
            font: "Montserrat".into(),
            weight: 800,
            size: 72.0,
        }
    }
}
