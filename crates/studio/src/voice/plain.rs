//! Prepares text of any script for eSpeak NG: words separated by single spaces, each with its token.
//!
//! eSpeak counts a lone dash as a word, which shifts the positions of the words after it, and reads control characters as commands. Both are removed.

use std::ops::Range;

use super::spans::Piece;

/// Most characters of a piece; eSpeak cuts words of more than 160 bytes.
const MAX_PIECE: usize = 48;
/// Most marks on one letter.
const MAX_MARKS: usize = 6;

/// The marks at which eSpeak pauses or changes its intonation.
const MARKS: &[char] = &[
    '.', ',', ';', ':', '!', '?', '…', '。', '，', '、', '！', '？', '；', '：', '،', '؟', '؛',
    '۔', '।', '॥', '։', '។', '။', '·',
];

/// Signs that eSpeak reads by their names inside or next to a word.
const READ: &str = "%&+=@$€£¥°/'’‘-‐‑×÷±§©½¼¾²³µº ª";

/// Returns the pieces of a text, in order.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (token, word) in text.split_whitespace().enumerate() {
        let mut piece = String::new();
        let (mut n_chars, mut n_marks) = (0, 0);
        let mut chars = word.chars().peekable();
        while let Some(c) = chars.next() {
            let inside = chars.peek().is_some_and(|next| next.is_alphanumeric());
            n_marks = if is_combining(c) { n_marks + 1 } else { 0 };
            if c.is_alphanumeric() || READ.contains(c) || (is_combining(c) && n_marks <= MAX_MARKS)
            {
                piece.push(c);
                n_chars += 1;
            } else if MARKS.contains(&c) {
                let in_number = inside && piece.ends_with(char::is_numeric);
                if in_number || (c == '.' && inside) {
                    piece.push(c);
                    n_chars += 1;
                } else {
                    push(&mut pieces, &mut piece, token, Some(c));
                }
            } else if is_dash(c) {
                push(&mut pieces, &mut piece, token, Some(','));
            } else if !is_combining(c) && !is_joiner(c) {
                push(&mut pieces, &mut piece, token, None);
            } else if is_joiner(c) && inside {
                piece.push(c);
            }
            if piece.is_empty() {
                n_chars = 0;
            } else if n_chars >= MAX_PIECE {
                push(&mut pieces, &mut piece, token, None);
                n_chars = 0;
            }
        }
        push(&mut pieces, &mut piece, token, None);
    }
    pieces
}

/// Returns the text for eSpeak, and the byte range of each piece in it.
pub(super) fn fed(pieces: &[Piece]) -> (String, Vec<Range<usize>>) {
    let mut text = String::new();
    let mut places = Vec::with_capacity(pieces.len());
    for piece in pieces {
        if !text.is_empty() {
            text.push(' ');
        }
        let start = text.len();
        text.push_str(&piece.text);
        places.push(start..text.len());
        text.extend(piece.mark);
    }
    (text, places)
}

/// Adds a piece if it has anything to speak, else gives its mark to the piece before.
fn push(pieces: &mut Vec<Piece>, piece: &mut String, token: usize, mark: Option<char>) {
    let text = std::mem::take(piece);
    let edges = |c: char| "-‐‑'’‘/. ".contains(c);
    let mut trimmed = text.trim_matches(edges);
    // A sign before a number is part of it.
    let signed = text.trim_end_matches(edges);
    if signed.starts_with('-') && trimmed.starts_with(char::is_numeric) {
        trimmed = &signed[signed.len() - trimmed.len() - 1..];
    }
    let speaks = trimmed
        .chars()
        .any(|c| c.is_alphanumeric() || "%&+=@$€£¥°".contains(c));
    if speaks {
        pieces.push(Piece {
            text: trimmed.to_owned(),
            token,
            mark,
        });
    } else if let Some(last) = pieces.last_mut().filter(|last| last.mark.is_none()) {
        let is_dash = !text.is_empty() && text.chars().all(|c| c == '-');
        last.mark = if is_dash { Some(',') } else { mark };
    }
}

fn is_dash(c: char) -> bool {
    matches!(c, '–' | '—' | '―' | '‒' | '−')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{ad}')
}

/// Returns whether a character is a combining mark: diacritics, Arabic and Hebrew points, signs of Indic and Southeast Asian scripts.
fn is_combining(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6ed}' | '\u{900}'..='\u{903}'
        | '\u{93a}'..='\u{94f}' | '\u{951}'..='\u{957}' | '\u{981}'..='\u{983}' | '\u{9bc}'..='\u{9cd}'
        | '\u{a01}'..='\u{a03}' | '\u{a3c}'..='\u{a51}' | '\u{a70}'..='\u{a71}' | '\u{a81}'..='\u{a83}'
        | '\u{abc}'..='\u{acd}' | '\u{b01}'..='\u{b03}' | '\u{b3c}'..='\u{b57}' | '\u{b82}'
        | '\u{bbe}'..='\u{bcd}' | '\u{c00}'..='\u{c04}' | '\u{c3c}'..='\u{c56}' | '\u{c81}'..='\u{c83}'
        | '\u{cbc}'..='\u{cd6}' | '\u{d00}'..='\u{d03}' | '\u{d3b}'..='\u{d4d}' | '\u{d81}'..='\u{d83}'
        | '\u{dca}'..='\u{ddf}' | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}'
        | '\u{eb1}'..='\u{ebc}' | '\u{ec8}'..='\u{ecd}' | '\u{f71}'..='\u{f87}' | '\u{102b}'..='\u{103e}'
        | '\u{17b4}'..='\u{17d3}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{3099}'..='\u{309a}' | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns the pieces as passed on, with `|` between tokens.
    pub(in crate::voice) fn told(pieces: Vec<Piece>) -> String {
        let mut out = String::new();
        let mut token = 0;
        for piece in pieces {
            out.push_str(if piece.token == token { " " } else { " | " });
            token = piece.token;
            out.push_str(&piece.text);
            out.extend(piece.mark);
        }
        out.trim().to_owned()
    }

    #[test]
    fn text_becomes_words_that_espeak_counts_right() {
        for (text, expected) in [
            (
                "El perro — come - 25,5 kg.",
                "El | perro, | come, | 25,5 | kg.",
            ),
            ("¿Cómo estás? «Bien»", "Cómo | estás? | Bien"),
            ("你好,世界。 好", "你好, 世界。 | 好"),
            ("नमस्ते दुनिया।", "नमस्ते | दुनिया।"),
            (
                "-5 -x well-known- e.g. don't",
                "-5 | x | well-known | e.g. | don't",
            ),
            (
                "<voice name=\"x\">[[hi]]</voice>",
                "voice | name= x hi voice",
            ),
            ("a\u{1}b \u{202e}c ... ---", "a b | c."),
            ("मैं 😀 100% $5", "मैं | 100% | $5"),
        ] {
            assert_eq!(told(pieces(text)), expected, "{text}");
        }
        let marks = pieces(&format!("a{}", "\u{301}".repeat(10_000)));
        assert_eq!(marks.len(), 1);
        assert_eq!(marks[0].text.chars().count(), 1 + MAX_MARKS);
        assert!(
            pieces(&"x".repeat(1_000))
                .iter()
                .all(|p| p.text.len() <= MAX_PIECE)
        );
    }

    #[test]
    fn places_are_those_of_the_fed_text() {
        let pieces = pieces("Één — twee.");
        let (text, places) = fed(&pieces);
        assert_eq!(text, "Één, twee.");
        assert_eq!(&text[places[1].clone()], "twee");
    }
}
