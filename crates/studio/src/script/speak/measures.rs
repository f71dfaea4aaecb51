//! Money and units: `$1.5M`, `€20`, `5km`, `20 °C`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Place;
use super::figures::{Number, parse};
use super::letters::column;
use crate::script::numbers::shortened;

const UNITS: &str = include_str!("../data/units.txt");
const CURRENCIES: &str = include_str!("../data/currencies.txt");

/// Words for thousand, million and milliard after a number, in singular and plural, by the columns en, es, de, fr, pt, it.
const MAGNITUDES: [[[&str; 2]; 6]; 3] = [
    [
        ["thousand"; 2],
        ["mil"; 2],
        ["tausend"; 2],
        ["mille"; 2],
        ["mil"; 2],
        ["mila"; 2],
    ],
    [
        ["million"; 2],
        ["millón", "millones"],
        ["Million", "Millionen"],
        ["million", "millions"],
        ["milhão", "milhões"],
        ["milione", "milioni"],
    ],
    [
        ["billion"; 2],
        ["mil millones"; 2],
        ["Milliarde", "Milliarden"],
        ["milliard", "milliards"],
        ["bilhão", "bilhões"],
        ["miliardo", "miliardi"],
    ],
];

/// Magnitudes written as a separate word after a number.
const WRITTEN: &str = "thousand million billion trillion mil millón millones tausend Million Millionen Milliarde Milliarden millions milliard milliards milhão milhões bilhão bilhões mila milione milioni miliardo miliardi Mio Mrd Mio. Mrd.";

type Rows = HashMap<&'static str, Vec<Vec<&'static str>>>;

fn rows(table: &'static str) -> Rows {
    table
        .lines()
        .filter(|row| !row.starts_with("# "))
        .filter_map(|row| row.split_once('|'))
        .map(|(written, names)| {
            (
                written,
                names.split('|').map(|n| n.split('/').collect()).collect(),
            )
        })
        .collect()
}

static UNIT_ROWS: LazyLock<Rows> = LazyLock::new(|| rows(UNITS));
static CURRENCY_ROWS: LazyLock<Rows> = LazyLock::new(|| rows(CURRENCIES));

/// Returns the forms of a unit in the current language.
fn forms<'a>(rows: &'a Rows, written: &str, place: &Place<'_>) -> Option<&'a [&'static str]> {
    rows.get(written)?
        .get(column(place.language)?)
        .map(Vec::as_slice)
}

/// Reads `$1.50`, `20€`, `$2M`; the complete amount, unless a magnitude follows as a separate word.
pub(super) fn money(core: &str, place: &Place<'_>) -> Option<String> {
    let first_digit = core.find(|c: char| c.is_ascii_digit())?;
    let last_digit = core.rfind(|c: char| c.is_ascii_digit())? + 1;
    let (before, after) = (&core[..first_digit], &core[last_digit..]);
    let (sign, before) = match before.strip_prefix(['-', '−']) {
        Some(rest) => ("-", rest),
        None => ("", before),
    };
    let (suffix, forms) = match (currency(before, place), currency(after, place)) {
        (Some(forms), _) => (after, forms),
        (None, Some(forms)) if before.is_empty() => ("", forms),
        _ => return None,
    };
    let number = parse(
        &format!("{sign}{}", &core[first_digit..last_digit]),
        place.language,
    )?;
    let magnitude = magnitude(suffix, true);
    if !suffix.is_empty() && magnitude.is_none() {
        return None;
    }
    let column = column(place.language)?;
    if let Some(index) = magnitude {
        let word = MAGNITUDES[index][column][usize::from(!number.is_one())];
        return Some(format!(
            "{} {word} {}",
            said(&number, place)?,
            after_magnitude(forms, index, place)
        ));
    }
    if is_magnitude(place.near(1)) {
        return said(&number, place);
    }
    let cents = number.fraction.as_deref().filter(|f| f.len() == 2);
    let [one, more, cent, cents_name] = *forms else {
        return None;
    };
    match cents.and_then(|c| c.parse::<u64>().ok()) {
        Some(cents) => {
            let numerals = place.numerals?;
            let whole = Number {
                fraction: None,
                ..number
            };
            let name = if whole.is_one() { one } else { more };
            let amount = format!("{} {name}", said(&whole, place)?);
            let small = if cents == 1 { cent } else { cents_name };
            let small = format!("{} {small}", shortened(&numerals.cardinal(cents)));
            Some(match (whole.whole, cents) {
                (_, 0) => amount,
                (0, _) => small,
                _ => format!("{amount} {} {small}", numerals.and),
            })
        }
        None => Some(format!(
            "{} {}",
            said(&number, place)?,
            if number.is_one() { one } else { more }
        )),
    }
}

