//! Subtitles of words in any script and at any times, and of text that looks like syntax.

use proptest::prelude::*;

use super::cues::{Cue, cues};
use super::pieces::{LINE, Piece, SIGN, Word, pieces, width};
use super::*;

#[test]
fn clocks_have_hours_and_milliseconds() {
    assert_eq!(clock(0, ','), "00:00:00,000");
    assert_eq!(clock(3_723_004, ','), "01:02:03,004");
    assert_eq!(clock(59_999, '.'), "00:00:59.999");
}

#[test]
fn text_never_reads_as_syntax() {
    let cues = [Cue {
        lines: vec!["a --> b <i>& {\\an8}".into()],
        start: 0,
        end: 1,
    }];
    let srt = srt(&cues);
    assert_eq!(srt.matches("-->").count(), 1);
    assert!(!srt.contains("<i>") && !srt.contains("{\\"), "{srt}");
    let vtt = vtt(&cues);
    assert_eq!(vtt.matches("-->").count(), 1);
    assert!(
        vtt.contains("a --&gt; b &lt;i&gt;&amp; {\\an8}\n\n"),
        "{vtt}"
    );
}

/// Returns consecutive words, each timed by its number of letters, with a pause after commas and full stops.
fn spoken(text: &str) -> (Vec<Word<'_>>, i64) {
    let mut at = 0;
    let mut words = Vec::new();
    for text in text.split_whitespace() {
        let end = at + 60 * text.chars().count().clamp(2, 12) as i64;
        words.push(Word {
            text,
            start: at,
            end,
        });
        at = end
            + match text.chars().next_back() {
                Some('.' | '?' | '!' | '。') => 350,
                Some(',' | ':' | '，') => 180,
                _ => 20,
            };
    }
    (words, at)
}

/// Returns the lines of a text's cues; the lines of one cue are joined by ` / `.
fn lines_of(text: &str) -> Vec<String> {
    let (words, end) = spoken(text);
    cues(&pieces(&words), end)
        .iter()
        .map(|cue| cue.lines.join(" / "))
        .collect()
}

const STORY: &str = "Every night at nine the lighthouse keeper climbed one hundred and forty two steps. He carried a lamp, a flask of tea, and a letter that he never opened. \
Ships passed far below like slow green stars. Some of them answered his light with a single blink, and he wrote each answer down in a blue notebook.";

#[test]
fn cues_end_with_sentences_and_clauses() {
    assert_eq!(
        lines_of(STORY),
        [
            "Every night at nine the lighthouse keeper / climbed one hundred and forty two steps.",
            "He carried a lamp, a flask of tea, / and a letter that he never opened.",
            "Ships passed far below / like slow green stars.",
            "Some of them answered / his light with a single blink,",
            "and he wrote each answer down / in a blue notebook.",
        ]
    );
    // Abbreviations and day numbers do not end a sentence; a full stop before a German closing quote does.
    let german = "Am 3. Mai 1999 öffnete Dr. Weber das alte Haus am Ende der Straße, in dem seit über vierzig Jahren niemand mehr gewohnt hatte. Die Tür klemmte. \
        „Wenn du das liest“, stand dort, „bin ich schon weit weg.“ Er setzte sich, las weiter und begriff langsam.";
    assert_eq!(
        lines_of(german),
        [
            "Am 3. Mai 1999 öffnete Dr. Weber / das alte Haus am Ende der Straße,",
            "in dem seit über vierzig Jahren / niemand mehr gewohnt hatte.",
            "Die Tür klemmte.",
            "„Wenn du das liest“, stand dort, / „bin ich schon weit weg.“",
            "Er setzte sich, / las weiter und begriff langsam.",
        ]
    );
}

#[test]
fn characters_that_come_one_by_one_are_set_as_words() {
    let chinese = "每 天 晚 上 九 点， 灯 塔 看 守 人 都 会 爬 上 一 百 四 十 二 级 台 阶。 他 带 着 一 盏 灯、 一 壶 茶， 还 有 一 封 从 未 打 开 过 的 信。";
    assert_eq!(
        lines_of(chinese),
        [
            "每天晚上九点，灯塔看守人 / 都会爬上一百四十二级台阶。",
            "他带着一盏灯、一壶茶， / 还有一封从未打开过的信。",
        ]
    );
}

