//! Computes which frame is shown when, in ticks, from timestamps and edit lists.

use super::ClipLimits;
use super::clock::{Clock, Grid};
use super::refuse::{damaged, too_large};
use super::track::Sample;
use crate::media::refusal::Refusal;
use crate::units::{TICKS_PER_SECOND, Time};

/// Maximum number of pictures that wait for their turn: the 16 that H.264 can hold back (A.3.1).
pub(super) const MAX_REORDERED: usize = 16;

/// Maximum ticks by which a picture may begin after its sound and still be moved to the start: frames stay aligned to their rate, at the price of an
/// unnoticeable offset to the sound.
const BARELY_LATE: i64 = TICKS_PER_SECOND / 40;

/// One entry of an edit list (ISO/IEC 14496-12, 8.6.6).
#[derive(Clone, Copy, Debug)]
pub(super) struct Edit {
    /// First shown time, in units of the track's clock; `None` for an empty edit, which shows nothing new.
    pub(super) start: Option<i64>,
    /// Length in ticks; `None` means to the end.
    pub(super) length: Option<i64>,
    /// Ticks in one unit of the movie's clock, to which `length` was rounded.
    pub(super) unit: i64,
}

/// A frame on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) start: Time,
    /// Index of its sample, in decoding order.
    pub(super) sample: u32,
}

/// The shown frames and their times.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    /// The starts ascend; the first is 0.
    pub(super) shown: Vec<Shown>,
    pub(super) duration: Time,
}

/// A sample with its interval in ticks.
struct Span {
    sample: u32,
    start: i64,
    end: i64,
}

/// Sorts samples by presentation time, applies the edits, and checks that few pictures wait at a time.
///
/// The first `first` samples are left out. Empty samples show nothing new.
pub(super) fn schedule(
    samples: &[Sample],
    first: usize,
    (clock, edits): (Clock, &[Edit]),
    limits: &ClipLimits,
) -> Result<Schedule, Refusal> {
    let mut order: Vec<u32> = (first..samples.len())
        .filter(|&i| samples[i].n_bytes > 0)
        .map(|i| i as u32)
        .collect();
    order.sort_by_key(|&i| samples[i as usize].pts);
    check_reordering(&order, samples.len())?;
    let spans = spans(samples, &order, clock);
    let Some(last) = spans.last() else {
        return Err(damaged("it contains no frames"));
    };
    let length = last.end - spans[0].start;
    if length > limits.duration.0 {
        return Err(too_long(length, limits));
    }
    let first_pts = samples[order[0] as usize].pts;
    let schedule = edited(&spans, first_pts, (clock, edits), limits)?;
    if schedule.duration > limits.duration {
        return Err(too_long(schedule.duration.0, limits));
    }
    Ok(schedule)
}

fn too_long(ticks: i64, limits: &ClipLimits) -> Refusal {
    too_large(format!(
        "lasts {}; at most {} is allowed",
        Time(ticks),
        limits.duration
    ))
}

/// Checks, in decoding order, how many pictures wait for an earlier one.
fn check_reordering(order: &[u32], n_samples: usize) -> Result<(), Refusal> {
    let mut rank = vec![u32::MAX; n_samples];
    for (r, &sample) in order.iter().enumerate() {
        rank[sample as usize] = r as u32;
    }
    let mut is_decoded = vec![false; order.len()];
    let (mut n_decoded, mut n_out) = (0, 0);
    for &r in rank.iter().filter(|r| **r != u32::MAX) {
        is_decoded[r as usize] = true;
        n_decoded += 1;
        while n_out < order.len() && is_decoded[n_out] {
            n_out += 1;
        }
        if n_decoded - n_out > MAX_REORDERED {
            return Err(damaged(format_args!(
                "more than {MAX_REORDERED} of its pictures would have to wait to be shown in order"
            )));
        }
    }
    Ok(())
}

/// Returns the interval of each sample, in order; of several at the same time only the last one has an interval.
fn spans(samples: &[Sample], order: &[u32], clock: Clock) -> Vec<Span> {
    let Some(&first) = order.first() else {
        return Vec::new();
    };
    let n = order.len();
    let sample = |i: usize| &samples[order[i] as usize];
    let origin = clock.ticks(samples[first as usize].pts);
    let mut starts: Vec<i64> = (0..n)
        .map(|i| clock.ticks(sample(i).pts) - origin)
        .collect();
    let grid = Grid::of(&starts, clock.ticks(1));
    if let Some(grid) = &grid {
        starts
            .iter_mut()
            .for_each(|start| *start = grid.snap(*start));
    }
    let own = clock.ticks(sample(n - 1).duration);
    let before = (n > 1).then(|| starts[n - 1] - starts[n - 2]);
    let last = match (own, &grid) {
        (1.., Some(grid)) => grid.snap(own),
        (1.., None) => own,
        _ => before.unwrap_or(0),
    };
    let last = if last > 0 {
        last
    } else {
        TICKS_PER_SECOND / 25
    };
    (0..n)
        .map(|i| Span {
            sample: order[i],
            start: origin + starts[i],
            end: origin + starts.get(i + 1).map_or(starts[i] + last, |next| *next),
        })
        .filter(|span| span.start < span.end)
        .collect()
}

