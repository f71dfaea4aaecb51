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

/// Returns whether a character is not allowed in texts but can be dropped safely: control characters other than tab and line ends.
pub(super) fn is_left_out(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}')
}
