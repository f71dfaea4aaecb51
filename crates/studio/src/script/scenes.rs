//! Splits a script into scenes of a few seconds each, at natural pauses.

use super::{brief_scenes, clean, pace, plain, sentences};
use crate::scene::{Line, Scene};

/// Limits for scenes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneOptions {
    /// Preferred minimum length of a scene, s.
    pub min_secs: f64,
    /// Preferred maximum length of a scene, s.
    pub max_secs: f64,
    /// Speaking rate in words per minute, for a language with spaces.
    pub words_per_minute: f64,
    /// Maximum number of scenes; beyond it, scenes get longer instead.
    pub max_scenes: usize,
}

impl Default for SceneOptions {
    fn default() -> SceneOptions {
        SceneOptions {
            min_secs: 4.0,
            max_secs: 8.0,
            words_per_minute: 137.0,
            max_scenes: 150,
        }
    }
}

/// A stretch without a space is split after this time, s.
const HARD_SECS: f64 = 6.0;

/// Words that begin a clause: a long sentence without commas is split before one.
const CLAUSE_WORDS: &str = "and but or because while when where who which that although though until before after since so if as y pero porque cuando donde que und aber weil wenn dass oder et mais parce quand où e mas porque quando onde ma perché";

/// The quality of a cut after a piece; lower is better.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cut {
    Paragraph,
    Sentence,
    Clause,
    Comma,
    Word,
}

impl Cut {
    fn cost(self) -> f64 {
        match self {
            Cut::Paragraph => -2.0,
            Cut::Sentence => 0.0,
            Cut::Clause => 1.6,
            Cut::Comma => 2.4,
            Cut::Word => 5.0,
        }
    }
}

/// Extra cost of a cut inside a quotation.
const QUOTED_COST: f64 = 3.0;

/// Most pieces of a scene, multiplied by the scale by which scenes exceed the preferred length.
const MAX_PIECES: f64 = 100.0;

struct Piece {
    text: String,
    secs: f64,
    cut: Cut,
    /// Whether a quotation is open at its end.
    quoted: bool,
}

/// Returns how long a text takes to speak, s.
pub fn spoken_secs(text: &str, options: &SceneOptions) -> f64 {
    pace::spoken_secs(text) * pace::WORDS_PER_MIN / options.words_per_minute.max(1.0)
}

/// Returns the scenes of a script: each has one line of the narrator and a brief. Markup is removed ([`plain`]); an empty text has no scenes.
pub fn scenes(text: &str, language: &str, options: &SceneOptions) -> Vec<Scene> {
    let pieces = pieces(&plain(text), language, options);
    let total: f64 = pieces.iter().map(|p| p.secs).sum();
    let most = options.max_scenes.max(1) as f64;
    let mut scale = (total / (most * options.max_secs.max(0.1))).max(1.0);
    let mut ends = ends(&pieces, options, scale);
    while ends.len() > options.max_scenes.max(1) {
        scale *= 1.25;
        ends = self::ends(&pieces, options, scale);
    }
    let mut from = 0;
    let mut found = Vec::with_capacity(ends.len());
    for end in ends {
        found.push(Scene {
            lines: vec![Line::narrated(joined(&pieces[from..end]))],
            ..Scene::default()
        });
        from = end;
    }
    brief_scenes(&mut found, language);
    found
}

/// Joins texts of pieces: with a space unless their language has none.
fn joined(pieces: &[Piece]) -> String {
    let mut out = String::new();
    for piece in pieces {
        let glue = out.chars().next_back().is_some_and(is_unspaced)
            || (!out.is_empty() && piece.text.starts_with(is_unspaced));
        if !out.is_empty() && !glue {
            out.push(' ');
        }
        out.push_str(&piece.text);
    }
    out
}

fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x3000..=0x30FF | 0x3400..=0x9FFF | 0xFF00..=0xFFEF | 0x20000..=0x3134F)
}

fn pieces(text: &str, language: &str, options: &SceneOptions) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    for paragraph in text.split("\n\n") {
        for sentence in sentences(paragraph, language) {
            let sentence = sentence.replace('\n', " ");
            let secs = spoken_secs(&sentence, options);
            if secs > options.max_secs {
                clauses(&sentence, options, &mut found);
            } else {
                found.push(Piece {
                    text: sentence,
                    secs,
                    cut: Cut::Sentence,
                    quoted: false,
                });
            }
            if let Some(last) = found.last_mut() {
                (last.cut, last.quoted) = (Cut::Sentence, false);
            }
        }
        if let Some(last) = found.last_mut() {
            last.cut = Cut::Paragraph;
        }
    }
    found
}

