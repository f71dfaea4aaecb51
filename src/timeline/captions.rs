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

impl Captions {
    /// These words, with every other field at its default.
    pub fn new(words: Vec<Word>) -> Captions {
        Captions {
            style: default_style(),
            position: CaptionPosition::default(),
            words,
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

/// A caption style as a row of data; lengths in pixels at 1080x1920 (scaled by the canvas), colors `#rrggbb[aa]`.
///
/// The built-in styles are rows of this same struct (`assets/styles/*.json`). A field left out has the value that the style `default` has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CaptionStyle {
    /// Font family: bundled, added by the embedder, or installed.
    pub font: String,
    /// Weight, 100 to 900.
    pub weight: u16,
    /// Slanted letters.
    pub italic: bool,
    /// How letters are capitalized.
    pub case: LetterCase,
    /// Em size in px, 8 to 400. Text that does not fit is made smaller, down to 70 %.
    pub size: f32,
    /// Space added after each letter, em, -0.2 to 1.
    pub letter_spacing_em: f32,
    /// Distance of baselines as a factor on the size, 0.8 to 3.
    pub line_height: f64,
    /// Which edge of the block the lines share.
    pub align: TextAlign,
    /// Color of the letters.
    pub fill: String,
    /// A line around the letters, drawn under the fill; `null` for none.
    pub stroke: Option<StrokeStyle>,
    /// Shadows of the letters with their stroke, the lowest first; at most 8.
    pub shadows: Vec<ShadowStyle>,
    /// A box behind the whole block; `null` for none.
    pub panel: Option<PanelStyle>,
    /// Look of the word that is being spoken; `null` when it looks like the others.
    pub active: Option<WordStyle>,
    /// Look of the words of a page that are not being spoken; `null` for the fill.
    pub idle: Option<WordStyle>,
    /// How a page appears.
    pub entry: EntryStyle,
    /// How a page disappears; a page that gives way to the next at once is cut.
    pub exit: ExitStyle,
    /// Most words on a page, 1 to 20.
    pub max_words: u32,
    /// Most lines of a page, 1 to 6; text that is still too long at 70 % of its size takes more.
    pub max_lines: u32,
}

impl Default for CaptionStyle {
    fn default() -> CaptionStyle {
        CaptionStyle {
            font: "Montserrat".into(),
            weight: 800,
            italic: false,
            case: LetterCase::Sentence,
            size: 72.0,
            letter_spacing_em: 0.0,
            line_height: 1.16,
            align: TextAlign::Center,
            fill: "#FFFFFF".into(),
            stroke: Some(StrokeStyle::default()),
            shadows: vec![ShadowStyle::default()],
            panel: None,
            active: Some(WordStyle {
                fill: "#FFD60A".into(),
            }),
            idle: None,
            entry: EntryStyle::default(),
            exit: ExitStyle::default(),
            max_words: 4,
            max_lines: 2,
        }
    }
}

/// How letters are capitalized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LetterCase {
    /// As written.
    AsIs,
    /// As written, with a capital at the start of a sentence.
    #[default]
    Sentence,
    /// All capitals.
    Upper,
    /// No capitals.
    Lower,
    /// Each word starts with a capital.
    Title,
}

/// Which edge of a block its lines share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TextAlign {
    /// The left edge.
    Left,
    /// None: each line is centered.
    #[default]
    Center,
    /// The right edge.
    Right,
}

/// A line around letters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StrokeStyle {
    /// Width in px, 0 to 60, half of it outside the letter (the fill covers the rest), with round corners.
    pub width: f32,
    /// Color.
    pub color: String,
}

impl Default for StrokeStyle {
    fn default() -> StrokeStyle {
        StrokeStyle {
            width: 8.0,
            color: "#000000".into(),
        }
    }
}

/// A shadow as in CSS `text-shadow`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShadowStyle {
    /// Shift to the right in px, -200 to 200.
    pub dx: f32,
    /// Shift down in px, -200 to 200.
    pub dy: f32,
    /// Blur in px, 0 to 200: twice the standard deviation of the Gaussian, as in CSS.
    pub blur: f32,
    /// Color with its opacity.
    pub color: String,
}

impl Default for ShadowStyle {
    fn default() -> ShadowStyle {
        ShadowStyle {
            dx: 0.0,
            dy: 4.0,
            blur: 12.0,
            color: "#00000080".into(),
        }
    }
}

/// A box behind a block of text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PanelStyle {
    /// Color with its opacity.
    pub color: String,
    /// Corner radius in px, 0 to 400.
    pub radius: f32,
    /// Room left and right, and above and below the lines, in px, 0 to 400.
    pub padding: [f32; 2],
}

impl Default for PanelStyle {
    fn default() -> PanelStyle {
        PanelStyle {
            color: "#000000B8".into(),
            radius: 16.0,
            padding: [28.0, 16.0],
        }
    }
}

/// The look of single words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WordStyle {
    /// Color of the letters.
    pub fill: String,
}

/// How a page appears.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EntryStyle {
    /// What happens.
    pub kind: EntryKind,
    /// How far below its place the block starts, px, -400 to 400.
    pub rise_px: f32,
    /// For how long, milliseconds, 0 to 5000.
    pub ms: u32,
}

impl Default for EntryStyle {
    fn default() -> EntryStyle {
        EntryStyle {
            kind: EntryKind::Fade,
            rise_px: 12.0,
            ms: 160,
        }
    }
}

/// How a page disappears.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExitStyle {
    /// What happens.
    pub kind: EntryKind,
    /// For how long, milliseconds, 0 to 5000, at most the time left after the last word.
    pub ms: u32,
}

impl Default for ExitStyle {
    fn default() -> ExitStyle {
        ExitStyle {
            kind: EntryKind::Fade,
            ms: 120,
        }
    }
}

/// How a page comes or goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    /// At once.
    Cut,
    /// Its opacity goes up (or down).
    #[default]
    Fade,
}
