//! Transitions: each a pure function from progress to the poses of the shot that goes (A) and the shot that comes (B).
//!
//! The contract, tested for every row: at progress 0 exactly A is seen, at 1 exactly B; nothing here knows time, frames or pictures.

use super::draw::{Edge, Homography, Wipe};
use super::easing;
use crate::units::Size;

/// How one of the two shots is drawn: its finished picture as a sheet of the canvas's size.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Side {
    /// Canvas pixels to canvas pixels.
    pub map: Homography,
    /// 0 (not drawn) to 1.
    pub opacity: f32,
    /// Factor on the color.
    pub brightness: f32,
    /// What is seen beyond the sheet.
    pub edge: Edge,
    /// The part of the canvas it may touch.
    pub wipe: Option<Wipe>,
    /// Standard deviation of a blur, px.
    pub blur_px: f32,
}

impl Side {
    /// As the shot is by itself.
    pub const REST: Side = Side {
        map: Homography::IDENTITY,
        opacity: 1.0,
        brightness: 1.0,
        edge: Edge::Clamp,
        wipe: None,
        blur_px: 0.0,
    };

    /// At rest, this opaque.
    pub const fn faded(opacity: f32) -> Side {
        Side {
            opacity,
            ..Side::REST
        }
    }
}

/// Both shots at an instant of a transition; B is drawn over A.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Poses {
    /// The shot that goes.
    pub a: Side,
    /// The shot that comes.
    pub b: Side,
}

/// A row of the table.
pub(crate) struct Row {
    /// The interface's name.
    pub name: &'static str,
    /// What is seen, in one line.
    pub description: &'static str,
    /// Its own length in milliseconds.
    pub default_ms: i64,
    /// The poses at progress 0..=1.
    pub poses: fn(f64, Size) -> Poses,
}

/// Every built-in transition.
pub(crate) const TABLE: &[Row] = &[
    Row {
        name: "none",
        description: "a hard cut",
        default_ms: 0,
        poses: cut,
    },
    Row {
        name: "fade",
        description: "one shot dissolves into the next",
        default_ms: 600,
        poses: fade,
    },
];

/// The row of that name.
pub(crate) fn row(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
}

fn cut(p: f64, _canvas: Size) -> Poses {
    let b = if p < 0.5 { 0.0 } else { 1.0 };
    Poses {
        a: Side::faded(1.0 - b),
        b: Side::faded(b),
    }
}

fn fade(p: f64, _canvas: Size) -> Poses {
    let s = easing::in_out_sine(p) as f32;
    Poses {
        a: Side::faded(if s < 1.0 { 1.0 } else { 0.0 }),
        b: Side::faded(s),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_begins_with_exactly_a_and_ends_with_exactly_b() {
        let canvas = Size::new(360, 640).expect("even");
        for row in TABLE {
            let start = (row.poses)(0.0, canvas);
            assert_eq!(
                (start.a, start.b.opacity),
                (Side::REST, 0.0),
                "{}",
                row.name
            );
            let end = (row.poses)(1.0, canvas);
            assert_eq!((end.a.opacity, end.b), (0.0, Side::REST), "{}", row.name);
        }
    }

    #[test]
    fn opaque_shots_leave_no_hole() {
        let canvas = Size::new(360, 640).expect("even");
        for row in TABLE {
            for step in 0..=100 {
                let poses = (row.poses)(f64::from(step) / 100.0, canvas);
                assert!(
                    poses.a.opacity == 1.0 || poses.b.opacity == 1.0,
                    "{} at {step} %",
                    row.name
                );
            }
        }
    }
}
