//! Derives what a scene's picture shows from its speech: the visible things, with the place and hour of neighboring scenes.

use std::collections::HashSet;

use super::lexicon::{self, Kind};
use super::telling::telling;
use super::{language, primary};
use crate::scene::Scene;

/// Most phrases of a brief.
const MAX_PHRASES: usize = 5;
/// Most words of a brief that is a sentence of the scene itself.
pub(super) const MAX_WORDS: usize = 24;
/// Words of a scene beyond this are ignored.
const MAX_LOOKED_AT: usize = 400;

const DETERMINERS: &str = "a an the this that these those his her its their my your our one two three four five six seven eight nine ten twelve some every each another many few no";
const PREPOSITIONS: &str = "in on at above below under over beside near behind across through into along between against toward towards around from with inside outside by of beneath among upon onto atop";

/// Derives the missing briefs of scenes from their lines.
pub fn brief_scenes(scenes: &mut [Scene], language: &str) {
    let texts: Vec<String> = scenes
        .iter()
        .map(|scene| {
            let lines: Vec<&str> = scene.lines.iter().map(|l| l.text.as_str()).collect();
            lines.join(" ")
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for (scene, brief) in scenes.iter_mut().zip(briefs(&texts, language)) {
        if scene.brief.is_empty() {
            scene.brief = brief;
            scene.is_derived = true;
        }
    }
}

/// Returns a brief for each text of consecutive scenes, in plain words without style. In English it consists of the figures, actions, things and places that
/// are named, with pronouns resolved, and place and hour carried over from neighbors. In other languages it consists of the parts of sentences that name
/// visible things.
pub fn briefs(texts: &[&str], language: &str) -> Vec<String> {
    if primary(language) != "en" {
        return texts.iter().map(|text| telling(text)).collect();
    }
    let names = names(texts);
    let looks: Vec<Look> = texts.iter().map(|text| look(text, &names)).collect();
    // What is named first may already be shown before it is named.
    let mut memory = Memory {
        place: looks.iter().take(3).find_map(|l| l.place.clone()),
        time: looks.iter().find_map(|l| l.time.clone()),
        ..Memory::default()
    };
    looks
        .iter()
        .enumerate()
        .map(|(index, look)| {
            let brief = memory.brief(look);
            if !brief.is_empty() {
                return brief;
            }
            let ahead = looks[index..]
                .iter()
                .take(4)
                .find(|l| !l.phrases.is_empty());
            ahead.map_or_else(
                || beginning(texts[index]),
                |look| memory.clone().brief(look),
            )
        })
        .collect()
}

pub(super) fn beginning(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(MAX_WORDS).collect();
    let joined = words.join(" ");
    match joined.char_indices().nth(300) {
        Some((byte, _)) => joined[..byte].to_string(),
        None => joined,
    }
}

/// A named thing or figure, with its link to the one before.
struct Phrase {
    text: String,
    kind: Option<Kind>,
    /// `above`, `of`; empty directly after an action; `None` if nothing links it.
    link: Option<String>,
    /// Its action, such as `climbing`.
    deed: Option<String>,
}

/// What one text shows.
#[derive(Default)]
struct Look {
    phrases: Vec<Phrase>,
    place: Option<String>,
    time: Option<String>,
    /// A pronoun for a figure, and the figure's action.
    pronoun: Option<(&'static str, Option<String>)>,
}

/// What the scenes so far have shown.
#[derive(Clone, Default)]
struct Memory {
    figure: Option<(String, Option<Kind>)>,
    thing: Option<String>,
    place: Option<String>,
    time: Option<String>,
}

impl Memory {
    fn brief(&mut self, look: &Look) -> String {
        let mut brief = String::new();
        let named = look
            .phrases
            .iter()
            .find(|p| p.kind.is_none_or(Kind::is_being) && p.link.is_none());
        if let (None, Some((pronoun, deed))) = (named, &look.pronoun)
            && let Some(subject) = self.resolve(pronoun)
        {
            brief = subject;
            if let Some(deed) = deed {
                brief = format!("{brief} {deed}");
            }
        }
        let is_resolved = !brief.is_empty();
        for (index, phrase) in look.phrases.iter().take(MAX_PHRASES).enumerate() {
            let link = match &phrase.link {
                _ if brief.is_empty() => String::new(),
                None if index == 0 && is_resolved && brief.ends_with("ing") => " ".to_string(),
                Some(link) if link.is_empty() => " ".to_string(),
                Some(link) if index > 0 || is_resolved => format!(" {link} "),
                _ => ", ".to_string(),
            };
            brief = format!("{brief}{link}{}", phrase.text);
            if let Some(deed) = &phrase.deed {
                brief = format!("{brief} {deed}");
            }
        }
        self.learn(look);
        if brief.is_empty() {
            brief = self
                .figure
                .as_ref()
                .map(|(text, _)| text.clone())
                .or(self.thing.clone())
                .unwrap_or_default();
        }
        if brief.is_empty() && self.place.is_none() {
            return brief;
        }
        for setting in [&self.place, &self.time].into_iter().flatten() {
            if !mentions(&brief, setting) {
                let comma = if brief.is_empty() { "" } else { ", " };
                brief = format!("{brief}{comma}{setting}");
            }
        }
        brief
    }

    fn resolve(&self, pronoun: &str) -> Option<String> {
        let (text, kind) = self.figure.as_ref()?;
        let fits = match pronoun {
            "he" => !matches!(kind, Some(Kind::Woman)),
            "she" => !matches!(kind, Some(Kind::Man)),
            "it" => matches!(kind, Some(Kind::Animal)),
            _ => true,
        };
        match (fits, pronoun) {
            (true, _) => Some(text.clone()),
            (false, "it") => self.thing.clone(),
            _ => None,
        }
    }

    fn learn(&mut self, look: &Look) {
        if let Some(phrase) = look.phrases.iter().find(|p| is_figure(p)) {
            self.figure = Some((phrase.text.clone(), phrase.kind));
        }
        if let Some(phrase) = look.phrases.iter().find(|p| p.kind == Some(Kind::Thing)) {
            self.thing = Some(phrase.text.clone());
        }
        self.place = look.place.clone().or(self.place.take());
        self.time = look.time.clone().or(self.time.take());
    }
}

/// Returns whether a phrase is a being or somebody with a name.
fn is_figure(phrase: &Phrase) -> bool {
    phrase.kind.is_some_and(Kind::is_being)
        || (phrase.kind.is_none() && phrase.text.starts_with(char::is_uppercase))
}

/// Returns whether the brief already contains the setting's main word.
fn mentions(brief: &str, setting: &str) -> bool {
    let main = setting.rsplit(' ').next().unwrap_or(setting).to_lowercase();
    brief
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .any(|w| w == main)
}

/// Returns the names: words with a capital in the middle of some sentence.
fn names(texts: &[&str]) -> HashSet<String> {
    let mut found = HashSet::new();
    for text in texts {
        let mut starts = true;
        let mut words = text.split_whitespace().take(MAX_LOOKED_AT).peekable();
        while let Some(raw) = words.next() {
            let word = bare(raw);
            let is_pair = raw.ends_with(char::is_alphanumeric)
                && words.peek().is_some_and(|next| {
                    next.starts_with(char::is_uppercase) && bare(next).len() > 1
                })
                && lexicon::kind(&word.to_lowercase()).is_none();
            let is_name =
                (!starts || is_pair) && word.len() > 1 && word.starts_with(char::is_uppercase);
            if is_name
                && !language::is_stop_word(&word.to_lowercase(), "en")
                && !word.starts_with("I'")
            {
                found.insert(word.to_string());
            }
            starts = raw.ends_with(['.', '!', '?', ':', '"', '”', '…']);
        }
    }
    found
}

fn bare(word: &str) -> &str {
    let trimmed = word.trim_matches(|c: char| !c.is_alphanumeric());
    trimmed
        .strip_suffix("'s")
        .or_else(|| trimmed.strip_suffix("’s"))
        .unwrap_or(trimmed)
}

/// A word of the text and its properties.
struct Word {
    text: String,
    lower: String,
    kind: Option<Kind>,
    /// Whether punctuation after it ends its phrase.
    ends: bool,
    is_name: bool,
}

impl Word {
    fn is_in(&self, list: &str) -> bool {
        list.split(' ').any(|w| w == self.lower)
    }

    /// Returns whether the word is unknown and not a function word: a noun or an adjective missing in the lexicon.
    fn is_open(&self) -> bool {
        self.kind.is_none()
            && !self.lower.is_empty()
            && !self.lower.ends_with("ly")
            && !language::is_stop_word(&self.lower, "en")
            && !self.is_in(PREPOSITIONS)
            && !self.is_in(DETERMINERS)
    }
}

fn look(text: &str, names: &HashSet<String>) -> Look {
    let words: Vec<Word> = text
        .split_whitespace()
        .take(MAX_LOOKED_AT)
        .filter(|raw| raw.len() < 60)
        .map(|raw| {
            let text = bare(raw).to_string();
            let lower = text.to_lowercase();
            let is_name = names.contains(&text);
            Word {
                kind: if is_name { None } else { lexicon::kind(&lower) },
                ends: raw.ends_with(|c: char| !c.is_alphanumeric())
                    || raw.ends_with("'s")
                    || raw.ends_with("’s"),
                is_name,
                lower,
                text,
            }
        })
        .collect();
    let mut look = Look::default();
    let mut after_last = 0;
    let mut at = 0;
    while at < words.len() {
        if look.pronoun.is_none() {
            look.pronoun = pronoun(&words, at);
        }
        let Some((from, to)) = phrase_at(&words, at, after_last) else {
            at += 1;
            continue;
        };
        let phrase = Phrase {
            text: phrase_text(&words, from, to),
            kind: words[to - 1].kind,
            link: link(&words, after_last, from, &look),
            deed: deed(&words, to),
        };
        match phrase.kind {
            Some(Kind::Time) => look.time = Some(hour_first(look.time.take(), &phrase.text)),
            Some(Kind::Abstract) => {}
            _ => {
                if phrase.kind == Some(Kind::Place) && look.place.is_none() {
                    let link = phrase.link.clone().filter(|l| {
                        PREPOSITIONS.split(' ').any(|p| p == l) && l != "of" && l != "with"
                    });
                    look.place = Some(format!(
                        "{} {}",
                        link.unwrap_or_else(|| "at".to_string()),
                        phrase.text
                    ));
                }
                after_last = to + usize::from(phrase.deed.is_some());
                look.phrases.push(phrase);
            }
        }
        at = to;
    }
    look
}

const SEASONS: [&str; 5] = ["spring", "summer", "autumn", "fall", "winter"];

/// Returns the time named first. If that is a season, an hour is added: `a winter night`.
fn hour_first(named: Option<String>, text: &str) -> String {
    let is_season = |text: &str| SEASONS.iter().any(|season| text.ends_with(season));
    match named {
        None => timed(text),
        Some(season) if is_season(&season) && !is_season(text) => {
            format!("{} {season}", timed(text))
        }
        Some(first) => first,
    }
}

fn timed(text: &str) -> String {
    let season = SEASONS.iter().any(|season| text.ends_with(season));
    let part = ["morning", "afternoon", "evening"]
        .iter()
        .any(|s| text.ends_with(s));
    match (season, part) {
        (true, _) => format!("in {text}"),
        (_, true) => format!("in the {text}"),
        _ => format!("at {text}"),
    }
}

/// Returns the range of a phrase whose last word is at `at`, if there is one.
fn phrase_at(words: &[Word], at: usize, not_before: usize) -> Option<(usize, usize)> {
    let word = &words[at];
    let goes_on = !word.ends
        && words.get(at + 1).is_some_and(|next| {
            (word.is_name && next.is_name)
                || next
                    .kind
                    .is_some_and(|k| k.is_concrete() || k == Kind::Abstract)
                    && !word.is_name
                || (next.is_open() && word.kind == Some(Kind::Adjective))
        });
    if goes_on {
        return None;
    }
    let is_modifier = |w: &Word| {
        !w.ends
            && (w
                .kind
                .is_some_and(|k| k == Kind::Adjective || k.is_concrete())
                || w.is_open()
                || w.is_name)
    };
    let mut from = at;
    while from > not_before
        && at - from < 3
        && is_modifier(&words[from - 1])
        && words[from - 1].is_name == word.is_name
    {
        from -= 1;
    }
    let before = from.checked_sub(1).map(|i| &words[i]);
    let determined = before.is_some_and(|b| b.is_in(DETERMINERS) && !b.ends);
    let is_head = match word.kind {
        Some(Kind::Thing | Kind::Place) => {
            determined
                || from < at
                || lexicon::is_plural(&word.lower)
                || before.is_none_or(|b| b.ends || b.is_in(PREPOSITIONS) || b.is_in("and or"))
        }
        Some(kind) => kind.is_concrete() || kind == Kind::Time || kind == Kind::Abstract,
        None => {
            word.is_name
                || (word.is_open() && determined && !word.lower.bytes().all(|b| b.is_ascii_digit()))
        }
    };
    is_head.then_some((from, at + 1))
}

fn phrase_text(words: &[Word], from: usize, to: usize) -> String {
    let mut text: Vec<String> = words[from..to]
        .iter()
        .map(|w| {
            if w.is_name {
                w.text.clone()
            } else {
                w.lower.clone()
            }
        })
        .collect();
    let counted = from.checked_sub(1).map(|i| &words[i]).filter(|b| {
        !b.ends && b.is_in("a an two three four five six seven eight nine ten twelve many")
    });
    if let Some(count) = counted {
        text.insert(0, count.lower.clone());
    }
    text.join(" ")
}

/// Returns the link of a phrase to the one before: a preposition, possibly with determiners.
fn link(words: &[Word], after_last: usize, from: usize, look: &Look) -> Option<String> {
    let between = words.get(after_last..from)?;
    let content: Vec<&Word> = between.iter().filter(|w| !w.is_in(DETERMINERS)).collect();
    match content.as_slice() {
        [] => look
            .phrases
            .last()
            .and_then(|p| p.deed.as_ref())
            .map(|_| String::new()),
        [one] if one.is_in(PREPOSITIONS) && !one.ends => Some(one.lower.clone()),
        [one] if one.is_in("and") && !look.phrases.is_empty() => Some("and".to_string()),
        [verb, last]
            if last.is_in(PREPOSITIONS)
                && !verb.ends
                && (verb.kind == Some(Kind::Verb) || lexicon::action(&verb.lower).is_some()) =>
        {
            Some(last.lower.clone())
        }
        [.., last] if last.is_in(PREPOSITIONS) && !last.ends && look.phrases.is_empty() => {
            Some(last.lower.clone())
        }
        _ => None,
    }
}

/// Returns the visible action right after a phrase.
fn deed(words: &[Word], to: usize) -> Option<String> {
    let before = &words[to - 1];
    if before.ends || !(before.is_name || before.kind.is_some_and(Kind::is_being)) {
        return None;
    }
    let next = words.get(to)?;
    if next.is_in(PREPOSITIONS) || next.is_in(DETERMINERS) {
        return None;
    }
    lexicon::action(&next.lower).map(lexicon::gerund)
}

/// Returns a pronoun for a figure, with its action.
fn pronoun(words: &[Word], at: usize) -> Option<(&'static str, Option<String>)> {
    let word = &words[at];
    let pronoun = ["he", "she", "they", "it"]
        .into_iter()
        .find(|p| *p == word.lower)?;
    let deed = words
        .get(at + 1)
        .and_then(|next| lexicon::action(&next.lower))
        .map(lexicon::gerund);
    Some((pronoun, deed))
}
