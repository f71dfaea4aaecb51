//! A caption style as written; the built-in styles are rows of the same form.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::caption_parts::*;

/// A caption style as a row of data; lengths in pixels at 1080x1920 (scaled to the canvas), colors `#rrggbb[aa]`.
///
/// The built-in styles are rows of this same struct (`assets/styles/*.json`). A field left out takes its value from the style `default`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CaptionStyle {
    /// One-line description for users.
    pub description: String,
    /// Font family: bundled, added by the embedder, or installed.
    pub font: String,
    /// Weight, 100 to 900.
    pub weight: u16,
    /// Slanted letters.
    pub italic: bool,
    /// How letters are capitalized.
    pub case: LetterCase,
    /// Em size in px, 8 to 400. Text that does not fit shrinks, to 70 % at most.
    pub size: f32,
    /// Space added after each letter, em, -0.2 to 1.
    pub letter_spacing_em: f32,
    /// Distance between baselines as a factor on the size, 0.8 to 3.
    pub line_height: f64,
    /// Which edges of the block's lines are aligned.
    pub align: TextAlign,
    /// Color of the letters.
    pub fill: Colors,
    /// A line around the letters, drawn under the fill; `null` for none.
    pub stroke: Option<StrokeStyle>,
    /// Shadows of the letters with their stroke, lowest first; at most 8.
    pub shadows: Vec<ShadowStyle>,
    /// A box behind the whole block; `null` for none.
    pub panel: Option<PanelStyle>,
    /// How far letters randomly wander from their baseline, in px, 0 to 20.
    pub wander_px: f32,
    /// Maximum random tilt of each page to either side, in degrees, 0 to 30.
    pub tilt_deg: f32,
    /// A large first letter of each page; `null` for none.
    pub initial: Option<InitialStyle>,
    /// Look of the word being spoken; `null` if it looks like the others.
    pub active: Option<WordStyle>,
    /// Look of a page's words that are not being spoken; `null` for the fill.
    pub idle: Option<WordStyle>,
    /// Look of a page's words already spoken; `null` if they look like `idle`.
    pub spoken: Option<WordStyle>,
    /// A box or line that follows the word being spoken; `null` for none.
    pub marker: Option<MarkerStyle>,
    /// A block-shaped cursor after the last letter typed; `null` for none.
    pub caret: Option<CaretStyle>,
    /// Particles that fly off when a page appears; `null` for none.
    pub burst: Option<BurstStyle>,
    /// Opacity at which the next page is already shown below, 0 to 1; 0 hides it. If shown, pages move up by a line.
    pub next: f32,
    /// How a page appears.
    pub entry: EntryStyle,
    /// How a page disappears; a page replaced immediately by the next is cut.
    pub exit: ExitStyle,
    /// Maximum number of words on a page, 1 to 20.
    pub max_words: u32,
    /// Maximum number of lines on a page, 1 to 6; text still too long at 70 % of its size takes more.
    pub max_lines: u32,
}

impl Default for CaptionStyle {
    fn default() -> CaptionStyle {
        CaptionStyle {
            description: String::new(),
            font: "Montserrat".into(),
            weight: 800,
            italic: false,
            case: LetterCase::Sentence,
            size: 72.0,
            letter_spacing_em: 0.0,
            line_height: 1.16,
            align: TextAlign::Center,
            fill: Colors::one("#FFFFFF"),
            stroke: Some(StrokeStyle::default()),
            shadows: vec![ShadowStyle::default()],
            panel: None,
            wander_px: 0.0,
            tilt_deg: 0.0,
            initial: None,
            active: Some(WordStyle {
                fill: Some(Colors::one("#FFD60A")),
                ..WordStyle::default()
            }),
            idle: None,
            spoken: None,
            marker: None,
            caret: None,
            burst: None,
            next: 0.0,
            entry: EntryStyle::default(),
            exit: ExitStyle::default(),
            max_words: 4,
            max_lines: 2,
        }
    }
}
