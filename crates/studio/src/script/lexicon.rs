//! English words by their meaning (figures, places, things, weather, actions), and the names of months.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Rows `kind: words`.
const TABLE: &str = include_str!("data/lexicon.txt");

/// Months by the columns en, es, de, fr, pt, it.
const MONTHS: [&str; 6] = [
    "January February March April May June July August September October November December",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
];

/// The meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A man, a woman, or any person.
    Man,
    Woman,
    Person,
    Animal,
    Place,
    Thing,
    /// Weather and lights of the sky.
    Sky,
    /// Time of day or year.
    Time,
    Adjective,
    /// A visible action.
    Action,
    /// Something that no picture can show.
    Abstract,
    /// An action that cannot be seen, or an auxiliary.
    Verb,
}

impl Kind {
    /// Returns whether it can be the figure of a picture.
    pub(crate) fn is_being(self) -> bool {
        matches!(self, Kind::Man | Kind::Woman | Kind::Person | Kind::Animal)
    }

    /// Returns whether a picture can show it.
    pub(crate) fn is_concrete(self) -> bool {
        self.is_being() || matches!(self, Kind::Place | Kind::Thing | Kind::Sky)
    }
}

const KINDS: &[(&str, Kind)] = &[
    ("man", Kind::Man),
    ("woman", Kind::Woman),
    ("person", Kind::Person),
    ("animal", Kind::Animal),
    ("place", Kind::Place),
    ("thing", Kind::Thing),
    ("sky", Kind::Sky),
    ("time", Kind::Time),
    ("adjective", Kind::Adjective),
    ("action", Kind::Action),
    ("abstract", Kind::Abstract),
    ("verb", Kind::Verb),
];

static WORDS: LazyLock<HashMap<&str, Kind>> = LazyLock::new(|| {
    let mut kinds = HashMap::new();
    for (name, words) in TABLE.lines().filter_map(|row| row.split_once(':')) {
        let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == name) else {
            continue;
        };
        for word in words.split_whitespace() {
            kinds.entry(word).or_insert(*kind);
        }
    }
    kinds
});

const IRREGULAR_PLURALS: &[(&str, &str)] = &[
    ("men", "man"),
    ("women", "woman"),
    ("children", "child"),
    ("mice", "mouse"),
    ("geese", "goose"),
    ("wolves", "wolf"),
    ("leaves", "leaf"),
    ("knives", "knife"),
    ("thieves", "thief"),
    ("feet", "foot"),
    ("teeth", "tooth"),
    ("fish", "fish"),
    ("sheep", "sheep"),
    ("deer", "deer"),
    ("people", "people"),
    ("grandchildren", "grandchild"),
    ("fishermen", "fisherman"),
    ("elves", "elf"),
    ("dwarves", "dwarf"),
    ("calves", "calf"),
    ("loaves", "loaf"),
    ("shelves", "shelf"),
    ("lives", "life"),
    ("policemen", "policeman"),
    ("firemen", "fireman"),
];

/// Returns the name of a month; `column` counts en, es, de, fr, pt, it.
pub(crate) fn month(index: usize, column: usize) -> &'static str {
    MONTHS[column.min(5)]
        .split(' ')
        .nth(index)
        .unwrap_or_default()
}

/// Returns whether a word, as written, names a month in one of the languages of the table.
pub(crate) fn is_month(word: &str) -> bool {
    !word.is_empty()
        && MONTHS
            .iter()
            .any(|names| names.split(' ').any(|m| m == word))
}

/// Returns the kind of an English word (in lower case, singular or plural).
pub(crate) fn kind(word: &str) -> Option<Kind> {
    WORDS
        .get(word)
        .or_else(|| WORDS.get(singular(word).as_str()))
        .copied()
}

