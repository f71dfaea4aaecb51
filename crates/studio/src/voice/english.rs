//! Prepares English text for Flite: plain ASCII words that it pronounces correctly, each with its token, split into sentences.
//!
//! Flite copies tokens and trailing punctuation into fixed buffers, so its input is restricted: a piece consists of ASCII letters, digits and a few signs
//! between them, with at least one letter or digit, and at most [`MAX_PIECE`] bytes.

use std::ops::Range;

use super::spans::Piece;

/// Most bytes of a piece.
const MAX_PIECE: usize = 40;
/// Most digits in a row; longer numbers are read in parts.
const MAX_DIGITS: usize = 12;
/// Most bytes of a sentence, so that memory stays bounded and a run can be cancelled between sentences.
const MAX_SENTENCE: usize = 400;

/// Separates parts of a token with the pause of a punctuation mark.
const PAUSE: char = '\u{1}';
/// Separates parts of a token without a pause.
const BREAK: char = '\u{2}';

/// Signs that are read as words.
const SPOKEN_SIGNS: &[(char, &str)] = &[
    ('&', "and"),
    ('@', "at"),
    ('+', "plus"),
    ('=', "equals"),
    ('°', "degrees"),
    ('×', "times"),
    ('÷', "divided by"),
    ('±', "plus or minus"),
    ('€', "euros"),
    ('£', "pounds"),
    ('¥', "yen"),
    ('§', "section"),
    ('©', "copyright"),
    ('½', "and a half"),
    ('¼', "and a quarter"),
    ('¾', "and three quarters"),
    ('µ', "micro"),
];

/// Abbreviations in lower case, whose full stop ends no sentence, and what is read; empty: as written, without the stop.
const ABBREVIATIONS: &[(&str, &str)] = &[
    ("approx", "approximately"),
    ("apr", "april"),
    ("aug", "august"),
    ("ave", "avenue"),
    ("capt", "captain"),
    ("col", "colonel"),
    ("cf", "compare"),
    ("dec", "december"),
    ("dept", "department"),
    ("dr", ""),
    ("e.g", "for example"),
    ("eg", "for example"),
    ("etc", "et cetera"),
    ("feb", "february"),
    ("fig", "figure"),
    ("gen", "general"),
    ("gov", "governor"),
    ("hon", "honorable"),
    ("i.e", "that is"),
    ("jan", "january"),
    ("jr", "junior"),
    ("lt", "lieutenant"),
    ("mr", ""),
    ("mrs", ""),
    ("ms", ""),
    ("mt", "mount"),
    ("nov", "november"),
    ("oct", "october"),
    ("prof", "professor"),
    ("rep", "representative"),
    ("rev", "reverend"),
    ("sen", "senator"),
    ("sept", "september"),
    ("sgt", "sergeant"),
    ("sr", "senior"),
    ("st", ""),
    ("vol", "volume"),
    ("vs", "versus"),
];

/// ASCII replacements for Latin letters with diacritics.
const FOLDED: &[(&str, &str)] = &[
    ("àáâãäåāăą", "a"),
    ("çćĉċč", "c"),
    ("ďđð", "d"),
    ("èéêëēĕėęě", "e"),
    ("ĝğġģ", "g"),
    ("ĥħ", "h"),
    ("ìíîïĩīĭįı", "i"),
    ("ĵ", "j"),
    ("ķ", "k"),
    ("ĺļľŀł", "l"),
    ("ñńņňŉ", "n"),
    ("òóôõöøōŏő", "o"),
    ("ŕŗř", "r"),
    ("śŝşšș", "s"),
    ("ţťŧț", "t"),
    ("ùúûüũūŭůűų", "u"),
    ("ŵ", "w"),
    ("ýÿŷ", "y"),
    ("źżž", "z"),
    ("æ", "ae"),
    ("œ", "oe"),
    ("ß", "ss"),
    ("þ", "th"),
];

/// Returns the pieces of a text, in order.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut tokens = text.split_whitespace().enumerate().peekable();
    while let Some((i, token)) = tokens.next() {
        let n_before = pieces.len();
        let ending = add_token(&mut pieces, token, i);
        // A full stop before a lower-case letter belongs to an abbreviation.
        let next = tokens.peek().map_or("", |(_, next)| next);
        let mark = ending.filter(|c| *c != '.' || !next.starts_with(char::is_lowercase));
        let is_silent = pieces.len() == n_before;
        let Some(last) = pieces.last_mut() else {
            continue;
        };
        if !is_silent {
            last.mark = mark;
        } else if last.mark.is_none() {
            // A lone dash is a pause after the word before.
            let is_dash = token.chars().all(|c| is_dash(c) || c == '-');
            last.mark = if is_dash { Some(',') } else { mark };
        }
    }
    pieces
}

