//! Finds emoji in a text (Unicode Technical Standard 51), including sequences drawn as one picture.

use std::ops::Range;

use swash::text::Codepoint;

const VARIATION_EMOJI: char = '\u{fe0f}';
const VARIATION_TEXT: char = '\u{fe0e}';
const KEYCAP: char = '\u{20e3}';
const JOINER: char = '\u{200d}';

/// Returns the byte range of each emoji; a sequence of several characters is one range.
pub(super) fn spans(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(c) = text[at..].chars().next() {
            let start = at;
            match length(&text[at..]) {
                0 => at += c.len_utf8(),
                n => {
                    at += n;
                    return Some(start..at);
                }
            }
        }
        None
    })
}

/// Returns the length in bytes of the emoji at the start of the text; 0 if there is none.
fn length(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let Some((_, first)) = chars.next() else {
        return 0;
    };
    let next = chars.peek().map(|(_, c)| *c);
    let is_flag = |c: char| ('\u{1f1e6}'..='\u{1f1ff}').contains(&c);
    let asked = match next {
        Some(VARIATION_TEXT) => false,
        Some(VARIATION_EMOJI | KEYCAP) => first.is_emoji(),
        _ => is_colorful(first) || is_flag(first),
    };
    if !asked {
        return 0;
    }
    let (mut end, mut joined, mut flags) = (first.len_utf8(), false, usize::from(is_flag(first)));
    for (at, c) in chars {
        let goes_on = match c {
            VARIATION_EMOJI
            | KEYCAP
            | JOINER
            | '\u{1f3fb}'..='\u{1f3ff}'
            | '\u{e0020}'..='\u{e007f}' => true,
            _ if is_flag(c) => flags == 1,
            _ => joined && (c.is_emoji() || c.is_extended_pictographic()),
        };
        if !goes_on {
            break;
        }
        flags += usize::from(flags > 0 && is_flag(c));
        joined = c == JOINER;
        end = at + c.len_utf8();
    }
    end
}

/// Returns whether a character is shown in color by default (`Emoji_Presentation`; above the basic plane every pictograph).
fn is_colorful(c: char) -> bool {
    match c {
        '\u{1f000}'.. => c.is_extended_pictographic(),
        '\u{231a}'..='\u{231b}'
        | '\u{23e9}'..='\u{23ec}'
        | '\u{23f0}'
        | '\u{23f3}'
        | '\u{25fd}'..='\u{25fe}'
        | '\u{2614}'..='\u{2615}'
        | '\u{2648}'..='\u{2653}'
        | '\u{267f}'
        | '\u{2693}'
        | '\u{26a1}'
        | '\u{26aa}'..='\u{26ab}'
        | '\u{26bd}'..='\u{26be}'
        | '\u{26c4}'..='\u{26c5}'
        | '\u{26ce}'
        | '\u{26d4}'
        | '\u{26ea}'
        | '\u{26f2}'..='\u{26f3}'
        | '\u{26f5}'
        | '\u{26fa}'
        | '\u{26fd}'
        | '\u{2705}'
        | '\u{270a}'..='\u{270b}'
        | '\u{2728}'
        | '\u{274c}'
        | '\u{274e}'
        | '\u{2753}'..='\u{2755}'
        | '\u{2757}'
        | '\u{2795}'..='\u{2797}'
        | '\u{27b0}'
        | '\u{27bf}'
        | '\u{2b1b}'..='\u{2b1c}'
        | '\u{2b50}'
        | '\u{2b55}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_one_emoji() {
        for (text, want) in [
            ("a😀b", vec!["😀"]),
            (
                "👩\u{200d}👩\u{200d}👧 x 👍🏽",
                vec!["👩\u{200d}👩\u{200d}👧", "👍🏽"],
            ),
            ("🇩🇪🇫🇷🇮", vec!["🇩🇪", "🇫🇷", "🇮"]),
            (
                "1\u{fe0f}\u{20e3}2 #\u{20e3}",
                vec!["1\u{fe0f}\u{20e3}", "#\u{20e3}"],
            ),
            ("❤ ❤\u{fe0f} ⭐ ⭐\u{fe0e} ©", vec!["❤\u{fe0f}", "⭐"]),
            (
                "👩\u{200d}❤\u{fe0f}\u{200d}👨",
                vec!["👩\u{200d}❤\u{fe0f}\u{200d}👨"],
            ),
            ("🏳\u{fe0f}\u{200d}🌈", vec!["🏳\u{fe0f}\u{200d}🌈"]),
            ("abc 漢字", vec![]),
        ] {
            let found: Vec<&str> = spans(text).map(|span| &text[span]).collect();
            assert_eq!(found, want, "{text}");
        }
    }
}
