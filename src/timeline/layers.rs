//! Overlay layers as written: a tree of pictures, texts, boxes and groups with times, opacity and blend.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CaptionStyle, Fit, NameOr};

/// An overlay above the shots: what is drawn, when, and how it blends with what lies below.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// What is drawn.
    pub draw: Draw,
    /// Start in seconds. Default 0.
    #[serde(default)]
    pub start: f64,
    /// End in seconds (exclusive). Default: the end of the video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<f64>,
    /// 0 invisible to 1 opaque. Default 1.
    #[serde(default = "one")]
    pub opacity: f64,
    /// Length of the fade-in in seconds, 0 to 30. Default 0.
    #[serde(default)]
    pub fade_in: f64,
    /// Length of the fade-out in seconds, 0 to 30. Default 0.
    #[serde(default)]
    pub fade_out: f64,
    /// How it blends with what lies below. Default `normal`.
    #[serde(default)]
    pub blend: Blend,
}

impl Layer {
    /// Returns a layer that is always visible, with every other field at its default.
    pub fn new(draw: Draw) -> Layer {
        Layer {
            draw,
            start: 0.0,
            end: None,
            opacity: one(),
            fade_in: 0.0,
            fade_out: 0.0,
            blend: Blend::default(),
        }
    }
}

fn one() -> f64 {
    1.0
}

/// How a layer's color blends with what lies below (W3C Compositing and Blending Level 1, on non-linear sRGB values).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Blend {
    /// The layer covers what lies below by its alpha.
    #[default]
    Normal,
    /// Darkens: the product of both.
    Multiply,
    /// Lightens: the inverse of the product of the inverses.
    Screen,
    /// Adds light.
    Add,
}

/// What a layer draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(
    clippy::large_enum_variant,
    reason = "a document holds few overlays, and boxes would show in every match"
)]
pub enum Draw {
    /// A picture, such as a watermark.
    Picture(PictureDraw),
    /// A block of text.
    Text(TextDraw),
    /// A filled rectangle, possibly rounded.
    Box(BoxDraw),
    /// Several layers blended as one.
    Group(GroupDraw),
}

/// A position and size on the canvas, in fractions of its width and height.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Place {
    /// Horizontal position of the layer's center, 0 left to 1 right (−1 to 2 allowed). Default 0.5.
    pub x: f64,
    /// Vertical position of the layer's center, 0 top to 1 bottom (−1 to 2 allowed). Default 0.5.
    pub y: f64,
    /// Width as a fraction of the canvas's width, 0.001 to 4. Default 1.
    pub width: f64,
    /// Height as a fraction of the canvas's height, 0.001 to 4. Default for pictures: from their aspect ratio; for boxes: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// Rotation about the center in degrees, clockwise, -3600 to 3600. Default 0.
    pub rotate: f64,
}

impl Default for Place {
    fn default() -> Place {
        Place {
            x: 0.5,
            y: 0.5,
            width: 1.0,
            height: None,
            rotate: 0.0,
        }
    }
}

/// A picture as an overlay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PictureDraw {
    /// Asset name of a picture; its alpha is kept.
    pub picture: String,
    /// Its position and size.
    #[serde(default)]
    pub place: Place,
    /// How it fills a box of a different aspect ratio. Default `cover`.
    #[serde(default)]
    pub fit: Fit,
    /// How it moves relative to its place: at most 1,000 keyframes in rising order. It eases between keyframes, and jumps between two at the same time.
    /// Default: no movement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<PlaceKey>,
}

impl PictureDraw {
    /// Returns `picture` centered, as wide as the canvas.
    pub fn new(picture: impl Into<String>) -> PictureDraw {
        PictureDraw {
            picture: picture.into(),
            place: Place::default(),
            fit: Fit::default(),
            keys: Vec::new(),
        }
    }
}

/// State of a picture at an instant, relative to its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlaceKey {
    /// Seconds after the layer's start, 0 to 3600.
    pub at: f64,
    /// Shift to the right as a fraction of the canvas's width, -4 to 4. Default 0.
    pub x: f64,
    /// Shift down as a fraction of the canvas's height, -4 to 4. Default 0.
    pub y: f64,
    /// Scale about the picture's center, 0.05 to 8. Default 1.
    pub scale: f64,
    /// Rotation about the picture's center in degrees, clockwise, -3600 to 3600. Default 0.
    pub rotate: f64,
    /// Curve to the next keyframe; the same names as for transitions. Default `linear`.
    pub ease: String,
}

impl Default for PlaceKey {
    fn default() -> PlaceKey {
        PlaceKey {
            at: 0.0,
            x: 0.0,
            y: 0.0,
            scale: 1.0,
            rotate: 0.0,
            ease: "linear".into(),
        }
    }
}

/// A block of text as an overlay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextDraw {
    /// The text; `\n` breaks lines.
    pub text: String,
    /// Look of the text: a caption style by name or written out. Default `default`.
    #[serde(default = "default_style")]
    pub style: NameOr<CaptionStyle>,
    /// Center of the block, its maximum width and its rotation; `height` is ignored.
    #[serde(default)]
    pub place: Place,
}

impl TextDraw {
    /// Returns `text` centered, in the default style.
    pub fn new(text: impl Into<String>) -> TextDraw {
        TextDraw {
            text: text.into(),
            style: default_style(),
            place: Place::default(),
        }
    }
}

fn default_style() -> NameOr<CaptionStyle> {
    NameOr::Name("default".into())
}

/// A filled rectangle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxDraw {
    /// Color, `#rrggbb` or `#rrggbbaa`.
    pub color: String,
    /// Its position and size.
    #[serde(default)]
    pub place: Place,
    /// Corner radius in px at 1080x1920, 0 to 2000. Default 0.
    #[serde(default)]
    pub radius: f64,
}

impl BoxDraw {
    /// Returns a box that covers the whole canvas in one color.
    pub fn new(color: impl Into<String>) -> BoxDraw {
        BoxDraw {
            color: color.into(),
            place: Place::default(),
            radius: 0.0,
        }
    }
}

/// Several layers drawn together, then blended as one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupDraw {
    /// Back to front.
    pub layers: Vec<Layer>,
}
