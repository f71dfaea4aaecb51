//! Cleans texts of everything that a script would read as syntax.

use crate::script::canonical::line::{Form, description_problem, form, is_shouted, trimmed};
use crate::text_problem::is_blank;

/// Returns a description line; `None` if nothing is left of it.
pub(super) fn plain_seen(text: &str) -> Option<String> {
    let mut line = one_line(text).replace(['@', '[', ']'], "");
    for beat in [
        "(beat)", "(pause)", "(Beat)", "(Pause)", "(BEAT)", "(PAUSE)",
    ] {
        line = line.replace(beat, "");
    }
    let mut line = without_marks(&line).to_owned();
    if is_shouted(&line) {
        line = sentence_case(&line);
    }
    if has_problem(&line) {
        line = line
            .replace(':', ",")
            .replace(['(', ')', '（', '）', '：'], " ");
        line = without_marks(&line).to_owned();
    }
    if has_problem(&line) {
        let kept = line
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { ' ' });
        line = one_line(&kept.collect::<String>()).to_lowercase();
    }
    (!is_blank(&line) && !has_problem(&line)).then_some(line)
}

/// Returns whether a line would not be read as a description.
pub(super) fn has_problem(line: &str) -> bool {
    !matches!(form(line), Form::Text) || description_problem(line).is_some()
}

/// Returns a title of a few words; `None` if nothing is left of it.
pub(super) fn plain_title(text: &str) -> Option<String> {
    const MAX_WORDS: usize = 6;
    const MAX_CHARS: usize = 60;
    let line = one_line(text).replace(['@', '#', '[', ']', '(', ')', '（', '）', '"'], "");
    let words: Vec<&str> = line.split_whitespace().take(MAX_WORDS).collect();
    let title: String = words.join(" ").chars().take(MAX_CHARS).collect();
    let title = title
        .trim_matches(|c: char| !c.is_alphanumeric() && !('\u{300}'..='\u{1cff}').contains(&c));
    title
        .chars()
        .any(char::is_alphanumeric)
        .then(|| title.to_owned())
}

/// Returns the speech without directions in brackets; `None` if nothing is left of it.
pub(super) fn plain_said(text: &str) -> Option<String> {
    let line = without_brackets(&one_line(text));
    let line = trimmed(&line);
    let said = unquoted(line).unwrap_or(line);
    said.chars()
        .any(char::is_alphanumeric)
        .then(|| trimmed(said).to_owned())
        .filter(|said| !is_blank(said))
}

/// Returns the text inside one pair of quotes around the whole.
fn unquoted(text: &str) -> Option<&str> {
    const PAIRS: &[(char, char)] = &[('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」')];
    let inner = PAIRS.iter().find_map(|(open, close)| {
        Some((
            text.strip_prefix(*open)?.strip_suffix(*close)?,
            (*open, *close),
        ))
    });
    inner
        .filter(|(inner, (open, close))| !inner.contains([*open, *close]))
        .map(|(inner, _)| inner)
}

/// Removes `[...]`, and brackets without a partner.
fn without_brackets(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        plain.push_str(&rest[..open]);
        match rest[open..].find(']') {
            Some(len) => rest = &rest[open + len + 1..],
            // No later bracket is closed either.
            None => {
                rest = &rest[open + 1..];
                break;
            }
        }
    }
    plain.push_str(rest);
    one_line(&plain.replace(['[', ']'], " "))
}

/// Replaces white space and control characters by single spaces.
pub(super) fn one_line(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|c| {
            if c.is_control() || c.is_whitespace() {
                ' '
            } else {
                c
            }
        })
        .collect();
    spaced
        .split(' ')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Removes the marks of lists, quotations and headings at the start, and parentheses around the whole.
fn without_marks(line: &str) -> &str {
    let mut line = trimmed(line);
    loop {
        let bare = line.trim_start_matches([
            '#', '>', '*', '-', '+', '|', '=', '~', '<', '`', '•', '–', '—', '_',
        ]);
        let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
        let item = [". ", ") "]
            .iter()
            .find_map(|mark| bare[digits..].strip_prefix(mark))
            .filter(|_| digits > 0);
        let bare = item.unwrap_or(bare);
        let inner = bare
            .strip_prefix(['(', '（'])
            .and_then(|inner| inner.strip_suffix([')', '）']));
        let next = trimmed(inner.unwrap_or(bare));
        if next.len() == line.len() {
            return line;
        }
        line = next;
    }
}

/// Makes the first letter upper case, the others lower case.
fn sentence_case(text: &str) -> String {
    let lower = text.to_lowercase();
    let mut chars = lower.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}
