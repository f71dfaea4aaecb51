//! Checks and corrects caption words: in order, without overlaps, each long enough to be seen, in ticks.

use std::borrow::Cow;

use super::super::report::Report;
use crate::error::{Problem, Warning};
use crate::facts::SpokenWord;
use crate::text::clean;
use crate::timeline::{Captions, Timeline, Word};
use crate::units::Time;

/// Maximum word length in characters; the rest is cut.
const MAX_WORD_CHARS: usize = 200;

/// Maximum number of characters of a word shown in a message.
const MAX_SHOWN_CHARS: usize = 60;

/// Maximum number of words in a document.
const MAX_WORDS: usize = 20_000;

/// Maximum number of problems reported for the words of one document.
const MAX_PROBLEMS: usize = 50;

/// Latest start or end of a word, seconds.
const MAX_SECS: f64 = 3600.0;

/// Shorter words are extended to this length.
const MIN_WORD: Time = Time::from_millis(40);

/// A word and when it is spoken, half-open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spoken {
    /// Clean text, not empty.
    pub(super) text: String,
    /// First instant.
    pub(super) start: Time,
    /// End (exclusive).
    pub(super) end: Time,
    /// Its index in the document.
    pub(super) index: usize,
}

/// Source of the words' times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timing {
    /// From the document.
    Exact,
    /// Detected in the voice, or estimated without one.
    Estimated,
}

/// Returns the document with the words of its caption text filled in, and the source of their times (`None` if unknown). Checks that words or text are given.
pub(in crate::plan) fn written<'a>(
    timeline: &'a Timeline,
    spoken: &[SpokenWord],
    report: &mut Report,
) -> (Cow<'a, Timeline>, Option<Timing>) {
    let as_it_is = Cow::Borrowed(timeline);
    let Some(captions) = &timeline.captions else {
        return (as_it_is, Some(Timing::Exact));
    };
    if let Some(problem) = lack(captions) {
        let hint = "give `words` with their times, or `text` to find its words in the voice";
        report.problem(problem.hint(hint));
    }
    if !captions.words.is_empty() {
        return (as_it_is, Some(Timing::Exact));
    }
    if spoken.is_empty() {
        return (as_it_is, None);
    }
    let words = spoken.iter();
    let words = words.map(|word| Word::new(&word.text, word.start, word.end));
    let with_words = Timeline {
        captions: Some(Captions {
            words: words.collect(),
            ..captions.clone()
        }),
        ..timeline.clone()
    };
    (Cow::Owned(with_words), Some(Timing::Estimated))
}

/// Redirects reports about words found in the voice, which the document does not list, to its text, and names the word.
pub(in crate::plan) fn point_to_text(words: &[SpokenWord], report: &mut Report) {
    if words.is_empty() {
        return;
    }
    let Report { problems, warnings } = report;
    let problems = problems.iter_mut().map(|p| (&mut p.path, &mut p.message));
    let warnings = warnings.iter_mut().map(|w| (&mut w.path, &mut w.message));
    for (path, message) in problems.chain(warnings) {
        let Some(place) = path.strip_prefix("captions.words") else {
            continue;
        };
        let index = place.strip_prefix('[').and_then(|at| at.split_once(']'));
        let word = index.and_then(|(index, _)| words.get(index.parse::<usize>().ok()?));
        if let Some(word) = word {
            let shown: String = word.text.chars().take(MAX_SHOWN_CHARS).collect();
            *message = format!("`{shown}`: {message}");
        }
        *path = "captions.text".to_owned();
    }
}

/// Returns the problem with the words and the text taken together.
fn lack(captions: &Captions) -> Option<Problem> {
    let has_words = !captions.words.is_empty();
    match &captions.text {
        None if has_words => None,
        None => Some(Problem::new(
            "missing_field",
            "captions.words",
            "`words` is missing",
        )),
        Some(_) if has_words => Some(Problem::new(
            "words_and_text",
            "captions.text",
            "both `words` and `text` are given",
        )),
        Some(text) if text.chars().any(char::is_alphanumeric) => None,
        Some(_) => Some(Problem::new(
            "no_words",
            "captions.text",
            "the text has no words",
        )),
    }
}

