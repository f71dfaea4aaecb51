//! Guesses a text's language: by its writing system, then by frequent words and characteristic letters.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Rows `language: words`: the most frequent words of running text.
const STOP_WORDS: &str = include_str!("data/stopwords.txt");

/// Letters that occur in only one of the languages distinguished here.
const LETTERS: &[(&str, &str)] = &[
    ("es", "ñ¿¡"),
    ("de", "ßäöü"),
    ("fr", "çœèêûîë"),
    ("pt", "ãõçâ"),
    ("it", "àìòù"),
    ("pl", "łąęśżźńć"),
    ("tr", "ğışç"),
    ("sv", "åäö"),
    ("vi", "ơưđăạảấầậắằặẹếềểệỉịọốồổộớờởợụứừửựỳỹ"),
    ("uk", "іїєґ"),
    ("ru", "ыэъё"),
    ("fa", "پچژگکی"),
];

/// Letters beyond this number are ignored.
const MAX_LETTERS: usize = 20_000;

/// Languages identified by their script alone.
const SCRIPTS: &[(u32, u32, &str)] = &[
    (0x0370, 0x03FF, "el"),
    (0x1F00, 0x1FFF, "el"),
    (0x0400, 0x052F, "ru"),
    (0x0590, 0x05FF, "he"),
    (0x0600, 0x06FF, "ar"),
    (0x0750, 0x077F, "ar"),
    (0xFB50, 0xFDFF, "ar"),
    (0xFE70, 0xFEFE, "ar"),
    (0x0900, 0x097F, "hi"),
    (0x0980, 0x09FF, "bn"),
    (0x0E00, 0x0E7F, "th"),
    (0x1100, 0x11FF, "ko"),
    (0xAC00, 0xD7AF, "ko"),
    (0x3040, 0x30FF, "ja"),
    (0x31F0, 0x31FF, "ja"),
    (0x3400, 0x4DBF, "zh"),
    (0x4E00, 0x9FFF, "zh"),
    (0x20000, 0x3134F, "zh"),
];

static WORDS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut languages_of_word: HashMap<&str, Vec<&str>> = HashMap::new();
    for (language, words) in STOP_WORDS.lines().filter_map(|row| row.split_once(':')) {
        for word in words.split_whitespace() {
            languages_of_word.entry(word).or_default().push(language);
        }
    }
    languages_of_word
});

/// Returns the language of a text as a tag, one of those in the tables; `en` by default.
pub fn language_of(text: &str) -> &'static str {
    let mut by_script: HashMap<&'static str, usize> = HashMap::new();
    for letter in text.chars().filter(|c| c.is_alphabetic()).take(MAX_LETTERS) {
        *by_script.entry(script_of(letter)).or_default() += 1;
    }
    let count = |name: &str| by_script.get(name).copied().unwrap_or_default();
    // A text with a good share of kana is Japanese, however many ideographs it has.
    if count("ja") * 8 > count("zh") && count("ja") + count("zh") > count("en") {
        return "ja";
    }
    let mut found: Vec<(usize, &'static str)> =
        by_script.iter().map(|(name, n)| (*n, *name)).collect();
    found.sort_by(|a, b| b.cmp(a));
    match found.first() {
        Some((_, "en")) => by_words(
            text,
            &[
                "en", "es", "de", "fr", "pt", "it", "nl", "pl", "tr", "vi", "id", "sv",
            ],
        ),
        Some((_, "ru")) => by_words(text, &["ru", "uk"]),
        Some((_, "ar")) => by_words(text, &["ar", "fa"]),
        Some((_, other)) => other,
        None => "en",
    }
}

/// Returns whether the word (in lower case) is one of the language's frequent ones.
pub(crate) fn is_stop_word(word: &str, language: &str) -> bool {
    WORDS
        .get(word)
        .is_some_and(|languages| languages.contains(&language))
}

fn script_of(letter: char) -> &'static str {
    let code = u32::from(letter);
    SCRIPTS
        .iter()
        .find(|(first, last, _)| (*first..=*last).contains(&code))
        .map_or("en", |(_, _, name)| name)
}

/// Returns the candidate with the most hits; the first if there are none.
fn by_words(text: &str, candidates: &[&'static str]) -> &'static str {
    let mut score = vec![0_usize; candidates.len()];
    let mut n_letters = 0;
    for word in text.split(|c: char| !c.is_alphabetic() && c != '\'' && c != '’') {
        if word.is_empty() || word.len() > 60 {
            continue;
        }
        n_letters += word.len();
        if n_letters > MAX_LETTERS {
            break;
        }
        let word = word.to_lowercase();
        for (index, candidate) in candidates.iter().enumerate() {
            score[index] += 3 * usize::from(is_stop_word(&word, candidate));
        }
    }
    for letter in text.chars().take(MAX_LETTERS).flat_map(char::to_lowercase) {
        for (language, letters) in LETTERS.iter().filter(|_| !letter.is_ascii()) {
            if let Some(index) = candidates.iter().position(|c| c == language) {
                score[index] += usize::from(letters.contains(letter));
            }
        }
    }
    let mut best = 0;
    for index in 1..candidates.len() {
        if score[index] > score[best] {
            best = index;
        }
    }
    // Languages share many short words: any other than the first must lead by one frequent word.
    if score[best] < score[0] + 3 {
        candidates[0]
    } else {
        candidates[best]
    }
}
