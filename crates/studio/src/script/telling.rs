//! Derives what a scene shows in languages without a grammar here: the parts of sentences that name things the illustrator knows.

use kinora_illustrator::n_subjects;

use super::brief::{MAX_WORDS, beginning};

/// Marks that separate parts of sentences, in the scripts of the supported languages.
const MARKS: &[char] = &[
    '.', ',', ';', ':', '!', '?', '…', '—', '–', '\n', '。', '、', '，', '；', '：', '！', '？',
    '؟', '،', '؛', '।', '¿', '¡',
];

/// Returns the visible parts of a text, in order, at most [`MAX_WORDS`] words; its beginning if it has no known word.
pub(super) fn telling(text: &str) -> String {
    let parts = text
        .split(MARKS)
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let mut parts: Vec<(usize, &str, f64)> = parts
        .enumerate()
        .map(|(i, part)| (i, part, n_subjects(part)))
        .filter(|(.., worth)| *worth > 0.0)
        .collect();
    // The parts that show most; among equals the first.
    parts.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
    let mut left = MAX_WORDS;
    let mut chosen: Vec<(usize, &str)> = Vec::new();
    for (i, part, _) in parts {
        let n = part.split_whitespace().count();
        if n <= left || chosen.is_empty() {
            left = left.saturating_sub(n);
            chosen.push((i, part));
        }
    }
    if chosen.is_empty() {
        return beginning(text);
    }
    chosen.sort_by_key(|(i, _)| *i);
    let told: Vec<&str> = chosen.iter().map(|(_, part)| *part).collect();
    beginning(&told.join(", "))
}

#[cfg(test)]
mod tests {
    use super::telling;

    #[test]
    fn parts_that_can_be_seen_are_told_and_others_are_not() {
        for (text, wanted) in [
            (
                "Nadie sabe por qué, pero cada noche, cuando todos dormían, la anciana subía al faro. Y así fue siempre.",
                "pero cada noche, la anciana subía al faro",
            ),
            (
                "Niemand weiß mehr, wie es begann; doch am Morgen stand ein Fuchs im Wald.",
                "doch am Morgen stand ein Fuchs im Wald",
            ),
            (
                "Así es la vida, y nadie pregunta.",
                "Así es la vida, y nadie pregunta.",
            ),
        ] {
            assert_eq!(telling(text), wanted);
        }
        let long = "el mar ".repeat(60);
        assert_eq!(telling(&long).split_whitespace().count(), 24);
    }
}
