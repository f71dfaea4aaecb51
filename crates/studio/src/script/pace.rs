//! How long a text takes to say, in any script.

use unicode_segmentation::UnicodeSegmentation;

/// Words a minute of a calm voice, for scripts that part words.
pub const WORDS_PER_MIN: f64 = 137.0;

/// Characters a second where each is about a syllable: Han, Kana, Hangul.
const SYLLABLES_PER_SEC: f64 = 4.5;

/// Letters a second where words are not parted: Thai, Lao, Khmer, Burmese.
const JOINED_LETTERS_PER_SEC: f64 = 10.0;

/// A word of more letters counts as several.
const LETTERS_PER_WORD: f64 = 20.0;

/// Figures are read in pairs, as years are.
const DIGITS_PER_WORD: f64 = 2.0;

/// How long a calm voice takes for `text`, in seconds. Never less for a text with more behind it.
pub fn spoken_secs(text: &str) -> f64 {
    text.unicode_words().map(word_secs).sum()
}

/// How long `n` words take, in seconds.
pub fn secs_of_words(n: u32) -> f64 {
    f64::from(n) * 60.0 / WORDS_PER_MIN
}

/// One word between the boundaries of Unicode's annex 29, which parts syllabic characters but not joined words of letters.
fn word_secs(word: &str) -> f64 {
    let (mut n_syllables, mut n_joined, mut n_digits, mut n_letters) = (0u32, 0u32, 0u32, 0u32);
    for c in word.chars().filter(|c| c.is_alphanumeric()) {
        match c {
            '\u{1100}'..='\u{11ff}'
            | '\u{3040}'..='\u{31ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7af}' => n_syllables += 1,
            '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ffdc}' | '\u{20000}'..='\u{3ffff}' => {
                n_syllables += 1
            }
            '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => {
                n_joined += 1
            }
            _ if c.is_numeric() => n_digits += 1,
            _ => n_letters += 1,
        }
    }
    let parts = f64::from(n_letters) / LETTERS_PER_WORD + f64::from(n_digits) / DIGITS_PER_WORD;
    let n_words = if n_letters + n_digits > 0 {
        parts.max(1.0)
    } else {
        0.0
    };
    f64::from(n_syllables) / SYLLABLES_PER_SEC
        + f64::from(n_joined) / JOINED_LETTERS_PER_SEC
        + n_words * 60.0 / WORDS_PER_MIN
}
