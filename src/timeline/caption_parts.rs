//! The parts of a caption style: colors, strokes, shadows, boxes, words, and how pages enter and leave.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::NameOr;

/// A color `#rrggbb[aa]`, or several.
pub type Colors = NameOr<ColorsStyle>;

impl Colors {
    /// Creates a single color.
    pub fn one(color: &str) -> Colors {
        NameOr::Name(color.into())
    }
}

/// Several colors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColorsStyle {
    /// 1 to 8 colors; a gradient has at most 4.
    pub colors: Vec<String>,
    /// How they are distributed.
    pub how: ColorsHow,
}

/// How several colors are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ColorsHow {
    /// A gradient from the top of each line to its bottom.
    Down,
    /// A gradient from the left of each word to its right.
    Across,
    /// One color per page, in turn.
    Pages,
    /// One color per word, in turn.
    Words,
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

/// Which edges of a block's lines are aligned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TextAlign {
    /// The left edge; the right edge for right-to-left text.
    Left,
    /// No edge: each line is centered.
    #[default]
    Center,
    /// The right edge; the left edge for right-to-left text.
    Right,
}

/// A line around letters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StrokeStyle {
    /// Width in px, 0 to 60, half of it outside the letter (the fill covers the rest), with round corners.
    pub width: f32,
    /// Color.
    pub color: Colors,
}

impl Default for StrokeStyle {
    fn default() -> StrokeStyle {
        StrokeStyle {
            width: 8.0,
            color: Colors::one("#000000"),
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
    /// Widening on each side before the blur in px, 0 to 60, as in CSS `box-shadow`: makes a halo that stays dense next to thin letters.
    pub spread: f32,
    /// Color, with opacity.
    pub color: Colors,
    /// Whether it is drawn above the stroke and without it, directly below the letters.
    pub above_stroke: bool,
}

impl Default for ShadowStyle {
    fn default() -> ShadowStyle {
        ShadowStyle {
            dx: 0.0,
            dy: 4.0,
            blur: 12.0,
            spread: 0.0,
            color: Colors::one("#00000080"),
            above_stroke: false,
        }
    }
}

/// A box behind a block of text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PanelStyle {
    /// Color, with opacity.
    pub color: String,
    /// Whether each line has its own box, instead of one for the block.
    pub per_line: bool,
    /// Corner radius in px, 0 to 400.
    pub radius: f32,
    /// Padding left and right, and above and below the lines, in px, 0 to 400.
    pub padding: [f32; 2],
    /// Border inside the edge; `null` for none.
    pub border: Option<LineStyle>,
    /// A line along the left edge; `null` for none.
    pub rule: Option<LineStyle>,
    /// Brackets at the corners; `null` for none.
    pub brackets: Option<LineStyle>,
    /// Blur of the picture behind the box, like frosted glass, in px, 0 to 200: twice the standard deviation of the Gaussian. Captions only.
    pub backdrop_blur: f32,
    /// How far the edges are randomly torn, in px, 0 to 60; requires an opaque color.
    pub torn_px: f32,
}

impl Default for PanelStyle {
    fn default() -> PanelStyle {
        PanelStyle {
            color: "#000000B8".into(),
            radius: 16.0,
            padding: [28.0, 16.0],
            per_line: false,
            border: None,
            rule: None,
            brackets: None,
            backdrop_blur: 0.0,
            torn_px: 0.0,
        }
    }
}

/// A straight line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineStyle {
    /// Width in px, 0 to 60.
    pub width: f32,
    /// Color.
    pub color: String,
}

/// A large first letter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InitialStyle {
    /// Factor on its size, 0.5 to 3.
    pub scale: f32,
    /// Its color.
    pub fill: String,
}

/// The look of single words. Fields left out are as in the rest of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WordStyle {
    /// Color of the letters; `null` for the style's own.
    pub fill: Option<Colors>,
    /// Factor on the opacity of the letters, 0 to 1.
    pub opacity: f32,
    /// Weight of the letters, 100 to 900; `null` for the style's own. Words keep their positions: each is centered where it was laid out.
    pub weight: Option<u16>,
    /// Slanted letters; `null` for the style's own.
    pub italic: Option<bool>,
    /// Color of the letters in the first 50 ms of the word; `null` for none. `active` only.
    pub flash: Option<String>,
    /// Whether the color sweeps in from the left while the word is spoken. `active` only.
    pub sweep: bool,
    /// Factor on the word's size, 0.5 to 2. `active` only.
    pub scale: f32,
    /// How far the word swings to either side, in degrees, 0 to 30. `active` only.
    pub sway_deg: f32,
    /// How far the word initially shakes, in px, 0 to 40. `active` only.
    pub shake_px: f32,
    /// How long the word takes to change size and color, in milliseconds, 0 to 1000. `active` only.
    pub ms: u32,
}

impl Default for WordStyle {
    fn default() -> WordStyle {
        WordStyle {
            fill: None,
            opacity: 1.0,
            weight: None,
            italic: None,
            flash: None,
            sweep: false,
            scale: 1.0,
            sway_deg: 0.0,
            shake_px: 0.0,
            ms: 0,
        }
    }
}

