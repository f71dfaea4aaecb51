//! Rectangles stored by their edges: the areas touched by letters, shadows and boxes.

use crate::scene::draw::Homography;
use crate::units::{PixelRect, Rect};

/// A sheet extends at most this far outside the largest canvas, in px (the rasterizer's range).
const FIELD: [f32; 2] = [-256.0, 3840.0 + 256.0];

/// Returns the bounding box of all non-empty boxes.
pub(super) fn united(rects: impl IntoIterator<Item = Rect>) -> Rect {
    let seen = rects
        .into_iter()
        .filter(|r| r.width > 0.0 && r.height > 0.0);
    let area = seen.map(|r| Area::around(r, 0.0)).reduce(|mut all, area| {
        all.join(area);
        all
    });
    area.map_or(Rect::default(), |area| Rect {
        x: area.min[0],
        y: area.min[1],
        width: area.max[0] - area.min[0],
        height: area.max[1] - area.min[1],
    })
}

/// A rectangle stored by its edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    min: [f32; 2],
    max: [f32; 2],
}

impl Area {
    pub(super) fn around(rect: Rect, room: f32) -> Area {
        Area {
            min: [rect.x - room, rect.y - room],
            max: [rect.x + rect.width + room, rect.y + rect.height + room],
        }
    }

    pub(super) fn shifted(self, [dx, dy]: [f32; 2]) -> Area {
        Area {
            min: [self.min[0] + dx, self.min[1] + dy],
            max: [self.max[0] + dx, self.max[1] + dy],
        }
    }

    pub(super) fn join(&mut self, other: Area) {
        self.min = [self.min[0].min(other.min[0]), self.min[1].min(other.min[1])];
        self.max = [self.max[0].max(other.max[0]), self.max[1].max(other.max[1])];
    }

    /// Returns the whole pixels it touches inside the field, or `None` if there are none.
    pub(super) fn pixels(&self) -> Option<PixelRect> {
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

    /// Returns the pixels touched by a pixel rectangle under a map.
    pub(super) fn mapped(rect: PixelRect, map: Homography) -> Option<PixelRect> {
        let (x, y) = (f64::from(rect.x), f64::from(rect.y));
        let (right, bottom) = (x + f64::from(rect.width), y + f64::from(rect.height));
        let corners = [(x, y), (right, y), (x, bottom), (right, bottom)];
        let points = corners.map(|(x, y)| map.apply(x, y));
        let areas = points.map(|(x, y)| {
            let point = [x as f32, y as f32];
            Area {
                min: point.map(|v| v - 1.0),
                max: point.map(|v| v + 1.0),
            }
        });
        let all = areas.into_iter().reduce(|mut all, area| {
            all.join(area);
            all
        });
        all.and_then(|area| area.pixels())
    }
}
