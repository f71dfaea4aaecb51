//! What can be wrong with a text, and how it is quoted in a message.

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

/// Formats the start of an untrusted text in backticks, with invisible characters escaped.
pub(crate) fn quoted_text(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    let mut start: String = text
        .chars()
        .take(MAX_CHARS)
        .map(|c| {
            if is_shown(c) {
                c.to_string()
            } else {
                c.escape_unicode().to_string()
            }
        })
        .collect();
    if text.chars().nth(MAX_CHARS).is_some() {
        start.push('…');
    }
    format!("`{start}`")
}

/// Returns whether a character may appear in a message: no control characters, and none that change the text direction.
fn is_shown(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Returns the known name most similar to an untrusted one, if any is similar enough.
pub(crate) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    const MAX_BYTES: usize = 64;
    const ALIKE: f64 = 0.84;
    if name.len() > MAX_BYTES {
        return None;
    }
    let plain = |name: &str| name.trim().to_lowercase().replace(['-', ' '], "_");
    let wanted = plain(name);
    known
        .map(|known| (strsim::jaro_winkler(&wanted, &plain(known)), known))
        .filter(|(alike, known)| *alike >= ALIKE && !known.is_empty())
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}