/// A marker that follows the word being spoken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MarkerStyle {
    /// Kind of marker.
    pub kind: MarkerKind,
    /// Color.
    pub color: Colors,
    /// Thickness of a line, px, 0 to 60.
    pub width: f32,
    /// Corner radius of a box, em, 0 to 2.
    pub radius_em: f32,
    /// Padding of a box left and right, and above and below the capital letters, em, 0 to 2; a line extends by the first and is lowered by the second.
    pub padding_em: [f32; 2],
    /// A line around it; `null` for none. Requires an opaque color.
    pub outline: Option<LineStyle>,
    /// How long a box takes to reach the next word, or a line takes to be drawn, in milliseconds, 0 to 1000.
    pub ms: u32,
}

impl Default for MarkerStyle {
    fn default() -> MarkerStyle {
        MarkerStyle {
            kind: MarkerKind::Box,
            color: Colors::one("#7C3AED"),
            width: 6.0,
            radius_em: 0.3,
            padding_em: [0.2, 0.22],
            outline: None,
            ms: 100,
        }
    }
}

/// Kind of marker for a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MarkerKind {
    /// A box behind the word that glides to the next one.
    #[default]
    Box,
    /// A straight line below the word.
    Line,
    /// A pen-like line below the word, slightly different each time.
    Pen,
    /// A line below the word that swells and tapers.
    Swash,
}

/// A block-shaped cursor after the last letter typed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaretStyle {
    /// Color.
    pub color: String,
    /// How long it is shown and then hidden, in milliseconds, 100 to 5000. It is always shown while letters are typed.
    pub blink_ms: u32,
}

/// Particles that fly off when a page appears.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BurstStyle {
    /// Number of particles, 1 to 24.
    pub count: u32,
    /// Their colors, used in turn, 1 to 8.
    pub colors: Vec<String>,
    /// Their size in px, 1 to 100.
    pub size: f32,
    /// How far they fly, px, 0 to 600.
    pub reach_px: f32,
    /// How long they fly, in milliseconds, 50 to 2000.
    pub ms: u32,
}

/// How a page appears. The values describe the start of the movement: at its end the page is in place, at full size, and sharp.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EntryStyle {
    /// Kind of movement.
    pub kind: EntryKind,
    /// Whether the page enters as a whole or word by word.
    pub each: EntryEach,
    /// How far below its final position it starts, in px, -400 to 400.
    pub rise_px: f32,
    /// Its width and height at the start as factors, 0 to 3; words grow from their baseline, pages from their center.
    pub scale: [f32; 2],
    /// Blur at the start, in px, 0 to 100: the standard deviation of the Gaussian.
    pub blur_px: f32,
    /// Distance between red and blue ghosts at the start, in px, 0 to 40. Pages only.
    pub split_px: f32,
    /// Opacity of words before they enter, 0 to 1.
    pub before: f32,
    /// Duration in milliseconds, 0 to 5000; a word that enters when it is spoken takes no longer than its speech.
    pub ms: u32,
    /// Delay between words that enter one after another, in milliseconds, 0 to 1000.
    pub stagger_ms: u32,
}

impl Default for EntryStyle {
    fn default() -> EntryStyle {
        EntryStyle {
            kind: EntryKind::Fade,
            each: EntryEach::Page,
            rise_px: 12.0,
            scale: [1.0, 1.0],
            blur_px: 0.0,
            split_px: 0.0,
            before: 0.0,
            ms: 160,
            stagger_ms: 40,
        }
    }
}

/// What enters as one unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EntryEach {
    /// The whole page.
    #[default]
    Page,
    /// Word by word, soon after the page's start.
    Words,
    /// Each word as it is spoken.
    Spoken,
}

/// How a page disappears.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExitStyle {
    /// Kind of exit.
    pub kind: ExitKind,
    /// Duration in milliseconds, 0 to 5000, at most the time left after the last word.
    pub ms: u32,
}

impl Default for ExitStyle {
    fn default() -> ExitStyle {
        ExitStyle {
            kind: ExitKind::Fade,
            ms: 120,
        }
    }
}

/// Kind of exit of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExitKind {
    /// It disappears immediately.
    Cut,
    /// It fades out.
    #[default]
    Fade,
}

/// Kind of entry of a page or a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    /// It appears immediately.
    Cut,
    /// It fades in, fast at first.
    #[default]
    Fade,
    /// It swings in and settles.
    Spring,
    /// It moves slightly past its position and back.
    Back,
    /// It falls, bounces twice and is squashed when it lands. A negative `rise_px` is the height it falls from.
    Drop,
    /// It flickers on like a neon tube.
    Flicker,
    /// It moves in four steps.
    Steps,
    /// It jumps from side to side like a worn tape.
    Jitter,
    /// It slides up from behind its own baseline.
    Slide,
    /// It is uncovered from the left along a soft edge.
    Wipe,
    /// Letter by letter.
    Type,
}
