//! The noun phrase at the core of a prompt: found, conjugated, and given its articles.

use super::names::{ASPECTS, aspect, name, named};
use super::topic::Mode;
use crate::script::language::is_stop_word;
use crate::script::lexicon::{self, Kind};

/// The head of a prompt's first sentence.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) mode: Mode,
    pub(super) premise: String,
    /// With `the`, or the name.
    pub(super) subject: String,
    /// Without an article, such as `lighthouse keeper`.
    pub(super) short: String,
    pub(super) kind: Option<Kind>,
    pub(super) is_plural: bool,
}

const ASKING: &str = "make create write generate produce tell give show do please can could you let's explain describe i want need me a an the short";
const MEDIA: &str = "video story script tale reel narration documentary film clip biography movie short tiktok summary essay poem message report bedtime explainer lesson";
const BOUNDARIES: &str = "who that which whose where when while as because and but so if in on at above below under over near behind beside with without from during for to through across into by against between among after before until inside around along against about like is are was were has have had will can";
const MASS: &str = "coffee tea water bread rice sugar salt chocolate gold silver iron honey milk wine beer sand snow rain fire ice music love time light art paper ink glass wood stone grass moss cheese pizza pasta soup";

pub(super) fn is_determiner(word: &str) -> bool {
    [
        "a", "an", "the", "my", "his", "her", "their", "our", "its", "one", "two", "three", "four",
        "five", "some", "this", "that",
    ]
    .contains(&word)
}

/// Removes `Make a short video about`, `Breaking news:` and closing marks from a prompt.
pub(super) fn without_lead(sentence: &str) -> String {
    let mut rest = sentence.trim();
    if let Some((before, after)) = rest.split_once(": ")
        && before.split_whitespace().count() <= 4
        && !after.is_empty()
    {
        rest = after.trim();
    }
    let words: Vec<&str> = rest.split_whitespace().collect();
    let lower = |at: usize| {
        words.get(at).map_or(String::new(), |w| {
            w.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'')
                .to_lowercase()
        })
    };
    let is_asking = |at: usize| ASKING.split(' ').any(|a| a == lower(at));
    let mut from = 0;
    for at in 0..words.len().min(14) {
        let is_marker = [
            "about",
            "of",
            "on",
            "explaining",
            "showing",
            "where",
            "called",
        ]
        .contains(&lower(at).as_str());
        let after_media = at > 0
            && MEDIA
                .split(' ')
                .any(|m| m == lower(at - 1) || lower(at - 1) == format!("{m}s"));
        let is_lead = is_marker && (after_media || (lower(at) == "about" && is_asking(0)));
        // `The story of Marie Curie` keeps its words, because they describe the topic.
        if is_lead && at + 1 < words.len() && (is_asking(0) || after_media) {
            from = at + 1;
            break;
        }
    }
    if from == 0 && ["explain", "describe"].contains(&lower(0).as_str()) && words.len() > 1 {
        from = 1;
    }
    let core = words[from..].join(" ");
    let core = core.trim_end_matches(|c: char| ".!,;:".contains(c)).trim();
    if core.is_empty() {
        sentence.trim().to_string()
    } else {
        core.to_string()
    }
}

/// Finds the subject of a topic.
pub(super) fn head(core: &str, characters: &[&str]) -> Head {
    let words: Vec<&str> = core.split_whitespace().collect();
    if core.ends_with('?') || asks(&words) {
        return question(core, &words);
    }
    if let Some(head) = counted_advice(core, &words) {
        return head;
    }
    let name = name(&words, characters);
    let end = name.unwrap_or_else(|| phrase_end(&words));
    let phrase = words[..end].join(" ");
    let phrase = phrase.trim_end_matches([',', ':']);
    if name.is_some() {
        return named(core, phrase, &words[end..], characters);
    }
    common(core, phrase, &words[end..])
}

fn asks(words: &[&str]) -> bool {
    let first = words.first().map_or(String::new(), |w| w.to_lowercase());
    words.len() > 2 && ["why", "how", "what", "when", "where", "who"].contains(&first.as_str())
}

