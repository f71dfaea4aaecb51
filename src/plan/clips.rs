//! Resolves clips: which clip frame each video frame shows.

use super::report::Report;
use super::shots::Scope;
use super::sound::SPEEDS;
use crate::error::Problem;
use crate::scene::Played;
use crate::scene::mix::{Level, Track};
use crate::timeline::{Clip, ClipFill};
use crate::units::{FrameRate, Time, within};

/// How far a trim may exceed the clip's length before it is refused; container durations are rounded.
const SLACK: Time = Time::from_millis(1);

/// How a clip is played, after checks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Playback {
    /// Start position in the clip.
    from: Time,
    /// Length of the part played; above zero.
    length: Time,
    speed: f64,
    fill: ClipFill,
}

impl Playback {
    /// Returns how shot `i` plays its clip, or `None` if it has no clip, the clip could not be read, or (after a problem) nothing is left to play.
    pub fn of_shot(scope: &Scope, i: usize, report: &mut Report) -> Option<Playback> {
        let clip = scope.timeline.shots[i].clip.as_ref()?;
        let length = scope
            .facts
            .clips
            .get(&clip.file)
            .map(|facts| facts.duration);
        Playback::resolve(clip, length, &format!("shots[{i}].clip"), report)
    }

    fn resolve(
        clip: &Clip,
        length: Option<Time>,
        path: &str,
        report: &mut Report,
    ) -> Option<Playback> {
        let speed = report.number(&format!("{path}.speed"), clip.speed, SPEEDS, "");
        if let Some(gain) = clip.gain_db {
            report.number(&format!("{path}.gain_db"), gain, -60.0..=20.0, " dB");
        }
        let longest = length.map_or(f64::MAX, |length| (length + SLACK).as_secs());
        let mut place = |name: &str, secs: f64| {
            let path = format!("{path}.trim.{name}");
            if secs >= 0.0 && secs <= longest {
                return Time::from_secs(secs).or(length);
            }
            let message = match length {
                Some(length) if secs > longest => {
                    format!("{secs} s is beyond the end of the clip, which lasts {length}")
                }
                _ => format!("{secs} s is not a position in a clip"),
            };
            report.problem(Problem::new("out_of_range", path, message));
            None
        };
        let from = place("start", clip.trim.start);
        let to = match clip.trim.end {
            Some(end) => place("end", end),
            None => Some(length.unwrap_or(Time(i64::MAX))),
        };
        let (from, to) = (from?, to?);
        if to <= from {
            let message = format!("nothing is left of the clip from {from} to {to}");
            let problem = Problem::new("empty_trim", format!("{path}.trim"), message);
            report.problem(problem.hint("give an `end` above `start`"));
            return None;
        }
        let to = to.min(length?);
        (to > from).then(|| Playback {
            from,
            length: to - from,
            speed,
            fill: clip.fill,
        })
    }

    /// Returns how long the clip takes to play.
    pub fn duration(&self) -> Time {
        Time((self.length.0 as f64 / self.speed).round() as i64)
    }

    /// Returns the clip position seen `since` after the shot first appears; the shot is visible for `total`.
    fn place(&self, since: Time, total: Time) -> Time {
        let (length, since) = (self.length.0 as f64, since.0.max(0) as f64);
        let played = since * self.speed;
        let played = match self.fill {
            ClipFill::Hold => played,
            ClipFill::Loop => (played.round() as i64).rem_euclid(self.length.0) as f64,
            ClipFill::Slow => {
                // Linear slowing to a stop doubles the time for the same stretch, so this much of the clip, slowed, fills the gap.
                let slowed = within(total.0 as f64 * self.speed - length, 0.0, length);
                let late = within(played - (length - slowed), 0.0, 2.0 * slowed);
                let lost = if slowed > 0.0 {
                    late * late / (4.0 * slowed)
                } else {
                    0.0
                };
                played.min(length + slowed) - lost
            }
        };
        self.from + Time(within(played.round() as i64, 0, self.length.0 - 1))
    }

