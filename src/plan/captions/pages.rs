//! Groups words into pages: where a page ends, how long it stays, and its text.

use std::ops::Range;

use super::case::cased;
use super::words::Spoken;
use crate::text::joins_without_space;
use crate::timeline::LetterCase;
use crate::units::Time;

/// A pause longer than this ends a page.
const PAUSE: Time = Time::from_millis(500);

/// Minimum time a page stays.
const MIN_STAY: Time = Time::from_millis(400);

/// A page disappears this long after its last word.
const HOLD: Time = Time::from_millis(300);

/// Bonus for a page break after a comma, weighed against pages of unequal length (squared words).
const CLAUSE_BONUS: f32 = 2.0;

/// Words of at most this many letters (articles, prepositions) belong to what follows; the cost of ending a page with one.
const LITTLE_WORD: usize = 3;
const LITTLE_WORD_COST: f32 = 0.3;

/// Abbreviations whose period does not end a sentence.
const SHORTENINGS: [&str; 12] = [
    "mr.", "mrs.", "ms.", "dr.", "prof.", "st.", "jr.", "sr.", "vs.", "e.g.", "i.e.", "no.",
];

/// Words shown together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageSpan {
    /// Indices of the words.
    pub(super) words: Range<usize>,
    /// First instant.
    pub(super) start: Time,
    /// End (exclusive).
    pub(super) end: Time,
    /// Whether the next page replaces it immediately.
    pub(super) replaced: bool,
}

/// Breaks words into pages: first at sentence ends and pauses, then evenly into pages of at most `max_words`.
pub(super) fn break_pages(words: &[Spoken], max_words: usize, end: Time) -> Vec<PageSpan> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for i in 0..words.len() {
        let last = i + 1 == words.len();
        if last || ends_sentence(words, i) || words[i + 1].start - words[i].end > PAUSE {
            split_evenly(words, start..i + 1, max_words, &mut ranges);
            start = i + 1;
        }
    }
    // A style with one word per page keeps it, however short the words are.
    let ranges = match max_words {
        1 => ranges,
        _ => merge_short(words, ranges, max_words),
    };
    let starts: Vec<Time> = ranges.iter().map(|r| words[r.start].start).collect();
    let spans = ranges.into_iter().enumerate().map(|(i, range)| {
        let start = words[range.start].start;
        let wanted = (words[range.end - 1].end + HOLD).max(start + MIN_STAY);
        let limit = starts.get(i + 1).copied().unwrap_or(end).min(end);
        PageSpan {
            words: range,
            start,
            end: wanted.min(limit),
            replaced: i + 1 < starts.len() && wanted >= starts[i + 1],
        }
    });
    spans.collect()
}

/// Splits a stretch into pages of similar length, preferably at clause ends (least squares by dynamic programming).
fn split_evenly(
    words: &[Spoken],
    stretch: Range<usize>,
    max_words: usize,
    out: &mut Vec<Range<usize>>,
) {
    let n = stretch.len();
    let ideal = n as f32 / n.div_ceil(max_words) as f32;
    // `best[i]`: cost of the first `i` words, and where their last page starts.
    let mut best = vec![(0.0_f32, 0_usize); n + 1];
    for i in 1..=n {
        let ending = match &words[stretch.start + i - 1].text {
            _ if i == n => 0.0,
            text if ends_clause(text) => -CLAUSE_BONUS,
            text if text.chars().count() <= LITTLE_WORD => LITTLE_WORD_COST,
            _ => 0.0,
        };
        best[i] = (i.saturating_sub(max_words)..i)
            .map(|from| {
                let off = (i - from) as f32 - ideal;
                (best[from].0 + off * off + ending, from)
            })
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap_or_default();
    }
    let at = out.len();
    let mut to = n;
    while to > 0 {
        let from = best[to].1;
        out.insert(at, stretch.start + from..stretch.start + to);
        to = from;
    }
}

/// Merges pages that would be replaced before they could be read; up to twice `max_words` for very fast speech.
fn merge_short(words: &[Spoken], ranges: Vec<Range<usize>>, max_words: usize) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    let stay = |page: &Range<usize>, next: &Range<usize>| {
        words[next.start].start - words[page.start].start
    };
    for (i, range) in ranges.iter().enumerate() {
        let short = |page: &Range<usize>| {
            ranges
                .get(i + 1)
                .is_some_and(|next| stay(page, next) < MIN_STAY)
        };
        match out.last_mut() {
            // Merge into the previous page if that one is too short, or if this one is and fits there.
            Some(before)
                if before.len() + range.len() <= 2 * max_words
                    && words[range.start].start - words[before.end - 1].end <= PAUSE
                    && (stay(before, range) < MIN_STAY
                        || (short(range) && before.len() + range.len() <= max_words)) =>
            {
                before.end = range.end;
            }
            _ => out.push(range.clone()),
        }
    }
    out
}

fn without_closers(text: &str) -> &str {
    text.trim_end_matches(['"', '\'', ')', ']', '}', '»', '”', '’', '」', '』', '）'])
}

fn ends_sentence(words: &[Spoken], i: usize) -> bool {
    let next = words.get(i + 1).map(|next| next.text.as_str());
    sentence_ends(&words[i].text, next)
}

/// Returns whether a sentence ends with a word, judged from that word and the next.
pub(crate) fn sentence_ends(word: &str, next: Option<&str>) -> bool {
    let text = without_closers(word);
    let Some(last) = text.chars().next_back() else {
        return false;
    };
    match last {
        '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '۔' | '।' => true,
        '.' => {
            let initial = text.chars().count() == 2 && text.starts_with(char::is_uppercase);
            let goes_on = next.is_some_and(|next| next.starts_with(char::is_lowercase));
            !initial && !goes_on && !SHORTENINGS.contains(&&*text.to_lowercase())
        }
        _ => false,
    }
}

fn ends_clause(text: &str) -> bool {
    without_closers(text).ends_with([',', ';', ':', '—', '–', '、', '，', '；', '،'])
}

/// Returns a page's text and the byte range of each word in it. `joint` separates words of scripts without spaces.
pub(super) fn page_text(
    words: &[Spoken],
    range: &Range<usize>,
    (case, turkic): (LetterCase, bool),
    joint: &str,
) -> (String, Vec<Range<usize>>) {
    let mut text = String::new();
    let mut bytes = Vec::with_capacity(range.len());
    for i in range.clone() {
        let starts_sentence = i == 0 || ends_sentence(words, i - 1);
        let word = cased(&words[i].text, case, starts_sentence, turkic);
        if !text.is_empty() {
            text.push_str(match joins_without_space(&text, &word) {
                true => joint,
                false => " ",
            });
        }
        let start = text.len();
        text.push_str(&word);
        bytes.push(start..text.len());
    }
    (text, bytes)
}
