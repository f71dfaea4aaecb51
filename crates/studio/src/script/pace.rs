//! Estimates how long a text takes to speak, in any writing system.

use unicode_segmentation::UnicodeSegmentation;

/// Words per minute of a calm voice, for scripts with spaces.
pub const WORDS_PER_MIN: f64 = 137.0;

/// Characters per second if each is about a syllable: Han, Kana, Hangul.
const SYLLABLES_PER_SEC: f64 = 4.5;

/// Letters per second in scripts without spaces: Thai, Lao, Khmer, Burmese.
const JOINED_LETTERS_PER_SEC: f64 = 10.0;

/// A word with more letters than this counts as several.
const LETTERS_PER_WORD: f64 = 20.0;

/// The first digits of a number are read in pairs, like years; the others one by one.
const PAIRED_DIGITS: f64 = 4.0;
const DIGITS_PER_WORD: f64 = 2.0;

/// Pause before the first word of a video.
const LEAD_SECS: f64 = 0.3;
/// Pause between two lines of a scene.
pub(crate) const LINE_PAUSE_SECS: f64 = 0.25;
/// Pause between two scenes, with the cut in its middle.
const SCENE_PAUSE_SECS: f64 = 0.4;
/// Pause after the last word of a video.
const TAIL_SECS: f64 = 1.0;
/// Length of a scene without speech and without a given length.
const SILENT_SECS: f64 = 4.0;
/// Length of the shortest scene: each picture is shown at least this long.
pub(crate) const LEAST_SCENE_SECS: f64 = 1.2;

/// Returns how long a calm voice takes for `text`, in seconds. Appending text never shortens it.
pub fn spoken_secs(text: &str) -> f64 {
    let n_signs = f64::from(n_signs(text));
    text.unicode_words().map(word_secs).sum::<f64>() + n_signs * 60.0 / WORDS_PER_MIN
}

/// Counts signs that a voice reads as words, as in `5 %` and `a & b`. Rows of `=` and `#` are rules and headings.
fn n_signs(text: &str) -> u32 {
    let mut before = ' ';
    let mut n = 0;
    for c in text.chars() {
        n += match c {
            '=' | '#' if c == before => 0,
            '%' | '‰' | '&' | '+' | '@' | '$' | '=' | '#' | '<' | '>' => 1,
            '¢'..='§' | '©' | '®' | '°'..='³' | '¹' | '×' | '÷' => 1,
            // Currencies, letter-like symbols, arrows, mathematical symbols.
            '\u{20a0}'..='\u{22ff}' => 1,
            _ => 0,
        };
        before = c;
    }
    n
}

/// Returns the length of a scene: that of its lines (in seconds) plus the pauses, or longer if its script says so.
pub(crate) fn scene_secs(
    written: Option<f64>,
    lines: &[f64],
    (is_first, is_last): (bool, bool),
) -> f64 {
    let secs = if lines.is_empty() {
        written.unwrap_or(SILENT_SECS)
    } else {
        let pauses = LINE_PAUSE_SECS * (lines.len() - 1) as f64;
        let said = lead_secs(is_first) + lines.iter().sum::<f64>() + pauses + tail_secs(is_last);
        said.max(written.unwrap_or(0.0))
    };
    secs.max(LEAST_SCENE_SECS)
}

/// Returns the time from the start of a scene to its first word.
pub(crate) fn lead_secs(is_first: bool) -> f64 {
    if is_first {
        LEAD_SECS
    } else {
        SCENE_PAUSE_SECS / 2.0
    }
}

/// Returns the time from the last word of a scene to its end.
fn tail_secs(is_last: bool) -> f64 {
    if is_last {
        TAIL_SECS
    } else {
        SCENE_PAUSE_SECS / 2.0
    }
}

/// Returns how long `n` words take, in seconds.
pub fn secs_of_words(n: u32) -> f64 {
    f64::from(n) * 60.0 / WORDS_PER_MIN
}

/// Returns the time of one word by Unicode's annex 29, which splits syllabic characters but not long unspaced words of letters.
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
    let n_digits = f64::from(n_digits);
    let paired = n_digits.min(PAIRED_DIGITS) / DIGITS_PER_WORD;
    let parts =
        f64::from(n_letters) / LETTERS_PER_WORD + paired + (n_digits - PAIRED_DIGITS).max(0.0);
    let n_words = if n_letters > 0 || n_digits > 0.0 {
        parts.max(1.0)
    } else {
        0.0
    };
    f64::from(n_syllables) / SYLLABLES_PER_SEC
        + f64::from(n_joined) / JOINED_LETTERS_PER_SEC
        + n_words * 60.0 / WORDS_PER_MIN
}
