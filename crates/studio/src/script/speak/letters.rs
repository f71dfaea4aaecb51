//! Words that are spelled out or pronounced differently from their spelling: acronyms, roman numerals, symbols, addresses.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::{Place, peel, prosody};
use crate::script::clean;
use crate::script::numbers;

/// Capitals that are read as a word; then those that are spelled out although they could be a word; then English words that people write in capitals.
const SAID: &str = "NASA NATO UNESCO UNICEF OPEC FIFA UEFA IKEA COVID SARS MERS LEGO NAFTA FEMA OSHA ASCII JPEG GIF RAM LAN SIM PIN SWAT SCUBA LASER RADAR SONAR AIDS NASCAR NASDAQ ASAP YOLO FOMO LIDAR MIDI WASP CERN SETI DARPA POTUS SCOTUS VISA INTERPOL ESA WHO'S NORAD DOGE MOMA TED";
const SPELLED: &str = "USA UK EU UN AI IT US TV PC ID UFO IQ CEO CTO CFO DNA RNA FBI CIA NSA ATM API URL USB GPS BBC CNN NBC ABC IBM MIT UCLA ISS LED ADHD DIY FAQ GDP HIV VIP VPN HTML HTTP PDF RSVP SUV USSR DJ MC PR HR PE IRS IMF WHO UAE NYC LA DC BC AD BCE CE AM PM OK IRA ICU ER EV EVS EKG MRI IPO ROI SEO UX UI VR AR XR NFT IOT SQL AWS IOS ECG BMW KGB MGM NFL NBA MLB NHL AMC AOL";
/// Short words that stay words when capitalized for emphasis.
const STRESSED: &str = "A I AN AS AT BE BY DO GO HE IF IN IS IT ME MY NO OF ON OR SO TO UP WE AM ALL AND ANY ARE BAD BIG BUT CAN DAY DID END FAR FEW FOR GET GOD GOT HAD HAS HER HIM HIS HOT HOW ITS JOY LET LOT MAN MAY NEW NOT NOW OFF OLD ONE OUR OUT OWN RED RUN SAD SAY SEE SHE SIX SUN TEN THE TOO TOP TRY TWO USE WAR WAS WAY WHY WIN WON YES YET YOU HEY WOW LOL NOPE";
/// Names that precede a roman numeral.
const REGNAL: &str = "Henry Louis Elizabeth George Edward Charles James William Richard Napoleon Nicholas Philip Felipe Ferdinand Ramesses Ramses Catherine Alexander Ivan Peter Frederick Mary John Paul Benedict Pius Leo Gregory Innocent Urban Clement Boniface Francis Franz Wilhelm Friedrich Otto Leopold Albert Christian Gustav Carlos Juan Alfonso Pedro Manuel Umberto Victor Vittorio Darius Xerxes Ptolemy Thutmose Amenhotep Cleopatra Harald Haakon Olaf Malcolm Robert Constantine Justinian Mehmed Murad Selim Karl Ludwig";
/// Words that precede a roman numeral as a count.
const COUNTED: &str = "War Chapter Part Act Scene Volume Book Bowl Rocky Type Phase Level Apollo Episode Section Article Title Season Round Stage Fantasy Wars Mark Class Tome Capítulo Kapitel Chapitre Parte";

static SAID_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| SAID.split(' ').collect());
static SPELLED_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| SPELLED.split(' ').collect());
static STRESSED_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| STRESSED.split(' ').collect());

/// Stand-alone signs such as `&`, `+`; per language en, es, de, fr, pt, it.
const SYMBOLS: &[(&str, [&str; 6])] = &[
    ("&", ["and", "y", "und", "et", "e", "e"]),
    ("+", ["plus", "más", "plus", "plus", "mais", "più"]),
    (
        "=",
        [
            "equals",
            "es igual a",
            "gleich",
            "égale",
            "é igual a",
            "uguale",
        ],
    ),
    ("×", ["times", "por", "mal", "fois", "vezes", "per"]),
    (
        "÷",
        [
            "divided by",
            "entre",
            "geteilt durch",
            "divisé par",
            "dividido por",
            "diviso",
        ],
    ),
    (
        "@",
        ["at", "arroba", "at", "arobase", "arroba", "chiocciola"],
    ),
    (
        "#",
        ["number", "número", "Nummer", "numéro", "número", "numero"],
    ),
    (
        "%",
        [
            "percent",
            "por ciento",
            "Prozent",
            "pour cent",
            "por cento",
            "per cento",
        ],
    ),
    (
        "≈",
        [
            "about",
            "aproximadamente",
            "ungefähr",
            "environ",
            "cerca de",
            "circa",
        ],
    ),
    (
        "§",
        [
            "section",
            "sección",
            "Paragraf",
            "paragraphe",
            "seção",
            "paragrafo",
        ],
    ),
    (
        "~",
        ["about", "unos", "etwa", "environ", "cerca de", "circa"],
    ),
];

