//! The draw list: a frame as data. It holds everything a compositor needs and nothing else; defaults, names and percentages are already resolved.
//!
//! Coordinates are canvas pixels, x right, y down, with pixel centers at +0.5. Colors are non-linear sRGB; layers are blended premultiplied in that space.

use std::sync::Arc;

use crate::units::{Color, PixelRect, Rect};

/// One frame: the background and what is drawn on it, back to front.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawList {
    /// Index of the frame.
    pub frame: u64,
    /// Opaque color behind everything.
    pub background: Color,
    /// Back to front.
    pub layers: Vec<Layer>,
}

/// How a layer's color blends with what lies below (W3C Compositing and Blending Level 1, on non-linear sRGB values).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blend {
    /// The layer covers what lies below by its alpha.
    Normal,
    /// Darkens: the product of both.
    Multiply,
    /// Lightens: the inverse of the product of the inverses.
    Screen,
    /// Adds light.
    Add,
}

/// Identifier of a layer, the same in every frame of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LayerId(pub u32);

/// Index into [`crate::plan::Plan::pictures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PictureId(pub u32);

/// One drawable.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// The same in every frame that shows this layer.
    pub id: LayerId,
    /// What is known about its change since the previous frame.
    pub known: Known,
    /// 0 to 1.
    pub opacity: f32,
    /// How it mixes with what lies below.
    pub blend: Blend,
    /// What is drawn.
    pub content: Content,
}

/// How a layer changed since the previous frame; an encoder can use this instead of searching for motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Known {
    /// It was not in the previous frame.
    New,
    /// Same pixels, position and opacity.
    Still,
    /// Same content and opacity, moved by exactly this map from canvas pixels of the previous frame to canvas pixels of this one.
    Moved(Homography),
    /// Anything else (opacity, content, blur).
    Changed,
}

/// What a layer draws.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A decoded picture under a pose. The pose maps picture pixels to canvas pixels.
    Picture(PictureId, Pose),
    /// The whole canvas in one color.
    Fill(Color),
    /// A rounded box.
    Box(BoxShape),
    /// Glyphs under one paint.
    Glyphs(GlyphRun),
    /// The layers below, blurred inside a box (frosted glass).
    BackdropBlur(BoxShape, f32),
    /// Layers drawn together on a transparent sheet, then drawn as one. The pose maps canvas pixels to canvas pixels.
    Group(Group),
}

/// Where and how a source is drawn at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// Maps from source pixels to canvas pixels, one per instant inside the shutter, 1 to 16; the mean of all is drawn.
    pub maps: Vec<Homography>,
    /// Factor on the color; 1 leaves it unchanged.
    pub brightness: f32,
    /// What lies outside the source.
    pub edge: Edge,
    /// Part of the canvas that the layer may touch.
    pub wipe: Option<Wipe>,
    /// Standard deviation of a Gaussian blur in source pixels; 0 for none.
    pub blur_px: f32,
}

impl Pose {
    /// Returns a pose with one map and nothing else.
    pub fn at(map: Homography) -> Pose {
        Pose {
            maps: vec![map],
            brightness: 1.0,
            edge: Edge::Transparent,
            wipe: None,
            blur_px: 0.0,
        }
    }
}

/// How the area outside a source is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Edge {
    /// Nothing; the border is anti-aliased over one canvas pixel.
    Transparent,
    /// The border pixel is repeated.
    Clamp,
    /// The source is mirrored repeatedly.
    Mirror,
}

/// A soft straight line that cuts a layer: opaque where `a*x + b*y + c <= 0` (canvas pixels, `a² + b² = 1`), transparent from `softness_px` on, smoothstep between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wipe {
    /// `[a, b, c]`.
    pub line: [f32; 3],
    /// Width of the soft edge in px, ≥ 0.
    pub softness_px: f32,
}

/// A filled rectangle with rounded corners, anti-aliased.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxShape {
    /// The rectangle before rotation.
    pub rect: Rect,
    /// Corner radius in px, at most half the shorter side.
    pub radius: f32,
    /// Rotation about the center in radians, clockwise.
    pub rotate: f32,
    /// What fills it.
    pub paint: Paint,
    /// Border inside the edge: width in px and color.
    pub border: Option<(f32, Color)>,
    /// Standard deviation of a blur of the outline in px; 0 for a sharp edge.
    pub blur_px: f32,
}

/// What fills a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint {
    /// One color.
    Solid(Color),
    /// A straight gradient between two points (canvas px), up to four stops at rising offsets 0..=1.
    Linear {
        /// Where offset 0 lies.
        from: [f32; 2],
        /// Where offset 1 lies.
        to: [f32; 2],
        /// Offset and color; unused stops repeat the last.
        stops: [(f32, Color); 4],
    },
}

