//! Splits text in many writing systems into sentences.

use std::ops::Range;

use super::clean;
use super::speak::abbreviation;

/// Marks that end a sentence anywhere, without a space after them.
const ENDS_ANYWHERE: &str = "。！？｡．۔؟।॥።፧៕។။";
/// Marks that end a sentence when a space, a quote or the text's end follows.
const ENDS_BEFORE_SPACE: &str = ".!?…։\u{37E}‽";
const CLOSERS: &str = "\"'”’»›)]}」』）】》〉";
const OPENERS: &str = "\"'“‘«‹([{「『（【《〈¿¡-–—";

/// Words that begin an English sentence, so that a full stop before them ends one, even after `etc.` or `U.S.`.
const STARTERS: &str = "The A An It He She They We You I This That These Those There Then And But So Or In On At When What Why How Who My His Her Our Their No Not If Now After Before Its Some All As For From One Once Even Still Yet";

/// A line shorter than this (characters) ends on purpose if the next line begins with a capital.
const SHORT_LINE: usize = 60;
/// Thai has no marks; a space after at least this many characters ends a piece.
const THAI_PIECE: usize = 16;

/// Returns the sentences of a text, trimmed, in order; every visible character is in one of them. A blank line always ends a sentence, other line ends only if
/// the text suggests it. Full stops in numbers, links, abbreviations and initials do not.
pub fn sentences<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let language = super::primary(language);
    let finder = Finder {
        text,
        chars: text.char_indices().collect(),
        is_casual: is_casual(text),
        language: &language,
    };
    let mut found = Vec::new();
    let (mut start, mut at, mut depth) = (0, 0, 0_usize);
    while at < finder.chars.len() {
        let c = finder.chars[at].1;
        depth = match c {
            '「' | '『' => depth + 1,
            '」' | '』' => depth.saturating_sub(1),
            '\n' => 0,
            _ => depth,
        };
        let end = if depth > 0 {
            None
        } else {
            finder.end(at, start)
        };
        match end {
            Some(end) => {
                push(&mut found, text, finder.byte(start)..finder.byte(end));
                (start, at) = (end, end.max(at + 1));
            }
            None => at += 1,
        }
    }
    push(&mut found, text, finder.byte(start)..text.len());
    found.into_iter().map(|range| &text[range]).collect()
}

/// Adds a piece without surrounding blanks. A piece without letters and digits (`😀`) joins the sentence before, if there is one.
fn push(found: &mut Vec<Range<usize>>, text: &str, piece: Range<usize>) {
    let trimmed = text[piece.clone()].trim();
    if trimmed.is_empty() {
        return;
    }
    let start = piece.start + text[piece].find(trimmed).unwrap_or_default();
    let end = start + trimmed.len();
    let is_mute = !trimmed.contains(char::is_alphanumeric);
    match found.last_mut() {
        Some(before) if is_mute && !text[before.end..start].contains('\n') => before.end = end,
        _ => found.push(start..end),
    }
}

/// Returns whether a text has few capitals, so that they do not show where sentences begin.
fn is_casual(text: &str) -> bool {
    let (mut n_letters, mut n_upper) = (0_usize, 0_usize);
    for c in text.chars().filter(|c| c.is_alphabetic()).take(4000) {
        n_letters += 1;
        n_upper += usize::from(c.is_uppercase());
    }
    n_upper * 100 < n_letters
}

struct Finder<'a> {
    text: &'a str,
    chars: Vec<(usize, char)>,
    is_casual: bool,
    language: &'a str,
}

