//! Words as shown in captions, each with its spoken form: numbers, money, dates, abbreviations and symbols as words, emoji as nothing.

pub(crate) mod abbreviation;
mod dates;
mod figures;
mod letters;
mod measures;

use super::clean;
use super::numbers::{self, Numerals};

/// A word of a caption and its spoken form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The word as shown; words are separated by spaces.
    pub shown: String,
    /// The text for the voice: one word or more; empty if it is silent (a lone emoji, a dash, a link). Its time then belongs to a neighbor.
    pub spoken: String,
}

/// A word longer than this (bytes) is not analyzed.
const MAX_WORD: usize = 200;

/// Returns the words of a plain text ([`super::plain`]), one token for each space-separated word, in order. Numbers become words in English, Spanish, German,
/// French, Portuguese and Italian; in other languages the voice reads them.
pub fn speakable(text: &str, language: &str) -> Vec<Token> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let language = super::primary(language);
    let is_shouted = !text.chars().take(4000).any(char::is_lowercase) && words.len() > 2;
    let numerals = numbers::numerals(&language);
    (0..words.len())
        .map(|at| {
            let place = Place {
                words: &words,
                at,
                language: &language,
                numerals,
                is_shouted,
            };
            Token {
                shown: words[at].to_string(),
                spoken: spoken(&place),
            }
        })
        .collect()
}

/// A word and its neighbors.
struct Place<'a> {
    words: &'a [&'a str],
    at: usize,
    language: &'a str,
    numerals: Option<&'static Numerals>,
    /// Whether the whole text is in capitals, so that they carry no meaning.
    is_shouted: bool,
}

impl Place<'_> {
    /// Returns the word `by` positions away without punctuation; empty if there is none.
    fn near(&self, by: isize) -> &str {
        self.at
            .checked_add_signed(by)
            .and_then(|at| self.words.get(at))
            .filter(|word| word.len() <= MAX_WORD)
            .map_or("", |word| peel(word).1)
    }

    /// Returns whether punctuation or the text's end separates this word from the next.
    fn is_last(&self) -> bool {
        self.at + 1 == self.words.len() || !peel(self.words[self.at]).2.is_empty()
    }
}

fn spoken(place: &Place<'_>) -> String {
    let word = place.words[place.at];
    if word.len() > MAX_WORD {
        return letters::voiced(word);
    }
    if let Some(address) = letters::address(word, place) {
        return address;
    }
    let (_, core, tail) = peel(word);
    if core.is_empty() {
        return letters::symbol(word, place).unwrap_or_default();
    }
    if let Some(words) = abbreviated(core, tail, place) {
        return words;
    }
    let words = figures::figure(core, place)
        .or_else(|| letters::symbol(core, place))
        .or_else(|| letters::roman(core, place))
        .or_else(|| letters::acronym(core, place))
        .unwrap_or_else(|| letters::voiced(core));
    let is_german_day =
        place.language == "de" && tail == "." && super::lexicon::is_month(place.near(1));
    let is_said_before = place.language == "de" && core == "Uhr" && place.near(-1).contains(':');
    match words {
        _ if is_said_before => prosody(tail),
        words if words.is_empty() || is_german_day => words,
        words => words + &prosody(tail),
    }
}

/// Reads an abbreviation of the table, in one word (`etc.`) or two (`p. ex.`: the second is silent).
fn abbreviated(core: &str, tail: &str, place: &Place<'_>) -> Option<String> {
    use abbreviation::Kind;
    let dotted = |core: &str, tail: &str| {
        if tail.starts_with('.') {
            format!("{core}.")
        } else {
            core.to_string()
        }
    };
    let written = dotted(core, tail);
    let paired = |by: isize| {
        let other = place
            .at
            .checked_add_signed(by)
            .and_then(|at| place.words.get(at))?;
        let (_, core, tail) = peel(other);
        (other.len() <= MAX_WORD && tail.len() <= 1).then(|| dotted(core, tail))
    };
    if let Some(next) = paired(1)
        && let Some((words, _)) =
            abbreviation::meaning(&format!("{written} {next}"), place.language)
    {
        return Some(words.to_string());
    }
    if let Some(before) = paired(-1)
        && abbreviation::meaning(&format!("{before} {written}"), place.language).is_some()
    {
        return Some(String::new());
    }
    let (words, kind) = abbreviation::meaning(&written, place.language)?;
    let next = place.near(1);
    let rest = tail.strip_prefix('.').unwrap_or(tail);
    match kind {
        Kind::BeforeNumber if !next.starts_with(|c: char| c.is_ascii_digit()) => None,
        Kind::BeforeName if place.language == "en" && matches!(core, "St" | "Dr") => {
            let is_title = next.starts_with(char::is_uppercase) && rest.is_empty();
            let street = if core == "St" { "Street" } else { "Drive" };
            let name = if is_title { words } else { street };
            Some(format!("{name}{}", prosody(rest)))
        }
        Kind::Anywhere if rest.is_empty() && place.at + 1 == place.words.len() => {
            Some(format!("{words}{}", prosody(tail)))
        }
        _ => Some(format!("{words}{}", prosody(rest))),
    }
}

/// Splits a word into opening marks, core and closing marks. A sign that belongs to the word (`$`, `-5`, `10%`, `C++`) stays with it.
fn peel(word: &str) -> (&str, &str, &str) {
    let is_opening = |c: char| {
        "\"'“”‘’«»‹›„‚([{（「『【*_^|<>¿¡…–—`".contains(c)
            || clean::is_pictograph(c)
            || clean::is_joiner(c)
    };
    let is_closing = |c: char| {
        ".,!?;:…\"'“”‘’«»‹›)]}）」』】*_~^|<>—–`。！？、，；：؟،۔।॥".contains(c)
            || clean::is_pictograph(c)
            || clean::is_joiner(c)
    };
    let core = word.trim_start_matches(is_opening);
    let n_lead = word.len() - core.len();
    let core = core.trim_end_matches(is_closing);
    let core = core.strip_prefix("...").unwrap_or(core);
    let tail = &word[n_lead + core.len()..];
    (&word[..n_lead], core, tail)
}

/// Returns those closing marks that affect the intonation.
fn prosody(tail: &str) -> String {
    tail.chars()
        .filter(|c| ".,!?;:…。！？、，；：؟،۔।".contains(*c))
        .collect()
}