/// Returns sentences of at most [`MAX_SENTENCE`] bytes, as ranges of pieces: split at a full stop, else at a comma, else anywhere.
pub(super) fn sentences(pieces: &[Piece]) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let (mut start, mut n_bytes) = (0, 0);
    let mut comma = None;
    for (i, piece) in pieces.iter().enumerate() {
        n_bytes += piece.text.len() + 2;
        let is_end = matches!(piece.mark, Some('.' | '!' | '?'));
        if is_end || n_bytes > MAX_SENTENCE - 2 * MAX_PIECE {
            let end = if is_end {
                i + 1
            } else {
                comma.unwrap_or(i + 1)
            };
            sentences.push(start..end);
            n_bytes = pieces[end..=i].iter().map(|p| p.text.len() + 2).sum();
            (start, comma) = (end, None);
        } else if piece.mark.is_some() {
            comma = Some(i + 1);
        }
    }
    if start < pieces.len() {
        sentences.push(start..pieces.len());
    }
    sentences
}

/// Adds the pieces of a token, and returns the mark at its end.
fn add_token(pieces: &mut Vec<Piece>, token: &str, index: usize) -> Option<char> {
    let folded = folded(token);
    let bare = folded.trim_end_matches(['.', BREAK, PAUSE]);
    let bare = bare.trim_start_matches(BREAK);
    let lower = bare.to_ascii_lowercase();
    let ends_with_stop = ending(token) == Some('.');
    let known = ABBREVIATIONS.iter().find(|(short, _)| *short == lower);
    let is_initial = lower.len() == 1 && lower.bytes().all(|b| b.is_ascii_alphabetic());
    match known {
        Some((_, read)) if ends_with_stop || lower.contains('.') => {
            let read = if read.is_empty() { bare } else { read };
            for word in read.split(' ') {
                add_part(pieces, word, index);
            }
            return ending(token).filter(|c| *c != '.' || lower == "etc");
        }
        _ => {}
    }
    for run in folded.split(PAUSE) {
        for part in run.split(BREAK) {
            add_part(pieces, part, index);
        }
        if let Some(last) = pieces.last_mut().filter(|last| last.token == index) {
            last.mark = Some(',');
        }
    }
    if is_initial && ends_with_stop && lower != "i" {
        return None;
    }
    ending(token)
}

/// Returns the audible mark after a token.
fn ending(token: &str) -> Option<char> {
    let inner = token.trim_end_matches(|c: char| "\"'”’»)]}*_".contains(c));
    match inner.chars().last()? {
        '.' if inner.ends_with("..") => Some(','),
        '.' | '!' | '?' => inner.chars().last(),
        ',' | ';' | ':' | '…' => Some(','),
        c if is_dash(c) => Some(','),
        _ => None,
    }
}

fn is_dash(c: char) -> bool {
    matches!(c, '–' | '—' | '―' | '‒' | '−')
}

/// Returns a token in ASCII, with [`PAUSE`] and [`BREAK`] as separators.
fn folded(token: &str) -> String {
    let mut out = String::new();
    let chars: Vec<char> = token.chars().collect();
    let digit = |i: Option<usize>| {
        i.and_then(|i| chars.get(i))
            .is_some_and(char::is_ascii_digit)
    };
    let letter = |i: Option<usize>| {
        i.and_then(|i| chars.get(i))
            .is_some_and(|c| c.is_alphabetic())
    };
    let mut unit = "";
    for (i, c) in chars.iter().copied().enumerate() {
        let (before, after) = (i.checked_sub(1), Some(i + 1));
        let in_number = c.is_ascii_digit() || (matches!(c, ',' | '.') && digit(after));
        if !unit.is_empty() && !in_number {
            word(&mut out, unit);
            unit = "";
        }
        let between_digits = digit(before) && digit(after);
        let inside = (digit(before) || letter(before)) && (digit(after) || letter(after));
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' => out.push(c),
            '\'' | '’' | '‘' | 'ʼ' if letter(before) && letter(after) => out.push('\''),
            '-' | '‐' | '‑' if inside => out.push('-'),
            '-' | '−' if digit(after) && !inside => word(&mut out, "minus"),
            c if is_dash(c) && between_digits => out.push('-'),
            ',' | ':' if between_digits => out.push(c),
            '.' if between_digits => out.push('.'),
            '.' if inside => dot(&mut out, &chars, i),
            '$' if digit(after) => out.push('$'),
            '$' => word(&mut out, "dollars"),
            '%' if digit(before) => out.push('%'),
            '%' => word(&mut out, "percent"),
            '#' if digit(after) => word(&mut out, "number"),
            '-' if after.is_some_and(|a| chars.get(a) == Some(&'-')) => out.push(PAUSE),
            c if is_dash(c) || matches!(c, ',' | ';' | ':' | '.' | '!' | '?' | '…') => {
                out.push(if i + 1 < chars.len() { PAUSE } else { BREAK });
            }
            c => {
                let sign = SPOKEN_SIGNS.iter().find(|(sign, _)| *sign == c);
                match sign {
                    Some((_, words)) if "€£¥".contains(c) && digit(after) => unit = words,
                    Some((_, words)) => word(&mut out, words),
                    None => fold(&mut out, c),
                }
            }
        }
    }
    if !unit.is_empty() {
        word(&mut out, unit);
    }
    out
}

