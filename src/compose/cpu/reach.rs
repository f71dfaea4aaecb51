//! Which pixels of the canvas a layer may touch: left, top, right, bottom, the last two exclusive.

use crate::scene::draw::{Edge, Pose};
use crate::units::PixelRect;

/// The whole plane.
pub(super) const EVERYWHERE: [i32; 4] = [i32::MIN, i32::MIN, i32::MAX, i32::MAX];

/// Returns left, top, right, bottom of a rectangle on the grid.
pub(super) fn corners(rect: PixelRect) -> [i32; 4] {
    let end = |start: i32, length: u32| {
        (i64::from(start) + i64::from(length)).min(i64::from(i32::MAX)) as i32
    };
    [
        rect.x,
        rect.y,
        end(rect.x, rect.width),
        end(rect.y, rect.height),
    ]
}

/// Returns the pixels that a source may touch under a pose. `borders`: its left, top, right and bottom in the space the pose maps from.
pub(super) fn posed_reach(pose: &Pose, borders: [f64; 4]) -> [i32; 4] {
    if pose.edge != Edge::Transparent {
        return EVERYWHERE;
    }
    let [left, top, right, bottom] = borders;
    let mut low = [f64::INFINITY; 2];
    let mut high = [f64::NEG_INFINITY; 2];
    for map in &pose.maps {
        let m = map.0;
        let mut behind = 0;
        for (x, y) in [(left, top), (right, top), (left, bottom), (right, bottom)] {
            let to = map.apply(x, y);
            behind += usize::from(m[6] * x + m[7] * y + m[8] <= 0.0);
            for (i, v) in [to.0, to.1].into_iter().enumerate() {
                low[i] = low[i].min(v);
                high[i] = high[i].max(v);
            }
        }
        // A source that crosses the horizon is not the hull of its corners.
        if behind % 4 != 0 {
            return EVERYWHERE;
        }
    }
    [
        (low[0] - 1.0).floor() as i32,
        (low[1] - 1.0).floor() as i32,
        (high[0] + 1.0).ceil() as i32,
        (high[1] + 1.0).ceil() as i32,
    ]
}

/// Returns the intersection of two areas, or `None` if it is empty.
pub(super) fn common(a: [i32; 4], b: [i32; 4]) -> Option<[i32; 4]> {
    let out = [
        a[0].max(b[0]),
        a[1].max(b[1]),
        a[2].min(b[2]),
        a[3].min(b[3]),
    ];
    (out[0] < out[2] && out[1] < out[3]).then_some(out)
}