/// Generates any word of any script used for captions.
fn any_word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[A-Za-z]{1,12}[.,!?]?",
        1 => "[a-zäöüß]{8,40}",
        1 => "[а-яё]{1,12}[.,]?",
        1 => "[ء-ي]{2,9}",
        1 => "[א-ת]{2,9}[.]?",
        1 => "[一-龥]{1,4}[，。]?",
        1 => "[ぁ-ん]{1,6}",
        1 => "[가-힣]{1,6}",
        1 => "[ก-ฮ]{1,8}",
        1 => "[—–\"«»。…!?]{1,2}",
        1 => "[a-z]{1,5}-[a-z]{1,5}",
        1 => "😀|🎉🎉|👩‍👩‍👧|7|1,000",
    ]
}

/// Generates words with their lengths and the pauses after them, in milliseconds.
fn any_speech() -> impl Strategy<Value = Vec<(String, i64, i64)>> {
    let pause = prop_oneof![6 => 0..60_i64, 2 => 100..900_i64, 1 => 900..9000_i64];
    prop::collection::vec((any_word(), 40..900_i64, pause), 1..120)
}

fn without_spaces<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts
        .flat_map(str::chars)
        .filter(|c| !c.is_whitespace())
        .collect()
}

fn check(words: &[Word<'_>], end: i64) -> Result<(), TestCaseError> {
    let pieces = pieces(words);
    let made = cues(&pieces, end);
    let said = without_spaces(words.iter().map(|word| word.text));
    let shown = without_spaces(made.iter().flat_map(|cue| &cue.lines).map(String::as_str));
    prop_assert_eq!(said, shown);
    for (i, cue) in made.iter().enumerate() {
        let next = made.get(i + 1).map_or(end, |next| next.start);
        prop_assert!(
            cue.start < cue.end && cue.end <= next,
            "{:?} before {}",
            cue,
            next
        );
        prop_assert!(cue.end - cue.start <= 7000, "{:?}", cue);
        prop_assert!((1..=2).contains(&cue.lines.len()), "{:?}", cue);
        let read: u32 = cue.lines.iter().map(|line| width(line)).sum();
        let is_used_up = next - cue.end <= 100 || cue.end - cue.start == 7000;
        let is_short = cue.end - cue.start < 1000;
        let is_fast = i64::from(read) * 1000 > i64::from(20 * SIGN) * (cue.end - cue.start);
        prop_assert!(
            is_used_up || !(is_short || is_fast),
            "{:?} before {}",
            cue,
            next
        );
        for line in &cue.lines {
            let is_one = pieces.iter().any(|piece| piece.text == *line);
            prop_assert!(width(line) <= LINE || is_one, "{}", line);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn any_speech_is_set_whole_in_order_and_within_its_limits(speech in any_speech(), rest in 0..3000_i64) {
        let mut at = 0;
        let mut words = Vec::new();
        for (text, long, pause) in &speech {
            words.push(Word { text, start: at, end: at + long });
            at += long + pause;
        }
        let last = words.last().map_or(0, |word| word.end);
        check(&words, last + rest)?;
    }

    #[test]
    fn texts_that_come_in_one_piece_are_parted(text in "([一-龥]{4,12}[，。]){1,12}|([ก-ฮ]{2,6}า){8,25}|([a-z]{2,9} ){8,20}", long in 4000..30_000_i64) {
        let text: String = text.chars().take(200).collect();
        let word = Word { text: text.trim(), start: 500, end: 500 + long };
        check(&[word], 500 + long)?;
    }
}

#[test]
fn lines_from_right_to_left_are_marked() {
    assert_eq!(right_to_left("שלום."), "\u{200f}שלום.\u{200f}");
}

#[test]
fn wide_signs_take_more_of_a_line() {
    assert_eq!(width(&"a".repeat(42)), LINE);
    assert_eq!(width(&"汉".repeat(16)), LINE);
    assert_eq!(width("กำ่"), width("กำ"), "a mark above takes no room");
    let word = |text| Word {
        text,
        start: 0,
        end: 500,
    };
    let texts: Vec<Piece> = pieces(&[
        word("好"),
        word("。"),
        word("“"),
        word("去"),
        word("！"),
        word("”"),
    ]);
    let texts: Vec<&str> = texts.iter().map(|piece| piece.text.as_str()).collect();
    assert_eq!(texts, ["好。", "“去！”"]);
}
