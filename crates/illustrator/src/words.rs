//! Finds the meanings of words by a table: exact matches first, then without endings, then by the beginning. Scripts without spaces are searched as a whole.

use std::sync::OnceLock;

/// The meaning of a word, such as `place` `forest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meaning {
    pub kind: &'static str,
    pub value: &'static str,
}

/// A meaning and which word of the text gave it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub meaning: Meaning,
    /// The number of the word, from 0.
    pub at: usize,
    /// Whether the word is a plural in English.
    pub plural: bool,
}

struct Table {
    /// Sorted by word.
    words: Vec<(&'static str, Meaning)>,
    /// Chinese and Japanese words, longest first.
    unspaced: Vec<(&'static str, Meaning)>,
}

/// Longer texts are cut: they say nothing more about one picture, and would take too long.
const MAX_CHARS: usize = 4000;

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut words = Vec::new();
        let mut unspaced = Vec::new();
        for (meaning, list) in rows() {
            for word in list.split_whitespace().filter(|w| *w != ";") {
                if word.chars().all(is_unspaced) {
                    unspaced.push((word, meaning));
                } else {
                    words.push((word, meaning));
                }
            }
        }
        words.sort_by(|a: &(&str, Meaning), b| a.0.cmp(b.0));
        words.dedup();
        unspaced.dedup();
        unspaced.sort_by_key(|w| std::cmp::Reverse(w.0.chars().count()));
        Table { words, unspaced }
    })
}

/// Returns the table's rows: a meaning and its words.
pub(crate) fn rows() -> impl Iterator<Item = (Meaning, &'static str)> {
    include_str!("../data/words.txt").lines().filter_map(|row| {
        let (head, list) = row.split_once(':')?;
        let (kind, value) = head.split_once(' ')?;
        (kind != "#").then_some((Meaning { kind, value }, list))
    })
}

/// Returns `(kind, word)`: the first English word of every row that changes a picture, for lists and tests.
pub fn subject_words() -> Vec<(&'static str, &'static str)> {
    const KINDS: [&str; 8] = [
        "place", "thing", "person", "time", "weather", "sky", "season", "mood",
    ];
    rows()
        .filter(|(meaning, _)| KINDS.contains(&meaning.kind))
        .filter_map(|(meaning, list)| Some((meaning.kind, list.split_whitespace().next()?)))
        .collect()
}

/// Counts the visible things that a text names, in any known language: places, things and people count 1, times and weathers 0.5, moods 0.
pub fn n_subjects(text: &str) -> f64 {
    let worth = |kind: &str| match kind {
        "place" | "thing" | "person" => 1.0,
        "time" | "weather" | "sky" | "season" => 0.5,
        _ => 0.0,
    };
    read(text)
        .iter()
        .map(|found| worth(found.meaning.kind))
        .sum()
}

fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// Returns every meaning in a text, in order; a word may have several.
pub(crate) fn read(text: &str) -> Vec<Found> {
    let text: String = text
        .chars()
        .take(MAX_CHARS)
        .flat_map(char::to_lowercase)
        .collect();
    let tokens: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || is_mark(c)))
        .filter(|t| !t.is_empty())
        .collect();
    let mut found = Vec::new();
    let mut paired = usize::MAX;
    for (at, token) in tokens.iter().enumerate() {
        if paired == at {
            continue;
        }
        if token.chars().any(is_unspaced) {
            found.extend(read_unspaced(token, at));
            continue;
        }
        if let Some(next) = tokens.get(at + 1) {
            let pair = format!("{token}_{next}");
            let before = found.len();
            found.extend(exact(&pair).map(|meaning| Found {
                meaning,
                at,
                plural: false,
            }));
            if found.len() > before {
                paired = at + 1;
                continue;
            }
        }
        found.extend(read_word(token, at));
    }
    found
}

/// Returns whether a character is an Indic vowel sign or an Arabic point, which belongs to the word before it.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{0900}'..='\u{097f}' | '\u{064b}'..='\u{0652}' | '\u{0300}'..='\u{036f}')
}