fn edited(
    spans: &[Span],
    first_pts: i64,
    (clock, edits): (Clock, &[Edit]),
    limits: &ClipLimits,
) -> Result<Schedule, Refusal> {
    let whole = [Edit {
        start: Some(first_pts),
        length: None,
        unit: 0,
    }];
    let has_media = edits.iter().any(|edit| edit.start.is_some());
    let edits = if has_media { edits } else { &whole };
    let mut screen = Screen {
        shown: Vec::new(),
        at: 0,
        most: limits.n_frames as usize,
    };
    for edit in edits {
        match edit.start {
            None => screen.at = screen.at.saturating_add(edit.length.unwrap_or(0)),
            Some(start) => {
                let start = clock.ticks(start);
                let end = edit.length.map_or(i64::MAX, |n| start.saturating_add(n));
                screen.show(spans, start, edit, end)?;
            }
        }
        if screen.at > limits.duration.0 {
            return Err(too_long(screen.at, limits));
        }
    }
    let mut shown = screen.shown;
    let Some(&Shown { start: late, .. }) = shown.first() else {
        return Err(damaged("its edit list shows no frames"));
    };
    if late.0 <= BARELY_LATE {
        shown
            .iter_mut()
            .for_each(|shown| shown.start = shown.start - late);
        screen.at -= late.0;
    }
    // Before a late first frame, that frame itself is shown.
    shown[0].start = Time::ZERO;
    shown.dedup_by(|next, kept| {
        let is_hidden = next.start <= kept.start;
        if is_hidden {
            kept.sample = next.sample;
        }
        is_hidden
    });
    Ok(Schedule {
        shown,
        duration: Time(screen.at.max(1)),
    })
}

struct Screen {
    shown: Vec<Shown>,
    /// End of the frames shown so far, in ticks.
    at: i64,
    most: usize,
}

impl Screen {
    /// Adds the part in `[start, end)` of the media. Intervals shorter than the clocks' precision are dropped.
    fn show(&mut self, spans: &[Span], start: i64, edit: &Edit, end: i64) -> Result<(), Refusal> {
        let first = spans.partition_point(|span| {
            let sliver = ((span.end - span.start) / 4).min(TICKS_PER_SECOND / 1000);
            span.end <= start.saturating_add(sliver)
        });
        let mut stop = start;
        for span in &spans[first..] {
            let sliver = ((span.end - span.start) / 4).min(edit.unit);
            if span.start.saturating_add(sliver) >= end {
                break;
            }
            if self.shown.len() >= self.most {
                return Err(too_large(format!("shows more than {} frames", self.most)));
            }
            self.shown.push(Shown {
                start: Time(self.at + (span.start - start).max(0)),
                sample: span.sample,
            });
            stop = if span.end.abs_diff(end) <= edit.unit as u64 {
                span.end
            } else {
                span.end.min(end)
            };
        }
        self.at = self.at.saturating_add(stop - start);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(pts: &[i64]) -> Vec<Sample> {
        let sample = |pts: &i64| Sample {
            offset: 0,
            n_bytes: 1,
            is_sync: true,
            pts: *pts,
            duration: 0,
        };
        pts.iter().map(sample).collect()
    }

    fn starts(pts: &[i64], clock: Clock, edits: &[Edit]) -> Vec<i64> {
        let limits = ClipLimits::default();
        let plan = schedule(&samples(pts), 0, (clock, edits), &limits).expect("a good clip");
        plan.shown.iter().map(|shown| shown.start.0).collect()
    }

    #[test]
    fn stamps_of_milliseconds_mean_the_usual_rate() {
        let clock = Clock::nanoseconds(1_000_000).expect("a clock");
        let frame = TICKS_PER_SECOND / 30;
        // 30 fps, rounded in the first case and truncated in the second; frame 4 is missing.
        for pts in [
            [0, 33, 67, 100, 167, 200, 233],
            [0, 33, 66, 100, 166, 200, 233],
        ] {
            let expected = [0, 1, 2, 3, 5, 6, 7].map(|i| i * frame);
            assert_eq!(starts(&pts, clock, &[]), expected);
        }
        // No common rate: times as stamped.
        let millis = TICKS_PER_SECOND / 1000;
        let pts = [0, 33, 71, 99, 142, 160, 222];
        assert_eq!(starts(&pts, clock, &[]), pts.map(|t| t * millis));
    }

    #[test]
    fn a_little_late_is_moved_and_much_is_held() {
        let clock = Clock::per_second(1000).expect("a clock");
        let millis = TICKS_PER_SECOND / 1000;
        let from_0 = Edit {
            start: Some(0),
            length: None,
            unit: 0,
        };
        assert_eq!(
            starts(&[7, 47, 87], clock, &[from_0]),
            [0, 40, 80].map(|t| t * millis)
        );
        assert_eq!(
            starts(&[300, 340, 380], clock, &[from_0]),
            [0, 340, 380].map(|t| t * millis)
        );
    }

    #[test]
    fn parts_follow_each_other_and_slivers_are_left_out() {
        let clock = Clock::per_second(1000).expect("a clock");
        let millis = TICKS_PER_SECOND / 1000;
        let edit = |start, length: i64| Edit {
            start: Some(start),
            length: Some(length * millis),
            unit: millis,
        };
        let pts = [0, 40, 80, 120, 160, 200];
        // The first part ends a millisecond into frame 3, because of rounding.
        let edits = [edit(40, 81), edit(170, 50)];
        assert_eq!(
            starts(&pts, clock, &edits),
            [0, 40, 80, 110].map(|t| t * millis)
        );
    }

    #[test]
    fn too_many_waiting_pictures_and_empty_clocks_are_refused() {
        let clock = Clock::per_second(25).expect("a clock");
        let backwards: Vec<i64> = (0..40).rev().collect();
        let limits = ClipLimits::default();
        let refused = schedule(&samples(&backwards), 0, (clock, &[]), &limits);
        assert_eq!(
            refused.map(|_| ()).expect_err("backwards").code,
            "damaged_clip"
        );
        assert!(Clock::per_second(0).is_err());
        assert!(Clock::nanoseconds(0).is_err());
        assert_eq!(clock.ticks(i64::MAX), 1 << 60);
        assert_eq!(clock.ticks(i64::MIN), -(1 << 60));
    }
}
