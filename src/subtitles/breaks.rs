//! Rates the positions at which a line or a cue can end, and lays out the lines of a cue.

use super::pieces::{Ends, LINE, Piece, SIGN};

/// Words that belong to what follows: articles, prepositions, conjunctions, pronouns before nouns, in the most common narration languages.
const LITTLE: &str = " \
a an the of in on at to for from by with and or but nor so as if that than into onto over under my your his her its our their this these those no not mr. mrs. ms. dr. \
der die das den dem des ein eine einen einem einer eines und oder aber im am auf aus bei mit nach von vom zu zum zur für über unter vor als wie dass ob wenn weil kein keine sein seine ihr ihre \
le la les un une du de au aux et ou en dans sur pour par avec que qui mon ma mes son sa ses ce cette ces ne sans sous \
el los las uno una unos unas del al y e o con por su sus mi tu se lo como sin \
il i gli di da dal dei alla nel nella per che non della delle \
os um uma do dos das em na no à ao \
het een van op met voor te dat \
и в на с к о от до из за по у не а но что как для \
w z i od po za że nie się ";

/// Kana that never begin a phrase, and Chinese particles that belong to the preceding word.
const HANGS_ON: &str = "的了吗呢吧着过们地得";

/// Pauses in milliseconds that separate like a comma, and like a full stop.
const SHORT_PAUSE: i64 = 300;
const LONG_PAUSE: i64 = 700;

/// Returns the cost of ending a line or a cue after `before`.
pub(super) fn weakness(before: &Piece, after: &Piece) -> f32 {
    let pause = after.start - before.end;
    let mut cost = match before.ends {
        Ends::Sentence => return 0.0,
        _ if pause >= LONG_PAUSE => return 0.0,
        Ends::Clause => return 1.0,
        Ends::Nothing if pause >= SHORT_PAUSE => 2.0,
        Ends::Nothing => 6.0,
    };
    if is_little(&before.text) {
        cost += 6.0;
    } else if is_little(&after.text) {
        // The next piece begins a phrase.
        cost -= 2.0;
    }
    if before.text.chars().all(|c| c.is_ascii_digit()) {
        cost += 3.0;
    }
    if before.text.ends_with(is_numeral) && after.text.starts_with(is_numeral) {
        cost += 12.0;
    }
    if !after.has_space && hangs_on(&after.text) {
        cost += 4.0;
    }
    if after.is_inside_word {
        cost += 12.0;
    }
    cost
}

/// Returns whether a word belongs to the next one: an article, a preposition or similar.
pub(super) fn is_little(text: &str) -> bool {
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let word = format!(" {} ", bare.to_lowercase());
    !bare.is_empty() && !bare.contains(' ') && LITTLE.contains(&word)
}

/// Returns whether a character is a digit of a Chinese or Japanese number.
fn is_numeral(c: char) -> bool {
    "〇零一二三四五六七八九十百千万萬億亿兩两".contains(c)
}

fn hangs_on(text: &str) -> bool {
    let first = text.chars().next();
    first.is_some_and(|c| ('\u{3041}'..='\u{309f}').contains(&c) || HANGS_ON.contains(c))
}

/// Returns the width of pieces on one line.
pub(super) fn width_of(pieces: &[Piece]) -> u32 {
    let spaces = pieces.iter().skip(1).filter(|piece| piece.has_space);
    pieces.iter().map(|piece| piece.width).sum::<u32>() + SIGN * spaces.count() as u32
}

/// Distributes pieces over one or two lines: returns the number on the first, and the cost of the break; `None` if they need more than two lines.
pub(super) fn lay(pieces: &[Piece]) -> Option<(usize, f32)> {
    let n = pieces.len();
    // A piece wider than a line has a line to itself.
    let fits = |part: &[Piece]| part.len() <= 1 || width_of(part) <= LINE;
    if fits(pieces) {
        return Some((n, 0.0));
    }
    let breaks = (1..n).filter(|at| fits(&pieces[..*at]) && fits(&pieces[*at..]));
    let priced = breaks.map(|at| {
        let off = width_of(&pieces[..at]).abs_diff(width_of(&pieces[at..])) as f32 / LINE as f32;
        (
            at,
            weakness(&pieces[at - 1], &pieces[at]) * 0.6 + off * off * 9.0,
        )
    });
    priced.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Returns the text of pieces on one line.
pub(super) fn line(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for (i, piece) in pieces.iter().enumerate() {
        if i > 0 && piece.has_space {
            text.push(' ');
        }
        text.push_str(&piece.text);
    }
    text
}
