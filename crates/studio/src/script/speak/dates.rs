//! Times of day, dates, days of a month, years and decades.

use super::Place;
use super::letters::column;
use crate::script::lexicon;
use crate::script::numbers::{self, Numerals};

/// Words that make a four-digit number after them a year.
const YEAR_AFTER: &str = "in since of by until till from before after around circa year during early late mid spring summer autumn fall winter and to";
/// Words ending in `s` that do not make the number before them a quantity.
const NO_COUNT: &str = "was is has does this its his as us perhaps always james charles thus";

/// Reads `14:30`, `5pm`, `9:05am`, `14h30`.
pub(super) fn time(core: &str, place: &Place<'_>) -> Option<String> {
    let numerals = place.numerals?;
    let lower = core.to_ascii_lowercase();
    let (clock, half) = match place.language {
        "en" => ["am", "pm", "a.m", "p.m"]
            .iter()
            .find_map(|end| lower.strip_suffix(end).map(|clock| (clock, *end)))
            .unwrap_or((lower.as_str(), "")),
        _ => (lower.as_str(), ""),
    };
    let separated = clock.split_once(':').or_else(|| {
        clock
            .split_once('h')
            .filter(|_| place.language == "fr" || place.language == "pt")
    });
    let (hour, minute) = match separated {
        Some((hour, minute)) => (hour, minute),
        None if !half.is_empty() => (clock, "00"),
        None => return None,
    };
    let is_clock =
        hour.len() <= 2 && (minute.len() == 2 || (minute.is_empty() && clock.ends_with('h')));
    let (h, m): (u64, u64) = (
        hour.parse().ok()?,
        if minute.is_empty() {
            0
        } else {
            minute.parse().ok()?
        },
    );
    if !is_clock || h > 24 || m > 59 {
        return None;
    }
    if place.language == "en" {
        return Some(english_time((h, m), half, place, numerals));
    }
    let [full, between] = [
        ["", ""],
        ["horas", ""],
        ["Uhr", "Uhr"],
        ["heures", "heures"],
        ["horas", "e"],
        ["in punto", "e"],
    ][column(place.language)?];
    let hour_words = numerals.cardinal(h);
    let hour_words = if place.language == "de" {
        numbers::shortened(&hour_words)
    } else {
        hour_words
    };
    let full = if h == 1 {
        full.trim_end_matches("s")
    } else {
        full
    };
    Some(match m {
        0 => format!("{hour_words} {full}"),
        _ if between.is_empty() => format!("{hour_words} {}", numerals.cardinal(m)),
        _ => format!("{hour_words} {between} {}", numerals.cardinal(m)),
    })
}

/// Returns `nine oh five A M`, `seven o'clock`, `fourteen hundred`.
fn english_time(
    (hour, minute): (u64, u64),
    half: &str,
    place: &Place<'_>,
    numerals: &Numerals,
) -> String {
    let next = place.near(1).to_ascii_lowercase();
    let has_half = !half.is_empty() || ["am", "pm", "a.m", "p.m"].contains(&next.as_str());
    let tail = half.chars().next().map_or(String::new(), |letter| {
        format!(" {} M", letter.to_ascii_uppercase())
    });
    let minutes = match minute {
        0 if has_half => String::new(),
        0 if hour > 12 => " hundred".to_string(),
        0 => " o'clock".to_string(),
        1..10 => format!(" oh {}", numerals.cardinal(minute)),
        _ => format!(" {}", numerals.cardinal(minute)),
    };
    format!("{}{minutes}{tail}", numerals.cardinal(hour))
}

