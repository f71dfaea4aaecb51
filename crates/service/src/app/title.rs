//! Titles of runs in lists.

use kinora_studio::script::canonical;

/// Maximum length of a title, in characters.
const TITLE_CHARS: usize = 80;

/// Returns the beginning of the first available text on one line; for a canonical script, the title of its first scene.
pub(super) fn title(texts: &[Option<&str>]) -> String {
    let text = texts.iter().flatten().next().copied().unwrap_or_default();
    let scene = text.trim_start().starts_with('#').then(|| {
        let reading = canonical::parse(text).ok()?;
        let scene = reading.script.scenes.into_iter().next()?;
        Some(scene.title).filter(|title| !title.trim().is_empty())
    });
    let plain = text.trim_start_matches(|c: char| c == '#' || c.is_whitespace());
    shortened(scene.flatten().as_deref().unwrap_or(plain))
}

/// Returns as many whole words as fit, or the beginning of one long word.
fn shortened(text: &str) -> String {
    let mut title = String::new();
    let mut n_chars = 0;
    for word in text.split_whitespace() {
        n_chars += word.chars().count() + usize::from(!title.is_empty());
        if n_chars > TITLE_CHARS {
            let is_empty = title.is_empty();
            let start = word.chars().take(if is_empty { TITLE_CHARS } else { 0 });
            title.extend(start);
            title.push('…');
            break;
        }
        if !title.is_empty() {
            title.push(' ');
        }
        title += word;
    }
    title
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_words_and_scripts_are_called_by_their_first_scene() {
        let script = "## Scene 1: Conductor (2.8s)\n\n#### Shot 1.1 (2.8s)\nA hall.\n\n## Reusable Elements\n\
            Characters: (none)\nLocations: (none)\nObjects: (none)\n";
        let long = "word ".repeat(20);
        for (text, due) in [
            ("  A quiet\n lake ", "A quiet lake".to_owned()),
            (script, "Conductor".to_owned()),
            ("# no script", "no script".to_owned()),
            (long.as_str(), format!("{}…", "word ".repeat(16).trim_end())),
            (&"x".repeat(99), format!("{}…", "x".repeat(80))),
        ] {
            assert_eq!(title(&[None, Some(text)]), due);
        }
    }
}
