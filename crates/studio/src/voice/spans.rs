//! Converts the spans of a synthesizer's input to one span for each token of the text.

use kinora::units::within;

use crate::providers::SpokenToken;

/// A piece of a synthesizer's input, never more than a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The text, without the mark.
    pub(super) text: String,
    /// The index of its token in the text.
    pub(super) token: usize,
    /// The punctuation mark after it.
    pub(super) mark: Option<char>,
}

/// A stretch of sound, in seconds from the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) start: f64,
    pub(super) end: f64,
}

/// Returns one span for each token: that of its pieces together; for a silent token an empty one next to its neighbor.
///
/// `spans` belong to `pieces`, in order. Times are corrected to run forward and stay inside `[0, secs]`.
pub(super) fn tokens(text: &str, pieces: &[Piece], spans: &[Span], secs: f64) -> Vec<SpokenToken> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut sounding: Vec<Option<Span>> = vec![None; words.len()];
    for (piece, span) in pieces.iter().zip(spans) {
        let slot = &mut sounding[piece.token];
        let start = slot.map_or(span.start, |so_far| so_far.start);
        *slot = Some(Span {
            start,
            end: span.end,
        });
    }
    let first = sounding.iter().flatten().next();
    let mut silent_at = within(first.map_or(0.0, |span| span.start), 0.0, secs);
    let spoken = words.into_iter().zip(sounding).map(|(word, span)| {
        let start = span.map_or(silent_at, |span| within(span.start, silent_at, secs));
        let end = span.map_or(silent_at, |span| within(span.end, start, secs));
        silent_at = end;
        SpokenToken {
            text: word.to_owned(),
            start,
            end,
        }
    });
    spoken.collect()
}

/// Returns spans for pieces of which some have no start (a synthesizer joined them to the word before): they share its time by their letters.
///
/// `None` if no piece has a start. A span ends at the start of the next.
pub(super) fn shared(pieces: &[Piece], starts: &[Option<f64>], secs: f64) -> Option<Vec<Span>> {
    let first = starts.iter().position(Option::is_some)?;
    let mut spans = Vec::with_capacity(pieces.len());
    let mut group = 0;
    while group < pieces.len() {
        let next = (group + 1..pieces.len())
            .find(|i| starts[*i].is_some() && *i > first)
            .unwrap_or(pieces.len());
        let start = starts[group].or(starts[first]).unwrap_or(0.0);
        let end = starts
            .get(next)
            .copied()
            .flatten()
            .unwrap_or(secs)
            .max(start);
        let letters: Vec<f64> = pieces[group..next]
            .iter()
            .map(|piece| piece.text.chars().count().max(1) as f64)
            .collect();
        let per_letter = (end - start) / letters.iter().sum::<f64>();
        let mut at = start;
        for n_letters in letters {
            let stop = at + n_letters * per_letter;
            spans.push(Span {
                start: at,
                end: stop,
            });
            at = stop;
        }
        group = next;
    }
    Some(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, token: usize) -> Piece {
        Piece {
            text: text.to_owned(),
            token,
            mark: None,
        }
    }

    #[test]
    fn silent_tokens_get_an_empty_span_at_their_neighbor() {
        let pieces = [piece("a", 1), piece("b", 1), piece("c", 3)];
        let spans = [(0.1, 0.2), (0.2, 0.4), (0.5, 0.9)].map(|(start, end)| Span { start, end });
        let tokens = tokens("- a-b — c ...", &pieces, &spans, 0.8);
        let times: Vec<(f64, f64)> = tokens.iter().map(|t| (t.start, t.end)).collect();
        assert_eq!(
            times,
            [(0.1, 0.1), (0.1, 0.4), (0.4, 0.4), (0.5, 0.8), (0.8, 0.8)]
        );
    }

    #[test]
    fn pieces_without_a_start_share_the_time_of_the_one_before() {
        let pieces = [
            piece("x", 0),
            piece("of", 1),
            piece("them", 2),
            piece("y", 3),
        ];
        let spans = shared(&pieces, &[None, Some(0.3), None, Some(0.9)], 1.0).unwrap();
        let expected = [(0.3, 0.3857), (0.3857, 0.557), (0.557, 0.9), (0.9, 1.0)];
        for (span, (start, end)) in spans.iter().zip(expected) {
            assert!((span.start - start).abs() < 1e-3 && (span.end - end).abs() < 1e-3);
        }
        assert!(shared(&pieces, &[None; 4], 1.0).is_none());
    }
}
