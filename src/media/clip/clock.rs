//! The clock of a track, and the steady rate that coarse timestamps may represent.

use super::refuse::damaged;
use crate::media::refusal::Refusal;
use crate::units::TICKS_PER_SECOND;

/// Common frame rates that coarse clocks are assumed to approximate, as fractions.
const USUAL_RATES: [(i64, i64); 20] = [
    (24, 1),
    (25, 1),
    (30, 1),
    (50, 1),
    (60, 1),
    (24_000, 1001),
    (30_000, 1001),
    (60_000, 1001),
    (48, 1),
    (48_000, 1001),
    (120, 1),
    (120_000, 1001),
    (100, 1),
    (90, 1),
    (5, 1),
    (10, 1),
    (12, 1),
    (15, 1),
    (20, 1),
    (1, 1),
];

/// The clock of a track: units of `num/den` ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    num: i64,
    den: i64,
}

impl Clock {
    /// Creates a clock with this many units per second.
    pub(super) fn per_second(units: u32) -> Result<Clock, Refusal> {
        if units == 0 {
            return Err(damaged("its timescale is 0 units per second"));
        }
        Ok(Clock {
            num: TICKS_PER_SECOND,
            den: i64::from(units),
        })
    }

    /// Creates a clock with units of `num/den` seconds.
    pub(super) fn of_unit(num: u32, den: u32) -> Result<Clock, Refusal> {
        if num == 0 || den == 0 {
            return Err(damaged(format_args!("its time unit is {num}/{den} s")));
        }
        Ok(Clock {
            num: TICKS_PER_SECOND * i64::from(num),
            den: i64::from(den),
        })
    }

    /// Creates a clock with units of this many nanoseconds.
    pub(super) fn nanoseconds(unit: u64) -> Result<Clock, Refusal> {
        let unit = i64::try_from(unit)
            .ok()
            .filter(|n| (1..=1_000_000_000).contains(n))
            .ok_or_else(|| damaged(format_args!("its time unit is {unit} ns")))?;
        Ok(Clock {
            num: unit * (TICKS_PER_SECOND / 100_000),
            den: 1_000_000_000 / 100_000,
        })
    }

    /// Converts to the nearest tick; saturates far beyond any limit.
    pub(super) fn ticks(self, units: i64) -> i64 {
        let ticks = i128::from(units) * i128::from(self.num);
        let rounded = (ticks + i128::from(self.den / 2)).div_euclid(i128::from(self.den));
        rounded.clamp(-(1 << 60), 1 << 60) as i64
    }
}

/// Start times of frames at a steady rate; some frames may be missing.
///
/// Clocks are often too coarse for exact times. WebM counts milliseconds: frame 2 of 30 fps is stamped 67 and, taken literally, shown a third of a
/// millisecond late, which at the same output rate would show frame 1 twice.
pub(super) struct Grid {
    num: i64,
    den: i64,
}

impl Grid {
    /// Returns the common rate closest to all `starts` (ticks from the first), each within `unit`; `None` if there is none.
    pub(super) fn of(starts: &[i64], unit: i64) -> Option<Grid> {
        const FEWEST: usize = 3;
        if starts.len() < FEWEST {
            return None;
        }
        let furthest = |grid: &Grid| -> Option<i64> {
            // A clock that hardly separates frames is no evidence for a rate.
            if unit * 4 > grid.at(1) {
                return None;
            }
            starts.iter().try_fold(0, |furthest, start| {
                let off = (start - grid.snap(*start)).abs();
                (off <= unit).then_some(off.max(furthest))
            })
        };
        USUAL_RATES
            .into_iter()
            .map(|(num, den)| Grid { num, den })
            .filter_map(|grid| Some((furthest(&grid)?, grid)))
            .min_by_key(|(furthest, _)| *furthest)
            .map(|(_, grid)| grid)
    }

    /// Returns the start of frame `i` in ticks.
    fn at(&self, i: i128) -> i64 {
        let ticks = i * i128::from(self.den) * i128::from(TICKS_PER_SECOND);
        ((ticks + i128::from(self.num / 2)) / i128::from(self.num)) as i64
    }

    /// Returns the nearest start.
    pub(super) fn snap(&self, ticks: i64) -> i64 {
        let frame = i128::from(self.den) * i128::from(TICKS_PER_SECOND);
        let i = (i128::from(ticks) * i128::from(self.num) * 2 + frame).div_euclid(frame * 2);
        self.at(i)
    }
}
