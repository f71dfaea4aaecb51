//! The topic of a prompt: its figure or thing, the action, the time, and the things and sentences that it names.

use super::phrases::{self, Head};
use crate::script::lexicon::{self, Kind};
use crate::script::{plain, sentences};

/// How a topic can be narrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// An invented figure, about whom anything may be told.
    Tale,
    /// A named person, about whom nothing is claimed.
    Portrait,
    /// A thing, a place, a thought.
    Theme,
}

/// The pronoun for a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pronoun {
    He,
    She,
    It,
    They,
}

impl Pronoun {
    pub(super) fn is_plural(self) -> bool {
        self == Pronoun::They
    }

    /// Returns the form that corresponds to a masculine `he`, `him`, `his` or `himself`.
    pub(super) fn form(self, masculine: &str) -> &'static str {
        let forms = match self {
            Pronoun::He => ["he", "him", "his", "himself"],
            Pronoun::She => ["she", "her", "her", "herself"],
            Pronoun::It => ["it", "it", "its", "itself"],
            Pronoun::They => ["they", "them", "their", "themselves"],
        };
        match masculine {
            "him" => forms[1],
            "his" => forms[2],
            "himself" => forms[3],
            _ => forms[0],
        }
    }
}

/// The topic of a script.
#[derive(Clone, Debug)]
pub(super) struct Topic {
    pub(super) mode: Mode,
    /// How it is introduced: `a lighthouse keeper who finds a message in a bottle`.
    pub(super) premise: String,
    /// How it is called afterward: `the lighthouse keeper`.
    pub(super) subject: String,
    /// How a picture's brief names it: `a lighthouse keeper`.
    pub(super) figure: String,
    pub(super) is_plural: bool,
    pub(super) pronoun: Pronoun,
    /// Other things that it names, each with `the`.
    pub(super) objects: Vec<String>,
    /// Sentences of the prompt itself, and its quotations.
    pub(super) given: Vec<String>,
    /// dawn, day, dusk or night (0 to 3), if the prompt says.
    pub(super) hour: Option<usize>,
    /// Words for the weather of every picture.
    pub(super) weather: Option<&'static str>,
    /// The prompt's words in lower case.
    pub(super) words: Vec<String>,
    /// A short title.
    pub(super) title: String,
}

const HOURS: [&str; 4] = [
    "dawn sunrise morning breakfast",
    "noon midday afternoon day daylight",
    "dusk sunset evening twilight",
    "night midnight moon moonlight stars midnight tonight nightfall",
];

const WEATHER: &[(&str, &str)] = &[
    ("storm", "storm clouds"),
    ("stormy", "storm clouds"),
    ("rain", "rain"),
    ("rainy", "rain"),
    ("snow", "falling snow"),
    ("snowy", "falling snow"),
    ("winter", "snow"),
    ("fog", "fog"),
    ("foggy", "fog"),
    ("mist", "mist"),
    ("wind", "wind"),
];

/// Only this many characters of a prompt are read.
const MAX_CHARS: usize = 4000;
const MAX_PREMISE_WORDS: usize = 28;

impl Topic {
    /// Reads a prompt. Names of `characters` (`NAME: what it is`) are invented figures.
    pub(super) fn new(prompt: &str, characters: &[String]) -> Topic {
        let prompt: String = plain(prompt).chars().take(MAX_CHARS).collect();
        let parts = sentences(&prompt, "en");
        let first = parts.first().copied().unwrap_or("a quiet moment");
        let core = phrases::without_lead(first);
        let names: Vec<&str> = characters
            .iter()
            .map(|c| c.split(':').next().unwrap_or_default().trim())
            .filter(|n| !n.is_empty())
            .collect();
        let head = phrases::head(&core, &names);
        let words: Vec<String> = prompt
            .split(|c: char| !c.is_alphanumeric())
            .filter(|w| !w.is_empty())
            .map(str::to_lowercase)
            .collect();
        let has = |list: &str| {
            words
                .iter()
                .any(|w| list.split(' ').any(|known| known == w))
        };
        let figure = phrases::indefinite(&head.short, head.mode != Mode::Theme);
        let title = phrases::title(&head.premise);
        Topic {
            mode: head.mode,
            premise: phrases::first_words(&head.premise, MAX_PREMISE_WORDS),
            subject: head.subject.clone(),
            figure,
            is_plural: head.is_plural,
            pronoun: pronoun(&head, &words),
            objects: objects(&core, &head),
            given: given(&parts, &prompt),
            hour: HOURS.iter().position(|list| has(list)),
            weather: WEATHER.iter().find(|(word, _)| has(word)).map(|(_, w)| *w),
            words,
            title,
        }
    }