fn question(core: &str, words: &[&str]) -> Head {
    let bare = |w: &str| {
        w.trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase()
    };
    let second = words.get(1).map_or(String::new(), |w| bare(w));
    let is_direct =
        core.ends_with('?') || ["do", "does", "did", "is", "are", "can"].contains(&second.as_str());
    let core = core.trim_end_matches('?').trim();
    let lower = lower_first(core);
    let premise = if is_direct {
        format!("one question: {lower}?")
    } else {
        lower
    };
    if second == "to" && words.len() > 2 {
        let doing = words[3..].join(" ");
        let subject = first_words(&format!("{} {doing}", lexicon::gerund(&bare(words[2]))), 4);
        let subject = subject.trim_end_matches('?').trim().to_string();
        return Head {
            mode: Mode::Theme,
            premise,
            short: subject.clone(),
            subject,
            kind: None,
            is_plural: false,
        };
    }
    let noun = words
        .iter()
        .skip(1)
        .map(|w| bare(w))
        .find(|w| lexicon::kind(w).is_some_and(|k| k.is_concrete() || k == Kind::Abstract))
        .or_else(|| {
            words
                .iter()
                .skip(1)
                .map(|w| bare(w))
                .find(|w| w.len() > 3 && !is_stop_word(w, "en"))
        })
        .unwrap_or_else(|| "the answer".to_string());
    let is_plural = lexicon::is_plural(&noun);
    let subject = if is_plural || is_mass(&noun) || noun.contains(' ') {
        noun.clone()
    } else {
        format!("the {noun}")
    };
    Head {
        mode: Mode::Theme,
        premise,
        subject,
        kind: lexicon::kind(&noun),
        short: noun,
        is_plural,
    }
}

/// Reads `5 tips for better sleep`.
fn counted_advice(core: &str, words: &[&str]) -> Option<Head> {
    const ADVICE: &str = "tips ways reasons facts steps ideas things mistakes lessons secrets habits rules hacks myths";
    let at = words
        .iter()
        .take(4)
        .position(|w| ADVICE.split(' ').any(|a| a == w.to_lowercase()))?;
    let rest = words.get(at + 1..).filter(|r| r.len() > 1)?;
    let tail = rest[1..].join(" ");
    let subject = match rest[0].to_lowercase().as_str() {
        "to" => {
            let (verb, more) = tail.split_once(' ').unwrap_or((&tail, ""));
            format!("{} {more}", lexicon::gerund(verb))
                .trim()
                .to_string()
        }
        "for" | "about" | "on" | "of" => tail,
        _ => return None,
    };
    let subject = first_words(&subject, 4);
    Some(Head {
        mode: Mode::Theme,
        premise: lower_first(core),
        short: subject.clone(),
        is_plural: lexicon::is_plural(&subject),
        subject,
        kind: None,
    })
}

/// Returns the end of the first noun phrase, in words.
fn phrase_end(words: &[&str]) -> usize {
    let bare = |w: &str| {
        w.trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase()
    };
    for at in 1..words.len() {
        let (word, before) = (bare(words[at]), bare(words[at - 1]));
        if words[at - 1].ends_with([',', ':', ';']) || BOUNDARIES.split(' ').any(|b| b == word) {
            return at;
        }
        let is_noun_before = !is_determiner(&before)
            && before != "of"
            && lexicon::kind(&before) != Some(Kind::Adjective);
        if is_noun_before && is_verb(&word, &before) {
            return at;
        }
    }
    words.len()
}

/// Returns whether a word after a noun is its verb.
pub(super) fn is_verb(word: &str, noun: &str) -> bool {
    let known = lexicon::action(word).is_some()
        || lexicon::kind(word) == Some(Kind::Verb)
        || lexicon::kind(&lexicon::singular(word)) == Some(Kind::Verb);
    let is_noun = lexicon::kind(word).is_some_and(|k| k.is_concrete() || k == Kind::Abstract);
    let of_being = lexicon::kind(noun).is_some_and(Kind::is_being);
    let form =
        (word.ends_with('s') && !word.ends_with("ss") && of_being && !lexicon::is_plural(noun))
            || (word.ends_with("ing") && word.len() > 5)
            || (word.ends_with("ed") && word.len() > 4 && of_being);
    (known && (!is_noun || of_being)) || (form && !is_noun)
}

