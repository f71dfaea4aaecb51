//! Headings: numbers, titles and lengths.

use super::diagnostic::DiagnosticCode;

/// The longest scene or shot, in seconds.
pub(super) const MAX_SECS: f64 = crate::limits::MAX_VIDEO_SECS;

/// A problem of a heading: its class, the defect and the correction.
pub(super) type Wrong = (DiagnosticCode, String);

/// `Scene 1: Title (12s)` without its `##`.
pub(super) struct SceneHeading {
    pub(super) number: Option<u32>,
    pub(super) title: String,
    pub(super) secs: Option<f64>,
}

/// `Shot 1.2 (4s)` without its `####`.
pub(super) struct ShotHeading {
    /// The numbers of the scene and of the shot in it.
    pub(super) numbers: Option<(u32, u32)>,
    /// Words between number and length.
    pub(super) words: String,
    pub(super) secs: Option<f64>,
}

/// Reads a scene's heading. Unreadable parts stay empty and are reported in `wrong`.
pub(super) fn scene(text: &str, wrong: &mut Vec<Wrong>) -> SceneHeading {
    let (text, secs) = length(text, "`## Scene 1: Title (12s)`", wrong);
    let (number, rest) = number(without_word(text, "scene"));
    let goes_on = rest.strip_prefix('.').unwrap_or(rest);
    // Neither `1a` nor `1.2` is the number of a scene.
    let is_whole = !rest.starts_with(|c: char| c.is_alphanumeric())
        && !goes_on.starts_with(|c: char| c.is_ascii_digit());
    let number = number.filter(|_| is_whole);
    let title = if number.is_some() {
        without_separator(rest)
    } else {
        text.trim()
    };
    if number.is_none() {
        let told = "a scene's heading has no number: write `## Scene 1: Title (12s)`";
        wrong.push((DiagnosticCode::Heading, told.into()));
    } else if title.is_empty() {
        let told = "a scene's heading has no title: write `## Scene 1: Title (12s)`";
        wrong.push((DiagnosticCode::Heading, told.into()));
    }
    let title = title.to_owned();
    SceneHeading {
        number,
        title,
        secs,
    }
}

/// Reads a shot's heading, as [`scene`] does.
pub(super) fn shot(text: &str, wrong: &mut Vec<Wrong>) -> ShotHeading {
    let (text, secs) = length(text, "`#### Shot 1.2 (4s)`", wrong);
    let (scene, rest) = number(without_word(text, "shot"));
    let (shot, rest) = rest.strip_prefix('.').map_or((None, rest), number);
    let is_free = !rest.starts_with(|c: char| c.is_alphanumeric());
    let numbers = scene.zip(shot).filter(|_| is_free);
    if numbers.is_none() {
        let told = "a shot's heading has no scene and shot number: write `#### Shot 1.2 (4s)`";
        wrong.push((DiagnosticCode::Heading, told.into()));
    }
    let words = if numbers.is_some() {
        without_separator(rest).to_owned()
    } else {
        String::new()
    };
    ShotHeading {
        numbers,
        words,
        secs,
    }
}

/// Returns whether the text of a level-2 heading announces the elements.
pub(super) fn is_elements(text: &str) -> bool {
    let words: Vec<&str> = text
        .trim_end_matches([':', '：'])
        .split_whitespace()
        .take(3)
        .collect();
    matches!(words[..], [first, second] if first.eq_ignore_ascii_case("reusable") && second.eq_ignore_ascii_case("elements"))
}

fn without_word<'t>(text: &'t str, word: &str) -> &'t str {
    match text.get(..word.len()) {
        Some(start) if start.eq_ignore_ascii_case(word) => text[word.len()..].trim_start(),
        _ => text,
    }
}

/// Reads the whole number at the start, and returns it with the rest.
fn number(text: &str) -> (Option<u32>, &str) {
    let len = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    (text[..len].parse().ok(), &text[len..])
}

fn without_separator(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix([':', '.', ')', '-', '–', '—', '：'])
        .unwrap_or(text)
        .trim()
}

/// Reads the length in parentheses at the end, and returns it with the text before it.
fn length<'t>(text: &'t str, form: &str, wrong: &mut Vec<Wrong>) -> (&'t str, Option<f64>) {
    let missing = |wrong: &mut Vec<Wrong>| {
        wrong.push((
            DiagnosticCode::MissingLength,
            format!("the heading has no length at its end: write {form}"),
        ));
        (text, None)
    };
    let Some(body) = text.strip_suffix([')', '）']) else {
        return missing(wrong);
    };
    let Some(open) = body.rfind(['(', '（']) else {
        return missing(wrong);
    };
    let inside = body[open..].trim_start_matches(['(', '（']).trim();
    // Words in parentheses are part of the title.
    if !inside.contains(|c: char| c.is_ascii_digit()) {
        return missing(wrong);
    }
    let secs = secs(inside);
    if let Err(told) = &secs {
        wrong.push((DiagnosticCode::BadLength, format!("{told}: write {form}")));
    }
    (text[..open].trim_end(), secs.ok())
}

/// Reads `12`, `12s`, `12 sec`, `12.5 seconds`, `12,5 s`.
fn secs(text: &str) -> Result<f64, String> {
    let shown = crate::text_problem::quoted_text(text);
    let lower = text.to_ascii_lowercase();
    let units = ["seconds", "second", "secs", "sec", "s"];
    let digits = units
        .iter()
        .find_map(|unit| lower.strip_suffix(unit))
        .unwrap_or(&lower)
        .trim_end()
        .replace(',', ".");
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let secs: f64 = digits
        .parse()
        .ok()
        .filter(|_| is_number)
        .ok_or(format!("{shown} is not a length in seconds"))?;
    if secs > 0.0 && secs <= MAX_SECS {
        Ok(secs)
    } else {
        Err(format!(
            "{shown} is not a length of more than 0 and at most {MAX_SECS} seconds"
        ))
    }
}