    /// Returns the topic with the figure called by its last word: `the keeper`; `None` for names and figures of one word.
    pub(super) fn called(&self) -> Option<Topic> {
        let words: Vec<&str> = self.subject.split(' ').collect();
        let is_figure = self.mode == Mode::Tale && words.len() > 2 && words[0] == "the";
        let last = words.last().filter(|_| is_figure)?;
        Some(Topic {
            subject: format!("the {last}"),
            ..self.clone()
        })
    }

    /// Returns the topic with the figure's short name as the premise, for a text too short for the full one.
    pub(super) fn short(&self) -> Topic {
        let premise = if self.mode == Mode::Tale && !self.premise.starts_with("the ") {
            self.figure.clone()
        } else {
            self.subject.clone()
        };
        Topic {
            premise,
            ..self.clone()
        }
    }
}

fn pronoun(head: &Head, words: &[String]) -> Pronoun {
    if head.is_plural {
        return Pronoun::They;
    }
    let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    let is_being = head.kind.is_none_or(Kind::is_being) && head.mode != Mode::Theme;
    match head.kind {
        Some(Kind::Man) => Pronoun::He,
        Some(Kind::Woman) => Pronoun::She,
        _ if is_being && has(&["she", "her", "herself"]) => Pronoun::She,
        _ if is_being && has(&["he", "him", "himself"]) => Pronoun::He,
        Some(Kind::Animal) => Pronoun::It,
        _ if is_being && !["robot", "android"].iter().any(|r| head.short.ends_with(r)) => {
            Pronoun::They
        }
        _ => Pronoun::It,
    }
}

/// Returns things that the topic names besides its figure, such as `the message`.
fn objects(core: &str, head: &Head) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let words: Vec<&str> = core
        .split_whitespace()
        .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()))
        .collect();
    for (at, word) in words.iter().enumerate() {
        let lower = word.to_lowercase();
        let is_own =
            head.short.starts_with(char::is_uppercase) && lexicon::kind(&lower) == head.kind;
        let is_thing = matches!(lexicon::kind(&lower), Some(Kind::Thing | Kind::Animal)) && !is_own;
        let before = at
            .checked_sub(1)
            .map_or(String::new(), |i| words[i].to_lowercase());
        let after = words
            .get(at + 1)
            .map_or(String::new(), |w| w.to_lowercase());
        let is_modifier = lexicon::kind(&after).is_some_and(|k| k.is_concrete());
        let is_verb = before == "to"
            || lexicon::action(&lower).is_some()
                && !phrases::is_determiner(&before)
                && lexicon::kind(&before) != Some(Kind::Adjective);
        if !is_thing
            || is_modifier
            || is_verb
            || lower.len() < 3
            || head.short.to_lowercase().contains(&lower)
        {
            continue;
        }
        let adjective = Some(before).filter(|b| {
            lexicon::kind(b) == Some(Kind::Adjective)
                || (lexicon::kind(b).is_some_and(Kind::is_concrete) && *b != lower)
        });
        let object = match adjective {
            Some(adjective) => format!("the {adjective} {lower}"),
            None => format!("the {lower}"),
        };
        if !found.contains(&object) {
            found.push(object);
        }
    }
    found
}

/// Returns the prompt's own statements after its first sentence, without instructions, and quoted phrases outside those statements.
fn given(parts: &[&str], prompt: &str) -> Vec<String> {
    const INSTRUCTIONS: &str = "make use include keep add write show focus please the-video tone style end start begin avoid do don't ensure it-should should must target length format audience voice mood no explain describe mention use create generate give tell";
    let mut found: Vec<String> = Vec::new();
    for part in parts.iter().skip(1) {
        let words: Vec<String> = part
            .split_whitespace()
            .map(|w| {
                w.trim_matches(|c: char| !c.is_alphanumeric())
                    .to_lowercase()
            })
            .collect();
        let is_instruction = words
            .first()
            .is_none_or(|w| INSTRUCTIONS.split(' ').any(|i| i == w))
            || words.iter().any(|w| {
                matches!(
                    w.as_str(),
                    "video" | "should" | "words" | "script" | "narrator" | "seconds"
                )
            })
            || part.contains(':');
        let is_sentence = part.starts_with(char::is_uppercase) && part.ends_with(['.', '!', '?']);
        if !is_instruction && is_sentence && (3..=30).contains(&words.len()) {
            found.push((*part).to_string());
        }
    }
    let mut rest = prompt;
    while let Some((quote, after)) = quoted(rest) {
        let said = found.iter().any(|f| f.contains(quote));
        if !said && (1..=14).contains(&quote.split_whitespace().count()) {
            found.push(format!(
                "The words are these: “{}”",
                phrases::stopped(quote)
            ));
        }
        rest = after;
    }
    found
}

/// Returns the first phrase in double quotes, and the text after it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let open = text.find(['"', '“'])?;
    let start = open + text[open..].chars().next()?.len_utf8();
    let end = start + text[start..].find(['"', '”'])?;
    let after = end + text[end..].chars().next()?.len_utf8();
    Some((text[start..end].trim(), &text[after..]))
}
