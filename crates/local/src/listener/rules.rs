//! Which tokens may follow others (openai/whisper, `whisper/decoding.py`: `SuppressBlank`, `SuppressTokens`, `ApplyTimestampRules`).

use super::shape::Signs;
use crate::chance::log_chances;

const NEVER: f32 = f32::NEG_INFINITY;

/// Takes the tokens out of `scores` that may not follow `given`, the tokens of the window so far.
pub(crate) fn apply(signs: &Signs, given: &[u32], scores: &mut [f32]) {
    let (end, first_time) = (signs.end as usize, signs.first_time as usize);
    for id in &signs.suppressed {
        scores[*id as usize] = NEVER;
    }
    if given.is_empty() {
        for id in &signs.suppressed_first {
            scores[*id as usize] = NEVER;
        }
    }
    scores[signs.no_times as usize] = NEVER;
    let is_time = |id: &u32| *id >= signs.first_time;
    // Times come in pairs: the end of a segment and the start of the next one.
    let is_after_time = given.last().is_some_and(is_time);
    let is_after_pair = given.len() < 2 || is_time(&given[given.len() - 2]);
    if is_after_time && is_after_pair {
        scores[first_time..].fill(NEVER);
    } else if is_after_time {
        scores[..end].fill(NEVER);
    }
    // Times do not decrease, and a segment is not empty.
    if let Some(last) = given.iter().rfind(|id| is_time(id)) {
        let is_start = is_after_time && !is_after_pair;
        let earliest = *last as usize + usize::from(!is_start);
        let earliest = earliest.min(scores.len());
        scores[first_time..earliest].fill(NEVER);
    }
    if given.is_empty() {
        scores[..first_time].fill(NEVER);
        let after = first_time + signs.max_first_time as usize + 1;
        let after = after.min(scores.len());
        scores[after..].fill(NEVER);
    }
    prefer_times(scores, first_time);
}

/// Leaves times only where all of them together are likelier than the likeliest word.
fn prefer_times(scores: &mut [f32], first_time: usize) {
    let chances = log_chances(scores);
    let (words, times) = chances.split_at(first_time);
    let word = words.iter().copied().fold(NEVER, f32::max);
    let top = times.iter().copied().fold(NEVER, f32::max);
    if top == NEVER {
        return;
    }
    let sum: f32 = times.iter().map(|time| (time - top).exp()).sum();
    if sum.ln() + top > word {
        scores[..first_time].fill(NEVER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words 0 to 3, the end 4, no times 5, times 6 to 15.
    fn signs() -> Signs {
        Signs {
            start: 4,
            end: 4,
            transcribe: None,
            no_speech: None,
            no_times: 5,
            first_time: 6,
            languages: std::collections::BTreeMap::new(),
            suppressed: vec![2],
            suppressed_first: vec![0],
            max_first_time: 3,
        }
    }

    /// The tokens that may follow, words being likelier than times.
    fn allowed(given: &[u32]) -> Vec<u32> {
        let mut scores = vec![9.0; 6];
        scores.extend([0.0; 10]);
        apply(&signs(), given, &mut scores);
        (0_u32..16)
            .filter(|id| scores[*id as usize] > NEVER)
            .collect()
    }

    #[test]
    fn a_window_begins_with_an_early_time() {
        assert_eq!(allowed(&[]), [6, 7, 8, 9]);
    }

    #[test]
    fn words_follow_a_start_and_times_an_end() {
        assert_eq!(allowed(&[6]), [0, 1, 3, 4]);
        assert_eq!(
            allowed(&[6, 1]),
            [0, 1, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        );
        assert_eq!(allowed(&[6, 1, 10]), [4, 10, 11, 12, 13, 14, 15]);
        assert_eq!(allowed(&[6, 1, 10, 10]), [0, 1, 3, 4]);
        assert_eq!(allowed(&[6, 1, 15, 15, 1]), [0, 1, 3, 4]);
    }

    #[test]
    fn likely_times_take_over() {
        let mut scores = vec![1.0; 6];
        scores.extend([0.5; 10]);
        apply(&signs(), &[6, 1], &mut scores);
        assert!(scores[..6].iter().all(|score| *score == NEVER));
    }
}
