//! A table of the configuration, read key by key. Every problem is noted with its line.

use std::fmt;
use std::time::Duration;

use reqwest::Url;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::providers::http::AllowedHost;

/// Likeness (Jaro-Winkler) above which a name is suggested.
const LIKENESS: f64 = 0.75;

/// Something invalid in the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// From 1.
    pub line: usize,
    /// Such as `provider.openai.base_url`.
    pub path: String,
    /// What is wrong and what is allowed.
    pub message: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "line {}: {}", self.line, self.message),
            path => write!(f, "line {}: {path}: {}", self.line, self.message),
        }
    }
}

/// The text and the problems found in it so far.
pub(super) struct Source<'t> {
    text: &'t str,
    pub(super) problems: Vec<ConfigProblem>,
}

impl<'t> Source<'t> {
    pub(super) fn new(text: &'t str) -> Source<'t> {
        Source {
            text,
            problems: Vec::new(),
        }
    }

    pub(super) fn note(&mut self, at: usize, path: impl Into<String>, message: impl Into<String>) {
        let before = self.text.as_bytes().iter().take(at);
        self.problems.push(ConfigProblem {
            line: 1 + before.filter(|byte| **byte == b'\n').count(),
            path: path.into(),
            message: message.into(),
        });
    }
}

/// Returns `; did you mean …?` with the known name most similar to this one.
pub(super) fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let alike = known
        .map(|k| (strsim::jaro_winkler(name, k), k))
        .filter(|(likeness, _)| *likeness >= LIKENESS);
    alike
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(String::new(), |(_, k)| format!("; did you mean {k:?}?"))
}

/// A table and its path.
pub(super) struct Section<'a, 't> {
    pub(super) table: &'a DeTable<'t>,
    pub(super) path: String,
}

impl<'a, 't> Section<'a, 't> {
    fn path_of(&self, key: &str) -> String {
        match self.path.as_str() {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        }
    }

    /// Notes keys that are not in `known`.
    pub(super) fn expect_only(&self, known: &[&str], source: &mut Source<'_>) {
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let hint = match suggestion(name, known.iter().copied()) {
                    hint if hint.is_empty() => format!("; known keys: {}", known.join(", ")),
                    hint => hint,
                };
                source.note(
                    key.span().start,
                    self.path_of(name),
                    format!("is not a known key{hint}"),
                );
            }
        }
    }

    pub(super) fn entry(&self, key: &str) -> Option<&'a Spanned<DeValue<'t>>> {
        let found = self
            .table
            .iter()
            .find(|(name, _)| AsRef::<str>::as_ref(name.get_ref()) == key);
        found.map(|(_, value)| value)
    }

    /// Notes a problem with a value.
    pub(super) fn wrong(&self, key: &str, message: impl Into<String>, source: &mut Source<'_>) {
        let at = self.entry(key).map_or(0, |value| value.span().start);
        source.note(at, self.path_of(key), message);
    }

    pub(super) fn text(&self, key: &str, source: &mut Source<'_>) -> Option<String> {
        let value = self.entry(key)?;
        match value.get_ref().as_str().map(str::trim) {
            Some(text) if !text.is_empty() => return Some(text.to_owned()),
            Some(_) => self.wrong(key, "is empty", source),
            None => self.wrong(
                key,
                format!("must be a string in quotes, not {}", a_type(value)),
                source,
            ),
        }
        None
    }

    /// Reads a whole number of seconds.
    pub(super) fn secs(&self, key: &str, most: u64, source: &mut Source<'_>) -> Option<Duration> {
        self.number(key, most, source).map(Duration::from_secs)
    }

    /// Reads a whole number from 1.
    pub(super) fn number(&self, key: &str, most: u64, source: &mut Source<'_>) -> Option<u64> {
        let value = self.entry(key)?;
        let digits = value.get_ref().as_integer();
        let number = digits.and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok());
        let number = number.filter(|n| (1..=most).contains(n));
        if number.is_none() {
            self.wrong(
                key,
                format!("must be a whole number from 1 to {most}"),
                source,
            );
        }
        number
    }

    pub(super) fn texts(&self, key: &str, source: &mut Source<'_>) -> Option<Vec<(String, usize)>> {
        let value = self.entry(key)?;
        let items = value.get_ref().as_array().map(|array| {
            let item = |item: &Spanned<DeValue<'_>>| {
                Some((
                    item.get_ref().as_str()?.trim().to_owned(),
                    item.span().start,
                ))
            };
            array.iter().map(item).collect::<Option<Vec<_>>>()
        });
        if let Some(Some(items)) = items {
            return Some(items);
        }
        self.wrong(
            key,
            "must be a list of strings, such as [\"one\", \"two\"]",
            source,
        );
        None
    }

    /// Reads an address without a key, a query or a fragment.
    pub(super) fn url(&self, key: &str, source: &mut Source<'_>) -> Option<Url> {
        let text = self.text(key, source)?;
        let is_plain = |url: &Url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none()
                && url.query().is_none()
                && url.fragment().is_none()
        };
        let url = Url::parse(&text).ok().filter(is_plain);
        if url.is_none() {
            self.wrong(
                key,
                "must be an http or https URL without a user name, key or query",
                source,
            );
        }
        url
    }

    /// Reads the name of an environment variable. A value that looks like a key is never shown.
    pub(super) fn variable(&self, key: &str, source: &mut Source<'_>) -> Option<String> {
        let name = self.text(key, source)?;
        let is_name = name.len() <= 64
            && name
                .bytes()
                .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
            && !name.as_bytes()[0].is_ascii_digit();
        if !is_name {
            self.wrong(key, "must be the name of an environment variable (capitals, digits, _), never the key itself", source);
        }
        is_name.then_some(name)
    }

    pub(super) fn hosts(&self, key: &str, source: &mut Source<'_>) -> Vec<AllowedHost> {
        let mut hosts = Vec::new();
        for (text, at) in self.texts(key, source).unwrap_or_default() {
            match AllowedHost::read(&text) {
                Some(host) => hosts.push(host),
                None => source.note(
                    at,
                    self.path_of(key),
                    format!(
                        "{text:?} is not a host such as \"media.example\" or \"10.0.0.5:8080\""
                    ),
                ),
            }
        }
        hosts
    }
}

fn a_type(value: &Spanned<DeValue<'_>>) -> String {
    format!("a value of type {}", value.get_ref().type_str())
}
