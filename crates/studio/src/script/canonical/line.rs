//! One line of a script: its kind, and what it must not contain.

use super::diagnostic::DiagnosticCode;
use super::handle::leading;
use super::heading::Wrong;

/// A line by its form.
pub(super) enum Form<'t> {
    /// An empty line or a rule.
    Blank,
    /// The number of hashes and the text after them.
    Heading(usize, &'t str),
    /// `@Handle:` and what follows the colon.
    Speech(&'t str, &'t str),
    /// Anything else.
    Text,
}

/// Returns the form of a trimmed line.
pub(super) fn form(line: &str) -> Form<'_> {
    if line.is_empty() || is_rule(line) {
        return Form::Blank;
    }
    if line.starts_with('#') {
        let text = line.trim_start_matches('#');
        return Form::Heading(
            line.len() - text.len(),
            trimmed(trimmed(text).trim_end_matches('#')),
        );
    }
    if let Some(rest) = line.strip_prefix('@') {
        let handle = leading(rest);
        let behind = trimmed(&rest[handle.len()..]);
        if let Some(said) = behind
            .strip_prefix([':', '：'])
            .filter(|_| !handle.is_empty())
        {
            return Form::Speech(handle, trimmed(said));
        }
    }
    Form::Text
}

fn is_rule(line: &str) -> bool {
    let first = line.chars().next().filter(|c| "-*_".contains(*c));
    first.is_some_and(|mark| {
        line.chars().filter(|c| *c == mark).count() >= 3
            && line.chars().all(|c| c == mark || c == ' ')
    })
}

/// Trims white space and direction marks, which are invisible.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'))
}

/// Returns why a line cannot be a description, and the offset of the problem.
pub(super) fn description_problem(line: &str) -> Option<(usize, Wrong)> {
    let beat = |at: usize, told: &str| Some((at, (DiagnosticCode::Beat, told.to_owned())));
    if line.starts_with(['>', '|', '<'])
        || ["```", "~~~", "==="]
            .iter()
            .any(|mark| line.starts_with(mark))
    {
        let told = "Markdown that scripts do not allow: write what is seen as a plain line";
        return Some((0, (DiagnosticCode::Markup, told.into())));
    }
    if is_list_item(line) {
        return beat(
            0,
            "a list of visual beats: write what is seen as a plain line, each beat in its own shot",
        );
    }
    if let Some(at) = line.find(['[', ']']) {
        return beat(
            at,
            "square brackets mark a visual beat: write what is seen as a plain line without them",
        );
    }
    if line.starts_with(['(', '（']) && line.ends_with([')', '）']) {
        return beat(
            0,
            "a line in parentheses is a stage direction: write what is seen as a plain line without them",
        );
    }
    if let Some(at) = beat_in_parentheses(line) {
        return beat(
            at,
            "a beat in parentheses: leave it out, or give it its own shot",
        );
    }
    if PLAY_WORDS.iter().any(|word| line.starts_with(word)) {
        return beat(
            0,
            "a play's heading or cut: write a scene's heading `## Scene 1: Title (12s)`, or what is seen as a plain line",
        );
    }
    label_problem(line).map(|wrong| (0, wrong))
}

/// The beginnings of a play's lines that are neither action nor speech.
pub(super) const PLAY_WORDS: &[&str] = &[
    "INT.",
    "EXT.",
    "INT/EXT",
    "INT ",
    "EXT ",
    "I/E",
    "CUT TO",
    "FADE IN",
    "FADE OUT",
    "FADE TO",
    "SMASH CUT",
    "DISSOLVE TO",
];

/// Labels for what is seen or heard, in any case.
pub(super) const LABELS: &[&str] = &[
    "visual",
    "visuals",
    "camera",
    "sfx",
    "vfx",
    "fx",
    "sound",
    "music",
    "action",
    "beat",
    "shot",
    "b-roll",
    "text on screen",
    "on screen",
    "on-screen text",
    "super",
    "cut to",
];

/// Labels for the narrator's speech.
pub(super) const NARRATOR_LABELS: &[&str] = &[
    "narrator",
    "narration",
    "voiceover",
    "voice-over",
    "voice over",
    "vo",
    "v.o.",
    "v/o",
    "host",
];

/// Splits a line at its first colon, if the part before it is short enough to be a label or a name.
pub(super) fn label(line: &str) -> Option<(&str, &str)> {
    const MAX_CHARS: usize = 40;
    let (label, rest) = line.split_once([':', '：'])?;
    let label = trimmed(label.trim_matches(['*', '_']));
    // A time or a web address is not a label.
    let is_free = !rest.starts_with(|c: char| c.is_ascii_digit() || c == '/');
    (is_free && !label.is_empty() && label.chars().nth(MAX_CHARS).is_none())
        .then(|| (label, trimmed(rest.trim_start_matches('*'))))
}