/// Checks all words. Words with problems, without text or after the video's end are left out.
pub(super) fn check(words: &[Word], end: Time, report: &mut Report) -> Vec<Spoken> {
    if words.len() > MAX_WORDS {
        report.problem(Problem::new(
            "too_many",
            "captions.words",
            format!("{} words; at most {MAX_WORDS} are allowed", words.len()),
        ));
        return Vec::new();
    }
    let mut told = Told::default();
    let mut spoken: Vec<Spoken> = Vec::with_capacity(words.len());
    let n_problems = report.problems.len();
    let mut last_start = f64::NEG_INFINITY;
    for (index, word) in words.iter().enumerate() {
        if report.problems.len() >= n_problems + MAX_PROBLEMS {
            break;
        }
        let Some((from, to)) = times(word, index, &mut last_start, report) else {
            continue;
        };
        let clean = clean(&word.text, MAX_WORD_CHARS, false);
        if clean.text.is_empty() {
            told.add(Told::EMPTY, index);
            continue;
        }
        if clean.truncated {
            told.add(Told::CUT, index);
        }
        let mut next = Spoken {
            text: clean.text,
            start: from,
            end: to,
            index,
        };
        if next.end - next.start < MIN_WORD {
            told.add(Told::SHORT, index);
        }
        if let Some(before) = spoken.last_mut() {
            part(before, &mut next, &mut told);
        }
        next.end = next.end.max(next.start + MIN_WORD);
        spoken.push(next);
    }
    let n = spoken.partition_point(|word| word.start < end);
    for word in &spoken[n..] {
        told.add(Told::LATE, word.index);
    }
    spoken.truncate(n);
    told.into(report);
    spoken
}

/// Separates two overlapping words: the earlier ends where the later starts.
fn part(before: &mut Spoken, next: &mut Spoken, told: &mut Told) {
    if before.end <= next.start {
        return;
    }
    // An overlap caused only by extending a short word is not reported.
    if before.end > before.start + MIN_WORD {
        told.add(Told::OVERLAP, before.index);
    }
    before.end = next.start.max(before.start + MIN_WORD);
    next.start = before.end;
}

fn times(
    word: &Word,
    index: usize,
    last_start: &mut f64,
    report: &mut Report,
) -> Option<(Time, Time)> {
    let path = |field: &str| format!("captions.words[{index}].{field}");
    let start_good = report.in_range(&path("start"), word.start, [0.0, MAX_SECS]);
    let end_good = report.in_range(&path("end"), word.end, [0.0, MAX_SECS]);
    if !(start_good && end_good) {
        return None;
    }
    if word.end < word.start {
        report.problem(Problem::new(
            "end_before_start",
            path("end"),
            format!(
                "{} s is before the word's start at {} s",
                word.end, word.start
            ),
        ));
        return None;
    }
    if word.start < *last_start {
        report.problem(
            Problem::new(
                "out_of_order",
                path("start"),
                format!(
                    "{} s is before the start of the previous word at {last_start} s",
                    word.start
                ),
            )
            .hint("write the words in order of their start times"),
        );
        return None;
    }
    *last_start = word.start;
    Some((Time::from_secs(word.start)?, Time::from_secs(word.end)?))
}

/// Corrections, reported once for each kind with the first position and their number.
#[derive(Default)]
struct Told {
    places: [Vec<usize>; 5],
}

impl Told {
    const CUT: usize = 0;
    const EMPTY: usize = 1;
    const SHORT: usize = 2;
    const OVERLAP: usize = 3;
    const LATE: usize = 4;

    /// Code, field of the word, and correction.
    const KINDS: [(&'static str, &'static str, &'static str); 5] = [
        (
            "text_truncated",
            "text",
            "longer than 200 characters, or with control characters or endless marks on a letter, and therefore cut",
        ),
        (
            "empty_word",
            "text",
            "without visible text and therefore skipped",
        ),
        (
            "short_word",
            "end",
            "shorter than 40 ms and therefore lengthened to 40 ms",
        ),
        (
            "overlapping_words",
            "end",
            "still being spoken when the next one starts and therefore ended there",
        ),
        (
            "after_the_end",
            "start",
            "spoken after the end of the video and therefore left out",
        ),
    ];

    fn add(&mut self, kind: usize, index: usize) {
        self.places[kind].push(index);
    }

    fn into(self, report: &mut Report) {
        for (places, (code, field, what)) in self.places.iter().zip(Told::KINDS) {
            let Some(first) = places.first() else {
                continue;
            };
            let message = match places.len() {
                1 => format!("a word is {what}"),
                n => format!("{n} words, starting with this one, are {what}"),
            };
            report.warn(Warning::new(
                code,
                format!("captions.words[{first}].{field}"),
                message,
            ));
        }
    }
}
