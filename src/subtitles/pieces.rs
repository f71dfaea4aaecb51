//! Units that stay together in a subtitle: words with their punctuation. Long runs of scripts without spaces are split where a line may break.

use icu_segmenter::options::{LineBreakOptions, WordBreakInvariantOptions};
use icu_segmenter::{LineSegmenter, WordSegmenter};
use unicode_width::UnicodeWidthChar;

use crate::plan::sentence_ends;
use crate::text::joins_without_space;

/// Width of a line: 42 signs, or 16 signs one em wide (Chinese, Japanese, Korean), or a mixture.
pub(super) const LINE: u32 = 336;
/// Width of a sign.
pub(super) const SIGN: u32 = LINE / 42;
/// Width of a wide sign.
const WIDE_SIGN: u32 = LINE / 16;

/// Words wider than this may be split if their script has no spaces.
const MAX_WHOLE: u32 = 6 * WIDE_SIGN;

/// A word and when it is spoken, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) start: i64,
    pub(super) end: i64,
}

/// A unit that stays together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) start: i64,
    pub(super) end: i64,
    /// Width, on the scale of [`LINE`].
    pub(super) width: u32,
    /// Whether a space precedes it, except at the start of a line.
    pub(super) has_space: bool,
    /// Whether it begins inside a word of a script without spaces, so that a break before it splits the word.
    pub(super) is_inside_word: bool,
    pub(super) ends: Ends,
}

/// What a piece ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Sentence,
    Clause,
    Nothing,
}

/// Returns the width of a text. Marks above and below letters have none.
pub(super) fn width(text: &str) -> u32 {
    let of = |c: char| match c.width() {
        Some(0) | None => 0,
        Some(1) => SIGN,
        Some(_) => WIDE_SIGN,
    };
    text.chars().map(of).sum()
}

