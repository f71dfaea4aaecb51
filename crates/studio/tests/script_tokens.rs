//! Words as shown and as spoken, by a table over languages.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use kinora_studio::script::{Token, speakable};

const TABLE: &str = include_str!("script/tokens.txt");

fn said(text: &str, language: &str) -> String {
    let tokens = speakable(text, language);
    let spoken: Vec<&str> = tokens
        .iter()
        .map(|t| t.spoken.as_str())
        .filter(|s| !s.is_empty())
        .collect();
    spoken.join(" ")
}

#[test]
fn every_row_is_spoken_as_written_down() {
    let mut wrong = Vec::new();
    let rows: Vec<Vec<&str>> = TABLE
        .lines()
        .filter(|row| !row.starts_with("# "))
        .map(|row| row.splitn(3, '|').collect())
        .collect();
    assert!(rows.len() >= 120, "{} rows", rows.len());
    for row in &rows {
        let [language, shown, expected] = row[..] else {
            panic!("{row:?}")
        };
        let actual = said(shown, language);
        if actual != expected {
            wrong.push(format!(
                "{language}|{shown}\n   is `{actual}`\n   not `{expected}`"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} rows:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_is_shown_is_what_spaces_part() {
    for row in TABLE.lines() {
        let shown: Vec<String> = speakable(row, "en").into_iter().map(|t| t.shown).collect();
        let words: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(shown, words);
    }
}

#[test]
fn emoji_and_links_are_shown_but_not_spoken() {
    let tokens = speakable("Go 🚀 https://a.com/b !", "en");
    let expected = [("Go", "Go"), ("🚀", ""), ("https://a.com/b", ""), ("!", "")];
    let expected: Vec<Token> = expected
        .into_iter()
        .map(|(shown, spoken)| Token {
            shown: shown.into(),
            spoken: spoken.into(),
        })
        .collect();
    assert_eq!(tokens, expected);
}
