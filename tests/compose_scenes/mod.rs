//! Small draw lists, one or more per primitive and option, drawn by the tests of both back ends.
// Each test and bench uses a part of it.
#![allow(dead_code, unused_imports)]

pub mod pictures;
mod scenes;

pub use scenes::scenes;

use std::sync::Arc;

use kinora::compose::Pictures;
use kinora::scene::draw::Blend;
use kinora::scene::draw::*;
use kinora::units::{Color, PixelRect, Rect, Size};

/// A draw list with the pictures it names.
pub struct Scene {
    pub name: &'static str,
    pub size: Size,
    pub list: DrawList,
    pub pictures: Pictures,
    /// Masks of glyphs come from the text room.
    pub has_glyphs: bool,
}

pub const NOISE: PictureId = PictureId(0);
pub const BARS: PictureId = PictureId(1);
pub const ZONE: PictureId = PictureId(2);
pub const ALPHA: PictureId = PictureId(3);

/// `#rrggbb` or `#rrggbbaa`.
pub fn color(text: &str) -> Color {
    Color::parse(text).unwrap()
}

pub fn layer(id: u32, content: Content) -> Layer {
    Layer {
        id: LayerId(id),
        known: Known::New,
        opacity: 1.0,
        blend: Blend::Normal,
        content,
    }
}

pub fn faded(opacity: f32, layer: Layer) -> Layer {
    Layer { opacity, ..layer }
}

pub fn list(layers: Vec<Layer>) -> DrawList {
    DrawList {
        frame: 0,
        background: color("#102030"),
        layers,
    }
}

/// A picture under one map.
pub fn picture(id: PictureId, map: Homography) -> Layer {
    layer(id.0, Content::Picture(id, Pose::at(map)))
}

/// A turn about a point.
pub fn turn_about(x: f64, y: f64, radians: f64) -> Homography {
    Homography::shift(x, y)
        .after(Homography::turn(radians))
        .after(Homography::shift(-x, -y))
}

pub fn rounded(rect: [f32; 4], radius: f32, fill: Color) -> BoxShape {
    let [x, y, width, height] = rect;
    BoxShape {
        rect: Rect {
            x,
            y,
            width,
            height,
        },
        radius,
        rotate: 0.0,
        paint: Paint::Solid(fill),
        border: None,
        blur_px: 0.0,
    }
}

pub fn gradient(from: [f32; 2], to: [f32; 2]) -> Paint {
    Paint::Linear {
        from,
        to,
        stops: [
            (0.0, color("#ff3020")),
            (0.4, color("#ffe04080")),
            (1.0, color("#2040ff")),
            (1.0, color("#2040ff")),
        ],
    }
}

/// A row of glyphs of the first bundled font; ids 36 on are letters.
pub fn glyph_run(x: f32, y: f32, size_px: f32, paint: Paint) -> GlyphRun {
    let glyphs: Arc<[Glyph]> = (0..5u16)
        .map(|i| Glyph {
            font: 0,
            id: 36 + i,
            size_px,
            x: x + f32::from(i) * size_px * 0.8,
            y,
        })
        .collect();
    GlyphRun {
        range: 0..glyphs.len(),
        glyphs,
        spread_px: 0.0,
        blur_px: 0.0,
        offset: [0.0; 2],
        paint,
    }
}

/// A caption page: a translucent pill, an outline and a fill.
pub fn caption_group(bounds: PixelRect, pose: Pose) -> Content {
    let (x, y) = (bounds.x as f32, bounds.y as f32);
    let (w, h) = (bounds.width as f32, bounds.height as f32);
    let pill = rounded(
        [x + 6.0, y + 8.0, w - 12.0, h - 16.0],
        14.0,
        color("#000000a0"),
    );
    let mark = rounded(
        [x + 20.5, y + 20.25, w * 0.4, h - 41.0],
        5.0,
        color("#ffd020"),
    );
    let fill = glyph_run(x + 20.0, y + h * 0.65, h * 0.4, Paint::Solid(Color::WHITE));
    let outline = GlyphRun {
        spread_px: 2.0,
        paint: Paint::Solid(Color::BLACK),
        ..fill.clone()
    };
    Content::Group(Group {
        content: Some(7),
        bounds,
        pose,
        layers: vec![
            layer(50, Content::Box(pill)),
            layer(51, Content::Box(mark)),
            layer(52, Content::Glyphs(outline)),
            layer(53, Content::Glyphs(fill)),
        ],
    })
}