fn common(core: &str, phrase: &str, rest: &[&str]) -> Head {
    let words: Vec<String> = phrase
        .split_whitespace()
        .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()).to_string())
        .collect();
    if let Some(of) = words.iter().position(|w| w.eq_ignore_ascii_case("of"))
        && of > 0
        && of + 1 < words.len()
        && ASPECTS
            .split(' ')
            .any(|a| a == words[of - 1].to_lowercase())
    {
        return aspect(core, &words, of);
    }
    let head_end = words
        .iter()
        .position(|w| w.eq_ignore_ascii_case("of"))
        .filter(|n| *n > 0)
        .unwrap_or(words.len());
    let noun = words[head_end - 1].to_lowercase();
    let first = words[0].to_lowercase();
    let kind = lexicon::kind(&noun);
    let is_plural = lexicon::is_plural(&noun);
    let determined = is_determiner(&first);
    let is_tale = is_tale(kind, rest, (determined, is_plural));
    let keep = short_start(&words[..head_end], is_tale);
    let short = called(&words[keep..head_end], keep > 0);
    let countable =
        !is_plural && kind.is_some_and(|k| k.is_concrete() && k != Kind::Sky) && !is_mass(&noun);
    let start = lower_first(core);
    let start = if countable && !determined {
        indefinite(&start, true)
    } else {
        start
    };
    let name = rest
        .get(1)
        .filter(|w| ["named", "called"].contains(&rest[0]) && w.starts_with(char::is_uppercase));
    let subject = match (first.as_str(), name) {
        (_, Some(name)) => name
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_string(),
        ("my" | "his" | "her" | "their" | "our", _) => format!("{first} {short}"),
        _ if determined || countable => format!("the {short}"),
        _ => short.clone(),
    };
    let premise = if is_tale {
        with_relative(&start, rest, is_plural, kind)
    } else {
        start
    };
    Head {
        mode: if is_tale { Mode::Tale } else { Mode::Theme },
        premise,
        subject,
        short,
        kind,
        is_plural,
    }
}

/// Returns where the short name of a phrase begins: after its articles, for a figure also after its adjectives; three words at most.
fn short_start(phrase: &[String], is_tale: bool) -> usize {
    let last = phrase.len() - 1;
    let mut from = phrase[..last]
        .iter()
        .rposition(|w| is_determiner(&w.to_lowercase()))
        .map_or(0, |at| at + 1);
    let is_adjective = |word: &String| {
        matches!(
            lexicon::kind(&word.to_lowercase()),
            Some(Kind::Adjective | Kind::Verb)
        )
    };
    while is_tale && from < last && is_adjective(&phrase[from]) {
        from += 1;
    }
    from.max(phrase.len().saturating_sub(3))
}

/// Returns the words of a phrase; names keep their capitals.
fn called(words: &[String], is_inner: bool) -> String {
    let written = |w: &String| {
        let is_capitals = w.chars().skip(1).any(char::is_uppercase);
        let is_name = is_inner && w.starts_with(char::is_uppercase);
        if is_capitals || is_name {
            w.clone()
        } else {
            lower_first(w)
        }
    };
    words.iter().map(written).collect::<Vec<_>>().join(" ")
}

/// Returns whether the phrase is a figure for a tale: a being, or something that acts.
fn is_tale(kind: Option<Kind>, rest: &[&str], (determined, is_plural): (bool, bool)) -> bool {
    const ACTS: &[&str] = &["who", "that", "named", "called"];
    let is_being = kind.is_some_and(Kind::is_being);
    let acts = rest
        .first()
        .is_some_and(|w| is_verb(&w.to_lowercase(), "girl") || ACTS.contains(w));
    let is_still = matches!(
        kind,
        Some(Kind::Abstract | Kind::Time | Kind::Sky | Kind::Place)
    );
    (is_being && (determined || acts || !is_plural)) || (acts && determined && !is_still)
}