/// Returns `euros` after `million`: with `de` and `di` if the language requires it.
fn after_magnitude(forms: &[&str], index: usize, place: &Place<'_>) -> String {
    let more = forms[1];
    match place.language {
        _ if index == 0 => more.to_string(),
        "es" | "pt" => format!("de {more}"),
        "it" => format!("di {more}"),
        "fr" if more.starts_with(['e', 'o', 'a']) => format!("d'{more}"),
        "fr" => format!("de {more}"),
        _ => more.to_string(),
    }
}

fn currency<'a>(sign: &str, place: &Place<'_>) -> Option<&'a [&'static str]> {
    forms(&CURRENCY_ROWS, sign, place)
}

/// Reads `K`, `M`, `B`; `m` and `b` only after money, where they cannot be units.
fn magnitude(suffix: &str, is_money: bool) -> Option<usize> {
    match suffix {
        "K" | "k" => Some(0),
        "M" | "mn" => Some(1),
        "B" | "bn" => Some(2),
        "m" if is_money => Some(1),
        "b" if is_money => Some(2),
        _ => None,
    }
}

fn is_magnitude(word: &str) -> bool {
    WRITTEN.split(' ').any(|known| known == word)
}

/// Returns a number before a noun.
fn said(number: &Number, place: &Place<'_>) -> Option<String> {
    Some(shortened(&number.words(place.numerals?)))
}

/// Reads `5km`, `20°C`, `60fps`, `10K`: the number and its unit in one word.
pub(super) fn measure(core: &str, place: &Place<'_>) -> Option<String> {
    let split = core.rfind(|c: char| c.is_ascii_digit())? + 1;
    let (figures, unit) = core.split_at(split);
    let number = parse(figures, place.language)?;
    if let Some(index) = magnitude(unit, false) {
        if place.language == "en"
            && unit == "K"
            && matches!(number.whole, 2 | 4 | 8)
            && number.fraction.is_none()
        {
            return Some(format!("{} K", said(&number, place)?));
        }
        let column = column(place.language)?;
        let word = MAGNITUDES[index][column][usize::from(!number.is_one())];
        return Some(format!("{} {word}", said(&number, place)?));
    }
    let [one, more] = *forms(&UNIT_ROWS, unit, place)? else {
        return None;
    };
    Some(format!(
        "{} {}",
        said(&number, place)?,
        if number.is_one() { one } else { more }
    ))
}

/// Reads a number after a separate currency sign: `R$ 10`.
pub(super) fn after_sign(core: &str, place: &Place<'_>) -> Option<String> {
    let sign = place.near(-1);
    currency(sign, place)?;
    let is_before = parse(place.near(-2), place.language).is_none();
    is_before.then(|| money(&format!("{sign}{core}"), place))?
}

/// Reads a unit, currency sign or magnitude as a separate word after its number: `5 km`, `20 €`, `$3 million`.
pub(super) fn lone_unit(core: &str, place: &Place<'_>) -> Option<String> {
    let before = place.near(-1);
    if is_magnitude(core) || core == "Mio" || core == "Mrd" {
        let sign = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
        let end = before.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
        let forms = currency(sign, place).or_else(|| currency(end, place))?;
        return Some(format!("{core} {}", after_magnitude(forms, 1, place)));
    }
    let number = parse(before, place.language);
    if let Some(forms) = currency(core, place) {
        // In `R$ 10`, the number's word includes the currency.
        if number.is_none() && parse(place.near(1), place.language).is_some() {
            return Some(String::new());
        }
        let is_one = number.as_ref().is_some_and(Number::is_one);
        return Some(if is_one { forms[0] } else { forms[1] }.to_string());
    }
    let number = number?;
    if core == "in" || (core == "a" && place.language != "en") {
        return None;
    }
    let forms = forms(&UNIT_ROWS, core, place)?;
    Some(if number.is_one() { forms[0] } else { forms[1] }.to_string())
}