/// Returns the column of a language in the tables.
pub(super) fn column(language: &str) -> Option<usize> {
    ["en", "es", "de", "fr", "pt", "it"]
        .iter()
        .position(|name| *name == language)
}

/// Reads a stand-alone sign, and `&` and `+` within a word (`AT&T`, `C++`, `R&B`).
pub(super) fn symbol(core: &str, place: &Place<'_>) -> Option<String> {
    let column = column(place.language)?;
    let named = |sign: &str| sign_name(sign, column);
    if let Some(name) = named(core) {
        let is_mark = core == "~" || core == "#";
        return (!is_mark || !place.near(1).is_empty()).then(|| name.to_string());
    }
    if place.language == "en"
        && let Some(tag) = core.strip_prefix('#')
        && tag.starts_with(char::is_alphabetic)
    {
        return Some(format!("hashtag {}", voiced(&parted_capitals(tag))));
    }
    if let Some(name) = core.strip_prefix('@')
        && !name.is_empty()
    {
        return Some(format!(
            "{} {}",
            named("@")?,
            voiced(&name.replace('_', " "))
        ));
    }
    let is_short = core.len() <= 24 && core.chars().any(char::is_alphabetic);
    if !is_short || !core.contains(['&', '+']) {
        return None;
    }
    let mut words: Vec<String> = Vec::new();
    for piece in core.split_inclusive(['&', '+']) {
        let (name, sign) = piece.split_at(piece.len() - usize::from(piece.ends_with(['&', '+'])));
        if !name.is_empty() {
            let is_short = name.len() <= 3 && name.bytes().all(|b| b.is_ascii_uppercase());
            let letters: Vec<String> = name.chars().map(String::from).collect();
            let spelled = if is_short {
                letters.join(" ")
            } else {
                voiced(name)
            };
            words.push(spelled);
        }
        words.extend(named(sign).map(str::to_string));
    }
    Some(words.join(" "))
}

/// Returns the name of a sign in a language's column.
pub(super) fn sign_name(sign: &str, column: usize) -> Option<&'static str> {
    SYMBOLS
        .iter()
        .find(|(s, _)| *s == sign)
        .map(|(_, names)| names[column])
}

/// Splits `LoveMyDog` into `Love My Dog`.
fn parted_capitals(tag: &str) -> String {
    let mut out = String::new();
    let mut before = 'A';
    for c in tag.chars() {
        if (c.is_uppercase() && before.is_lowercase()) || c == '_' {
            out.push(' ');
        }
        if c != '_' {
            out.push(c);
        }
        before = c;
    }
    out
}

/// Reads addresses: links are silent, e-mail addresses and bare sites are spoken.
pub(super) fn address(word: &str, place: &Place<'_>) -> Option<String> {
    let (_, core, tail) = peel(word);
    if clean::is_link(core) {
        return Some(String::new());
    }
    let (user, site) = core.split_once('@').unwrap_or(("", core));
    let (name, ending) = site.rsplit_once('.')?;
    let (top, path) = ending
        .split_once('/')
        .map_or((ending, None), |(t, p)| (t, Some(p)));
    let is_site = TOPS.split(' ').any(|known| known == top)
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.')
        && name.contains(|c: char| c.is_ascii_alphabetic());
    if !is_site {
        // In `site.com/page.html` the last full stop is in the path.
        let is_path = site.split_once('/').is_some_and(|(host, _)| {
            host.rsplit_once('.')
                .is_some_and(|(_, top)| TOPS.split(' ').any(|t| t == top))
        });
        return is_path.then(String::new);
    }
    if path.is_some_and(|p| !p.is_empty()) {
        return Some(String::new());
    }
    let column = column(place.language).unwrap_or_default();
    let [at, dot] = [
        SYMBOLS[5].1[column],
        ["dot", "punto", "Punkt", "point", "ponto", "punto"][column],
    ];
    let said = |name: &str| {
        name.replace('.', &format!(" {dot} "))
            .replace(['-', '_'], " ")
    };
    let user = if core.contains('@') {
        format!("{} {at} ", said(user))
    } else {
        String::new()
    };
    Some(format!("{user}{} {dot} {top}{}", said(name), prosody(tail)))
}

/// Top-level domains of sites that are spoken.
const TOPS: &str =
    "com org net io ai app dev tv edu gov co info me us uk de fr es it pt br eu tech shop blog";