/// Changes `a robot learns to paint` to `a robot that learns to paint`.
fn with_relative(start: &str, rest: &[&str], is_plural: bool, kind: Option<Kind>) -> String {
    let Some(verb) = rest.first() else {
        return start.to_string();
    };
    let lower = verb.to_lowercase();
    let acts_later = ["named", "called"].contains(&lower.as_str())
        && rest.len() > 3
        && is_verb(&rest[2].to_lowercase(), "girl");
    if acts_later {
        let (name, tail) = (rest[..2].join(" "), rest[2..].join(" "));
        return start.replacen(&format!("{name} {tail}"), &format!("{name} who {tail}"), 1);
    }
    let is_finite = is_verb(&lower, if is_plural { "girls" } else { "girl" })
        && !lower.ends_with("ing")
        && !lower.ends_with("ed");
    let is_known = !BOUNDARIES.split(' ').any(|b| b == lower)
        || ["is", "are", "was", "were", "has", "have", "had"].contains(&lower.as_str());
    if !is_finite || !is_known {
        return start.to_string();
    }
    let relative = if matches!(kind, Some(Kind::Man | Kind::Woman | Kind::Person)) {
        "who"
    } else {
        "that"
    };
    let tail = rest.join(" ");
    match start.strip_suffix(&tail) {
        Some(phrase) => format!("{} {relative} {tail}", phrase.trim_end()),
        None => start.to_string(),
    }
}

fn is_mass(noun: &str) -> bool {
    MASS.split(' ').any(|m| m == noun)
}

/// Adds `a` or `an` if the phrase has no article and is countable; names and plurals stay.
pub(super) fn indefinite(phrase: &str, countable: bool) -> String {
    let first = phrase.split(' ').next().unwrap_or_default();
    let last = phrase
        .split(" of ")
        .next()
        .unwrap_or_default()
        .rsplit(' ')
        .next()
        .unwrap_or_default();
    let is_name = first.starts_with(char::is_uppercase);
    if !countable
        || is_mass(last)
        || is_determiner(&first.to_lowercase())
        || is_name
        || (lexicon::is_plural(last) && lexicon::kind(first) != Some(Kind::Adjective))
    {
        return phrase.to_string();
    }
    format!("{} {phrase}", article(first))
}

/// Returns `a` or `an`, by sound.
pub(super) fn article(word: &str) -> &'static str {
    const AN: &[&str] = &["hour", "honest", "honor", "heir", "8", "11", "18"];
    const A: &[&str] = &["uni", "use", "usu", "eu", "one", "once", "ufo"];
    let lower = word.to_lowercase();
    let starts = |list: &[&str]| list.iter().any(|s| lower.starts_with(s));
    let is_vowel = lower.starts_with(['a', 'e', 'i', 'o', 'u']);
    if starts(AN)
        || (is_vowel && (!starts(A) || lower.starts_with("unin") || lower.starts_with("unim")))
    {
        "an"
    } else {
        "a"
    }
}

/// Returns the first `n` words, without a dangling preposition or article at the end.
pub(super) fn first_words(text: &str, n: usize) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    if words.len() > n {
        words.truncate(n);
        while words.len() > 1
            && words.last().is_some_and(|w| {
                BOUNDARIES.split(' ').any(|b| b == *w) || is_determiner(w) || *w == "of"
            })
        {
            words.pop();
        }
    }
    words.join(" ").trim_end_matches([',', ';']).to_string()
}

/// Changes the first letter to lower case, unless the text begins with a name, `I`, or capitals.
pub(super) fn lower_first(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    let bare = first
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    let is_capitals = first.chars().skip(1).any(char::is_uppercase);
    let second_is_capital = text
        .split_whitespace()
        .nth(1)
        .is_some_and(|w| w.starts_with(char::is_uppercase));
    let is_known =
        lexicon::kind(&bare).is_some() || is_stop_word(&bare, "en") || is_determiner(&bare);
    if bare == "i" || is_capitals || (second_is_capital && !is_known) {
        return text.to_string();
    }
    let mut chars = text.chars();
    chars
        .next()
        .map_or(String::new(), |c| c.to_lowercase().chain(chars).collect())
}

/// Returns a title of a few words.
pub(super) fn title(premise: &str) -> String {
    let short = first_words(premise.trim_start_matches("one question: "), 8);
    super::grammar::upper_first(&short)
}

/// Adds a full stop if there is no closing mark.
pub(super) fn stopped(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?', '…']) {
        text.to_string()
    } else {
        format!("{text}.")
    }
}