fn read_unspaced(token: &str, at: usize) -> Vec<Found> {
    let known = table().unspaced.iter();
    known
        .filter(|(word, _)| token.contains(word))
        .map(|(_, meaning)| Found {
            meaning: *meaning,
            at,
            plural: false,
        })
        .collect()
}

fn exact(word: &str) -> impl Iterator<Item = Meaning> + '_ {
    let words = &table().words;
    let from = words.partition_point(|w| w.0 < word);
    words[from..]
        .iter()
        .take_while(move |w| w.0 == word)
        .map(|w| w.1)
}

/// English endings and what they replaced; those with an `s` make plurals.
const ENDINGS: [(&str, &str); 11] = [
    ("ies", "y"),
    ("ves", "f"),
    ("es", ""),
    ("s", ""),
    ("ing", ""),
    ("ing", "e"),
    ("ed", ""),
    ("ed", "e"),
    ("ly", ""),
    ("ful", ""),
    ("n", ""),
];

/// Prefixes that Arabic joins to its words.
const ARTICLES: [&str; 5] = ["وال", "بال", "ال", "و", "ب"];

fn read_word(token: &str, at: usize) -> Vec<Found> {
    let all = |word: &str, plural: bool| -> Vec<Found> {
        exact(word)
            .map(|meaning| Found {
                meaning,
                at,
                plural,
            })
            .collect()
    };
    let mut found = all(token, false);
    for (ending, before) in ENDINGS {
        if !found.is_empty() {
            return found;
        }
        if let Some(stem) = token.strip_suffix(ending).filter(|s| s.len() > 1) {
            found = all(&format!("{stem}{before}"), ending.ends_with('s'));
        }
    }
    for article in ARTICLES {
        if !found.is_empty() {
            return found;
        }
        if let Some(stem) = token.strip_prefix(article) {
            found = all(stem, false);
        }
    }
    if found.is_empty() {
        found = by_beginning(token, at);
    }
    found
}

/// Returns the longest table word with which this one begins, if little is left over. Handles cases and plurals of other languages.
fn by_beginning(token: &str, at: usize) -> Vec<Found> {
    let n_chars = token.chars().count();
    let ascii = token.is_ascii();
    let (least, rest) = if ascii { (5, 2) } else { (3, 2) };
    for left in 1..=rest {
        if n_chars < least + left {
            break;
        }
        let stem: String = token.chars().take(n_chars - left).collect();
        let found: Vec<Found> = exact(&stem)
            .map(|meaning| Found {
                meaning,
                at,
                plural: false,
            })
            .collect();
        if !found.is_empty() {
            return found;
        }
        if !ascii {
            // `гора` in `горы`: the entry's last letter differs too.
            let near = table().words.iter().filter(|w| {
                w.0.chars().count() == stem.chars().count() + 1
                    && w.0.starts_with(&stem)
                    && stem.chars().count() >= 4
            });
            let found: Vec<Found> = near
                .take(1)
                .map(|w| Found {
                    meaning: w.1,
                    at,
                    plural: false,
                })
                .collect();
            if !found.is_empty() {
                return found;
            }
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str, kind: &str) -> Vec<&'static str> {
        read(text)
            .into_iter()
            .filter(|f| f.meaning.kind == kind)
            .map(|f| f.meaning.value)
            .collect()
    }

    #[test]
    fn endings_are_no_hindrance() {
        assert_eq!(
            values("Two wolves and butterflies", "thing"),
            ["wolf", "butterfly"]
        );
        assert_eq!(values("In den Bergen", "place"), ["mountains"]);
        assert_eq!(values("в лесу у реки", "place")[0], "forest");
        assert_eq!(values("starting", "thing"), [""; 0]);
    }

    #[test]
    fn ten_languages_know_the_sea() {
        let seas = [
            "the sea",
            "el mar",
            "das Meer",
            "la mer",
            "o mar",
            "il mare",
            "море",
            "البحر",
            "समुद्र",
            "大海",
            "海の中",
        ];
        for sea in seas {
            assert!(values(sea, "place").contains(&"sea"), "{sea}");
        }
    }
}