/// Reads `2026-04-13`, `13/4/2026`, `13.04.2026`; in English, an ambiguous date stays as written.
pub(super) fn date(core: &str, place: &Place<'_>) -> Option<String> {
    let separator = ['-', '/', '.']
        .into_iter()
        .find(|s| core.matches(*s).count() == 2)?;
    let parts: Vec<&str> = core.split(separator).collect();
    let numbers: Vec<u64> = parts
        .iter()
        .map(|p| p.parse().ok())
        .collect::<Option<_>>()?;
    let [a, b, c] = numbers[..] else { return None };
    let (year, month, day) = match (parts[0].len(), parts[2].len()) {
        (4, 1 | 2) => (a, b, c),
        (1 | 2, 2 | 4) if place.language != "en" => (c, b, a),
        (1 | 2, 2 | 4) if a > 12 => (c, b, a),
        (1 | 2, 2 | 4) if b > 12 => (c, a, b),
        (1 | 2, 2 | 4) if a == b => (c, a, b),
        (1 | 2, 2 | 4) if separator == '/' => return Some(core.to_string()),
        _ => return None,
    };
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let column = column(place.language)?;
    let month = lexicon::month(usize::try_from(month).ok()? - 1, column);
    let year = year_words(&year.to_string(), place.language)
        .unwrap_or_else(|| place.numerals.map_or(String::new(), |n| n.cardinal(year)));
    let n = place.numerals?.cardinal(day);
    Some(match place.language {
        "en" => format!("{month} {}, {year}", numbers::english_ordinal(day)),
        "es" | "pt" => format!("{n} de {month} de {year}"),
        "de" => format!("{} {month} {year}", german_day(day, "er")),
        "fr" if day == 1 => format!("premier {month} {year}"),
        _ => format!("{n} {month} {year}"),
    })
}

/// Reads `July 4`, `4 July`, `3. Oktober`, `1 de mayo` (which needs no change).
pub(super) fn day(core: &str, place: &Place<'_>) -> Option<String> {
    let n: u64 = core.parse().ok().filter(|n| (1..=31).contains(n))?;
    if core.len() > 2 {
        return None;
    }
    match place.language {
        "en" if lexicon::is_month(place.near(-1)) => Some(numbers::english_ordinal(n)),
        "en" if lexicon::is_month(place.near(1)) && !place.is_last() && place.near(1) != "may" => {
            let the = if place.near(-1) == "the" { "" } else { "the " };
            Some(format!("{the}{} of", numbers::english_ordinal(n)))
        }
        "de" if lexicon::is_month(place.near(1)) => {
            Some(german_day(n, "ten").trim_end_matches('.').to_string())
        }
        "fr" if n == 1 && lexicon::is_month(place.near(1)) => Some("premier".to_string()),
        _ => None,
    }
}

fn german_day(day: u64, ending: &str) -> String {
    let ending = ending.trim_start_matches('t');
    let stem = match day {
        1 => "erst".to_string(),
        3 => "dritt".to_string(),
        7 => "siebt".to_string(),
        8 => "acht".to_string(),
        _ => {
            let words = numbers::numerals("de").map_or(String::new(), |n| n.cardinal(day));
            format!("{words}{}", if day < 20 { "t" } else { "st" })
        }
    };
    format!("{stem}{ending}")
}

/// Reads a bare four-digit number that is not a quantity.
pub(super) fn year(core: &str, place: &Place<'_>) -> Option<String> {
    let words = year_words(core, place.language)?;
    let [before, next] = [place.near(-1).to_lowercase(), place.near(1).to_lowercase()];
    let is_dated = YEAR_AFTER.split(' ').any(|w| w == before) || lexicon::is_month(place.near(-1));
    let is_counted =
        next.ends_with('s') && !NO_COUNT.split(' ').any(|w| w == next) && !place.is_last()
            || matches!(
                next.as_str(),
                "people" | "men" | "women" | "children" | "percent" | "million" | "billion"
            );
    let is_german_count =
        place.language == "de" && place.near(1).starts_with(char::is_uppercase) && !place.is_last();
    (is_dated || !(is_counted || is_german_count)).then_some(words)
}

/// Returns years 1100 to 2099 as spoken; `None` if they are read like ordinary numbers.
pub(super) fn year_words(digits: &str, language: &str) -> Option<String> {
    let n: u64 = digits.parse().ok().filter(|n| (1100..2100).contains(n))?;
    match language {
        "en" if digits.len() == 4 => Some(numbers::english_year(n)),
        "de" if digits.len() == 4 => Some(numbers::german_year(n)),
        _ => None,
    }
}

/// Reads `1980s`, `80s`, `'90s`.
pub(super) fn decade(core: &str, place: &Place<'_>) -> Option<String> {
    let digits = core
        .strip_suffix("'s")
        .or_else(|| core.strip_suffix("’s"))
        .or_else(|| core.strip_suffix('s'))?;
    if place.language != "en" || !digits.ends_with('0') || !matches!(digits.len(), 2 | 4) {
        return None;
    }
    let n: u64 = digits.parse().ok()?;
    let words = if digits.len() == 4 {
        year_words(digits, "en")?
    } else {
        numbers::numerals("en")?.cardinal(n)
    };
    Some(match words.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{words}s"),
    })
}
