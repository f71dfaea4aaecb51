//! Replaces transcribed words by the words of the spoken text, at the same times: transcribers omit punctuation, write numbers differently, and mishear.

use crate::providers::SpokenToken;

/// Similarity above which two words count as the same, one of them misheard.
const LIKENESS: f64 = 0.5;
/// Cost of a word without a partner; two completely different words cost twice as much.
const LONELY: f32 = 1.0;
/// Limit of compared pairs of words; ten minutes of speech have 2 million. Above it, no partners are sought.
const MAX_PAIRS: usize = 16_000_000;
/// The user gets a note if a smaller share of a text's words was heard.
const LEAST_HEARD: f64 = 0.5;

/// Returns the words of `text` at the times of `heard`, and a note for the user.
pub(super) fn told(
    heard: Vec<SpokenToken>,
    text: &str,
    language: Option<&str>,
) -> (Vec<SpokenToken>, Option<String>) {
    let shown = kinora::audio::spread_words(text, language);
    let shown: Vec<String> = shown.into_iter().map(|word| word.text).collect();
    let is_same = shown.iter().eq(heard.iter().map(|word| &word.text));
    if is_same || heard.is_empty() || shown.is_empty() {
        return (heard, None);
    }
    let partners = partners(&shown, &heard);
    let n_heard = partners.iter().flatten().count();
    let is_little = (n_heard as f64) < shown.len() as f64 * LEAST_HEARD;
    let note = format!(
        "only {n_heard} of the {} words of the text were heard in the recording: is it the right text?",
        shown.len()
    );
    (timed(shown, &partners, &heard), is_little.then_some(note))
}

fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns the heard word for each shown word: the cheapest alignment of both lists (Needleman and Wunsch).
fn partners(shown: &[String], heard: &[SpokenToken]) -> Vec<Option<usize>> {
    let shown: Vec<String> = shown.iter().map(|word| letters(word)).collect();
    let heard: Vec<String> = heard.iter().map(|word| letters(&word.text)).collect();
    let (rows, columns) = (shown.len() + 1, heard.len() + 1);
    if rows.saturating_mul(columns) > MAX_PAIRS {
        return vec![None; shown.len()];
    }
    let mut costs = vec![0.0_f32; rows * columns];
    for row in 0..rows {
        for column in 0..columns {
            costs[row * columns + column] = match (row, column) {
                (0, n) | (n, 0) => n as f32 * LONELY,
                _ => {
                    let above = costs[(row - 1) * columns + column] + LONELY;
                    let before = costs[row * columns + column - 1] + LONELY;
                    let both = costs[(row - 1) * columns + column - 1];
                    let pair = both + difference(&shown[row - 1], &heard[column - 1]);
                    above.min(before).min(pair)
                }
            };
        }
    }
    let mut found = vec![None; shown.len()];
    let (mut row, mut column) = (rows - 1, columns - 1);
    while row > 0 && column > 0 {
        let cost = costs[row * columns + column];
        let step = difference(&shown[row - 1], &heard[column - 1]);
        let both = costs[(row - 1) * columns + column - 1];
        if cost == both + step {
            (row, column) = (row - 1, column - 1);
            found[row] = (step < 2.0 * LONELY).then_some(column);
        } else if cost == costs[(row - 1) * columns + column] + LONELY {
            row -= 1;
        } else {
            column -= 1;
        }
    }
    found
}

fn difference(a: &str, b: &str) -> f32 {
    if a == b {
        return 0.0;
    }
    let likeness = strsim::normalized_levenshtein(a, b);
    match likeness > LIKENESS {
        true => 1.0 - likeness as f32,
        false => 2.0 * LONELY,
    }
}

/// Times the shown words. Words without a partner share the time between those with one, by their letters.
fn timed(
    shown: Vec<String>,
    partners: &[Option<usize>],
    heard: &[SpokenToken],
) -> Vec<SpokenToken> {
    let weight = |text: &str| letters(text).chars().count().max(1) as f64;
    let last = heard.last().map_or(0.0, |word| word.end);
    let first = heard.first().map_or(0.0, |word| word.start);
    let mut words = Vec::with_capacity(shown.len());
    let mut from = first;
    let mut i = 0;
    while i < shown.len() {
        if let Some(partner) = partners[i] {
            let (start, end) = (heard[partner].start, heard[partner].end);
            let text = shown[i].clone();
            words.push(SpokenToken { text, start, end });
            from = end;
            i += 1;
            continue;
        }
        let n = partners[i..].iter().take_while(|p| p.is_none()).count();
        let next = partners.get(i + n).copied().flatten();
        let to = next.map_or(last, |partner| heard[partner].start).max(from);
        let all: f64 = shown[i..i + n].iter().map(|text| weight(text)).sum();
        let mut start = from;
        for text in &shown[i..i + n] {
            let end = start + (to - from) * weight(text) / all;
            let text = text.clone();
            words.push(SpokenToken { text, start, end });
            start = end;
        }
        from = to;
        i += n;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(words: &[(&str, f64, f64)]) -> Vec<SpokenToken> {
        let words = words.iter().map(|(text, start, end)| SpokenToken {
            text: (*text).into(),
            start: *start,
            end: *end,
        });
        words.collect()
    }

    fn rows(words: &[SpokenToken]) -> Vec<(&str, f64, f64)> {
        let round = |secs: f64| (secs * 100.0).round() / 100.0;
        let words = words.iter();
        words
            .map(|w| (w.text.as_str(), round(w.start), round(w.end)))
            .collect()
    }

    #[test]
    fn the_text_is_shown_at_the_times_of_what_was_heard() {
        let words = heard(&[
            ("Mara", 0.1, 0.4),
            ("let", 0.5, 0.7),
            ("the", 0.7, 0.8),
            ("nineteen", 1.0, 1.5),
            ("eighty", 1.5, 1.8),
            ("four", 1.8, 2.0),
            ("lamps", 2.2, 2.6),
        ]);
        let (words, note) = told(words, "Mara lit the 1984 – lamp!", Some("en"));
        assert_eq!(
            rows(&words),
            [
                ("Mara", 0.1, 0.4),
                ("lit", 0.5, 0.7),
                ("the", 0.7, 0.8),
                ("1984", 0.8, 2.2),
                ("lamp!", 2.2, 2.6),
            ]
        );
        assert_eq!(note, None);
    }

    #[test]
    fn what_is_as_written_stays_and_another_text_is_told() {
        let words = heard(&[("One,", 0.0, 0.4), ("two.", 0.5, 0.9)]);
        assert_eq!(
            told(words.clone(), "One, two.", None),
            (words.clone(), None)
        );
        let (other, note) = told(words, "Completely different sentences here", None);
        assert_eq!((other.len(), rows(&other)[3].2), (4, 0.9));
        assert!(note.is_some_and(|note| note.contains("0 of the 4 words")));
        let (left_out, _) = told(heard(&[("b", 1.0, 2.0)]), "a b c", None);
        assert_eq!(
            rows(&left_out),
            [("a", 1.0, 1.0), ("b", 1.0, 2.0), ("c", 2.0, 2.0)]
        );
    }
}
