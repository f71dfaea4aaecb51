//! Number words of six languages up to 999,999,999,999: cardinals, ordinals, years, digits.

use super::cardinals::{english, french, german, italian, portuguese, spanish};

/// The building blocks of a language's numbers.
pub(crate) struct Numerals {
    /// 0 to 999 in words.
    below_1000: fn(usize) -> String,
    /// Joins the words of millions, thousands and the rest.
    join: fn(&[(usize, String)]) -> String,
    /// `thousand` with its count.
    thousand: fn(usize, String) -> String,
    /// A million and a milliard, each in singular and plural; `None` if the language says a thousand millions.
    million: [&'static str; 2],
    milliard: Option<[&'static str; 2]>,
    /// The word between whole and fraction, and whether the fraction is read digit by digit.
    pub(crate) point: &'static str,
    pub(crate) by_digits: bool,
    /// `minus`, `to` of a range, `percent`, `and`.
    pub(crate) minus: &'static str,
    pub(crate) to: &'static str,
    pub(crate) percent: &'static str,
    pub(crate) and: &'static str,
}

const LIMIT: u64 = 1_000_000_000_000;

/// Returns the numerals of a language (its primary tag), if they are known.
pub(crate) fn numerals(language: &str) -> Option<&'static Numerals> {
    TABLE
        .iter()
        .find(|(name, _)| *name == language)
        .map(|(_, numerals)| numerals)
}

impl Numerals {
    /// Returns a number in words; digit by digit from 10^12 on.
    pub(crate) fn cardinal(&self, n: u64) -> String {
        if n >= LIMIT {
            return self.digits(&n.to_string());
        }
        let n = usize::try_from(n).expect("a number below 10^12 on a 64-bit machine");
        let (mut millions, rest) = (n / 1_000_000, n % 1_000_000);
        let mut parts: Vec<(usize, String)> = Vec::new();
        if let Some(names) = self.milliard
            && millions >= 1000
        {
            parts.push((n, self.counted(millions / 1000, names)));
            millions %= 1000;
        }
        if millions > 0 {
            parts.push((n, self.counted(millions, self.million)));
        }
        if rest > 0 || parts.is_empty() {
            parts.push((rest, self.below_million(rest)));
        }
        if parts.len() == 1 {
            return parts.remove(0).1;
        }
        parts
            .into_iter()
            .map(|(_, words)| words)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn below_million(&self, n: usize) -> String {
        let (thousands, rest) = (n / 1000, n % 1000);
        let mut parts = Vec::new();
        if thousands > 0 {
            let count = (self.below_1000)(thousands);
            parts.push((thousands, (self.thousand)(thousands, count)));
        }
        if rest > 0 || thousands == 0 {
            parts.push((rest, (self.below_1000)(rest)));
        }
        (self.join)(&parts)
    }

    fn counted(&self, n: usize, names: [&str; 2]) -> String {
        let [one, more] = names;
        if n == 1 {
            one.to_string()
        } else {
            format!("{} {more}", shortened(&self.below_million(n)))
        }
    }

    /// Returns the name of each digit.
    pub(crate) fn digits(&self, digits: &str) -> String {
        let names: Vec<String> = digits
            .chars()
            .filter_map(|c| c.to_digit(10))
            .map(|d| (self.below_1000)(d as usize))
            .collect();
        names.join(" ")
    }

    /// Returns the digits after the point: as a number if the language does so, else digit by digit.
    pub(crate) fn fraction(&self, digits: &str) -> String {
        match digits.parse() {
            Ok(n) if !self.by_digits && digits.len() <= 2 && !digits.starts_with('0') => {
                self.cardinal(n)
            }
            _ => self.digits(digits),
        }
    }
}

/// Returns the form of `one` before a noun: `un`, `ein`.
pub(crate) fn shortened(words: &str) -> String {
    const ENDS: &[(&str, &str)] = &[("veintiuno", "veintiún"), ("uno", "un"), ("eins", "ein")];
    // Italian `ventuno` stays; Spanish `treinta y uno` and a bare `uno` do not.
    for (end, short) in ENDS {
        if let Some(start) = words.strip_suffix(end)
            && (start.is_empty() || start.ends_with(' '))
        {
            return format!("{start}{short}");
        }
    }
    words.to_string()
}

/// Returns a year in English words: `nineteen eighty-four`, `two thousand five`.
pub(crate) fn english_year(n: u64) -> String {
    let english = &TABLE[0].1;
    let (century, rest) = (n / 100, n % 100);
    match (century, rest) {
        (10 | 20, 0..10) => english.cardinal(n),
        (_, 0) => format!("{} hundred", english.cardinal(century)),
        (_, 1..10) => format!(
            "{} oh {}",
            english.cardinal(century),
            english.cardinal(rest)
        ),
        _ => format!("{} {}", english.cardinal(century), english.cardinal(rest)),
    }
}

/// Returns a year in German words: `neunzehnhundertvierundachtzig`.
pub(crate) fn german_year(n: u64) -> String {
    let german = &TABLE[2].1;
    let (century, rest) = (n / 100, n % 100);
    if !(11..20).contains(&century) {
        return german.cardinal(n);
    }
    let rest = if rest == 0 {
        String::new()
    } else {
        german.cardinal(rest)
    };
    format!("{}hundert{rest}", german.cardinal(century))
}

/// Returns `first`, `twenty-second`.
pub(crate) fn english_ordinal(n: u64) -> String {
    const IRREGULAR: &[(&str, &str)] = &[
        ("one", "first"),
        ("two", "second"),
        ("three", "third"),
        ("five", "fifth"),
        ("eight", "eighth"),
        ("nine", "ninth"),
        ("twelve", "twelfth"),
    ];
    let words = TABLE[0].1.cardinal(n);
    for (cardinal, ordinal) in IRREGULAR {
        if let Some(start) = words.strip_suffix(cardinal) {
            return format!("{start}{ordinal}");
        }
    }
    match words.strip_suffix('y') {
        Some(start) => format!("{start}ieth"),
        None => format!("{words}th"),
    }
}

/// Returns ordinals 1 to 12 in the languages that write them `1º`, `1er`, `1.`; `None` for higher numbers or other languages. `ending` is the text after the
/// digits.
pub(crate) fn ordinal(n: u64, language: &str, ending: &str) -> Option<String> {
    const MASCULINE: &[(&str, &str)] = &[
        (
            "es",
            "primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo",
        ),
        (
            "pt",
            "primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo",
        ),
        (
            "it",
            "primo secondo terzo quarto quinto sesto settimo ottavo nono decimo",
        ),
    ];
    if language == "en" {
        return Some(english_ordinal(n));
    }
    if language == "fr" {
        return Some(french_ordinal(n, ending));
    }
    let words = MASCULINE.iter().find(|(name, _)| *name == language)?.1;
    let word = words
        .split(' ')
        .nth(usize::try_from(n).ok()?.checked_sub(1)?)?;
    if ending.ends_with(['a', 'ª']) {
        return Some(format!("{}a", word.trim_end_matches('o')));
    }
    if language == "es" && ending.ends_with("er") {
        return Some(word.trim_end_matches('o').to_string());
    }
    Some(word.to_string())
}

fn french_ordinal(n: u64, ending: &str) -> String {
    if n == 1 {
        let feminine = ending.starts_with("re") || ending.starts_with("ère");
        return if feminine { "première" } else { "premier" }.to_string();
    }
    let words = TABLE[3].1.cardinal(n);
    let stem = words.strip_suffix('e').unwrap_or(&words);
    let stem = match stem.strip_suffix("neuf") {
        Some(start) => format!("{start}neuv"),
        None if stem.ends_with("cinq") => format!("{stem}u"),
        None => {
            stem.trim_end_matches("vingts").to_string()
                + if stem.ends_with("vingts") {
                    "vingt"
                } else {
                    ""
                }
        }
    };
    format!("{stem}ième")
}

fn spaced(parts: &[(usize, String)]) -> String {
    let words: Vec<&str> = parts.iter().map(|(_, words)| words.as_str()).collect();
    words.join(" ")
}

fn glued(parts: &[(usize, String)]) -> String {
    parts.iter().map(|(_, words)| words.as_str()).collect()
}

/// Joins parts. Portuguese says `e` before the last part if it is below a hundred or a whole number of hundreds.
fn portuguese_join(parts: &[(usize, String)]) -> String {
    match parts {
        [(_, head), (rest, tail)] if *rest < 100 || rest % 100 == 0 => format!("{head} e {tail}"),
        _ => spaced(parts),
    }
}

const TABLE: &[(&str, Numerals)] = &[
    (
        "en",
        Numerals {
            below_1000: english,
            join: spaced,
            thousand: |_, count| format!("{count} thousand"),
            million: ["one million", "million"],
            milliard: Some(["one billion", "billion"]),
            point: "point",
            by_digits: true,
            minus: "minus",
            to: "to",
            percent: "percent",
            and: "and",
        },
    ),
    (
        "es",
        Numerals {
            below_1000: spanish,
            join: spaced,
            thousand: |n, count| {
                if n == 1 {
                    "mil".to_string()
                } else {
                    format!("{} mil", shortened(&count))
                }
            },
            million: ["un millón", "millones"],
            milliard: None,
            point: "coma",
            by_digits: false,
            minus: "menos",
            to: "a",
            percent: "por ciento",
            and: "y",
        },
    ),
    (
        "de",
        Numerals {
            below_1000: german,
            join: glued,
            thousand: |n, count| {
                if n == 1 {
                    "tausend".to_string()
                } else {
                    format!(
                        "{}tausend",
                        count
                            .strip_suffix('s')
                            .filter(|c| c.ends_with("ein"))
                            .unwrap_or(&count)
                    )
                }
            },
            million: ["eine Million", "Millionen"],
            milliard: Some(["eine Milliarde", "Milliarden"]),
            point: "Komma",
            by_digits: true,
            minus: "minus",
            to: "bis",
            percent: "Prozent",
            and: "und",
        },
    ),
    (
        "fr",
        Numerals {
            below_1000: french,
            join: spaced,
            thousand: |n, count| {
                if n == 1 {
                    "mille".to_string()
                } else {
                    format!(
                        "{} mille",
                        count
                            .strip_suffix('s')
                            .filter(|c| c.ends_with("cent") || c.ends_with("quatre-vingt"))
                            .unwrap_or(&count)
                    )
                }
            },
            million: ["un million", "millions"],
            milliard: Some(["un milliard", "milliards"]),
            point: "virgule",
            by_digits: false,
            minus: "moins",
            to: "à",
            percent: "pour cent",
            and: "et",
        },
    ),
    (
        "pt",
        Numerals {
            below_1000: portuguese,
            join: portuguese_join,
            thousand: |n, count| {
                if n == 1 {
                    "mil".to_string()
                } else {
                    format!("{count} mil")
                }
            },
            million: ["um milhão", "milhões"],
            milliard: Some(["um bilhão", "bilhões"]),
            point: "vírgula",
            by_digits: false,
            minus: "menos",
            to: "a",
            percent: "por cento",
            and: "e",
        },
    ),
    (
        "it",
        Numerals {
            below_1000: italian,
            join: glued,
            thousand: |n, count| {
                if n == 1 {
                    "mille".to_string()
                } else {
                    format!("{count}mila")
                }
            },
            million: ["un milione", "milioni"],
            milliard: Some(["un miliardo", "miliardi"]),
            point: "virgola",
            by_digits: false,
            minus: "meno",
            to: "a",
            percent: "per cento",
            and: "e",
        },
    ),
];
