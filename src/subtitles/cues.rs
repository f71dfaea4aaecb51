//! Groups pieces into cues at the least total cost: ending a cue inside a phrase, too short a duration and too fast reading have a cost.

use super::breaks::{lay, line, weakness, width_of};
use super::pieces::{Ends, LINE, Piece, SIGN};

/// Minimum and maximum duration of a cue, in milliseconds.
const SHORTEST: i64 = 1000;
const LONGEST: i64 = 7000;
/// Reading speed per second: 20 signs.
const READ: u32 = 20 * SIGN;
/// Comfortable reading speed per second: 15 signs. A cue stays that long if nothing follows.
const READ_AT_EASE: u32 = 15 * SIGN;
/// Gap between consecutive cues: two frames at 24 fps.
const GAP: i64 = 84;
/// A cue stays this long after its last word if nothing follows.
const STAY: i64 = 300;
/// Shorter gaps would flicker and are reduced to [`GAP`].
const FLICKER: i64 = 500;
/// A cue does not span a pause longer than this, and preferably not one longer than half of it.
const PAUSE: i64 = 1500;

/// Base cost of a cue, to keep their number small.
const CUE: f32 = 4.0;
/// Cost of a sentence end or a pause inside a cue.
const INSIDE: f32 = 5.0;
/// Cost of a pause that a cue must not span.
const ACROSS: f32 = 40.0;
/// Factor on the cost of a weak break at the end of a cue, relative to one inside it.
const AT_END: f32 = 1.5;
/// Cost of a duration below [`SHORTEST`], and an additional cost in proportion to the missing time.
const SHORT: f32 = 4.0;
const TOO_SHORT: f32 = 30.0;
/// Cost at twice the reading speed.
const TOO_FAST: f32 = 20.0;

/// Lines shown together, in milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cue {
    pub(super) lines: Vec<String>,
    pub(super) start: i64,
    pub(super) end: i64,
}

/// Returns the cues of a video that lasts until `end`.
pub(super) fn cues(pieces: &[Piece], end: i64) -> Vec<Cue> {
    // Start of the next piece, or the video's end after the last.
    let next = |i: usize| pieces.get(i).map_or(end, |piece| piece.start);
    // `best[i]`: cost of the first `i` pieces, where their last cue starts, and how many pieces are on its first line.
    let mut best: Vec<(f32, usize, usize)> = vec![(0.0, 0, 0)];
    for i in 1..=pieces.len() {
        let mut found = (f32::INFINITY, i - 1, 1);
        for from in (0..i).rev() {
            let part = &pieces[from..i];
            let is_alone = part.len() == 1;
            if !is_alone
                && (part[part.len() - 1].end - part[0].start > LONGEST
                    || width_of(part) > 2 * LINE + SIGN)
            {
                break;
            }
            let Some((on_first, torn)) = lay(part) else {
                continue;
            };
            let limit = room(part[0].start, next(i), i == pieces.len());
            let ending = pieces
                .get(i)
                .map_or(0.0, |after| weakness(&part[part.len() - 1], after));
            let cost = best[from].0 + torn + AT_END * ending + cost_of(part, limit - part[0].start);
            if cost < found.0 {
                found = (cost, from, on_first);
            }
        }
        best.push(found);
    }
    let mut cues = Vec::new();
    let mut to = pieces.len();
    while to > 0 {
        let (_, from, on_first) = best[to];
        let part = &pieces[from..to];
        let limit = room(part[0].start, next(to), to == pieces.len());
        cues.push(cue(part, on_first, limit));
        to = from;
    }
    cues.reverse();
    cues.retain(|cue| cue.start < cue.end);
    cues
}

/// Returns the latest end of a cue followed by another at `next`, or by the video's end.
fn room(start: i64, next: i64, is_last: bool) -> i64 {
    match is_last || next - start <= 2 * GAP {
        true => next,
        false => next - GAP,
    }
}

/// Returns the time needed to read pieces, in milliseconds.
fn reading(part: &[Piece], speed: u32) -> i64 {
    i64::from(width_of(part)) * 1000 / i64::from(speed)
}

/// Returns the cost of a cue that can be shown for `room` milliseconds.
fn cost_of(part: &[Piece], room: i64) -> f32 {
    let mut cost = CUE;
    for pair in part.windows(2) {
        let pause = pair[1].start - pair[0].end;
        cost += match pair[0].ends {
            _ if pause > PAUSE => ACROSS,
            Ends::Sentence => INSIDE,
            _ if pause > PAUSE / 2 => INSIDE,
            _ => 0.0,
        };
    }
    let room = room.clamp(1, LONGEST);
    if room < SHORTEST {
        cost += SHORT + TOO_SHORT * (SHORTEST - room) as f32 / SHORTEST as f32;
    }
    let rush = reading(part, READ) as f32 / room as f32 - 1.0;
    cost += TOO_FAST * rush.clamp(0.0, 2.0);
    let full = width_of(part) as f32 / (2 * LINE) as f32;
    cost + full * full
}

fn cue(part: &[Piece], on_first: usize, limit: i64) -> Cue {
    let start = part[0].start;
    let last = part.iter().map(|piece| piece.end).max().unwrap_or(start);
    let read = start + reading(part, READ_AT_EASE);
    let latest = limit.min(start + LONGEST);
    let wanted = (last + STAY).max(start + SHORTEST).max(read).min(latest);
    let end = match latest - wanted < FLICKER {
        true => latest,
        false => wanted,
    };
    let lines = [&part[..on_first], &part[on_first..]];
    let lines = lines.into_iter().filter(|part| !part.is_empty());
    Cue {
        lines: lines.map(line).collect(),
        start,
        end,
    }
}
