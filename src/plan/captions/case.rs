//! Letter case of words (upper, lower, first capital) by the rules of each script.

use crate::timeline::LetterCase;

/// Returns a word in a style's case. `turkic` texts distinguish dotted and dotless i.
pub(super) fn cased(word: &str, case: LetterCase, starts_sentence: bool, turkic: bool) -> String {
    match case {
        LetterCase::AsIs => word.to_owned(),
        LetterCase::Sentence if !starts_sentence => word.to_owned(),
        LetterCase::Sentence | LetterCase::Title => capitalized(word, turkic),
        LetterCase::Upper => upper(word, turkic),
        LetterCase::Lower => lower(word, turkic),
    }
}

/// Converts to capitals.
pub(super) fn upper(word: &str, turkic: bool) -> String {
    let mut out = String::with_capacity(word.len());
    let mut greek = false;
    for c in word.chars() {
        match c {
            'i' if turkic => out.push('İ'),
            '\u{301}' if greek => {}
            c if is_georgian(c) => out.push(c),
            c => {
                // Greek capitals have no tonos.
                let kept = |up: &char| !(is_greek(c) && *up == '\u{301}');
                out.extend(c.to_uppercase().filter(kept).map(without_tonos));
            }
        }
        greek = is_greek(c) || (greek && c == '\u{308}');
    }
    out
}

/// Converts to lower case.
pub(super) fn lower(word: &str, turkic: bool) -> String {
    match turkic {
        true => word.replace('İ', "i").replace('I', "ı").to_lowercase(),
        false => word.to_lowercase(),
    }
}

/// Puts the first letter in upper case. A word of mixed case (`iPhone`) is left unchanged.
fn capitalized(word: &str, turkic: bool) -> String {
    let Some((at, first)) = word.char_indices().find(|(_, c)| c.is_alphanumeric()) else {
        return word.to_owned();
    };
    let rest = &word[at + first.len_utf8()..];
    if rest.contains(char::is_uppercase) {
        return word.to_owned();
    }
    format!("{}{}{rest}", &word[..at], first_capital(first, turkic))
}

/// Returns a letter as the first of a word. If its uppercase form has several letters, only the first is a capital.
fn first_capital(c: char, turkic: bool) -> String {
    match c {
        'i' if turkic => "İ".into(),
        // Digraphs with their own titlecase letters.
        'Ǆ' | 'ǆ' => "ǅ".into(),
        'Ǉ' | 'ǉ' => "ǈ".into(),
        'Ǌ' | 'ǌ' => "ǋ".into(),
        'Ǳ' | 'ǳ' => "ǲ".into(),
        // Georgian sentences have no capitals.
        c if is_georgian(c) => c.into(),
        c => {
            let mut upper = c.to_uppercase();
            let first = upper.next().into_iter();
            first.chain(upper.flat_map(char::to_lowercase)).collect()
        }
    }
}

fn is_georgian(c: char) -> bool {
    ('\u{10d0}'..='\u{10ff}').contains(&c)
}

fn is_greek(c: char) -> bool {
    ('\u{370}'..='\u{3ff}').contains(&c)
}

fn without_tonos(c: char) -> char {
    match c {
        'Ά' => 'Α',
        'Έ' => 'Ε',
        'Ή' => 'Η',
        'Ί' => 'Ι',
        'Ό' => 'Ο',
        'Ύ' => 'Υ',
        'Ώ' => 'Ω',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_of_every_script() {
        use LetterCase::{Lower, Sentence, Title, Upper};
        for (word, case, want) in [
            ("straße", Upper, "STRASSE"),
            ("ßa", Title, "Ssa"),
            ("ﬁsh", Title, "Fish"),
            ("ǆep", Title, "ǅep"),
            ("iPhone", Sentence, "iPhone"),
            ("“hello", Sentence, "“Hello"),
            ("άνθρωπος", Upper, "ΑΝΘΡΩΠΟΣ"),
            ("ΰ", Upper, "Υ\u{308}"),
            ("άνθρωπος", Title, "Άνθρωπος"),
            ("ΟΔΟΣ", Lower, "οδος"),
            ("საქართველო", Upper, "საქართველო"),
            ("საქართველო", Title, "საქართველო"),
            ("سلام", Upper, "سلام"),
            ("क्षत्रिय", Title, "क्षत्रिय"),
            ("ไทย", Upper, "ไทย"),
        ] {
            assert_eq!(cased(word, case, true, false), want, "{word}");
        }
        for (word, case, want) in [
            ("istanbul", Title, "İstanbul"),
            ("kırmızı", Upper, "KIRMIZI"),
            ("iki", Upper, "İKİ"),
            ("IŞIK", Lower, "ışık"),
            ("İKİ", Lower, "iki"),
        ] {
            assert_eq!(cased(word, case, true, true), want, "{word}");
        }
    }
}
