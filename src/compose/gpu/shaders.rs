//! The shaders as modules: the files that make up each, and the Rust types that mirror their structs.

use std::mem::{offset_of, size_of};

use super::blur::BlurParams;
use super::params::Place;
use super::readback::YuvParams;
use super::sample::{SampleMap, SampleParams};
use super::shape::{FillParams, GlyphParams, PaintData, ShapeParams};

const PLACE: &str = include_str!("../../../shaders/place.wgsl");
const PAINT: &str = include_str!("../../../shaders/paint.wgsl");

/// A WGSL module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shader {
    /// One color.
    Fill,
    /// Rounded boxes and blurred backdrops.
    Shape,
    /// Glyph runs.
    Glyphs,
    /// Pictures and sheets.
    Sample,
    /// Blurs and mip levels.
    Blur,
    /// RGB to YUV.
    Yuv,
}

/// A Rust struct that mirrors a WGSL one.
#[derive(Clone, Debug)]
pub struct StructLayout {
    /// Its name on both sides.
    pub name: &'static str,
    /// Size in bytes.
    pub size: usize,
    /// Name and byte offset of each field that WGSL also has.
    pub fields: Vec<(&'static str, usize)>,
}

macro_rules! layout {
    ($name:ident { $($field:ident),* }) => {
        StructLayout {
            name: stringify!($name),
            size: size_of::<$name>(),
            fields: vec![$((stringify!($field), offset_of!($name, $field))),*],
        }
    };
}

impl Shader {
    /// Every module.
    pub const ALL: [Shader; 6] = [
        Shader::Fill,
        Shader::Shape,
        Shader::Glyphs,
        Shader::Sample,
        Shader::Blur,
        Shader::Yuv,
    ];

    /// Returns the whole module: its files concatenated.
    pub fn source(self) -> String {
        match self {
            Shader::Fill => [PLACE, include_str!("../../../shaders/fill.wgsl")].concat(),
            Shader::Shape => [PLACE, PAINT, include_str!("../../../shaders/shape.wgsl")].concat(),
            Shader::Glyphs => [PLACE, PAINT, include_str!("../../../shaders/glyphs.wgsl")].concat(),
            Shader::Sample => [PLACE, include_str!("../../../shaders/sample.wgsl")].concat(),
            Shader::Blur => [PLACE, include_str!("../../../shaders/blur.wgsl")].concat(),
            Shader::Yuv => include_str!("../../../shaders/yuv.wgsl").to_owned(),
        }
    }

    /// Returns the Rust counterparts of the module's structs.
    #[rustfmt::skip]
    pub fn layouts(self) -> Vec<StructLayout> {
        let place = layout!(Place { rect, origin, size, mode, opacity });
        let paint = layout!(PaintData { axis, offsets, colors });
        match self {
            Shader::Fill => vec![place, layout!(FillParams { place, color })],
            Shader::Shape => vec![
                place,
                paint,
                layout!(ShapeParams { place, paint, border, frame, turn, radius, border_px, blur_px }),
            ],
            Shader::Glyphs => vec![place, paint, layout!(GlyphParams { place, paint, corner, has_color })],
            Shader::Sample => vec![
                place,
                layout!(SampleMap { rows, region, borders, is_window, whole_px }),
                layout!(SampleParams { place, wipe, n_maps, share, edge, brightness, bilinear, maps }),
            ],
            Shader::Blur => vec![
                place,
                layout!(BlurParams { place, region, step, margin, edge, scale, radius, weights }),
            ],
            Shader::Yuv => vec![layout!(YuvParams { width, height, luma_stride, chroma_stride, u_start, v_start })],
        }
    }
}