    /// Returns the clip frames shown by video frames `first..end` in a shot visible during `span`; `starts` holds the start times of the clip's frames.
    pub fn played(
        &self,
        starts: &[Time],
        (first, end): (u64, u64),
        (from, to): (Time, Time),
        rate: FrameRate,
    ) -> Played {
        let (mut runs, mut indices) = (Vec::new(), Vec::<u32>::new());
        for frame in first..end.max(first + 1) {
            let place = self.place(rate.time_of(frame) - from, to - from);
            let index = starts
                .partition_point(|start| *start <= place)
                .saturating_sub(1) as u32;
            if indices.last() != Some(&index) {
                indices.push(index);
            }
            runs.push(indices.len() as u32 - 1);
        }
        Played::new(first, runs, indices)
    }

    /// Returns the clip's own sound while the shot is visible during `span`.
    pub fn sound(&self, clip: &Clip, path: &str, (from, to): (Time, Time)) -> Option<Track> {
        let samples = |time: Time| time.as_samples().max(0) as u64;
        Some(Track {
            start: samples(from),
            end: samples(to),
            trim: samples(self.from)..samples(self.from + self.length),
            speed: self.speed,
            level: Level::GainDb(clip.gain_db?),
            looped: self.fill == ClipFill::Loop,
            ..Track::new(&clip.file, path)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: i64 = 10_000_000;

    fn playback(speed: f64, fill: ClipFill) -> Playback {
        Playback {
            from: Time(20 * FRAME),
            length: Time(100 * FRAME),
            speed,
            fill,
        }
    }

    fn places(playback: Playback, total: i64, at: &[i64]) -> Vec<i64> {
        at.iter()
            .map(|since| playback.place(Time(since * FRAME), Time(total * FRAME)).0 / FRAME)
            .collect()
    }

    #[test]
    fn a_clip_that_is_over_holds_loops_or_slows() {
        let at = [0, 1, 50, 99, 100, 101, 149, 150, 199, 250];
        let hold = places(playback(1.0, ClipFill::Hold), 200, &at);
        assert_eq!(hold, [20, 21, 70, 119, 119, 119, 119, 119, 119, 119]);
        let looped = places(playback(1.0, ClipFill::Loop), 200, &at);
        assert_eq!(looped, [20, 21, 70, 119, 20, 21, 69, 70, 119, 70]);
        // 50 of 150 are missing: the last 50 of the clip are stretched to 100.
        let slow = places(playback(1.0, ClipFill::Slow), 150, &at);
        assert_eq!(slow, [20, 21, 70, 106, 107, 107, 119, 119, 119, 119]);
        let slowest = places(
            playback(1.0, ClipFill::Slow),
            1000,
            &[0, 100, 199, 200, 999],
        );
        assert_eq!(slowest, [20, 95, 119, 119, 119]);
        let long_enough = places(playback(1.0, ClipFill::Slow), 80, &[0, 79]);
        assert_eq!(long_enough, [20, 99]);
    }

    #[test]
    fn speed_is_exact_at_the_borders_of_frames() {
        let rate = FrameRate::new(30000, 1001).unwrap();
        let starts: Vec<Time> = (0..100).map(|k| rate.time_of(k)).collect();
        for (speed, per_frame) in [(1.0, 1.0), (2.0, 2.0), (0.5, 0.5), (0.25, 0.25)] {
            let playback = Playback {
                from: rate.time_of(10),
                length: rate.time_of(80),
                speed,
                fill: ClipFill::Hold,
            };
            let span = (rate.time_of(7), rate.time_of(47));
            let played = playback.played(&starts, (7, 47), span, rate);
            for frame in 7..47 {
                let index = played.index_of(played.run_at(frame)).unwrap();
                let wanted = 10 + (((frame - 7) as f64) * per_frame) as u32;
                assert_eq!(index, wanted.min(89), "{speed} {frame}");
            }
        }
    }
}
