//! Shader parameters of fills, boxes and glyph runs.

use bytemuck::{Pod, Zeroable};

use super::caches::Mask;
use super::params::Place;
use crate::compose::sampling::{OUTLINE_REACH, outline_blur_px};
use crate::scene::draw::{BoxShape, Paint};
use crate::units::{Color, Rect};

// ---- gpu_data

/// Twin of `PaintData` in shaders/paint.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct PaintData {
    /// Start x, y and end x, y; equal for a solid color.
    pub axis: [f32; 4],
    /// Offsets, rising.
    pub offsets: [f32; 4],
    /// Premultiplied colors.
    pub colors: [[f32; 4]; 4],
}

/// Twin of `FillParams` in shaders/fill.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct FillParams {
    /// Where it is drawn.
    pub place: Place,
    /// Premultiplied color.
    pub color: [f32; 4],
}

/// Twin of `ShapeParams` in shaders/shape.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ShapeParams {
    /// Where it is drawn.
    pub place: Place,
    /// The fill.
    pub paint: PaintData,
    /// Premultiplied color of the border.
    pub border: [f32; 4],
    /// Center and half size.
    pub frame: [f32; 4],
    /// Cosine and sine of the rotation.
    pub turn: [f32; 2],
    /// Corner radius, px.
    pub radius: f32,
    /// Width of the border, px; 0 for none.
    pub border_px: f32,
    /// Standard deviation of the outline's blur, px; 0 for none.
    pub blur_px: f32,
    /// Padding: WGSL rounds the size up to 16 bytes.
    pub pad: [f32; 3],
}

/// Twin of `GlyphParams` in shaders/glyphs.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct GlyphParams {
    /// Where it is drawn.
    pub place: Place,
    /// The paint under the coverage.
    pub paint: PaintData,
    /// Canvas px of the mask's first px.
    pub corner: [i32; 2],
    /// Whether the run has emoji.
    pub has_color: u32,
    /// Padding: WGSL rounds the size up to 16 bytes.
    pub pad: u32,
}

// ---- per frame

/// Returns the parameters of a paint.
fn paint(paint: &Paint) -> PaintData {
    match paint {
        Paint::Solid(color) => PaintData {
            axis: [0.0; 4],
            offsets: [0.0; 4],
            colors: [color.premultiplied(); 4],
        },
        Paint::Linear { from, to, stops } => PaintData {
            axis: [from[0], from[1], to[0], to[1]],
            offsets: stops.map(|s| s.0),
            colors: stops.map(|s| s.1.premultiplied()),
        },
    }
}

/// Returns the parameters of a fill; `place` is filled in later.
pub(super) fn fill(color: Color) -> FillParams {
    FillParams {
        color: color.premultiplied(),
        ..Zeroable::zeroed()
    }
}

/// Returns the parameters of a box; `place` is filled in later.
pub(super) fn shape(shape: &BoxShape) -> ShapeParams {
    let rect = shape.rect;
    let (border_px, border) = shape.border.unwrap_or((0.0, Color::default()));
    ShapeParams {
        paint: paint(&shape.paint),
        border: border.premultiplied(),
        frame: [
            rect.x + rect.width / 2.0,
            rect.y + rect.height / 2.0,
            rect.width / 2.0,
            rect.height / 2.0,
        ],
        turn: [shape.rotate.cos(), shape.rotate.sin()],
        radius: shape.radius,
        border_px,
        blur_px: outline_blur_px(shape),
        ..Zeroable::zeroed()
    }
}

/// Returns the parameters of a glyph run; `place` is filled in later.
pub(super) fn glyphs(run_paint: &Paint, mask: &Mask) -> GlyphParams {
    GlyphParams {
        paint: paint(run_paint),
        corner: [mask.area.x, mask.area.y],
        has_color: u32::from(mask.has_color),
        ..Zeroable::zeroed()
    }
}

/// Returns the part of the canvas that a box can touch.
pub(super) fn reach(shape: &BoxShape) -> Rect {
    let rect = shape.rect;
    let (sin, cos) = shape.rotate.sin_cos();
    let room = 1.0 + OUTLINE_REACH * outline_blur_px(shape);
    let half = [
        (cos * rect.width).abs() / 2.0 + (sin * rect.height).abs() / 2.0 + room,
        (sin * rect.width).abs() / 2.0 + (cos * rect.height).abs() / 2.0 + room,
    ];
    Rect {
        x: rect.x + rect.width / 2.0 - half[0],
        y: rect.y + rect.height / 2.0 - half[1],
        width: 2.0 * half[0],
        height: 2.0 * half[1],
    }
}