impl Finder<'_> {
    fn byte(&self, at: usize) -> usize {
        self.chars
            .get(at)
            .map_or(self.text.len(), |(byte, _)| *byte)
    }

    fn char(&self, at: usize) -> Option<char> {
        self.chars.get(at).map(|(_, c)| *c)
    }

    /// Returns the end (exclusive, in characters) of the sentence, if the character at `at` closes it.
    fn end(&self, at: usize, start: usize) -> Option<usize> {
        let c = self.chars[at].1;
        if c == '\n' {
            return self.line_ends_sentence(at).then_some(at + 1);
        }
        if c == ' ' {
            return self.thai_space(at, start).then_some(at + 1);
        }
        let anywhere = ENDS_ANYWHERE.contains(c);
        let greek = c == ';' && self.language == "el";
        let after_quote =
            "」』".contains(c) && at > 0 && ENDS_ANYWHERE.contains(self.chars[at - 1].1);
        if !anywhere && !greek && !after_quote && !ENDS_BEFORE_SPACE.contains(c) {
            return None;
        }
        let mut end = at + 1;
        while self.char(end).is_some_and(|c| {
            ENDS_ANYWHERE.contains(c) || ENDS_BEFORE_SPACE.contains(c) || is_tail(c)
        }) {
            end += 1;
        }
        let marks_end = end;
        let is_spaced = |c: Option<char>| c.is_some_and(|c| c.is_whitespace() && c != '\n');
        if is_spaced(self.char(end)) && self.char(end + 1) == Some('»') {
            end += 1;
        }
        while self.char(end).is_some_and(|c| self.closes(end, c)) {
            end += 1;
        }
        let next = self.char(end);
        if anywhere || after_quote {
            // 「…。」と言った continues after the quotation.
            let goes_on =
                (after_quote || end > marks_end) && next.is_some_and(|c| "とっ、，,".contains(c));
            return (!goes_on).then_some(end);
        }
        if next.is_some_and(|c| !c.is_whitespace() && !clean::is_pictograph(c)) {
            return None;
        }
        let quoted = end > marks_end;
        (self.ends_before(end, quoted) && !self.is_inner_stop(at, start, end)).then_some(end)
    }

    /// Returns whether a character is a closing quote or bracket; a straight quote closes only if no word begins right after it.
    fn closes(&self, at: usize, c: char) -> bool {
        let next = self.char(at + 1);
        CLOSERS.contains(c)
            && (!matches!(c, '"' | '\'') || next.is_none_or(|n| !n.is_alphanumeric()))
    }

    /// Returns whether the text after `end` may begin a sentence.
    fn ends_before(&self, end: usize, quoted: bool) -> bool {
        let mut at = end;
        while self
            .char(at)
            .is_some_and(|c| c.is_whitespace() || OPENERS.contains(c) || clean::is_pictograph(c))
        {
            at += 1;
        }
        match self.char(at) {
            Some(next) if next.is_lowercase() => self.is_casual && !quoted,
            _ => true,
        }
    }

    /// Returns whether the full stop at `at` belongs to an abbreviation, an initial or an ordinal.
    fn is_inner_stop(&self, at: usize, start: usize, end: usize) -> bool {
        if self.chars[at].1 != '.' || end - at > 1 {
            return false;
        }
        let start = (start..at)
            .find(|i| !self.chars[*i].1.is_whitespace())
            .unwrap_or(at);
        let mut word_at = at;
        while word_at > start
            && at - word_at < 24
            && !self.chars[word_at - 1].1.is_whitespace()
            && !OPENERS.contains(self.chars[word_at - 1].1)
        {
            word_at -= 1;
        }
        let word = &self.text[self.byte(word_at)..self.byte(at)];
        let next = self.word_after(end);
        let starts_upper = next.starts_with(char::is_uppercase);
        let is_starter = STARTERS.split(' ').any(|s| s == next);
        let mut letters = word.chars();
        if let (Some(letter), None) = (letters.next(), letters.next()) {
            let before_initial = next.chars().count() == 1 && starts_upper;
            if letter.is_lowercase() && before_initial && self.language == "de" {
                return true;
            }
            if letter.is_uppercase() {
                return starts_upper && (before_initial || (!is_starter && letter != 'I'));
            }
            if letter.is_ascii_digit() && word_at == start {
                return true;
            }
        }
        if !word.is_empty() && word.chars().all(|c| c.is_ascii_digit()) {
            let list_number = word_at == start && word.len() <= 2;
            let ordinal =
                self.language == "de" && word.len() <= 2 && super::lexicon::is_month(next);
            return list_number || ordinal;
        }
        match abbreviation::kind(word, self.language) {
            Some(abbreviation::Kind::BeforeName) => !next.is_empty(),
            Some(abbreviation::Kind::BeforeNumber) => next.starts_with(char::is_numeric),
            Some(abbreviation::Kind::Anywhere) => match self.language {
                "en" => !next.is_empty() && !is_starter,
                "de" => !next.is_empty() && word != "usw" && word != "etc",
                _ => !next.is_empty() && !starts_upper,
            },
            None => false,
        }
    }

    fn word_after(&self, end: usize) -> &str {
        let mut from = end;
        while self
            .char(from)
            .is_some_and(|c| c.is_whitespace() || OPENERS.contains(c))
        {
            if self.char(from) == Some('\n') && self.char(from + 1) == Some('\n') {
                return "";
            }
            from += 1;
        }
        let mut to = from;
        while to - from < 32 && self.char(to).is_some_and(char::is_alphanumeric) {
            to += 1;
        }
        &self.text[self.byte(from)..self.byte(to)]
    }

    fn line_ends_sentence(&self, at: usize) -> bool {
        if self.char(at + 1) == Some('\n') {
            return true;
        }
        let mut n_before = 0;
        while n_before < SHORT_LINE && n_before < at && self.chars[at - 1 - n_before].1 != '\n' {
            n_before += 1;
        }
        let next = self.char(at + 1).unwrap_or('A');
        let comma = at > 0 && ",;:-–—、，".contains(self.chars[at - 1].1);
        n_before < SHORT_LINE && !comma && (!next.is_lowercase() || self.is_casual)
    }

    fn thai_space(&self, at: usize, start: usize) -> bool {
        let is_thai = |at: usize| {
            self.char(at)
                .is_some_and(|c| (0x0E01..=0x0E5B).contains(&u32::from(c)))
        };
        at > 0 && at - start >= THAI_PIECE && is_thai(at - 1) && is_thai(at + 1)
    }
}

/// Returns whether a character may be between a closing mark and the quotes after it.
fn is_tail(c: char) -> bool {
    matches!(c, '\u{FE0E}' | '\u{FE0F}')
}
