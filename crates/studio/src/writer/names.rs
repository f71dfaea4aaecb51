//! Finds names in a prompt, and aspects (`the history of`) of its topic.

use super::phrases::{Head, is_determiner, is_verb, lower_first};
use super::topic::Mode;
use crate::script::language::is_stop_word;
use crate::script::lexicon::{self, Kind};

const FAMOUS: &str = "Napoleon Einstein Cleopatra Mozart Beethoven Shakespeare Newton Darwin Tesla Edison Galileo Caesar Aristotle Plato Socrates Gandhi Picasso Frida Buddha Confucius Hannibal Copernicus Kepler Bach Chopin Rembrandt Michelangelo Leonardo Dante Homer Voltaire Rousseau Kant Nietzsche Freud Marx Lincoln Churchill Mandela Columbus Magellan Houdini Hypatia Archimedes Pythagoras Nefertiti Saladin Hemingway Tolkien Kafka";
/// `the history of coffee` is about coffee.
pub(super) const ASPECTS: &str = "history story origin origins life rise fall secret secrets power importance art science beauty benefits basics invention discovery future meaning world evolution biography legend myth magic psychology joy";
/// In the same form with a person, these make a portrait.
const LIVES: &str = "life biography story legacy childhood genius work";

/// Returns the number of words of the name at the start of a topic.
pub(super) fn name(words: &[&str], characters: &[&str]) -> Option<usize> {
    let bare = |w: &str| w.trim_matches(|c: char| !c.is_alphanumeric()).to_string();
    for character in characters {
        let n = character.split_whitespace().count();
        let start: Vec<String> = words.iter().take(n).map(|w| bare(w)).collect();
        if start.join(" ").eq_ignore_ascii_case(character) {
            return Some(n);
        }
    }
    let n = words
        .iter()
        .take_while(|w| {
            w.starts_with(char::is_uppercase)
                && lexicon::kind(&bare(w).to_lowercase())
                    .is_none_or(|k| matches!(k, Kind::Thing | Kind::Action))
                && !is_stop_word(&bare(w).to_lowercase(), "en")
        })
        .count();
    let is_place = |w: &&str| {
        [
            "New", "San", "Los", "North", "South", "East", "West", "Great", "World", "Black",
            "United",
        ]
        .contains(w)
    };
    let first = bare(words.first()?);
    let next = words
        .get(n)
        .map_or(String::new(), |w| bare(w).to_lowercase());
    let known = FAMOUS.split(' ').any(|f| f == first);
    let acts = n == 1
        && lexicon::kind(&first.to_lowercase()).is_none()
        && (["the", "a", "an", "who"].contains(&next.as_str())
            || words[0].ends_with(',')
            || lexicon::action(&next).is_some()
            || (lexicon::kind(&lexicon::singular(&next)) == Some(Kind::Verb)
                && next.ends_with('s')));
    let is_full = (2..=4).contains(&n)
        && !words.iter().take(n).any(is_place)
        && lexicon::kind(&first.to_lowercase()).is_none();
    (n > 0 && (known || is_full || acts)).then_some(n)
}

pub(super) fn named(core: &str, name: &str, rest: &[&str], characters: &[&str]) -> Head {
    let is_invented = characters.iter().any(|c| c.eq_ignore_ascii_case(name));
    let rest_text = rest.join(" ");
    let kind = rest
        .iter()
        .take(6)
        .map(|w| {
            w.trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
        })
        .find_map(|w| lexicon::kind(&w).filter(|k| k.is_being()));
    let is_single = name.split_whitespace().count() == 1 && !FAMOUS.split(' ').any(|f| f == name);
    let is_tale = is_invented || is_single;
    let premise = if is_tale
        && rest
            .first()
            .is_some_and(|w| is_verb(&w.to_lowercase(), "girl"))
    {
        format!("{name}, who {rest_text}")
    } else {
        core.to_string()
    };
    Head {
        mode: if is_tale { Mode::Tale } else { Mode::Portrait },
        premise,
        subject: name.to_string(),
        short: name.to_string(),
        kind: if is_tale { kind } else { None },
        is_plural: false,
    }
}

/// Reads an aspect: `the history of coffee` is about coffee, `the life of Marie Curie` is a portrait.
pub(super) fn aspect(core: &str, words: &[String], of: usize) -> Head {
    let inner: Vec<&str> = words[of + 1..].iter().map(String::as_str).collect();
    let is_life = LIVES.split(' ').any(|l| l == words[of - 1].to_lowercase());
    let name_words =
        name(&inner, &[]).filter(|n| *n > 1 || is_life || FAMOUS.split(' ').any(|f| f == inner[0]));
    let subject = inner.join(" ");
    let premise = lower_first(core);
    let starts_bare = premise
        .split(' ')
        .next()
        .is_some_and(|w| ASPECTS.split(' ').any(|a| a == w));
    let premise = if starts_bare {
        format!("the {premise}")
    } else {
        premise
    };
    if let Some(n) = name_words {
        let name = inner[..n].join(" ");
        return Head {
            mode: Mode::Portrait,
            premise,
            subject: name.clone(),
            short: name,
            kind: None,
            is_plural: false,
        };
    }
    let noun = inner.last().map_or(String::new(), |w| w.to_lowercase());
    let short = inner
        .iter()
        .filter(|w| !is_determiner(&w.to_lowercase()))
        .copied()
        .collect::<Vec<_>>()
        .join(" ");
    let is_life_of_being =
        is_life && is_determiner(inner[0]) && lexicon::kind(&noun).is_some_and(Kind::is_being);
    Head {
        mode: if is_life_of_being {
            Mode::Tale
        } else {
            Mode::Theme
        },
        premise,
        subject: if is_determiner(&inner[0].to_lowercase()) {
            format!("the {short}")
        } else {
            subject
        },
        short,
        kind: lexicon::kind(&noun),
        is_plural: lexicon::is_plural(&noun),
    }
}