/// Splits a long sentence at its commas, and too long parts at their words.
fn clauses(sentence: &str, options: &SceneOptions, found: &mut Vec<Piece>) {
    let mut start = 0;
    let mut quoted = false;
    let chars: Vec<(usize, char)> = sentence.char_indices().collect();
    for (index, (byte, c)) in chars.iter().enumerate() {
        match c {
            '“' | '«' | '「' | '„' => quoted = true,
            '”' | '»' | '」' => quoted = false,
            '"' => quoted = !quoted,
            _ => {}
        }
        let next = chars.get(index + 1).map(|(_, c)| *c);
        let wide = "，、；：，؛،".contains(*c);
        let spaced = next.is_some_and(char::is_whitespace);
        let cut = match c {
            ';' | ':' | '；' | '：' | '؛' => Cut::Clause,
            '—' | '–' => Cut::Clause,
            ',' | '，' | '、' | '،' => Cut::Comma,
            _ => continue,
        };
        if !(spaced || wide) {
            continue;
        }
        let end = byte + c.len_utf8();
        push_piece(&sentence[start..end], (cut, quoted), options, found);
        start = end;
    }
    push_piece(&sentence[start..], (Cut::Comma, quoted), options, found);
}

fn push_piece(
    text: &str,
    (cut, quoted): (Cut, bool),
    options: &SceneOptions,
    found: &mut Vec<Piece>,
) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    let secs = spoken_secs(text, options);
    if secs <= options.max_secs {
        found.push(Piece {
            text: text.to_string(),
            secs,
            cut,
            quoted,
        });
        return;
    }
    let mut from = 0;
    let mut part = 0.0;
    let mut was_joiner = false;
    for (byte, word) in breaks(text) {
        let is_clause = CLAUSE_WORDS
            .split(' ')
            .any(|w| w.eq_ignore_ascii_case(word.trim()));
        let is_due = (is_clause && part > 2.0) || part > HARD_SECS;
        if is_due && byte > from && !was_joiner {
            let piece = text[from..byte].trim().to_string();
            let cut = if is_clause { Cut::Comma } else { Cut::Word };
            found.push(Piece {
                secs: part,
                text: piece,
                cut,
                quoted,
            });
            (from, part) = (byte, 0.0);
        }
        part += spoken_secs(word, options);
        was_joiner = word.chars().next_back().is_some_and(clean::is_joiner);
    }
    let rest = text[from..].trim();
    if !rest.is_empty() {
        found.push(Piece {
            text: rest.to_string(),
            secs: part,
            cut,
            quoted,
        });
    }
}

/// Returns the words of a text with their first bytes. Overlong words, and texts without spaces, are split into groups of graphemes.
fn breaks(text: &str) -> Vec<(usize, &str)> {
    use unicode_segmentation::UnicodeSegmentation;
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        if word.len() <= 40 {
            found.push((at, word));
        } else {
            let mut from = 0;
            for (n, (byte, _)) in word.grapheme_indices(true).enumerate() {
                if n > 0 && n % 4 == 0 {
                    found.push((at + from, &word[from..byte]));
                    from = byte;
                }
            }
            found.push((at + from, &word[from..]));
        }
        at += word.len();
    }
    found
}

/// Returns where scenes end, as indices after their last pieces: the cheapest cuts, found by dynamic programming.
fn ends(pieces: &[Piece], options: &SceneOptions, scale: f64) -> Vec<usize> {
    let [min, max] = [options.min_secs * scale, options.max_secs * scale];
    let mut best = vec![(0.0_f64, 0_usize); pieces.len() + 1];
    for end in 1..=pieces.len() {
        best[end].0 = f64::INFINITY;
        let last = &pieces[end - 1];
        let cut = last.cut.cost() + if last.quoted { QUOTED_COST } else { 0.0 };
        let mut secs = 0.0;
        // Joining across a blank line loses the bonus of a cut there.
        for start in (0..end).rev() {
            secs += pieces[start].secs;
            let n_pieces = (end - start) as f64;
            if start + 1 < end && (secs > max * 1.6 || n_pieces > MAX_PIECES * scale) {
                break;
            }
            let cost = best[start].0 + cut + length_cost(secs, min, max);
            if cost < best[end].0 {
                best[end] = (cost, start);
            }
        }
    }
    let mut found = Vec::new();
    let mut at = pieces.len();
    while at > 0 {
        found.push(at);
        at = best[at].1;
    }
    found.reverse();
    found
}

/// Returns the cost of a scene's length: small within the limits, large beyond.
fn length_cost(secs: f64, min: f64, max: f64) -> f64 {
    let middle = f64::midpoint(min, max);
    let half = ((max - min) / 2.0).max(0.1);
    let off = (secs - middle) / half;
    let under = ((min - secs) / min.max(0.1)).max(0.0);
    let over = ((secs - max) / (max * 0.125).max(0.1)).max(0.0);
    0.15 * off.powi(2).min(4.0) + 6.0 * under + 3.0 * under.powi(2) + 2.4 * over.powi(2) + 0.3
}
