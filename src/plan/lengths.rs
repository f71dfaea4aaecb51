//! Shot lengths: converts seconds or spoken words to whole frames.

use super::clips::Playback;
use super::report::Report;
use super::shots::Scope;
use crate::error::{Problem, Warning};
use crate::timeline;
use crate::units::Time;

/// Longest video, in seconds.
const MAX_SECS: f64 = 3600.0;
/// The same as a [`Time`].
pub(crate) const LONGEST: Time = Time::from_millis(3_600_000);
/// Longest time after the last word, in seconds.
const MAX_TAIL_SECS: f64 = 30.0;
/// Upper limit for sums of lengths, so that arithmetic on them cannot overflow.
const FAR: Time = Time::from_millis(1_000_000_000_000);

/// Where shots begin and end, in frames.
pub(crate) struct Lengths {
    /// First frame of each shot, then the total number of frames. Empty without shots.
    pub frames: Vec<u64>,
    /// Whether every length is known, so that the video ends where the document intends.
    pub are_told: bool,
}

/// Finds where every shot begins and ends.
pub(crate) fn boundaries(scope: &Scope, report: &mut Report) -> Lengths {
    let shots = &scope.timeline.shots;
    let n_problems = report.problems.len();
    if shots.is_empty() {
        report.problem(Problem::new(
            "no_shots",
            "shots",
            "a timeline needs at least one shot",
        ));
        return Lengths {
            frames: Vec::new(),
            are_told: false,
        };
    }
    let tail = tail(scope, report);
    let captions = scope.timeline.captions.as_ref();
    let by_words =
        captions.filter(|_| shots.iter().any(|shot| shot.words.is_some()) || is_open(scope));
    let words = by_words.map_or(&[][..], |captions| &captions.words);
    let (ends, are_known) = ends_of_shots(scope, (words, tail), report);
    let has_lengths = report.problems.len() == n_problems && are_known;
    let has_words = are_in_order(words);
    // Guessed lengths, or lengths measured at a guessed rate, are not reported as too short.
    let is_measured = has_lengths && report.problems.iter().all(|p| p.path != "output.fps");
    let (mut frames, mut from) = (vec![0], 0);
    for (i, end) in ends.iter().enumerate() {
        let frame = scope.rate.nearest_frame(*end);
        let is_told = is_measured && (has_words || shots[i].words.is_none());
        if frame <= from && is_told {
            let field = match (shots[i].words, shots[i].duration) {
                (Some(_), _) => "words",
                (None, Some(_)) => "duration",
                (None, None) => "clip",
            };
            let (what, hint) = match (field, &shots[i].clip) {
                ("clip", Some(clip)) => (
                    format!("the played part of `{}`", clip.file),
                    "give the shot a `duration`; `fill` sets what the clip does until then",
                ),
                _ => ("the shot".to_owned(), "give it more time"),
            };
            let message = format!("{what} is shorter than one frame at {} fps", scope.rate);
            let path = format!("shots[{i}].{field}");
            report.problem(Problem::new("too_short", path, message).hint(hint));
        }
        let last = *frames.last().expect("begins with one");
        frames.push(frame.max(last + 1));
        from = frame;
    }
    Lengths {
        frames,
        are_told: report.problems.len() == n_problems && has_words && are_known,
    }
}

/// Returns whether the last shot lasts until the last word: it shows a picture, has no length of its own, and there are captions.
fn is_open(scope: &Scope) -> bool {
    let is_without = |shot: &timeline::Shot| {
        shot.duration.is_none() && shot.words.is_none() && shot.clip.is_none()
    };
    scope.timeline.captions.is_some() && scope.timeline.shots.last().is_some_and(is_without)
}

/// Returns the time after the last word; warns if no word determines the end.
fn tail(scope: &Scope, report: &mut Report) -> Time {
    let tail = report.time("tail", scope.timeline.tail, 0.0..=MAX_TAIL_SECS);
    let last = scope.timeline.shots.last();
    let is_by_words = last.is_some_and(|shot| shot.words.is_some()) || is_open(scope);
    if tail > Time::ZERO && !is_by_words {
        let message = "the last shot does not end with a word, so the tail has no effect: leave out its `duration`, or make it longer";
        report.warn(Warning::new("unused_tail", "tail", message));
    }
    tail
}