fn label_problem(line: &str) -> Option<Wrong> {
    let (label, rest) = label(line)?;
    let lower = label.to_lowercase();
    if is_shouted(label)
        || LABELS
            .iter()
            .chain(NARRATOR_LABELS)
            .any(|known| *known == lower)
    {
        let told =
            "a label: write what is seen as a plain line, and what is said as `@Handle: \"text\"`";
        return Some((DiagnosticCode::Beat, told.into()));
    }
    rest.starts_with(|c| closers(c).is_some()).then(|| {
        let told = "speech without a handle: write `@Handle: \"text\"` and list the handle under `Characters:`";
        (DiagnosticCode::Speech, told.into())
    })
}

/// Returns whether a text is in capitals: at least two, and no small letter.
pub(super) fn is_shouted(text: &str) -> bool {
    text.chars().filter(|c| c.is_uppercase()).nth(1).is_some()
        && !text.chars().any(char::is_lowercase)
}

/// Returns whether a line starts with `- `, `* `, `+ `, `• `, `1. ` or `1) `.
pub(super) fn is_list_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let mark = &line[digits..];
    match digits {
        0 => {
            mark.starts_with('•')
                || ["- ", "* ", "+ ", "– ", "— "]
                    .iter()
                    .any(|bullet| mark.starts_with(bullet))
        }
        1..=3 => mark.starts_with(". ") || mark.starts_with(") "),
        _ => false,
    }
}

/// Returns the offset of a `(beat)` or `(pause)`.
fn beat_in_parentheses(line: &str) -> Option<usize> {
    const WORDS: &[&str] = &["beat", "pause", "long beat", "long pause", "silence"];
    let longest = WORDS
        .iter()
        .map(|word| word.len())
        .max()
        .unwrap_or_default();
    let mut opened = line.match_indices('(').map(|(at, _)| at);
    opened.find(|at| {
        // The search is limited to the length of the longest word, because a text may contain many open parentheses.
        let rest = &line.as_bytes()[at + 1..];
        let len = rest.iter().take(longest + 1).position(|b| *b == b')');
        len.is_some_and(|len| {
            WORDS
                .iter()
                .any(|word| rest[..len].eq_ignore_ascii_case(word.as_bytes()))
        })
    })
}

/// Returns the characters that may close a quotation that opens with `open`.
pub(super) fn closers(open: char) -> Option<&'static [char]> {
    Some(match open {
        '"' => &['"'],
        '“' => &['”'],
        '„' => &['“', '”'],
        '”' => &['”'],
        '«' => &['»'],
        '»' => &['«', '»'],
        '「' => &['」'],
        '『' => &['』'],
        '＂' => &['＂'],
        _ => return None,
    })
}

/// Returns the speech without its quotes; or the problem and its offset.
pub(super) fn quotation(text: &str) -> Result<String, (usize, Wrong)> {
    let wrong = |at: usize, told: &str| {
        Err((
            at,
            (
                DiagnosticCode::Speech,
                format!("{told}: write `@Handle: \"text\"` on one line"),
            ),
        ))
    };
    let mut chars = text.char_indices();
    let Some(closers) = chars.next().and_then(|(_, open)| closers(open)) else {
        return wrong(0, "what is said has no quotation marks");
    };
    let mut said = String::new();
    while let Some((at, c)) = chars.next() {
        if closers.contains(&c) {
            let behind = at + c.len_utf8();
            if !trimmed(&text[behind..]).is_empty() {
                return wrong(behind, "something follows the quotation");
            }
            return match said.find(['[', ']']) {
                _ if crate::text_problem::is_blank(&said) => wrong(0, "the quotation is empty"),
                Some(_) => Err((
                    0,
                    (
                        DiagnosticCode::Beat,
                        "square brackets within speech mark a visual beat: leave them out".into(),
                    ),
                )),
                None => Ok(trimmed(&said).to_owned()),
            };
        }
        let escaped = if c == '\\' {
            text[at + 1..]
                .chars()
                .next()
                .filter(|next| *next == '\\' || closers.contains(next))
        } else {
            None
        };
        said.push(escaped.unwrap_or(c));
        if escaped.is_some() {
            chars.next();
        }
    }
    wrong(0, "the quotation does not end on its line")
}
