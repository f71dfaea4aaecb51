//! Which pixels of the canvas a layer may touch: left, top, right, bottom, the last two exclusive.

use crate::plan::draw::{Edge, Pose};
use crate::units::PixelRect;

/// All of them.
pub(super) const EVERYWHERE: [i32; 4] = [i32::MIN, i32::MIN, i32::MAX, i32::MAX];

/// Left, top, right, bottom of a rectangle on the grid.
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

/// The pixels that a posed source may touch.
pub(super) fn posed_reach(pose: &Pose, origin: [f64; 2], size: [u32; 2]) -> [i32; 4] {
    if pose.edge != Edge::Transparent {
        return EVERYWHERE;
    }
    let (w, h) = (f64::from(size[0]), f64::from(size[1]));
    let mut low = [f64::INFINITY; 2];
    let mut high = [f64::NEG_INFINITY; 2];
    for map in &pose.maps {
        let m = map.0;
        let mut behind = 0;
        for (x, y) in [(0.0, 0.0), (w, 0.0), (0.0, h), (w, h)] {
            let (x, y) = (x + origin[0], y + origin[1]);
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