/// Returns whether words can determine lengths. If not, their own check reports why.
fn are_in_order(words: &[timeline::Word]) -> bool {
    let good = |w: &timeline::Word| w.start >= 0.0 && w.start <= w.end && w.end <= MAX_SECS;
    words.iter().all(good) && words.is_sorted_by(|a, b| a.start <= b.start)
}

/// Returns when each shot ends, and whether everything that determines a length is known: every such clip was read and every word was found.
fn ends_of_shots(
    scope: &Scope,
    (words, tail): (&[timeline::Word], Time),
    report: &mut Report,
) -> (Vec<Time>, bool) {
    let shots = &scope.timeline.shots;
    let mut are_known = true;
    let (mut now, mut spoken, mut ends) = (Time::ZERO, 0_usize, Vec::new());
    for (i, shot) in shots.iter().enumerate() {
        let is_last = i + 1 == shots.len();
        match (shot.duration, shot.words) {
            (Some(secs), None) => {
                let path = format!("shots[{i}].duration");
                if secs <= 0.0 {
                    let message = format!("{secs} s is not a valid length");
                    report.problem(
                        Problem::new("out_of_range", path, message)
                            .hint("give a duration above 0 and up to 3600 s"),
                    );
                } else {
                    let length = report.time(&path, secs, 0.0..=MAX_SECS);
                    now = Time(now.0.saturating_add(length.0)).min(FAR);
                }
            }
            (None, Some(n)) => {
                let end = end_by_words(words, &mut spoken, n, (i, is_last), report);
                now = end.map_or(now, |end| if is_last { end + tail } else { end });
            }
            (None, None) if shot.clip.is_some() => {
                // The clip's problems are reported where it is shown.
                match Playback::of_shot(scope, i, &mut Report::default()) {
                    Some(playback) => {
                        now = Time(now.0.saturating_add(playback.duration().0)).min(FAR)
                    }
                    None => are_known = false,
                }
            }
            (None, None) if is_last && is_open(scope) => {
                match open_end(words, tail, (i, now), report) {
                    Some(end) => now = end,
                    None => are_known = false,
                }
            }
            (duration, _) => {
                let message = if duration.is_some() {
                    "both `duration` and `words` are given"
                } else {
                    "neither `duration` nor `words` is given"
                };
                let problem = Problem::new("shot_length", format!("shots[{i}]"), message);
                report.problem(problem.hint("give `duration` in seconds, or `words`: how many caption words are spoken during the shot"));
            }
        }
        ends.push(now);
    }
    if now.as_secs() > MAX_SECS && are_in_order(words) {
        let message = format!(
            "the video would last {:.0} s; at most {MAX_SECS:.0} s are allowed",
            now.as_secs()
        );
        report.problem(Problem::new("too_long", "shots", message));
    }
    (ends, are_known)
}

/// Returns when a last shot without a length, starting at `now`, ends; `None` if that is unknown.
fn open_end(
    words: &[timeline::Word],
    tail: Time,
    (i, now): (usize, Time),
    report: &mut Report,
) -> Option<Time> {
    // If there are no words, their own check reports why.
    let last = words.iter().map(|word| word.end).reduce(f64::max)?;
    let end = Time::from_secs(last.clamp(0.0, MAX_SECS))?;
    if end + tail <= now {
        let message = format!("the last word ends at {end}, before the shot begins at {now}");
        let problem = Problem::new("shot_length", format!("shots[{i}]"), message);
        report.problem(problem.hint("give its `duration` in seconds"));
        return None;
    }
    Some(end + tail)
}

/// Returns when a shot of the next `n` words ends, or `None` (and a problem) if that is unknown.
fn end_by_words(
    words: &[timeline::Word],
    spoken: &mut usize,
    n: u32,
    (i, is_last): (usize, bool),
    report: &mut Report,
) -> Option<Time> {
    let path = format!("shots[{i}].words");
    let left = words.len() - *spoken;
    if n == 0 || n as usize > left {
        let message =
            format!("must be between 1 and {left} (the caption words not yet spoken), not {n}");
        report.problem(Problem::new("out_of_range", path, message));
        *spoken = words.len();
        return None;
    }
    *spoken += n as usize;
    let end = match words.get(*spoken) {
        Some(next) if !is_last => next.start,
        _ => words[*spoken - 1].end,
    };
    Time::from_secs(end)
}
