//! Makes untrusted text safe to shape: no control or bidi override characters, no endless stacks of marks, a bounded length.

use swash::text::Codepoint;

/// Maximum number of combining marks kept on one base character; real orthographies need four.
const MAX_MARKS: usize = 8;

/// Text that is safe to shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clean {
    /// The remaining text.
    pub(crate) text: String,
    /// Whether something was cut: characters after `max_chars`, an endless stack of marks or joiners, controls, or direction overrides.
    pub(crate) truncated: bool,
}

/// Removes what must not reach the shaper and cuts after `max_chars` characters. White space becomes single spaces; `\n` is kept if `keep_lines`.
pub(crate) fn clean(text: &str, max_chars: usize, keep_lines: bool) -> Clean {
    let mut out = String::with_capacity(text.len().min(4 * max_chars));
    let (mut n_chars, mut n_marks, mut n_joiners, mut last) = (0, 0, 0, ' ');
    let mut truncated = false;
    for c in text.chars() {
        let c = match c {
            '\n' | '\u{2028}' | '\u{2029}' if keep_lines => '\n',
            c if c.is_whitespace() && !is_no_break_space(c) => ' ',
            c => c,
        };
        truncated |= is_refused(c);
        if is_dropped(c) || (c == ' ' && (last == ' ' || last == '\n')) {
            continue;
        }
        // A chain of joiners has the same meaning as one.
        if is_joiner(c) && is_joiner(last) {
            n_joiners += 1;
            truncated |= n_joiners > MAX_MARKS;
            continue;
        }
        n_joiners = 0;
        n_marks = if c.combining_class() != 0 {
            n_marks + 1
        } else {
            0
        };
        if n_marks > MAX_MARKS {
            truncated = true;
            continue;
        }
        if n_chars == max_chars {
            truncated = true;
            break;
        }
        out.push(c);
        n_chars += 1;
        last = c;
    }
    let end = out.trim_end().len();
    out.truncate(end);
    Clean {
        text: out,
        truncated,
    }
}

fn is_no_break_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}')
}

/// Returns whether a character never occurs in legitimate text: controls other than white space, and direction overrides.
fn is_refused(c: char) -> bool {
    (c.is_control() && !c.is_whitespace()) || matches!(c, '\u{202d}' | '\u{202e}')
}

/// Returns whether a character is dropped: controls, bidi embeddings, overrides and isolates (they could reorder words around them), annotations, the byte-order mark.
fn is_dropped(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{206a}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' | '\u{feff}')
}

/// Returns whether a character is never drawn by itself (format characters, variation selectors, joiners), so that no font needs it.
pub(super) fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns the Debian package with fonts for a character that the bundled faces lack; `None` for characters without a standard shape.
pub(crate) fn package_for(c: char) -> Option<&'static str> {
    match c {
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. => None,
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{312f}'
        | '\u{3130}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}' => Some("fonts-noto-cjk"),
        '\u{20e3}' | '\u{1f000}'..='\u{1faff}' => Some("fonts-noto-color-emoji"),
        '\u{2300}'..='\u{2bff}' if c.is_emoji() => Some("fonts-noto-color-emoji"),
        _ => Some("fonts-noto-core"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_characters_go_and_words_stay() {
        for (text, want, truncated) in [
            ("a\u{202e}b\u{0}c\u{7}", "abc", true),
            ("  two\t\r\n words ", "two words", false),
            ("abcdefghij-and-more", "abcdefghij-a", true),
            ("a\u{200d}\u{200d}\u{200d}b", "a\u{200d}b", false),
            ("\u{feff}\u{2066}\u{2069}", "", false),
        ] {
            let clean = clean(text, 12, false);
            assert_eq!((clean.text.as_str(), clean.truncated), (want, truncated));
        }
        assert_eq!(clean("a\n b", 9, true).text, "a\nb");
    }

    #[test]
    fn stacks_of_marks_end() {
        let stack = format!("e{}x", "\u{301}".repeat(10_000));
        let clean = clean(&stack, 200, false);
        assert_eq!(clean.text.chars().count(), 2 + MAX_MARKS);
        assert!(clean.truncated);
        let thai = "กำลังจะ\u{e48}";
        assert_eq!(super::clean(thai, 200, false).text, thai);
    }
}
