//! Words with digits: cardinals, decimals, ordinals, fractions, percentages, ranges, telephone numbers, and mixtures such as `A4`.

use super::letters;
use super::{Place, dates, measures};
use crate::script::numbers::{self, Numerals};

/// A written number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) negative: bool,
    pub(super) whole: u64,
    /// The digits after the point.
    pub(super) fraction: Option<String>,
}

impl Number {
    pub(super) fn is_one(&self) -> bool {
        self.whole == 1 && self.fraction.is_none()
    }

    pub(super) fn words(&self, numerals: &Numerals) -> String {
        let mut words = numerals.cardinal(self.whole);
        if let Some(fraction) = &self.fraction {
            words = format!("{words} {} {}", numerals.point, numerals.fraction(fraction));
        }
        if self.negative {
            format!("{} {words}", numerals.minus)
        } else {
            words
        }
    }
}

/// Reads `1,234.5` (English) or `1.234,5` (elsewhere).
pub(super) fn parse(text: &str, language: &str) -> Option<Number> {
    let (negative, digits) = match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (mut group, mut point) = if language == "en" {
        (',', '.')
    } else {
        ('.', ',')
    };
    // `3.5` and `12.75` are decimals in every language: a group has three digits.
    if language != "en" && !digits.contains(',') && !is_grouped(digits, '.') {
        (group, point) = (',', '.');
    }
    let (whole, fraction) = match digits.split_once(point) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let is_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let whole = if whole.contains(group) {
        is_grouped(whole, group).then(|| whole.replace(group, ""))?
    } else {
        whole.to_string()
    };
    let whole = if whole.is_empty() && fraction.is_some() {
        "0".to_string()
    } else {
        whole
    };
    if !is_digits(&whole) || fraction.is_some_and(|f| !is_digits(f)) {
        return None;
    }
    Some(Number {
        negative,
        whole: whole.parse().ok()?,
        fraction: fraction.map(str::to_string),
    })
}

/// Returns whether digits are grouped, as in `1,234,567`: groups of three after the first.
fn is_grouped(digits: &str, separator: char) -> bool {
    let mut groups = digits.split(separator);
    let first = groups.next().unwrap_or_default();
    let is_number = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let mut n_groups = 0;
    let all = groups.all(|g| {
        n_groups += 1;
        g.len() == 3 && is_number(g)
    });
    all && n_groups > 0 && (1..=3).contains(&first.len()) && is_number(first)
}

/// Returns the spoken form of a word with digits (or a unit after one); `None` to read it unchanged.
pub(super) fn figure(core: &str, place: &Place<'_>) -> Option<String> {
    let numerals = place.numerals?;
    if let Some(unit) = measures::lone_unit(core, place) {
        return Some(unit);
    }
    if let Some(words) = vulgar(core, place).or_else(|| measures::after_sign(core, place)) {
        return Some(words);
    }
    if !core.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    for rule in RULES {
        if let Some(words) = rule(core, place) {
            return Some(words);
        }
    }
    let (sign, rest) = [
        ("~", "about"),
        ("≈", "about"),
        ("<", "less than"),
        (">", "more than"),
        ("±", "plus or minus"),
        ("+", "plus"),
    ]
    .iter()
    .find_map(|(sign, name)| core.strip_prefix(sign).map(|rest| (*name, rest)))
    .unwrap_or(("", core));
    if !sign.is_empty() && place.language == "en" {
        return Some(format!("{sign} {}", figure(rest, place)?));
    }
    if let Some(number) = core.strip_prefix('#').or_else(|| core.strip_prefix("n°"))
        && let Some(words) = cardinal(number, place)
    {
        let name = letters::sign_name("#", letters::column(place.language)?)?;
        return Some(format!("{name} {words}"));
    }
    if let Some(number) = core.strip_suffix('+')
        && let Some(words) = figure(number, place)
    {
        let plus = if place.language == "en" { "plus" } else { "+" };
        return Some(format!("{words} {plus}"));
    }
    Some(mixed(core, place, numerals))
}

