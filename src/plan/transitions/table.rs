//! The built-in transitions as rows.

use super::super::seed::Seed;
use super::{Part, Source, Stage, poses};
use crate::units::Time;

/// A row of the table.
pub(crate) struct Row {
    /// Its name in the interface.
    pub name: &'static str,
    /// One-line description of what is seen.
    pub description: &'static str,
    /// Default length in milliseconds.
    pub default_ms: i64,
    /// How it is drawn.
    pub how: How,
    /// The shot whose blurred copy is drawn behind it, if parts of the canvas would be bare.
    pub backdrop: Option<Source>,
    /// Whether `Random` may draw it. Rows without movement and `Random` itself are excluded.
    moves: bool,
}

/// How a row is drawn.
#[derive(Clone, Copy)]
pub(crate) enum How {
    /// Returns the parts at progress 0..=1, back to front; their number is constant.
    Poses(fn(f64, &Stage) -> Vec<Part>),
    /// The same with left and right exchanged.
    Mirrored(fn(f64, &Stage) -> Vec<Part>),
    /// Another row, drawn for each cut.
    Random,
}

impl How {
    /// Returns the parts at progress `p`; empty for `Random`, which is resolved to another row first.
    pub fn parts(self, p: f64, stage: &Stage) -> Vec<Part> {
        match self {
            How::Poses(poses) => poses(p, stage),
            How::Mirrored(poses) => poses(p, stage)
                .into_iter()
                .map(|part| part.mirrored(stage))
                .collect(),
            How::Random => Vec::new(),
        }
    }
}

impl Row {
    /// Returns its default length.
    pub fn length(&self) -> Time {
        Time::from_millis(self.default_ms)
    }
}

use How::{Mirrored, Poses, Random};

const fn new(name: &'static str, default_ms: i64, how: How, description: &'static str) -> Row {
    Row {
        name,
        description,
        default_ms,
        how,
        backdrop: None,
        moves: true,
    }
}

const fn still(row: Row) -> Row {
    Row {
        moves: false,
        ..row
    }
}

const fn over(backdrop: Source, row: Row) -> Row {
    Row {
        backdrop: Some(backdrop),
        ..row
    }
}

/// Every built-in transition.
#[rustfmt::skip]
pub(crate) const TABLE: &[Row] = &[
    still(new("none", 0, Poses(poses::cut), "a hard cut")),
    still(new("fade", 600, Poses(poses::fade), "one shot dissolves into the next")),
    new("slide", 500, Poses(poses::slide), "the next shot pushes this one out to the left"),
    still(new("wipe", 500, Poses(poses::wipe), "a soft edge uncovers the next shot from left to right")),
    over(Source::A, new("flip", 600, Poses(poses::flip), "a card turns over, the next shot on its back")),
    new("zoom-in", 500, Poses(poses::zoom_in), "flying into the picture and out into the next"),
    new("zoom-out", 500, Poses(poses::zoom_out), "backing away until the next shot closes around"),
    new("sway-in", 600, Poses(poses::sway_in), "the next shot sways into place"),
    new("SpinClockwise", 500, Poses(poses::spin), "both shots whirl a half turn clockwise"),
    new("SpinCounterClockwise", 500, Mirrored(poses::spin), "both shots whirl a half turn counter-clockwise"),
    new("SpinBoomerang", 600, Poses(poses::spin_boomerang), "whirls out, and back in with the next shot"),
    over(Source::B, new("PendulumLeft", 700, Poses(poses::pendulum), "swings off to the left, the next shot swings in and settles")),
    over(Source::B, new("PendulumRight", 700, Mirrored(poses::pendulum), "swings off to the right, the next shot swings in and settles")),
    over(Source::B, new("TrainLeft", 700, Poses(poses::train), "pictures rush by to the left like carriages")),
    over(Source::B, new("TrainRight", 700, Mirrored(poses::train), "pictures rush by to the right like carriages")),
    new("FallLeft", 500, Poses(poses::fall_left), "the shot falls off to the lower left"),
    new("FallRight", 500, Mirrored(poses::fall_left), "the shot falls off to the lower right"),
    new("FallDown", 500, Poses(poses::fall_down), "the shot drops out of the frame"),
    new("RiseUp", 500, Poses(poses::rise_up), "the next shot rises from below"),
    new("RiseLeft", 500, Poses(poses::rise_left), "the next shot rises from the lower right"),
    new("RiseRight", 500, Mirrored(poses::rise_left), "the next shot rises from the lower left"),
    new("RiseDown", 500, Poses(poses::rise_down), "the next shot comes down from the top"),
    still(new("Random", 500, Random, "a different moving transition at every cut, chosen by the seed")),
];

/// Returns the row of that name.
pub(crate) fn row(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
}

/// Draws the row that `Random` uses at this cut; never the one used before.
pub(crate) fn random(seed: u64, cut: usize, before: Option<&str>) -> &'static Row {
    let moving = TABLE.iter().filter(|row| row.moves);
    let others: Vec<_> = moving.filter(|row| Some(row.name) != before).collect();
    let drawn = Seed::new(seed, "transition", cut as u64).below(others.len() as u64);
    others[drawn as usize]
}
