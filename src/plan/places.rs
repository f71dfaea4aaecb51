//! Movement of an overlay around its position: keyframes resolved to pixels, and the map at any instant.

use super::easing::Curve;
use super::report::Report;
use crate::error::Problem;
use crate::scene::draw::Homography;
use crate::timeline::PlaceKey;
use crate::units::{Size, Time};

/// Maximum number of keyframes of a layer.
const MAX_KEYS: usize = 1000;
/// Smallest scale between keyframes.
const LEAST_SCALE: f64 = 0.001;

/// The path of an overlay.
#[derive(Clone, Debug)]
pub(crate) struct Way(Vec<Key>);

#[derive(Clone, Copy, Debug)]
struct Key {
    /// Time since the layer's start.
    at: Time,
    spot: Spot,
    curve: Curve,
}

/// Shift in px, scale, and rotation in radians.
#[derive(Clone, Copy, Debug)]
struct Spot {
    x: f64,
    y: f64,
    scale: f64,
    rotate: f64,
}

impl Spot {
    fn toward(self, to: Spot, p: f64) -> Spot {
        let mix = |a: f64, b: f64| a + (b - a) * p;
        Spot {
            x: mix(self.x, to.x),
            y: mix(self.y, to.y),
            // Curves that overshoot must not turn a small picture inside out.
            scale: mix(self.scale, to.scale).max(LEAST_SCALE),
            rotate: mix(self.rotate, to.rotate),
        }
    }
}

impl Way {
    /// Checks and resolves keyframes; returns `None` if there are none.
    pub fn resolve(keys: &[PlaceKey], path: &str, size: Size, report: &mut Report) -> Option<Way> {
        report.at_most(path, "keys", keys.len(), MAX_KEYS);
        let path = format!("{path}.keys");
        let mut way: Vec<Key> = Vec::new();
        for (i, key) in keys.iter().take(MAX_KEYS).enumerate() {
            let path = format!("{path}[{i}]");
            let at = report.time(&format!("{path}.at"), key.at, 0.0..=3600.0);
            if way.last().is_some_and(|last| at < last.at) {
                let message = "the keyframes are not in order of time";
                report.problem(Problem::new("out_of_order", format!("{path}.at"), message));
            }
            let mut number = |field: &str, value, range| {
                report.number(&format!("{path}.{field}"), value, range, "")
            };
            let spot = Spot {
                x: number("x", key.x, -4.0..=4.0) * f64::from(size.width),
                y: number("y", key.y, -4.0..=4.0) * f64::from(size.height),
                scale: number("scale", key.scale, 0.05..=8.0),
                rotate: number("rotate", key.rotate, -3600.0..=3600.0).to_radians(),
            };
            let curve = report.curve(&path, &key.ease);
            way.push(Key { at, spot, curve });
        }
        (!way.is_empty()).then_some(Way(way))
    }

    /// Returns the largest scale on the path.
    pub fn largest(&self) -> f64 {
        self.0.iter().map(|key| key.spot.scale).fold(1.0, f64::max)
    }

    /// Returns the map of canvas pixels at `t` after the layer's start; scaling and rotation are about `center`.
    pub fn map(&self, t: Time, center: (f64, f64)) -> Homography {
        let next = self.0.partition_point(|key| key.at <= t);
        let spot = match (next.checked_sub(1).map(|i| &self.0[i]), self.0.get(next)) {
            (Some(from), Some(to)) => {
                let p = t.progress_in(from.at, to.at);
                from.spot.toward(to.spot, (from.curve)(p))
            }
            (Some(key), None) | (None, Some(key)) => key.spot,
            (None, None) => return Homography::IDENTITY,
        };
        Homography::shift(center.0 + spot.x, center.1 + spot.y)
            .after(Homography::turn(spot.rotate))
            .after(Homography::scale_shift(spot.scale, spot.scale, 0.0, 0.0))
            .after(Homography::shift(-center.0, -center.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(keys: &[(f64, f64, f64)]) -> Way {
        let keys: Vec<PlaceKey> = keys
            .iter()
            .map(|&(at, x, scale)| PlaceKey {
                at,
                x,
                scale,
                ..PlaceKey::default()
            })
            .collect();
        let mut report = Report::default();
        let size = Size {
            width: 100,
            height: 200,
        };
        let way = Way::resolve(&keys, "layers[0].draw.picture", size, &mut report);
        assert!(report.problems.is_empty(), "{:?}", report.problems);
        way.expect("there are keys")
    }

    /// Returns the x coordinate to which the point (60, 50) moves, with scaling about (50, 50).
    fn x_at(way: &Way, secs: f64) -> f64 {
        let Homography(m) = way.map(Time::from_secs(secs).expect("a usual time"), (50.0, 50.0));
        assert_eq!(m[3] * 60.0 + m[4] * 50.0 + m[5], 50.0);
        m[0] * 60.0 + m[1] * 50.0 + m[2]
    }

    #[test]
    fn it_eases_rests_and_jumps() {
        let way = way(&[
            (1.0, 0.0, 1.0),
            (2.0, 0.5, 2.0),
            (2.0, 0.0, 1.0),
            (3.0, 0.1, 1.0),
        ]);
        assert_eq!(x_at(&way, 0.0), 60.0);
        assert_eq!(x_at(&way, 1.5), 25.0 + 50.0 + 15.0);
        assert_eq!(x_at(&way, 2.0), 60.0);
        assert!((x_at(&way, 2.5) - 65.0).abs() < 1e-9);
        assert_eq!(x_at(&way, 99.0), 70.0);
        assert_eq!(way.largest(), 2.0);
    }
}