/// Glyphs drawn as one shape: their coverage is merged, then widened, blurred, shifted and painted.
#[derive(Clone, Debug, PartialEq)]
pub struct GlyphRun {
    /// All glyphs of the page (shared by its runs).
    pub glyphs: Arc<[Glyph]>,
    /// Range of `glyphs` that this run draws.
    pub range: std::ops::Range<usize>,
    /// Width in px by which the outline is widened on each side (round joins); 0 for the plain fill.
    pub spread_px: f32,
    /// Standard deviation of a Gaussian blur in px.
    pub blur_px: f32,
    /// Shift in px.
    pub offset: [f32; 2],
    /// What paints the coverage. Color glyphs (emoji) keep their own colors when `spread_px` and `blur_px` are 0.
    pub paint: Paint,
}

/// One positioned glyph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glyph {
    /// Index into the text engine's fonts.
    pub font: u32,
    /// Glyph id in that font.
    pub id: u16,
    /// Em size in px.
    pub size_px: f32,
    /// Origin on the baseline, canvas px.
    pub x: f32,
    /// Origin on the baseline, canvas px.
    pub y: f32,
}

/// Layers drawn together.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Two groups of one plan with equal numbers have equal pixels on the sheet, in any frame, so the sheet may be cached.
    /// `None` if the content itself moves.
    pub content: Option<u64>,
    /// The part of the canvas the sheet covers; nothing is drawn outside.
    pub bounds: PixelRect,
    /// Where the sheet is drawn; identity if it does not move.
    pub pose: Pose,
    /// Back to front.
    pub layers: Vec<Layer>,
}

/// A projective map of the plane, row-major: `(x, y, 1)` goes to `(X/W, Y/W)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Homography(pub [f64; 9]);

impl Homography {
    /// The identity map.
    pub const IDENTITY: Homography = Homography([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);

    /// Scales by (`sx`, `sy`), then shifts by (`tx`, `ty`).
    pub const fn scale_shift(sx: f64, sy: f64, tx: f64, ty: f64) -> Homography {
        Homography([sx, 0.0, tx, 0.0, sy, ty, 0.0, 0.0, 1.0])
    }

    /// Shifts by (`tx`, `ty`).
    pub const fn shift(tx: f64, ty: f64) -> Homography {
        Self::scale_shift(1.0, 1.0, tx, ty)
    }

    /// Rotates about the origin by radians, clockwise on the screen.
    pub fn turn(radians: f64) -> Homography {
        let (s, c) = radians.sin_cos();
        Homography([c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0])
    }

    /// Returns the map that applies `first`, then this one.
    pub fn after(self, first: Homography) -> Homography {
        let (a, b) = (self.0, first.0);
        Homography(std::array::from_fn(|i| {
            (0..3).map(|k| a[i / 3 * 3 + k] * b[k * 3 + i % 3]).sum()
        }))
    }

    /// Returns the inverse map, or `None` if the map is singular.
    pub fn inverse(self) -> Option<Homography> {
        let [a, b, c, d, e, f, g, h, i] = self.0;
        let det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
        if !det.is_finite() || det.abs() < 1e-12 {
            return None;
        }
        let adjugate = [
            e * i - f * h,
            c * h - b * i,
            b * f - c * e,
            f * g - d * i,
            a * i - c * g,
            c * d - a * f,
            d * h - e * g,
            b * g - a * h,
            a * e - b * d,
        ];
        let out = adjugate.map(|v| v / det);
        // Affine maps stay exactly affine.
        Some(if g == 0.0 && h == 0.0 {
            Homography([
                out[0],
                out[1],
                out[2],
                out[3],
                out[4],
                out[5],
                0.0,
                0.0,
                1.0 / i,
            ])
            .normalized()
        } else {
            Homography(out)
        })
    }

    fn normalized(self) -> Homography {
        let w = self.0[8];
        if w == 1.0 {
            self
        } else {
            Homography(self.0.map(|v| v / w))
        }
    }

    /// Maps a point; the result is infinite for a point that maps to the horizon.
    pub fn apply(self, x: f64, y: f64) -> (f64, f64) {
        let m = self.0;
        let w = m[6] * x + m[7] * y + m[8];
        (
            (m[0] * x + m[1] * y + m[2]) / w,
            (m[3] * x + m[4] * y + m[5]) / w,
        )
    }

    /// Returns scale and shift `(sx, sy, tx, ty)` if the map has no rotation, shear or perspective and both scales are positive.
    pub fn as_scale_shift(self) -> Option<(f64, f64, f64, f64)> {
        let [a, b, c, d, e, f, g, h, i] = self.0;
        (b == 0.0 && d == 0.0 && g == 0.0 && h == 0.0 && i == 1.0 && a > 0.0 && e > 0.0)
            .then_some((a, e, c, f))
    }
}
