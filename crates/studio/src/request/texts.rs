//! What a text may contain, and its maximum length.

/// Longest `prompt`, in characters (Unicode scalar values), like all limits here.
pub const MAX_PROMPT_CHARS: usize = 10_000;
/// Longest `script` and `userScript`.
pub const MAX_SCRIPT_CHARS: usize = 50_000;
/// Longest `directorNotes` and `videoDirectorNotes`.
pub const MAX_NOTES_CHARS: usize = 5_000;
/// Longest `voiceId`, `voiceoverKey` and name of a character.
pub const MAX_NAME_CHARS: usize = 200;
/// Longest `description`, `appearance` and `clothing` of a character.
pub const MAX_PROFILE_CHARS: usize = 2_000;

/// Returns whether a text has nothing visible or audible: only white space and characters without a shape.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_whitespace() || c.is_control() || is_shapeless(c))
}

/// Returns whether a character only joins, separates or reorders others, or is a filler.
fn is_shapeless(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns whether a character is not allowed in texts but can be dropped safely: control characters other than tab and line ends.
pub(super) fn is_left_out(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}')
}
