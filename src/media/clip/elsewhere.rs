//! Logic that all clip decoders share: when each picture is shown, upright sizes, limits.

use super::clock::Clock;
use super::mp4::orientation as matrix_orientation;
use super::reader::{pixel_aspect, shown_size};
use super::refuse;
use super::timing::schedule;
use super::track::{Look, Orientation, Sample};
use super::{ClipFacts, ClipLimits};
use crate::media::refusal::Refusal;
use crate::units::Time;

/// Presentation time of a coded picture, in units of its clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp {
    pub(crate) pts: i64,
    /// 0 if unknown.
    pub(crate) duration: i64,
}

/// Returns the start of each shown picture with its index in `stamps` (in decoding order), and the end of the last. The clock's unit is `num/den` s.
pub(crate) fn shown_when(
    stamps: &[Stamp],
    (num, den): (u32, u32),
    limits: &ClipLimits,
) -> Result<(Vec<(Time, u32)>, Time), Refusal> {
    let sample = |stamp: &Stamp| Sample {
        offset: 0,
        n_bytes: 1,
        is_sync: false,
        pts: stamp.pts,
        duration: stamp.duration,
    };
    let samples: Vec<Sample> = stamps.iter().map(sample).collect();
    let clock = Clock::of_unit(num, den)?;
    let plan = schedule(&samples, 0, (clock, &[]), limits)?;
    let shown = plan.shown.iter();
    let shown = shown.map(|shown| (shown.start, shown.sample)).collect();
    Ok((shown, plan.duration))
}

/// Returns `(width, height)` with square pixels, upright, and the pixel aspect ratio in lowest terms.
pub(crate) fn square_size(
    stored: (u32, u32),
    told: (u32, u32),
    quarter_turns: u8,
) -> (u32, u32, (u32, u32)) {
    let aspect = pixel_aspect(Some(told));
    let look = Look {
        orientation: Orientation {
            quarter_turns,
            is_mirrored: false,
        },
        ..Look::default()
    };
    let (width, height) = shown_size(stored, aspect, &look);
    (width, height, aspect)
}

/// Returns quarter turns clockwise and whether it is mirrored first, from the four numbers `a b c d` of a display matrix.
pub(crate) fn orientation(matrix: [i32; 4]) -> (u8, bool) {
    let orientation = matrix_orientation(matrix);
    (orientation.quarter_turns, orientation.is_mirrored)
}

impl ClipFacts {
    /// Returns a time safely inside frame `index`, or inside the last frame.
    pub(crate) fn inside(&self, index: usize) -> Time {
        let index = index.min(self.starts.len().saturating_sub(1));
        let start = self.starts.get(index).copied().unwrap_or(Time::ZERO);
        let end = self.starts.get(index + 1).unwrap_or(&self.duration);
        Time(start.0 + (end.0 - start.0) / 4)
    }
}

/// Returns an error for sizes beyond the limits.
pub(crate) fn check_size(width: u32, height: u32, limits: &ClipLimits) -> Result<(), Refusal> {
    refuse::check_size(width, height, limits)
}