/// Returns the words of a video as pieces, in order.
pub(super) fn pieces(words: &[Word<'_>]) -> Vec<Piece> {
    let rules = Rules::new();
    let mut out: Vec<Piece> = Vec::new();
    let (mut opens, mut was_phrase) = (false, false);
    for (i, word) in words.iter().enumerate() {
        let parts = rules.parts(word);
        let is_phrase = parts.len() > 1 && !word.text.contains(is_wide);
        for (n, part) in parts.into_iter().enumerate() {
            let has_space = match (n, i.checked_sub(1)) {
                // Thai and related scripts have spaces between phrases; kept if the words come as whole phrases.
                (0, Some(before)) => {
                    let is_joined =
                        is_closer(word.text) || joins_without_space(words[before].text, word.text);
                    is_phrase || was_phrase || !is_joined
                }
                (0, None) => false,
                _ => part.has_space,
            };
            let part = Piece { has_space, ..part };
            match out.last_mut() {
                Some(before) if (opens || rules.binds(before, &part)) && fits(before, &part) => {
                    join(before, part, &mut opens);
                }
                _ => {
                    opens = is_opener(&part.text);
                    out.push(part);
                }
            }
        }
        was_phrase = is_phrase;
    }
    rules.find_torn_words(&mut out);
    for i in 0..out.len() {
        let next = out.get(i + 1);
        out[i].ends = ends(&out[i].text, next);
    }
    out
}

/// Returns whether both fit on one line.
fn fits(before: &Piece, part: &Piece) -> bool {
    before.width + part.width + SIGN <= LINE
}

fn join(before: &mut Piece, part: Piece, opens: &mut bool) {
    if part.has_space {
        before.text.push(' ');
    }
    *opens = *opens && is_opener(&part.text);
    before.text.push_str(&part.text);
    before.width = width(&before.text);
    before.end = part.end.max(before.end);
}

/// Returns whether a text is only opening marks, which belong to what follows.
fn is_opener(text: &str) -> bool {
    text.chars()
        .all(|c| "\"'([{«‹“‘„‚¿¡（「『【《〈〔".contains(c))
}

/// Returns whether a text is only closing marks, which belong to what precedes.
fn is_closer(text: &str) -> bool {
    text.chars()
        .all(|c| ")]}»›”’」』）】》〉〕,;:.!?…、。，；：！？".contains(c))
}

fn ends(text: &str, next: Option<&Piece>) -> Ends {
    // In German and related styles, the last two are closing quotes.
    const CLOSERS: &str = "\"')]}»”’」』）】》〉“‘";
    const CLAUSE: &str = ",;:—–…、，；：،؛·";
    let bare = text.trim_end_matches(|c| CLOSERS.contains(c));
    if sentence_ends(bare, next.map(|next| next.text.as_str()))
        || bare.ends_with(['॥', '።', '።', '։', '။', '។'])
    {
        return Ends::Sentence;
    }
    let is_phrase = next.is_some_and(|next| next.has_space) && bare.ends_with(is_spaceless);
    match is_phrase || bare.ends_with(|c| CLAUSE.contains(c)) {
        true => Ends::Clause,
        false => Ends::Nothing,
    }
}

/// Returns whether a sign is one em wide.
fn is_wide(c: char) -> bool {
    c.width() == Some(2)
}

/// Returns whether a character's script has no spaces between words.
fn is_spaceless(c: char) -> bool {
    let mut buffer = [0; 4];
    let one: &str = c.encode_utf8(&mut buffer);
    joins_without_space(one, one)
}

/// Rules for line breaks and word ends in any script (Unicode, with dictionaries for Thai, Lao, Khmer, Burmese, Chinese and Japanese).
struct Rules {
    lines: icu_segmenter::LineSegmenterBorrowed<'static>,
    words: icu_segmenter::WordSegmenterBorrowed<'static>,
}

impl Rules {
    fn new() -> Rules {
        Rules {
            lines: LineSegmenter::new_dictionary(LineBreakOptions::default()),
            words: WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()),
        }
    }

    /// Returns a word whole, or a long one in parts between which a line may break, each with its share of the time.
    fn parts(&self, word: &Word<'_>) -> Vec<Piece> {
        let total = width(word.text);
        // Many lines within a short time could not be shown one after another.
        let has_time = total <= 2 * LINE || word.end - word.start >= 1000;
        let cuts = match total > MAX_WHOLE && has_time {
            true => self.cuts(word.text, total),
            false => Vec::new(),
        };
        let (mut from, mut done) = (0, 0);
        let mut parts = Vec::with_capacity(cuts.len() + 1);
        for to in cuts.into_iter().chain([word.text.len()]) {
            let text = word.text[from..to].trim();
            let at = |done: u32| {
                word.start + (word.end - word.start) * i64::from(done) / i64::from(total.max(1))
            };
            let start = at(done);
            done += width(&word.text[from..to]);
            if !text.is_empty() {
                parts.push(Piece {
                    text: text.to_owned(),
                    start,
                    end: at(done),
                    width: width(text),
                    has_space: word.text[..from].ends_with(char::is_whitespace),
                    is_inside_word: false,
                    ends: Ends::Nothing,
                });
            }
            from = to;
        }
        parts
    }

    /// Returns where a long word may be split: at spaces and in scripts without them; at hyphens and similar only if it is longer than a line.
    fn cuts(&self, text: &str, total: u32) -> Vec<usize> {
        let at = self.lines.segment_str(text);
        at.filter(|at| (1..text.len()).contains(at))
            .filter(|at| {
                let before = text[..*at].chars().next_back();
                let after = text[*at..].chars().next();
                let has = |is: fn(char) -> bool| before.is_some_and(is) || after.is_some_and(is);
                total > LINE || has(is_spaceless) || before.is_some_and(char::is_whitespace)
            })
            .collect()
    }

    /// Returns whether a line must not begin with `part` after `before`.
    fn binds(&self, before: &Piece, part: &Piece) -> bool {
        let is_opener = is_opener(&part.text);
        if !part.text.contains(char::is_alphanumeric) && !is_opener {
            return true;
        }
        if part.has_space || is_opener {
            return false;
        }
        let joined = format!("{}{}", before.text, part.text);
        !self
            .lines
            .segment_str(&joined)
            .any(|at| at == before.text.len())
    }

    /// Marks pieces that begin inside a word: Chinese and Japanese text often arrives character by character.
    fn find_torn_words(&self, pieces: &mut [Piece]) {
        let mut from = 0;
        while from < pieces.len() {
            let rest = pieces[from + 1..].iter();
            let n = 1 + rest.take_while(|piece| !piece.has_space).count();
            let run: String = pieces[from..from + n]
                .iter()
                .map(|piece| piece.text.as_str())
                .collect();
            let ends: Vec<usize> = self.words.segment_str(&run).collect();
            let mut at = 0;
            for piece in &mut pieces[from..from + n] {
                piece.is_inside_word = at > 0 && ends.binary_search(&at).is_err();
                at += piece.text.len();
            }
            from += n;
        }
    }
}
