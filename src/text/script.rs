//! Rules of scripts: line direction, shapes of Han characters, letters that join, letters that can be drawn alone.

use swash::text::{BidiClass, Codepoint, Script};

/// Properties of the whole text, which settle what a part of it leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Context {
    /// Whether most words run from right to left.
    rtl: bool,
    /// Line direction imposed by the surrounding text, regardless of the letters.
    within: Option<bool>,
    han: Han,
    /// Whether it is written with `ı`, `İ` or `ğ`; such text has different casing.
    pub(crate) turkic: bool,
}

/// Regional variant of Han characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Han {
    #[default]
    Simplified,
    Traditional,
    Japanese,
    Korean,
}

/// Frequent characters used only in traditional Chinese.
const TRADITIONAL: &str =
    "這們說來時會過對國個為與學還開麼沒後裡點樣樂當發經長東車馬門問間從見現電話語讀書買賣";

impl Context {
    /// Derives the context from the whole text.
    pub(crate) fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Context {
        let (mut left, mut right) = (0_u64, 0_u64);
        let (mut kana, mut hangul, mut traditional, mut turkic) = (false, false, false, false);
        for word in texts.into_iter().flat_map(str::split_whitespace) {
            // Each word has one vote; in a tie the first word decides.
            let first = u64::from(left == right && left == 0) + 2;
            match word.chars().find_map(direction) {
                Some(true) => right += first,
                Some(false) => left += first,
                None => {}
            }
            for c in word.chars() {
                match c {
                    '\u{3040}'..='\u{30ff}' => kana = true,
                    '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}' => hangul = true,
                    'ı' | 'İ' | 'ğ' | 'Ğ' => turkic = true,
                    '\u{4e00}'.. => traditional |= TRADITIONAL.contains(c),
                    _ => {}
                }
            }
        }
        Context {
            rtl: right > left,
            within: None,
            han: match () {
                () if kana => Han::Japanese,
                () if hangul => Han::Korean,
                () if traditional => Han::Traditional,
                () => Han::Simplified,
            },
            turkic,
        }
    }

    /// Returns the context of a single word inside lines of this direction.
    pub(crate) fn within(self, rtl: bool) -> Context {
        Context {
            within: Some(rtl),
            ..self
        }
    }

    /// Returns whether the lines of a part run from right to left: as its letters say, or as the whole text if they disagree or there are none.
    pub(crate) fn is_rtl(self, part: &str) -> bool {
        if let Some(rtl) = self.within {
            return rtl;
        }
        let has = |rtl: bool| part.chars().any(|c| direction(c) == Some(rtl));
        match (has(false), has(true)) {
            (true, false) => false,
            (false, true) => true,
            _ => self.rtl,
        }
    }

    /// Returns Noto's name for the regional variant of Han characters.
    pub(super) fn han_region(self) -> &'static str {
        match self.han {
            Han::Simplified => "SC",
            Han::Traditional => "TC",
            Han::Japanese => "JP",
            Han::Korean => "KR",
        }
    }
}

/// Returns whether a letter runs from right to left; `None` for characters that take their direction from neighbors.
fn direction(c: char) -> Option<bool> {
    match c.bidi_class() {
        BidiClass::L => Some(false),
        BidiClass::R | BidiClass::AL => Some(true),
        _ => None,
    }
}

/// Returns whether letters of the text join or hang from a common line, so that space between them would split words.
pub(crate) fn joins_letters(text: &str) -> bool {
    text.chars().any(|c| {
        matches!(
            c.script(),
            Script::Arabic
                | Script::Syriac
                | Script::Mandaic
                | Script::Mongolian
                | Script::Nko
                | Script::PhagsPa
                | Script::Adlam
                | Script::HanifiRohingya
                | Script::Devanagari
                | Script::Bengali
                | Script::Gurmukhi
        )
    })
}

/// Returns whether a letter of this script is a separate shape that may be drawn larger than its neighbors.
pub(crate) fn stands_alone(c: char) -> bool {
    c.is_alphanumeric()
        && matches!(
            c.script(),
            Script::Latin
                | Script::Greek
                | Script::Cyrillic
                | Script::Armenian
                | Script::Georgian
                | Script::Hebrew
                | Script::Han
                | Script::Hiragana
                | Script::Katakana
                | Script::Hangul
                | Script::Bopomofo
                | Script::Common
        )
}

/// Returns whether two words are joined without a space: the adjacent letters are of scripts written without spaces.
pub(crate) fn joins_without_space(before: &str, after: &str) -> bool {
    let last = before.chars().rev().find(|c| c.is_alphanumeric());
    let first = after.chars().find(|c| c.is_alphanumeric());
    match (last, first) {
        (Some(last), Some(first)) => match (is_spaceless(last), is_spaceless(first)) {
            (true, true) => true,
            // 2024年
            (true, false) => is_east_asian(last) && first.is_ascii_digit(),
            (false, true) => is_east_asian(first) && last.is_ascii_digit(),
            (false, false) => false,
        },
        // Only punctuation on one side.
        (Some(last), None) => is_spaceless(last),
        (None, Some(first)) => is_spaceless(first),
        (None, None) => {
            let wide = |c: Option<char>| c.is_some_and(is_east_asian);
            wide(before.chars().next_back()) && wide(after.chars().next())
        }
    }
}

/// Returns whether a script has no spaces between words: Thai, Lao, Tibetan, Myanmar, Khmer and related scripts, Han, kana, Yi.
fn is_spaceless(c: char) -> bool {
    is_east_asian(c)
        || matches!(c, '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{19ff}'
            | '\u{1a20}'..='\u{1aaf}' | '\u{a980}'..='\u{a9ff}' | '\u{aa60}'..='\u{aadf}')
}

pub(super) fn is_east_asian(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{312f}' | '\u{3190}'..='\u{4dbf}' | '\u{4e00}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_decides_what_a_part_leaves_open() {
        let arabic = Context::of(["Rust", "لغة", "برمجة", "رائعة"]);
        for (part, rtl) in [
            ("Rust لغة", true),
            ("Rust", false),
            ("رائعة!", true),
            ("42", true),
        ] {
            assert_eq!(arabic.is_rtl(part), rtl, "{part}");
        }
        let english = Context::of(["שלום", "is", "Hebrew", "for", "hello"]);
        assert!(!english.is_rtl("שלום is") && english.is_rtl("שלום") && !english.is_rtl("42"));
        for (text, region) in [
            ("漢字かな", "JP"),
            ("한국 漢字", "KR"),
            ("汉字", "SC"),
            ("這是漢字", "TC"),
        ] {
            assert_eq!(Context::of([text]).han_region(), region, "{text}");
        }
    }

    #[test]
    fn words_of_scripts_without_spaces_stand_together() {
        for (before, after, together) in [
            ("漢字", "です", true),
            ("他说：", "“你好”", true),
            ("2024", "年", true),
            ("年", "Rust", false),
            ("ภาษา", "ไทย", true),
            ("ไทย", "2024", false),
            ("한국", "사람", false),
            ("end.", "Next", false),
            ("好", "。", true),
            ("go", "—", false),
            ("ភាសា", "ខ្មែរ", true),
        ] {
            assert_eq!(
                joins_without_space(before, after),
                together,
                "{before} {after}"
            );
        }
    }
}
