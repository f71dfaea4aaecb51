//! Motion blur: parts at several instants inside the shutter.

use super::{Part, Stage};
use crate::scene::draw::Homography;

/// Maximum movement of a corner between samples, as a share of the canvas's shorter side (4 px of 1080).
const STEP: f64 = 4.0 / 1080.0;

/// Maximum number of samples of a part.
const MAX_SAMPLES: f64 = 11.0;

/// A part as drawn: its appearance in the middle of the shutter, and its map at every sample.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Drawn {
    /// Everything but the map.
    pub part: Part,
    /// Maps from canvas pixels to canvas pixels, one per sample, from shutter opening to closing.
    pub maps: Vec<Homography>,
}

/// Returns the parts at progress `p` with the shutter open for `open` of the progress (half a frame: 180 degrees), back to front.
///
/// At both ends the shutter is closed, so that exactly one shot is shown unmoved.
pub(crate) fn drawn(
    poses: impl Fn(f64) -> Vec<Part>,
    (p, open): (f64, f64),
    stage: &Stage,
) -> Vec<Drawn> {
    let half = (open / 2.0).min(p).min(1.0 - p).max(0.0);
    let (first, last) = (poses(p - half), poses(p + half));
    let seen = poses(p).into_iter().enumerate();
    seen.filter(|(_, part)| part.opacity > 0.0)
        .map(|(i, part)| {
            let way = way(&first[i].map, &last[i].map, stage) + streak_px(&part, stage);
            let n = (way / (STEP * stage.w.min(stage.h)))
                .ceil()
                .clamp(1.0, MAX_SAMPLES) as usize;
            let maps = match n {
                1 => vec![part.map],
                n => (0..n)
                    .map(|k| {
                        let at = 2.0 * (k as f64 + 0.5) / n as f64 - 1.0;
                        let streak = 1.0 + part.streaks / 2.0 * at;
                        stage.turned(0.0, streak).after(poses(p + half * at)[i].map)
                    })
                    .collect(),
            };
            Drawn { part, maps }
        })
        .collect()
}

/// Returns the distance that the fastest canvas corner moves between two maps, px.
fn way(from: &Homography, to: &Homography, stage: &Stage) -> f64 {
    if from == to {
        return 0.0;
    }
    let corners = [
        (0.0, 0.0),
        (stage.w, 0.0),
        (0.0, stage.h),
        (stage.w, stage.h),
    ];
    let moved = corners.map(|(x, y)| {
        let (a, b) = (from.apply(x, y), to.apply(x, y));
        (a.0 - b.0).hypot(a.1 - b.1)
    });
    moved.into_iter().fold(0.0, f64::max)
}

fn streak_px(part: &Part, stage: &Stage) -> f64 {
    part.streaks * stage.w.hypot(stage.h) / 2.0
}
