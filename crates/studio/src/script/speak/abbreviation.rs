//! Abbreviations: their meaning, and whether their full stop may end a sentence.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Rows `language|as written|as spoken|kind`.
const TABLE: &str = include_str!("../data/abbreviations.txt");

/// Where an abbreviation occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Before a name: `Dr. Ada`. Its full stop ends no sentence.
    BeforeName,
    /// Before a number: `No. 5`; elsewhere it is an ordinary word.
    BeforeNumber,
    /// Anywhere: `etc.`
    Anywhere,
}

type Row = (&'static str, Kind);

static ROWS: LazyLock<HashMap<(&str, &str), Row>> = LazyLock::new(|| {
    TABLE
        .lines()
        .filter(|row| !row.starts_with("# "))
        .filter_map(|row| {
            let mut fields = row.split('|');
            let (language, written, spoken) = (fields.next()?, fields.next()?, fields.next()?);
            let kind = match fields.next()? {
                "n" => Kind::BeforeName,
                "#" => Kind::BeforeNumber,
                _ => Kind::Anywhere,
            };
            Some(((language, written), (spoken, kind)))
        })
        .collect()
});

/// Returns the meaning of `written`, which includes its full stop.
pub(crate) fn meaning(written: &str, language: &str) -> Option<Row> {
    ROWS.get(&(language, written)).copied()
}

/// Returns the kind of `word`, which is followed by a full stop.
pub(crate) fn kind(word: &str, language: &str) -> Option<Kind> {
    if word.is_empty() || word.len() > 20 {
        return None;
    }
    let written = format!("{word}.");
    let lower = written.to_lowercase();
    meaning(&written, language)
        .or_else(|| meaning(&lower, language))
        .map(|(_, kind)| kind)
}