type Rule = fn(&str, &Place<'_>) -> Option<String>;

/// Tried in this order.
const RULES: &[Rule] = &[
    digits,
    measures::money,
    dates::time,
    dates::date,
    dates::decade,
    dates::day,
    ordinal,
    fraction,
    range,
    percent,
    dates::year,
    cardinal,
    resolution,
    measures::measure,
];

/// Reads telephone numbers and codes (`555-1234`, `007`), digit by digit.
fn digits(core: &str, place: &Place<'_>) -> Option<String> {
    let body = core.strip_prefix('+').unwrap_or(core);
    let is_number = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let groups: Vec<&str> = body.split(['-', '.']).collect();
    let n_digits = body.bytes().filter(u8::is_ascii_digit).count();
    let is_phone = groups.len() > 1
        && n_digits >= 7
        && groups.iter().all(|g| is_number(g) && !g.is_empty())
        && body.contains('-')
        && !(groups.len() == 2 && groups[0].len() == groups[1].len())
        && !(groups.len() == 3 && groups[0].len() == 4 && groups[1].len() == 2);
    let is_code = groups.len() == 1 && is_number(body) && body.len() > 1 && body.starts_with('0');
    let is_called = core.starts_with('+')
        && is_number(body)
        && (body.len() > 8
            || place.near(1).bytes().all(|b| b.is_ascii_digit()) && !place.near(1).is_empty());
    let is_group = is_number(body)
        && body.len() > 2
        && place.near(-1).starts_with('+')
        && place.near(-1).len() > 1;
    let numerals = place.numerals?;
    (is_phone || is_code || is_called || is_group).then(|| {
        let said: Vec<String> = groups.iter().map(|g| numerals.digits(g)).collect();
        said.join(", ")
    })
}

/// Reads `21st`, `3º`, `1er`.
fn ordinal(core: &str, place: &Place<'_>) -> Option<String> {
    let split = core.find(|c: char| !c.is_ascii_digit() && c != ',')?;
    let (digits, ending) = core.split_at(split);
    let n = parse(digits, place.language)?.whole;
    let known: &[&str] = match place.language {
        "en" => &["st", "nd", "rd", "th"],
        "fr" => &["er", "re", "ère", "e", "ème", "nd", "nde"],
        "es" => &["º", "ª", "°", ".º", ".ª", "er", "o", "a"],
        "pt" | "it" => &["º", "ª", "°"],
        _ => &[],
    };
    known
        .contains(&ending)
        .then(|| numbers::ordinal(n, place.language, ending))?
}

/// Reads `1/2`, `24/7`, `9/11`.
fn fraction(core: &str, place: &Place<'_>) -> Option<String> {
    let (over, under) = core.split_once('/')?;
    let (over, under) = (over.parse::<u64>().ok()?, under.parse::<u64>().ok()?);
    let numerals = place.numerals?;
    let [a, b] = [numerals.cardinal(over), numerals.cardinal(under)];
    if place.language != "en" {
        let half =
            ["", "medio", "ein halb", "un demi", "meio", "mezzo"][letters::column(place.language)?];
        let over_word =
            ["", "entre", "durch", "sur", "sobre", "su"][letters::column(place.language)?];
        return Some(if (over, under) == (1, 2) {
            half.to_string()
        } else {
            format!("{a} {over_word} {b}")
        });
    }
    if matches!((over, under), (24, 7) | (9, 11) | (7, 11)) || over == under {
        return Some(format!("{a} {b}"));
    }
    if over < under && under <= 100 && (under <= 20 || under % 10 == 0) {
        return Some(part(over, under));
    }
    Some(format!("{a} over {b}"))
}

/// Returns a fraction such as `three quarters`.
fn part(over: u64, under: u64) -> String {
    let count = numbers::numerals("en").map_or(String::new(), |n| n.cardinal(over));
    let name = match under {
        2 => "half".to_string(),
        4 => "quarter".to_string(),
        _ => numbers::english_ordinal(under),
    };
    match (over, under) {
        (1, _) => format!("one {name}"),
        (_, 2) => format!("{count} halves"),
        _ => format!("{count} {name}s"),
    }
}

/// Reads `½`, `2½`; in English as words, other voices read the sign.
fn vulgar(core: &str, place: &Place<'_>) -> Option<String> {
    const SIGNS: &[(char, u64, u64)] = &[
        ('½', 1, 2),
        ('⅓', 1, 3),
        ('⅔', 2, 3),
        ('¼', 1, 4),
        ('¾', 3, 4),
        ('⅕', 1, 5),
        ('⅛', 1, 8),
        ('⅜', 3, 8),
        ('⅝', 5, 8),
        ('⅞', 7, 8),
    ];
    if place.language != "en" {
        return None;
    }
    let sign = core.chars().next_back()?;
    let (_, over, under) = SIGNS.iter().find(|(c, _, _)| *c == sign)?;
    let whole = &core[..core.len() - sign.len_utf8()];
    if whole.is_empty() {
        return Some(part(*over, *under));
    }
    let whole = cardinal(whole, place)?;
    let words = if *over == 1 {
        part(*over, *under).replacen("one", "a", 1)
    } else {
        part(*over, *under)
    };
    Some(format!(
        "{whole} and {}",
        words.replace("a eighth", "an eighth")
    ))
}

/// Reads `10-20`, `1914–1918`, `16:9`, `3x4`, and hyphenated words (`20-year-old`, `COVID-19`).
fn range(core: &str, place: &Place<'_>) -> Option<String> {
    let numerals = place.numerals?;
    for (mark, name) in [
        ("-", numerals.to),
        ("–", numerals.to),
        (":", numerals.to),
        ("x", "by"),
        ("×", "by"),
    ] {
        let Some((from, to)) = core.split_once(mark) else {
            continue;
        };
        let (Some(_), Some(_)) = (
            parse(from, place.language),
            parse(
                to.trim_end_matches(|c: char| !c.is_ascii_digit()),
                place.language,
            ),
        ) else {
            continue;
        };
        if mark == "x" && place.language != "en" {
            continue;
        }
        let both_years = from.len() == 4 && to.len() == 4;
        let said = |text: &str| {
            let year = if both_years {
                dates::year_words(text, place.language)
            } else {
                None
            };
            year.or_else(|| figure(text, place))
        };
        return Some(format!("{} {name} {}", said(from)?, said(to)?));
    }
    let parts: Vec<&str> = core.split('-').collect();
    let is_joined = parts.len() > 1 && parts.iter().all(|p| !p.is_empty());
    let first_is_number = parse(parts[0], place.language).is_some();
    if !is_joined || !(core.contains(|c: char| c.is_alphabetic())) {
        return None;
    }
    let said: Vec<String> = parts
        .iter()
        .map(|part| {
            figure(part, place)
                .or_else(|| letters::acronym(part, place).filter(|_| !first_is_number))
                .unwrap_or_else(|| letters::voiced(part))
        })
        .collect();
    Some(said.join(" "))
}

/// Reads `12.5%`, `50-60%`.
fn percent(core: &str, place: &Place<'_>) -> Option<String> {
    let number = core.strip_suffix('%')?;
    let words = range(number, place)
        .or_else(|| Some(parse(number, place.language)?.words(place.numerals?)))?;
    Some(format!("{words} {}", place.numerals?.percent))
}

/// Reads any other number.
pub(super) fn cardinal(core: &str, place: &Place<'_>) -> Option<String> {
    let number = parse(core, place.language)?;
    let words = number.words(place.numerals?);
    let next = place.near(1);
    let is_counting =
        place.language != "en" && next.starts_with(char::is_lowercase) && !next.is_empty();
    let is_noun =
        next.chars().count() > 2 && !crate::script::language::is_stop_word(next, place.language);
    let is_german_noun =
        place.language == "de" && next.starts_with(char::is_uppercase) && !place.is_last();
    let before_noun = (is_counting && is_noun && !place.is_last()) || is_german_noun;
    Some(if before_noun {
        numbers::shortened(&words)
    } else {
        words
    })
}

/// Reads `1080p`, `3D`, `10x`, `5G`.
fn resolution(core: &str, place: &Place<'_>) -> Option<String> {
    let split = core.find(|c: char| !c.is_ascii_digit())?;
    let (number, ending) = core.split_at(split);
    let n: u64 = number.parse().ok()?;
    match (place.language, ending) {
        ("en", "p") if n >= 240 => {
            let words = numbers::numerals("en")?;
            Some(format!(
                "{} {} P",
                words.cardinal(n / 100),
                words.cardinal(n % 100)
            ))
        }
        ("en", "x" | "X") => Some(format!("{} times", cardinal(number, place)?)),
        (_, "D" | "G") => Some(format!("{} {ending}", place.numerals?.cardinal(n))),
        _ => None,
    }
}

/// Reads mixtures of letters and digits: `MP4` is `M P four`, `H2O` `H two O`.
fn mixed(core: &str, place: &Place<'_>, numerals: &Numerals) -> String {
    let mut runs: Vec<(u8, String)> = Vec::new();
    for c in core.chars() {
        let kind = match c {
            _ if c.is_ascii_digit() => 0,
            _ if c.is_alphabetic() || c == '\'' || c == '’' => 1,
            _ => 2,
        };
        match runs.last_mut() {
            Some((last, run)) if *last == kind => run.push(c),
            _ => runs.push((kind, c.to_string())),
        }
    }
    let said: Vec<String> = runs
        .iter()
        .filter_map(|(kind, run)| match kind {
            0 => Some(
                run.parse()
                    .map_or_else(|_| numerals.digits(run), |n| numerals.cardinal(n)),
            ),
            1 if run.chars().all(|c| c.is_ascii_uppercase()) && run.len() <= 3 => {
                let letters: Vec<String> = run.chars().map(String::from).collect();
                Some(letters.join(" "))
            }
            1 => Some(letters::voiced(run)),
            _ => match run.as_str() {
                "." => Some(numerals.point.to_lowercase()),
                "%" => Some(numerals.percent.to_string()),
                "&" | "+" | "=" | "@" => letters::symbol(run, place),
                _ => None,
            },
        })
        .collect();
    said.join(" ")
}
