//! Converts a written word to its likely sounds, from its letters alone: no dictionary, any script.

use super::model::Sound::{self, Fricative, Sibilant, Sonorant, Stop, VoicedStop, Vowel};
use super::numbers;

/// A sound of a word: its key, its kind, and its length relative to the typical length of its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Phone {
    pub(super) key: char,
    pub(super) sound: Sound,
    pub(super) length: f32,
}

fn phone(key: char, sound: Sound) -> Phone {
    Phone {
        key,
        sound,
        length: 1.0,
    }
}

/// The languages whose spelling matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tongue {
    English,
    French,
    German,
    Other,
}

impl Tongue {
    /// Chooses by a language tag such as `en` or `de-AT`, or else by the most common words.
    pub(super) fn of(language: Option<&str>, words: &[&str]) -> Tongue {
        let primary = language.map(|tag| tag.split(['-', '_']).next().unwrap_or(tag));
        match primary.map(str::to_ascii_lowercase).as_deref() {
            Some("en") => return Tongue::English,
            Some("fr") => return Tongue::French,
            Some("de") => return Tongue::German,
            Some(_) => return Tongue::Other,
            None => {}
        }
        let share = |common: &[&str]| {
            let is_common = |word: &&&str| common.contains(&word.to_lowercase().as_str());
            words.iter().filter(is_common).count() as f32 / words.len().max(1) as f32
        };
        let shares = [
            (
                Tongue::English,
                share(&["the", "and", "of", "to", "a", "is", "in", "it"]),
            ),
            (
                Tongue::French,
                share(&["le", "la", "les", "et", "des", "un", "une", "est", "que"]),
            ),
            (
                Tongue::German,
                share(&["der", "die", "das", "und", "ein", "ist", "nicht", "in"]),
            ),
        ];
        let best = shares.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        best.filter(|(_, share)| *share > 0.08)
            .map_or(Tongue::Other, |(tongue, _)| *tongue)
    }
}

/// Returns the sounds of a token: at least one.
pub(super) fn phones(token: &str, tongue: Tongue) -> Vec<Phone> {
    let mut out = Vec::new();
    for part in parts(token) {
        match part {
            Part::Number(digits) if tongue == Tongue::English => {
                for word in numbers::english(digits).split(' ') {
                    spelled(word, tongue, &mut out);
                }
            }
            Part::Number(digits) => syllables(numbers::n_syllables(digits), &mut out),
            Part::Letters(letters) if is_initials(letters) => {
                syllables(letters.chars().count(), &mut out);
            }
            Part::Letters(letters) => match abbreviation(letters, token, tongue) {
                Some(full) => spelled(full, tongue, &mut out),
                None => spelled(&letters.to_lowercase(), tongue, &mut out),
            },
            Part::Symbol(c) => match (c, tongue) {
                ('%', Tongue::English) => spelled("percent", tongue, &mut out),
                ('&', Tongue::English) => spelled("and", tongue, &mut out),
                ('$', Tongue::English) => spelled("dollars", tongue, &mut out),
                ('%' | '&' | '$' | '€' | '£' | '¥' | '°' | '+' | '=' | '@' | '#', _) => {
                    syllables(2, &mut out);
                }
                _ => {}
            },
        }
    }
    if out.is_empty() {
        syllables(1, &mut out);
        out.truncate(1);
    }
    out
}

