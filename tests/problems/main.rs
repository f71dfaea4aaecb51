//! Every problem that a document can have: its code, its place, and that none hides another.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod fixture;
mod hostile;
mod together;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use fixture::{changed, found, problems_of};
use kinora::Job;
use kinora::media::{AssetRead, Assets};
use kinora::text::Fonts;

/// A row each: the problems as `code@path` (joined by `+`), a place in [`fixture::GOOD`] as a JSON pointer, and what is written there (`-`: nothing).
const ROWS: &str = include_str!("table.txt");

/// What a decoder that panics is called: [`a_decoder_that_gives_up_is_no_damage`].
const UNDECODABLE: &str = "undecodable";
/// What this machine lacks, so that no table can hold it: tests/pictures/kinds.rs.
const MISSING_LIBRARY: &str = "missing_library";

fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let rows = ROWS.lines().filter(|line| !line.trim().is_empty());
    rows.map(|line| {
        let (expected, rest) = line.trim().split_once(' ').unwrap();
        let (pointer, json) = rest.trim().split_once(' ').unwrap();
        (expected, pointer, json.trim())
    })
}

#[test]
fn every_row_gives_exactly_its_problems() {
    assert_eq!(
        problems_of(fixture::GOOD),
        [],
        "the document itself is good"
    );
    let mut wrong = Vec::new();
    for (expected, pointer, json) in rows() {
        let found = found(&problems_of(&changed(&[(pointer, json)])));
        if found.join("+") != expected {
            wrong.push(format!(
                "{pointer} {json}\n  found    {}\n  expected {expected}",
                found.join("+")
            ));
        }
    }
    assert!(rows().count() >= 150);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn text_that_is_no_json_says_where() {
    for (text, place) in [
        ("", "line 1, column 0"),
        ("{", "line 1, column 1"),
        ("{\n  \"version\": 1,\n}", "line 3, column 1"),
        ("{\"seed\": 1e999}", "line 1, column 14"),
        ("{\"seed\": NaN}", "line 1, column 10"),
    ] {
        let problems = problems_of(text);
        assert_eq!(found(&problems), [format!("not_json@{place}")], "{text}");
    }
}

/// The files of a room without its tests.
fn sources(folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("tests") {
            sources(&path, texts);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
            texts.push(code.to_owned());
        }
    }
}

#[test]
fn every_code_in_the_source_has_a_row() {
    let mut texts = Vec::new();
    for room in ["timeline", "plan", "media"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room);
        sources(&folder, &mut texts);
    }
    let mut codes = BTreeSet::new();
    for text in &texts {
        for start in ["Problem::new(", "Refusal::new("] {
            for (at, _) in text.match_indices(start) {
                let argument = text[at + start.len()..].trim_start();
                let literal = argument.strip_prefix('"').and_then(|a| a.split_once('"'));
                let (code, _) = literal.expect("a code is written where the problem is made");
                codes.insert(code);
            }
        }
    }
    assert!(codes.len() >= 30, "{codes:?}");
    let tested: BTreeSet<&str> = rows()
        .flat_map(|(expected, _, _)| expected.split('+'))
        .map(|problem| problem.split('@').next().unwrap())
        .chain(["not_json"])
        .chain(hostile::CODES)
        .chain([UNDECODABLE, MISSING_LIBRARY])
        .collect();
    let untested: Vec<_> = codes.difference(&tested).collect();
    assert!(untested.is_empty(), "codes without a row: {untested:?}");
}

/// A picture whose reader panics once its first bytes were looked at.
struct Bursting {
    inner: Cursor<Vec<u8>>,
    was_read: bool,
    is_armed: bool,
}

impl Read for Bursting {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        assert!(!self.is_armed, "the reader burst");
        self.was_read = true;
        self.inner.read(to)
    }
}

impl Seek for Bursting {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.is_armed = self.was_read;
        self.inner.seek(to)
    }
}

struct Picture(Vec<u8>);

impl Assets for Picture {
    fn open(&self, _: &str) -> io::Result<Box<dyn AssetRead>> {
        Ok(Box::new(Bursting {
            inner: Cursor::new(self.0.clone()),
            was_read: false,
            is_armed: false,
        }))
    }
}

#[test]
fn a_decoder_that_gives_up_is_no_damage() {
    let text = r#"{"version":1,"shots":[{"picture":"a.png","duration":1}]}"#;
    let assets = Arc::new(Picture(fixture::png(64, 48)));
    let error = Job::from_json(text, assets, Fonts::default()).unwrap_err();
    let codes: Vec<_> = error
        .problems()
        .iter()
        .map(|problem| problem.code)
        .collect();
    assert_eq!(codes, [UNDECODABLE], "{error}");
}
