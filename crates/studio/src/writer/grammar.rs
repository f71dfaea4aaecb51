//! Narrative grammars: sections of sentences with slots, read from text, and expanded for a topic.

use super::random::Random;
use super::topic::{Mode, Pronoun, Topic};

/// A sentence (or two that belong together) with unfilled slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Template {
    /// Letters of its modes and families, `O` and `N` for topics with and without things besides their figure; empty for all.
    tags: &'static str,
    text: &'static str,
}

/// A section of a grammar.
pub(super) struct Section {
    pub(super) name: &'static str,
    pub(super) templates: Vec<Template>,
}

/// Reads a grammar: `[section]`, then one sentence per line, optionally after `TAGS> `.
pub(super) fn read(text: &'static str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']'))
            && name.bytes().all(|b| b.is_ascii_alphanumeric())
        {
            sections.push(Section {
                name,
                templates: Vec::new(),
            });
            continue;
        }
        let (tags, text) = line
            .split_once("> ")
            .filter(|(tags, _)| tags.bytes().all(|b| b.is_ascii_uppercase()))
            .unwrap_or(("", line));
        if let Some(section) = sections.last_mut() {
            section.templates.push(Template { tags, text });
        }
    }
    sections
}

/// Returns the templates of a section; none if it is missing.
pub(super) fn section<'a>(sections: &'a [Section], name: &str) -> &'a [Template] {
    sections
        .iter()
        .find(|s| s.name == name)
        .map_or(&[], |s| &s.templates)
}

/// Words that suit only a figure with hands and a face.
const HUMAN: &str =
    "hands pockets fingers smiles smile laughs shoes coat kettle coin promise counts";

impl Template {
    /// Returns its words, if it is a list of words.
    pub(super) fn words(&self) -> std::str::SplitWhitespace<'static> {
        self.text.split_whitespace()
    }

    /// Returns whether it fits a topic and a family of styles (`S` story, `C` talk, `I` report).
    pub(super) fn fits(&self, topic: &Topic, family: char) -> bool {
        let mode = match topic.mode {
            Mode::Tale => 'T',
            Mode::Portrait => 'P',
            Mode::Theme => 'X',
        };
        let tagged =
            self.tags.trim_matches(['O', 'N']).is_empty() || self.tags.contains([mode, family]);
        let objects_fit = match (self.text.contains("{object}"), topic.objects.is_empty()) {
            (true, empty) => !empty,
            (false, empty) => empty || !self.tags.contains('N'),
        };
        let is_human = self.text.contains('{')
            && self
                .text
                .split(|c: char| !c.is_alphabetic())
                .any(|word| HUMAN.split(' ').any(|h| h == word));
        tagged
            && objects_fit
            && !(is_human && topic.mode == Mode::Tale && topic.pronoun == Pronoun::It)
    }

    /// Returns whether a premise of several parts fits: only where it is named and does nothing.
    pub(super) fn names_premise(&self) -> bool {
        let Some((before, after)) = self.text.split_once("{premise}") else {
            return true;
        };
        let is_named = ["about ", " of ", " at ", ": ", "is "]
            .iter()
            .any(|end| before.ends_with(end));
        is_named && !after.starts_with(" {") && !after.starts_with(" can")
    }

    /// Returns its text with alternatives chosen and slots filled.
    pub(super) fn expand(
        &self,
        topic: &Topic,
        object: Option<&str>,
        random: &mut Random,
    ) -> String {
        let mut out = String::new();
        let mut rest = chosen(self.text, random);
        while let Some(open) = rest.find('{') {
            let Some(length) = rest[open..].find('}') else {
                break;
            };
            out.push_str(&rest[..open]);
            let slot = &rest[open + 1..open + length];
            out.push_str(&filled(slot, topic, object));
            rest = rest[open + length + 1..].to_string();
        }
        out.push_str(&rest);
        tidied(&out)
    }
}

/// Chooses one of `[a/b/c]`.
fn chosen(text: &str, random: &mut Random) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((inner, tail)) = after.split_once(']') else {
            break;
        };
        let choices: Vec<&str> = inner.split('/').collect();
        out.push_str(before);
        out.push_str(choices[random.below(choices.len())]);
        rest = tail;
    }
    out + rest
}

fn filled(slot: &str, topic: &Topic, object: Option<&str>) -> String {
    if let Some((one, many)) = slot.split_once('^') {
        return if topic.pronoun.is_plural() { many } else { one }.to_string();
    }
    if let Some((one, many)) = slot.split_once("+|") {
        let is_plural = object.is_some_and(is_plural_object);
        return if is_plural {
            many.trim_end_matches('+')
        } else {
            one
        }
        .to_string();
    }
    if let Some((one, many)) = slot.split_once('|') {
        return if topic.is_plural { many } else { one }.to_string();
    }
    let text = match slot.to_lowercase().as_str() {
        "subject" => topic.subject.clone(),
        "premise" | "topic" => topic.premise.clone(),
        "object" => object.unwrap_or(&topic.subject).to_string(),
        pronoun => topic.pronoun.form(pronoun).to_string(),
    };
    if slot.starts_with(char::is_uppercase) {
        upper_first(&text)
    } else {
        text
    }
}

fn is_plural_object(object: &str) -> bool {
    object
        .rsplit(' ')
        .next()
        .is_some_and(crate::script::lexicon::is_plural)
}

/// Changes the first letter to upper case.
pub(super) fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// Repairs what filled slots cause: doubled marks, a lower-case letter at a sentence's start.
fn tidied(text: &str) -> String {
    let mut text = text.to_string();
    for (from, to) in [
        ("?.", "?"),
        ("!.", "!"),
        ("..", "."),
        ("?,", ","),
        (" ,", ","),
        ("?:", ":"),
        ("  ", " "),
    ] {
        text = text.replace(from, to);
    }
    let mut out = String::with_capacity(text.len());
    let mut starts = true;
    for c in text.chars() {
        if starts && c.is_alphabetic() {
            out.extend(c.to_uppercase());
            starts = false;
            continue;
        }
        starts = (starts && !c.is_alphanumeric()) || "?!.".contains(c);
        if c.is_alphanumeric() {
            starts = false;
        }
        out.push(c);
    }
    out
}