/// Reads a roman numeral after a ruler's name (`Henry VIII`, `the Eighth`) or a counted word (`World War II`), in English.
pub(super) fn roman(core: &str, place: &Place<'_>) -> Option<String> {
    if place.language != "en" {
        return None;
    }
    let (numeral, genitive) = match core.strip_suffix("'s").or_else(|| core.strip_suffix("’s")) {
        Some(numeral) => (numeral, "'s"),
        None => (core, ""),
    };
    let n = roman_value(numeral)?;
    let before = place.near(-1);
    if COUNTED.split(' ').any(|word| word == before) && (numeral != "I" || place.is_last()) {
        return Some(numbers::numerals("en")?.cardinal(n) + genitive);
    }
    let title = [
        "King", "Queen", "Pope", "Emperor", "Empress", "Tsar", "Kaiser", "Pharaoh", "Sultan",
    ];
    let follows = ["of", "was", "had", "ruled", "reigned", "became", "died"];
    let is_sure = numeral != "I"
        || title.contains(&place.near(-2))
        || place.is_last()
        || follows.contains(&place.near(1));
    let is_ruler = n < 30 && REGNAL.split(' ').any(|name| name == before);
    (is_ruler && is_sure).then(|| {
        format!(
            "the {}{genitive}",
            capitalized(&numbers::english_ordinal(n))
        )
    })
}

fn roman_value(numeral: &str) -> Option<u64> {
    if numeral.is_empty() || numeral.len() > 9 {
        return None;
    }
    let values: Option<Vec<u64>> = numeral
        .chars()
        .map(|c| "IVXLCDM".find(c).map(|i| [1, 5, 10, 50, 100, 500, 1000][i]))
        .collect();
    let values = values?;
    let mut sum = 0_u64;
    for (index, value) in values.iter().enumerate() {
        if values.get(index + 1).is_some_and(|next| next > value) {
            continue;
        }
        let before = index
            .checked_sub(1)
            .map(|i| values[i])
            .filter(|b| b < value);
        sum += value - before.unwrap_or_default();
    }
    Some(sum)
}

pub(super) fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// Reads capitals letter by letter (`FBI`) or as a word (`NASA`), in English.
pub(super) fn acronym(core: &str, place: &Place<'_>) -> Option<String> {
    if place.language != "en" || core.len() > 12 || core.len() < 2 {
        return None;
    }
    let (body, ending) = ["'s", "’s", "s"]
        .iter()
        .find_map(|end| core.strip_suffix(end).map(|body| (body, *end)))
        .unwrap_or((core, ""));
    let dotted = body.contains('.') && body.split('.').all(|letter| letter.chars().count() <= 1);
    let letters: String = body.chars().filter(|c| *c != '.').collect();
    if letters.len() < 2 || !letters.chars().all(|c| c.is_ascii_uppercase()) {
        return None;
    }
    let ending = ending.replace('’', "'");
    if SAID_SET.contains(letters.as_str()) {
        return Some(capitalized(&letters.to_lowercase()) + &ending);
    }
    let has_vowel = letters.contains(['A', 'E', 'I', 'O', 'U', 'Y']);
    let known = SPELLED_SET.contains(letters.as_str());
    let stressed = STRESSED_SET.contains(letters.as_str());
    let neighbors_shout = [-1, 1].iter().any(|by| {
        let near = place.near(*by);
        near.len() > 1 && near.chars().all(|c| c.is_ascii_uppercase())
    });
    let is_spelled = dotted
        || (known && !(place.is_shouted && stressed) && !(stressed && neighbors_shout))
        || (!has_vowel && !place.is_shouted)
        || (letters.len() <= 3 && !stressed && !place.is_shouted && !neighbors_shout);
    if !is_spelled {
        return Some(letters.to_lowercase() + &ending);
    }
    let spaced: Vec<String> = letters.chars().map(String::from).collect();
    Some(spaced.join(" ") + &ending)
}

/// Returns a word without silent characters: emoji, quotes, brackets, markup. A dash within becomes a pause, a slash a space.
pub(super) fn voiced(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        let is_private = matches!(u32::from(c), 0xE000..=0xF8FF | 0xF0000..);
        let is_dropped = "\"“”„«»‹›()[]{}<>*_#~^|\\`=©®™•·†‡¶".contains(c)
            || clean::is_pictograph(c)
            || c.is_control()
            || is_private
            || (clean::is_joiner(c) && !out.ends_with(char::is_alphabetic));
        match c {
            _ if is_dropped => {}
            '—' | '–' if !out.is_empty() => out.push_str(", "),
            '—' | '–' => {}
            '/' => out.push(' '),
            '’' | '‘' => out.push('\''),
            _ => out.push(c),
        }
    }
    if !out.contains(char::is_alphanumeric) {
        return String::new();
    }
    out.trim_matches([' ', ',', '\'']).to_string()
}
