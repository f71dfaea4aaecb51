//! Laid-out text as layers: panel, shadows, strokes, then fills, as one group.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use super::super::draw::{
    BoxShape, Content, Glyph, GlyphRun, Group, Homography, Known, Layer, LayerId, Paint, Pose,
};
use super::look::Look;
use crate::text::TextBlock;
use crate::timeline::Blend;
use crate::units::{Color, PixelRect, Rect};

/// A sheet reaches at most this far outside the largest canvas, px (what the rasterizer draws).
const FIELD: [f32; 2] = [-256.0, 3840.0 + 256.0];

/// Room for anti-aliasing and for the tails of blurs.
const ROOM_PX: f32 = 3.0;

/// Glyphs on the canvas with all that is drawn around them. Shaped once: its glyph array is shared by every run of every frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sheet {
    pub(super) glyphs: Arc<[Glyph]>,
    pub(super) bounds: PixelRect,
    panel: Option<BoxShape>,
}

impl Sheet {
    /// A block with its center at `center`. `None` when nothing of it can be seen.
    pub(super) fn new(block: &TextBlock, center: [f32; 2], look: &Look) -> Option<Sheet> {
        if block.glyphs.is_empty() {
            return None;
        }
        let moved = |rect: Rect| Rect {
            x: rect.x + center[0],
            y: rect.y + center[1],
            ..rect
        };
        let glyphs = block.glyphs.iter().map(|glyph| Glyph {
            x: glyph.x + center[0],
            y: glyph.y + center[1],
            ..*glyph
        });
        let panel = look.panel.map(|panel| {
            let frame = moved(block.frame());
            let [px, py] = panel.padding;
            let rect = Rect {
                x: frame.x - px,
                y: frame.y - py,
                width: frame.width + 2.0 * px,
                height: frame.height + 2.0 * py,
            };
            BoxShape {
                rect,
                radius: panel.radius.min(rect.width / 2.0).min(rect.height / 2.0),
                rotate: 0.0,
                paint: Paint::Solid(panel.color),
                border: None,
            }
        });
        let mut area = Area::around(moved(block.ink), ROOM_PX);
        let spread = look.stroke.map_or(0.0, |(spread, _)| spread);
        for shadow in &look.shadows {
            let reach = spread + 3.0 * shadow.sigma + ROOM_PX;
            area.join(Area::around(moved(block.ink), reach).shifted(shadow.offset));
        }
        area.join(Area::around(moved(block.ink), spread + ROOM_PX));
        if let Some(panel) = &panel {
            area.join(Area::around(panel.rect, ROOM_PX));
        }
        Some(Sheet {
            glyphs: glyphs.collect(),
            bounds: area.pixels()?,
            panel,
        })
    }

    /// The sheet as a group: all shadows, then all strokes, then fills, so that no neighbor's stroke lies on a letter.
    /// `fills` are ranges of glyphs and their colors.
    pub(super) fn group(&self, look: &Look, fills: &[(Range<usize>, Color)], key: u64) -> Group {
        let all = 0..self.glyphs.len();
        let spread = look.stroke.map_or(0.0, |(spread, _)| spread);
        let mut contents: Vec<Content> = self.panel.map(Content::Box).into_iter().collect();
        contents.extend(look.shadows.iter().map(|shadow| {
            Content::Glyphs(GlyphRun {
                blur_px: shadow.sigma,
                offset: shadow.offset,
                ..self.run(all.clone(), spread, shadow.color)
            })
        }));
        contents.extend(
            look.stroke
                .map(|(spread, color)| Content::Glyphs(self.run(all.clone(), spread, color))),
        );
        let fills = fills.iter().filter(|(range, _)| !range.is_empty());
        contents.extend(
            fills.map(|(range, color)| Content::Glyphs(self.run(range.clone(), 0.0, *color))),
        );
        let layers = contents.into_iter().zip(0..).map(|(content, i)| Layer {
            id: LayerId(i),
            known: Known::New,
            opacity: 1.0,
            blend: Blend::Normal,
            content,
        });
        Group {
            content: Some(key),
            bounds: self.bounds,
            pose: Pose::at(Homography::IDENTITY),
            layers: layers.collect(),
        }
    }

    fn run(&self, range: Range<usize>, spread_px: f32, color: Color) -> GlyphRun {
        GlyphRun {
            glyphs: self.glyphs.clone(),
            range,
            spread_px,
            blur_px: 0.0,
            offset: [0.0; 2],
            paint: Paint::Solid(color),
        }
    }

    /// A number that two sheets share only when they look alike (their place included).
    pub(super) fn look_key(&self, look: &Look) -> u64 {
        let mut hasher = DefaultHasher::new();
        format!("{look:?}").hash(&mut hasher);
        for glyph in self.glyphs.iter() {
            let numbers = [glyph.size_px, glyph.x, glyph.y].map(f32::to_bits);
            (glyph.font, glyph.id, numbers).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// A rectangle by its edges.
#[derive(Clone, Copy)]
struct Area {
    min: [f32; 2],
    max: [f32; 2],
}

impl Area {
    fn around(rect: Rect, room: f32) -> Area {
        Area {
            min: [rect.x - room, rect.y - room],
            max: [rect.x + rect.width + room, rect.y + rect.height + room],
        }
    }

    fn shifted(self, [dx, dy]: [f32; 2]) -> Area {
        Area {
            min: [self.min[0] + dx, self.min[1] + dy],
            max: [self.max[0] + dx, self.max[1] + dy],
        }
    }

    fn join(&mut self, other: Area) {
        self.min = [self.min[0].min(other.min[0]), self.min[1].min(other.min[1])];
        self.max = [self.max[0].max(other.max[0]), self.max[1].max(other.max[1])];
    }

    /// The whole pixels it touches inside the field; `None` when there are none.
    fn pixels(&self) -> Option<PixelRect> {
        let clamped = |v: f32| v.clamp(FIELD[0], FIELD[1]);
        let [x, y] = self.min.map(|v| clamped(v).floor() as i32);
        let [right, bottom] = self.max.map(|v| clamped(v).ceil() as i32);
        (right > x && bottom > y).then(|| PixelRect {
            x,
            y,
            width: (right - x) as u32,
            height: (bottom - y) as u32,
        })
    }
}