enum Part<'a> {
    Letters(&'a str),
    Number(&'a str),
    Symbol(char),
}

/// Splits into runs of letters (with their marks and apostrophes), runs of digits with their separators, and the rest.
fn parts(token: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = token;
    while let Some(c) = rest.chars().next() {
        let is_number = c.is_ascii_digit();
        let end = if is_number {
            let run = rest.find(|c: char| !(c.is_ascii_digit() || ",.'\u{a0}".contains(c)));
            let run = run.unwrap_or(rest.len());
            rest[..run]
                .trim_end_matches(|c: char| !c.is_ascii_digit())
                .len()
        } else if is_of_word(c) {
            rest.find(|c| !(is_of_word(c) || "'’".contains(c)))
                .unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        let (part, after) = rest.split_at(end);
        parts.push(match (is_number, is_of_word(c)) {
            (true, _) => Part::Number(part),
            (_, true) => Part::Letters(part),
            _ => Part::Symbol(c),
        });
        rest = after;
    }
    parts
}

fn is_of_word(c: char) -> bool {
    // Unicode does not class the marks of Indic scripts, Thai and Hebrew as letters.
    c.is_alphabetic()
        || matches!(c as u32, 0x300..=0x36f | 0x591..=0x5c7 | 0x64b..=0x65f | 0x900..=0xe4f)
}

/// Returns whether letters are spoken one by one: `BBC`, `TV`, but not `NASA`.
fn is_initials(letters: &str) -> bool {
    let n = letters.chars().count();
    let has_vowel = letters.chars().any(|c| "AEIOUY".contains(c));
    letters.is_ascii()
        && letters.chars().all(|c| c.is_ascii_uppercase())
        && (2..=5).contains(&n)
        && (n == 2 || !has_vowel)
}

fn abbreviation(letters: &str, token: &str, tongue: Tongue) -> Option<&'static str> {
    let is_dotted = token.trim_end_matches([',', ';', ':']).ends_with('.');
    let full = match (tongue, letters) {
        (Tongue::English, "Dr") => "doctor",
        (Tongue::English, "Mr") => "mister",
        (Tongue::English, "Mrs") => "missis",
        (Tongue::English, "St") => "saint",
        (Tongue::English, "vs") => "versus",
        (Tongue::English, "etc") => "etsetera",
        (Tongue::German, "Dr") => "doktor",
        (Tongue::German, "usw") => "undsoweiter",
        _ => return None,
    };
    is_dotted.then_some(full)
}

/// Appends `n` syllables of unknown sounds.
fn syllables(n: usize, out: &mut Vec<Phone>) {
    for _ in 0..n {
        out.push(phone('\u{1}', VoicedStop));
        out.push(phone('\u{2}', Vowel));
    }
}

/// Appends the sounds of a lowercase word.
fn spelled(word: &str, tongue: Tongue, out: &mut Vec<Phone>) {
    let from = out.len();
    let letters: Vec<char> = word.chars().filter(|c| !"'’\u{ad}".contains(*c)).collect();
    let mut at = 0;
    while at < letters.len() {
        at += one(&letters, at, tongue, out);
    }
    // A row of vowels is merged: two are about as long as one and a half.
    let mut merged: Vec<Phone> = Vec::new();
    for phone in out.drain(from..) {
        match merged.last_mut() {
            Some(last) if last.sound == Vowel && phone.sound == Vowel => {
                last.length = (last.length + 0.4).min(2.0);
            }
            Some(last) if last.key == phone.key => last.length = 1.2,
            _ => merged.push(phone),
        }
    }
    let silent_e = matches!(tongue, Tongue::English | Tongue::French) && word.ends_with('e');
    let n_vowels = merged.iter().filter(|p| p.sound == Vowel).count();
    if silent_e
        && n_vowels > 1
        && merged
            .last()
            .is_some_and(|p| p.key == 'e' && p.length <= 1.0)
    {
        merged.pop();
    }
    out.extend(merged);
}

/// Appends the sounds of the letters at `at`; returns how many letters were used.
fn one(letters: &[char], at: usize, tongue: Tongue, out: &mut Vec<Phone>) -> usize {
    let c = letters[at];
    let next = letters.get(at + 1).copied().unwrap_or(' ');
    let third = letters.get(at + 2).copied().unwrap_or(' ');
    if let Some((n, phones)) = cluster([c, next, third], at, tongue) {
        out.extend(phones.iter().copied());
        return n;
    }
    if let Some(found) = letter(c, next, at == 0, tongue) {
        out.push(found);
        return 1;
    }
    syllable(c, next, out);
    1
}

/// Matches Latin letter groups that form one sound, or none.
fn cluster([a, b, c]: [char; 3], at: usize, tongue: Tongue) -> Option<(usize, Vec<Phone>)> {
    let english = tongue == Tongue::English;
    let german = tongue == Tongue::German;
    let one = |n, key, sound| Some((n, vec![phone(key, sound)]));
    match (a, b, c) {
        ('s', 'c', 'h') => one(3, 'ʃ', Sibilant),
        ('t', 'c', 'h') => one(3, 'ʃ', Sibilant),
        ('i', 'g', 'h') if english => one(3, 'i', Vowel),
        ('t', 'i', 'o') if english || tongue == Tongue::French => one(2, 'ʃ', Sibilant),
        ('s', 'h', _) => one(2, 'ʃ', Sibilant),
        ('c', 'h', _) if german => one(2, 'h', Fricative),
        ('c', 'h', _) => one(2, 'ʃ', Sibilant),
        ('t', 'h', _) if english => one(2, 'θ', Fricative),
        ('p', 'h', _) => one(2, 'f', Fricative),
        ('w', 'h', _) if english => one(2, 'w', Sonorant),
        ('g', 'h', _) if english => Some((2, Vec::new())),
        ('k', 'n', _) if english && at == 0 => one(2, 'n', Sonorant),
        ('w', 'r', _) if english && at == 0 => one(2, 'r', Sonorant),
        ('c', 'k', _) => one(2, 'k', Stop),
        ('n', 'g', _) => one(2, 'n', Sonorant),
        ('q', 'u', _) if english => Some((2, vec![phone('k', Stop), phone('w', Sonorant)])),
        ('q', 'u', _) => one(2, 'k', Stop),
        ('l', 'l', _) if tongue == Tongue::Other => one(2, 'j', Sonorant),
        _ => None,
    }
}

/// Maps a letter of an alphabet that writes its vowels.
fn letter(c: char, next: char, is_first: bool, tongue: Tongue) -> Option<Phone> {
    let soft = "eiyéèêíæ".contains(next);
    Some(match c {
        'y' if is_first => phone('j', Sonorant),
        'c' if soft => phone('s', Sibilant),
        'c' => phone('k', Stop),
        'g' if soft && tongue != Tongue::German => phone('ʒ', Sibilant),
        's' | 'ß' | 'с' | 'σ' | 'ς' | 'ś' | 'ş' => phone('s', Sibilant),
        'z' | 'з' | 'ζ' | 'ž' | 'ź' | 'ż' | 'ж' => phone('z', Sibilant),
        'x' | 'ξ' | 'ψ' | 'ч' | 'ш' | 'щ' | 'ц' | 'š' | 'č' | 'ç' | 'ć' => {
            phone('ʃ', Sibilant)
        }
        'j' if matches!(tongue, Tongue::English | Tongue::French) => phone('ʒ', Sibilant),
        'j' | 'й' => phone('j', Sonorant),
        'h' | 'х' | 'χ' | 'f' | 'ф' | 'φ' | 'θ' => phone('f', Fricative),
        'v' | 'в' | 'β' => phone('v', Sonorant),
        'w' | 'm' | 'n' | 'l' | 'r' => phone(c, Sonorant),
        'ñ' | 'ń' | 'ň' | 'ł' | 'ř' => phone('n', Sonorant),
        'м' | 'μ' => phone('m', Sonorant),
        'н' | 'ν' => phone('n', Sonorant),
        'л' | 'λ' => phone('l', Sonorant),
        'р' | 'ρ' => phone('r', Sonorant),
        'p' | 't' | 'k' | 'q' => phone(c, Stop),
        'п' | 'π' => phone('p', Stop),
        'т' | 'τ' | 'ť' | 'ţ' | 'ț' => phone('t', Stop),
        'к' | 'κ' => phone('k', Stop),
        'b' | 'd' | 'g' => phone(c, VoicedStop),
        'б' => phone('b', VoicedStop),
        'д' | 'δ' | 'ď' | 'đ' => phone('d', VoicedStop),
        'г' | 'γ' | 'ğ' => phone('g', VoicedStop),
        'ь' | 'ъ' => return None,
        'a'..='z' | 'à'..='ö' | 'ø'..='ÿ' | 'ā'..='ų' => phone(base(c), Vowel),
        'а'..='я' | 'ё' | 'є' | 'і' | 'ї' | 'α'..='ω' | 'ά'..='ώ' => {
            phone(base(c), Vowel)
        }
        _ => return None,
    })
}

/// Returns the base letter of a vowel.
fn base(c: char) -> char {
    const PLAIN: [(&str, char); 5] = [
        ("aàáâãäåāăąаяαάæ", 'a'),
        ("eèéêëēęěэеєεέёœ", 'e'),
        ("iìíîïīıиіїыηήιίϊyýÿ", 'i'),
        ("oòóôõöøōőоοόωώ", 'o'),
        ("uùúûüūůűуюυύ", 'u'),
    ];
    PLAIN
        .iter()
        .find(|(of, _)| of.contains(c))
        .map_or('e', |(_, plain)| *plain)
}

/// Appends the sounds of a character from a script that writes syllables, words, or consonants only.
fn syllable(c: char, next: char, out: &mut Vec<Phone>) {
    let onset = phone('\u{3}', VoicedStop);
    let vowel = phone('\u{2}', Vowel);
    let coda = phone('\u{4}', Sonorant);
    match c as u32 {
        // Hangul: initial, vowel, final.
        0xac00..=0xd7a3 => {
            let of = c as u32 - 0xac00;
            // The eleventh initial is silent.
            if of / 588 != 11 {
                out.push(onset);
            }
            out.push(vowel);
            if !of.is_multiple_of(28) {
                out.push(coda);
            }
        }
        // Small kana and the long mark lengthen the preceding sound.
        0x3041 | 0x3043 | 0x3045 | 0x3047 | 0x3049 | 0x3063 | 0x3083 | 0x3085 | 0x3087 | 0x30a1
        | 0x30a3 | 0x30a5 | 0x30a7 | 0x30a9 | 0x30c3 | 0x30e3 | 0x30e5 | 0x30e7 | 0x30fc => {
            out.push(vowel);
        }
        0x3042..=0x304a | 0x30a2..=0x30aa => out.push(vowel),
        0x3093 | 0x30f3 => out.push(coda),
        0x304b..=0x3096 | 0x30ab..=0x30fa => out.extend([onset, vowel]),
        // Han: one syllable each.
        0x3400..=0x4dbf | 0x4e00..=0x9fff | 0x20000..=0x3ffff => out.extend([onset, vowel, coda]),
        // Thai: consonants; vowels and marks.
        0xe01..=0xe2e => out.push(onset),
        0xe2f..=0xe46 => out.push(vowel),
        // Arabic and Hebrew: short vowels are not written.
        0x627 | 0x648 | 0x64a | 0x649 | 0x6cc | 0x5d0 | 0x5d5 | 0x5d9 => out.push(vowel),
        0x620..=0x64a | 0x66e..=0x6d3 | 0x5d0..=0x5ea => {
            out.push(onset);
            let is_end = !next.is_alphabetic();
            if !is_end {
                out.push(Phone {
                    length: 0.6,
                    ..vowel
                });
            }
        }
        0x900..=0xdff => indic(c as u32, next as u32, out),
        _ if c.is_alphabetic() => out.extend([onset, vowel]),
        _ => {}
    }
}

/// Appends the sounds of an Indic character. The scripts share a layout (0x80 apart): vowels, consonants with an `a` unless a sign follows, signs, virama.
fn indic(c: u32, next: u32, out: &mut Vec<Phone>) {
    let vowel = phone('\u{2}', Vowel);
    let place = |c: u32| (0x900..=0xdff).contains(&c).then_some(c & 0x7f);
    match place(c) {
        Some(0x05..=0x14) => out.push(vowel),
        Some(0x15..=0x39) => {
            out.push(phone('\u{3}', VoicedStop));
            // Before a sign or a virama there is no `a`; at the end of a word it is rarely spoken.
            let follows = place(next);
            let is_bare = matches!(follows, Some(0x3e..=0x4d)) || follows.is_none();
            if !is_bare {
                out.push(Phone {
                    length: 0.6,
                    ..vowel
                });
            }
        }
        Some(0x3e..=0x4c) => out.push(vowel),
        Some(0x02) => out.push(phone('\u{4}', Sonorant)),
        _ => {}
    }
}