/// Returns whether an English word has the form of a plural.
pub(crate) fn is_plural(word: &str) -> bool {
    let lower = word.to_lowercase();
    const SINGULAR_ENDS: &[&str] = &[
        "ss", "us", "is", "'s", "ics", "mars", "gas", "lens", "news", "chess", "paris", "texas",
        "tennis",
    ];
    let is_irregular = |(many, one): &(&str, &str)| *many == lower && many != one;
    if lower == "people" || IRREGULAR_PLURALS.iter().any(is_irregular) {
        return true;
    }
    let lower = lower.as_str();
    let is_known_singular =
        WORDS.contains_key(lower) && !WORDS.contains_key(singular(lower).as_str());
    let has_end = SINGULAR_ENDS.iter().any(|end| lower.ends_with(end));
    lower.len() > 3 && lower.ends_with('s') && !has_end && !is_known_singular
}

/// Returns the singular of an English noun.
pub(crate) fn singular(word: &str) -> String {
    if let Some((_, one)) = IRREGULAR_PLURALS.iter().find(|(many, _)| *many == word) {
        return (*one).to_string();
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|s| s.len() > 1) {
        return format!("{stem}y");
    }
    for end in ["ches", "shes", "sses", "xes", "oes"] {
        if word.ends_with(end) {
            return word[..word.len() - 2].to_string();
        }
    }
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 1 && !stem.ends_with(['s', 'u', 'i']) => stem.to_string(),
        _ => word.to_string(),
    }
}

const IRREGULAR_VERBS: &[(&str, &str)] = &[
    ("ran", "run"),
    ("swam", "swim"),
    ("flew", "fly"),
    ("sang", "sing"),
    ("slept", "sleep"),
    ("sat", "sit"),
    ("stood", "stand"),
    ("knelt", "kneel"),
    ("hid", "hide"),
    ("fought", "fight"),
    ("rode", "ride"),
    ("drove", "drive"),
    ("fell", "fall"),
    ("dug", "dig"),
    ("ate", "eat"),
    ("drank", "drink"),
    ("wrote", "write"),
    ("drew", "draw"),
    ("built", "build"),
    ("held", "hold"),
    ("lit", "light"),
    ("wept", "weep"),
    ("threw", "throw"),
    ("caught", "catch"),
    ("left", "leave"),
    ("shone", "shine"),
    ("grew", "grow"),
];

/// Returns the plain form of a verb from the lexicon: `climbs`, `climbed`, `climbing` give `climb`.
pub(crate) fn action(word: &str) -> Option<&'static str> {
    let is_action = |stem: &str| {
        WORDS
            .get_key_value(stem)
            .filter(|(_, kind)| **kind == Kind::Action)
            .map(|(word, _)| *word)
    };
    if let Some((_, plain)) = IRREGULAR_VERBS.iter().find(|(past, _)| *past == word) {
        return Some(plain);
    }
    let mut stems = vec![word.to_string()];
    for end in ["ing", "ed", "es", "s"] {
        let Some(stem) = word.strip_suffix(end).filter(|s| s.len() > 1) else {
            continue;
        };
        stems.push(stem.to_string());
        stems.push(format!("{stem}e"));
        let mut letters = stem.chars();
        if letters.next_back() == letters.next_back() {
            stems.push(
                stem[..stem.len() - stem.chars().next_back().map_or(0, char::len_utf8)].to_string(),
            );
        }
        if let Some(root) = stem.strip_suffix('i') {
            stems.push(format!("{root}y"));
        }
    }
    stems.iter().find_map(|stem| is_action(stem))
}

/// Returns the `-ing` form of a verb's plain form.
pub(crate) fn gerund(verb: &str) -> String {
    const DOUBLED: &str =
        "run swim sit dig hug stop put get let begin set cut win plan drop shop hit knit step";
    if DOUBLED.split(' ').any(|v| v == verb) {
        return format!("{verb}{}ing", &verb[verb.len() - 1..]);
    }
    match verb.strip_suffix('e') {
        Some(stem) if !verb.ends_with("ee") && verb.len() > 2 => match stem.strip_suffix('i') {
            Some(root) => format!("{root}ying"),
            None => format!("{stem}ing"),
        },
        _ => format!("{verb}ing"),
    }
}