/// Adds separate words inside a token.
fn word(out: &mut String, words: &str) {
    out.push(BREAK);
    out.extend(words.chars().map(|c| if c == ' ' { BREAK } else { c }));
    out.push(BREAK);
}

/// Handles a full stop inside a token: `U.S.` keeps it, `example.com` reads it, `end.Next` pauses.
fn dot(out: &mut String, chars: &[char], at: usize) {
    let is_single = |i: usize| {
        chars[i].is_ascii_alphabetic()
            && (i == 0 || !chars[i - 1].is_alphanumeric())
            && chars.get(i + 1).is_none_or(|c| !c.is_alphanumeric())
    };
    if is_single(at - 1) && is_single(at + 1) {
        out.push('.');
    } else if chars[at + 1].is_uppercase() {
        out.push(PAUSE);
    } else {
        word(out, "dot");
    }
}

/// Adds a letter without its diacritic; anything else splits the token.
fn fold(out: &mut String, c: char) {
    if ('\u{300}'..='\u{36f}').contains(&c) {
        return;
    }
    let lower = c.to_lowercase().next().unwrap_or(c);
    match FOLDED.iter().find(|(signed, _)| signed.contains(lower)) {
        Some((_, plain)) if lower == c => out.push_str(plain),
        Some((_, plain)) => out.push_str(&plain.to_ascii_uppercase()),
        None => out.push(BREAK),
    }
}

/// Adds a part in pieces that are short enough, if it has anything to speak.
fn add_part(pieces: &mut Vec<Piece>, part: &str, token: usize) {
    let part = part.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '$' && c != '%');
    let mut piece = String::new();
    let mut n_digits = 0;
    for c in part.chars() {
        n_digits = if c.is_ascii_digit() { n_digits + 1 } else { 0 };
        if piece.len() == MAX_PIECE || n_digits > MAX_DIGITS {
            push_piece(pieces, std::mem::take(&mut piece), token);
            n_digits = usize::from(n_digits > 0);
        }
        piece.push(c);
    }
    push_piece(pieces, piece, token);
}

fn push_piece(pieces: &mut Vec<Piece>, text: String, token: usize) {
    if text.bytes().any(|b| b.is_ascii_alphanumeric()) {
        pieces.push(Piece {
            text,
            token,
            mark: None,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voice::plain::tests::told;

    #[test]
    fn text_becomes_words_that_flite_reads() {
        for (text, expected) in [
            ("Dr. Smith paid $142.", "Dr | Smith | paid | $142."),
            ("Wait - what? No—never!", "Wait, | what? | No, never!"),
            ("“Well-known” naïve Café", "Well-known | naive | Cafe"),
            ("1914–1918, 3.5% at 12:30", "1914-1918, | 3.5% | at | 12:30"),
            (
                "€12.50 or £5, AT&T",
                "12.50 euros | or | 5 pounds, | AT and T",
            ),
            (
                "e.g. this, i.e. that etc.",
                "for example | this, | that is | that | et cetera.",
            ),
            ("see example.com/x now", "see | example dot com x | now"),
            ("the U.S. army. It's", "the | U.S | army. | It's"),
            ("J. R. Tolkien said...", "J | R | Tolkien | said,"),
            (
                "<voice name='x'>hi</voice>",
                "voice | name equals x hi voice",
            ),
            ("-5° #1 you’re 你好", "minus 5 degrees | number 1 | you're"),
            (
                "end.Next 12345678901234567",
                "end, Next | 123456789012 34567",
            ),
        ] {
            assert_eq!(told(pieces(text)), expected, "{text}");
        }
    }

    #[test]
    fn nothing_but_plain_short_words_comes_out() {
        let hostile = "a\u{0}b\u{1}c ....... ''''' %%%$$$ \u{301}\u{301} $ % -- 'x' (((( x))) 12,,3 \u{202e}abc";
        let long = format!("{hostile} {} {}", "x".repeat(5_000), ",9".repeat(900));
        for piece in pieces(&long) {
            assert!(piece.text.len() <= MAX_PIECE, "{piece:?}");
            assert!(
                piece
                    .text
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"'$%.,:-".contains(&b))
            );
            assert!(piece.text.bytes().any(|b| b.is_ascii_alphanumeric()));
        }
        let pieces = pieces(&long);
        let sentences = sentences(&pieces);
        assert_eq!(sentences.first().unwrap().start, 0);
        assert_eq!(sentences.last().unwrap().end, pieces.len());
        assert!(
            sentences
                .windows(2)
                .all(|pair| pair[0].end == pair[1].start)
        );
        for sentence in sentences {
            assert!(!sentence.is_empty());
            let n: usize = pieces[sentence].iter().map(|p| p.text.len() + 2).sum();
            assert!(n <= MAX_SENTENCE, "{n}");
        }
    }
}
