//! What scripts ask for: the direction of lines, the shapes of Han characters, letters that join, letters that stand alone.

use swash::text::{BidiClass, Codepoint, Script};

/// What a text is part of. The whole of it decides what a part of it leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Context {
    /// Most words run from right to left.
    rtl: bool,
    /// Lines run as those of the text around, whatever their letters say.
    within: Option<bool>,
    han: Han,
    /// Written with `ı`, `İ` or `ğ`, whose casing differs.
    pub(crate) turkic: bool,
}

/// Whose shapes Han characters have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Han {
    #[default]
    Simplified,
    Traditional,
    Japanese,
    Korean,
}

/// Frequent characters that only traditional Chinese writes.
const TRADITIONAL: &str =
    "這們說來時會過對國個為與學還開麼沒後裡點樣樂當發經長東車馬門問間從見現電話語讀書買賣";

impl Context {
    /// From all that is said.
    pub(crate) fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Context {
        let (mut left, mut right) = (0_u64, 0_u64);
        let (mut kana, mut hangul, mut traditional, mut turkic) = (false, false, false, false);
        for word in texts.into_iter().flat_map(str::split_whitespace) {
            // Each word has one voice; the first one's counts where they are even.
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

    /// For a word by itself that stands in lines of this direction.
    pub(crate) fn within(self, rtl: bool) -> Context {
        Context {
            within: Some(rtl),
            ..self
        }
    }

    /// Whether the lines of a part run from right to left: what its letters say, and where they disagree or there are none, the whole.
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

    /// How Noto names the regional shapes of Han characters.
    pub(super) fn han_region(self) -> &'static str {
        match self.han {
            Han::Simplified => "SC",
            Han::Traditional => "TC",
            Han::Japanese => "JP",
            Han::Korean => "KR",
        }
    }
}

/// Whether a letter runs from right to left; `None` for what takes its direction from its neighbors.
fn direction(c: char) -> Option<bool> {
    match c.bidi_class() {
        BidiClass::L => Some(false),
        BidiClass::R | BidiClass::AL => Some(true),
        _ => None,
    }
}

/// Whether letters of the text join each other or hang from one line, so that space between them would tear words.
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

/// Whether a letter of this script is a shape of its own that may be drawn larger than its neighbors.
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

/// Whether two words stand together without a space: the letters that meet are of scripts that write none.
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
        // Punctuation alone.
        (Some(last), None) => is_spaceless(last),
        (None, Some(first)) => is_spaceless(first),
        (None, None) => {
            let wide = |c: Option<char>| c.is_some_and(is_east_asian);
            wide(before.chars().next_back()) && wide(after.chars().next())
        }
    }
}

/// Of a script that puts no spaces between words: Thai, Lao, Tibetan, Myanmar, Khmer and their neighbors, Han, kana, Yi.
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
