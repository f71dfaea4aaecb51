//! Handles: letters and digits of any script, `_` and `-`, after an `@`.

use icu_normalizer::DecomposingNormalizerBorrowed;
use unicode_segmentation::UnicodeSegmentation;

/// The longest handle, in characters.
pub(super) const MAX_HANDLE_CHARS: usize = 100;

/// Returns the handle at the start of `text`; empty if there is none. Marks and joiners of a letter belong to the handle; a hyphen at its end does not.
pub(super) fn leading(text: &str) -> &str {
    let is_part = |cluster: &&str| {
        let first = cluster.chars().next();
        let is_plain = !cluster.contains(['\u{fe0f}', '\u{20e3}']);
        is_plain && first.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-')
    };
    let len: usize = text.graphemes(true).take_while(is_part).map(str::len).sum();
    let handle = text[..len].trim_end_matches('-');
    if handle.chars().any(char::is_alphanumeric) {
        handle
    } else {
        ""
    }
}

/// Finds mentions of elements in descriptions: the offset of each `@` that is not within a word (as in an e-mail address), and the handle after it.
pub(super) fn mentions(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_free = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric());
    let places = text
        .match_indices('@')
        .map(|(at, _)| at)
        .filter(move |at| is_free(*at));
    places.map(|at| (at, leading(&text[at + 1..])))
}

/// Returns a handle as words: `Old_Tom` and `OldTom` are `Old Tom`.
pub(super) fn words(handle: &str) -> String {
    let mut words = String::with_capacity(handle.len() + 4);
    let mut last = ' ';
    for c in handle.chars() {
        if c.is_uppercase() && last.is_lowercase() {
            words.push(' ');
        }
        words.push(if c == '_' { ' ' } else { c });
        last = c;
    }
    words
}

/// Replaces mentions by names: `@Old_Tom` becomes `Old Tom`.
pub(super) fn without_at(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut done = 0;
    for (at, handle) in mentions(text) {
        plain.push_str(&text[done..at]);
        plain.push_str(&words(handle));
        done = at + 1 + handle.len();
    }
    plain.push_str(&text[done..]);
    plain.trim().to_owned()
}

/// Normalizes a name, so that names that look the same are equal: without case, accents, spaces, hyphens and underscores, and with full-width letters as
/// half-width ones.
pub fn folded(name: &str) -> String {
    let lower = name.to_lowercase();
    let parts = DecomposingNormalizerBorrowed::new_nfkd().normalize(&lower);
    let folded: String = parts
        .chars()
        .filter(|c| !is_accent(*c))
        .filter(|c| is_kept(*c))
        .flat_map(char::to_lowercase)
        .collect();
    // Names that consist only of symbols, such as emoji, stay as they are.
    if folded.is_empty() {
        name.trim().to_owned()
    } else {
        folded
    }
}

/// Returns whether a character is a mark on Latin, Greek and Cyrillic letters; in other scripts marks are vowels and tones.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Returns whether a character is kept: letters, digits, and marks other than accents.
fn is_kept(c: char) -> bool {
    let is_mark =
        matches!(c, '\u{483}'..='\u{1cff}' | '\u{a66f}'..='\u{abff}' | '\u{3099}' | '\u{309a}');
    c.is_alphanumeric() || (is_mark && !c.is_whitespace() && !c.is_ascii_punctuation())
}
