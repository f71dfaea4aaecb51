//! Subtitles: the captions of a job as SubRip or WebVTT, set to subtitling conventions; or the times of words and pages as JSON.
//!
//! Cues keep the words' own case and punctuation, whatever the style on screen changes, and break where sentences and clauses end. Both ends are rounded to
//! milliseconds in the same way, so cues without overlap stay without overlap.

mod breaks;
mod cues;
mod pieces;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use serde_json::json;

use crate::job::Job;
use crate::plan::{Plan, Timing};
use crate::text::Context;
use crate::units::{TICKS_PER_SECOND, Time};
use cues::{Cue, cues};
use pieces::{Word, pieces};

/// A subtitle format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubtitleFormat {
    /// SubRip, read by most players and sites.
    Srt,
    /// WebVTT (W3C), read by browsers.
    Vtt,
    /// `{"timing": "exact" or "estimated", "words": [{"text", "start", "end"}], "pages": [{"text", "start", "end", "first_word", "n_words"}]}`, times in seconds.
    Json,
}

impl SubtitleFormat {
    /// Returns the file name extension, which is also the format's name on the command line.
    pub fn extension(self) -> &'static str {
        match self {
            SubtitleFormat::Srt => "srt",
            SubtitleFormat::Vtt => "vtt",
            SubtitleFormat::Json => "json",
        }
    }
}

impl Job {
    /// Returns whether any caption is shown, so that subtitles have content.
    pub fn has_captions(&self) -> bool {
        self.plan().caption_pages().next().is_some()
    }

    /// Returns the captions as subtitles; without captions, an empty list of cues.
    ///
    /// SubRip and WebVTT have the words as spoken, by sentence and clause, in one or two lines of at most 42 signs (16 for Chinese, Japanese and Korean);
    /// JSON has the words and the pages as the style shows them.
    pub fn subtitles(&self, format: SubtitleFormat) -> String {
        let plan = self.plan();
        match format {
            SubtitleFormat::Srt => srt(&set(plan)),
            SubtitleFormat::Vtt => vtt(&set(plan)),
            SubtitleFormat::Json => timings(plan),
        }
    }
}

/// Returns the words of a plan as cues.
fn set(plan: &Plan) -> Vec<Cue> {
    let words = plan.caption_words().map(|word| Word {
        text: word.text,
        start: millis(word.start),
        end: millis(word.end),
    });
    let words: Vec<Word> = words.collect();
    let mut cues = cues(&pieces(&words), millis(plan.duration()));
    let context = Context::of(words.iter().map(|word| word.text));
    for line in cues.iter_mut().flat_map(|cue| &mut cue.lines) {
        if context.is_rtl(line) {
            *line = right_to_left(line);
        }
    }
    cues
}

/// Encloses a line in invisible right-to-left marks: players that treat every line as left-to-right otherwise misplace its full stop.
fn right_to_left(line: &str) -> String {
    const MARK: char = '\u{200f}';
    format!("{MARK}{line}{MARK}")
}

/// Returns the nearest millisecond.
fn millis(time: Time) -> i64 {
    const PER_MILLI: i64 = TICKS_PER_SECOND / 1000;
    (time.0 + PER_MILLI / 2).div_euclid(PER_MILLI)
}

/// Returns seconds with at most three decimals.
fn secs(time: Time) -> f64 {
    millis(time) as f64 / 1000.0
}

/// Formats a time as `01:02:03,004`.
fn clock(ms: i64, point: char) -> String {
    let (s, ms) = (ms / 1000, ms % 1000);
    format!(
        "{:02}:{:02}:{:02}{point}{ms:03}",
        s / 3600,
        s / 60 % 60,
        s % 60
    )
}

fn srt(cues: &[Cue]) -> String {
    let mut out = String::new();
    for (number, cue) in cues.iter().enumerate() {
        let (from, to) = (clock(cue.start, ','), clock(cue.end, ','));
        // Writing into a String cannot fail.
        let _ = write!(
            out,
            "{}\n{from} --> {to}\n{}\n\n",
            number + 1,
            srt_text(&cue.lines.join("\n"))
        );
    }
    out
}

/// Inserts invisible word joiners, because SubRip has no escapes: players would read arrows, tags (`<i>`) and overrides (`{\an8}`) as syntax.
fn srt_text(text: &str) -> String {
    const JOINER: char = '\u{2060}';
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '>' && out.ends_with("--") {
            out.push(JOINER);
        }
        out.push(c);
        if matches!(c, '<' | '{') {
            out.push(JOINER);
        }
    }
    out
}

fn vtt(cues: &[Cue]) -> String {
    let mut out = String::from("WEBVTT\n\n");
    for cue in cues {
        let (from, to) = (clock(cue.start, '.'), clock(cue.end, '.'));
        let text = cue.lines.join("\n").replace('&', "&amp;");
        let text = text.replace('<', "&lt;").replace('>', "&gt;");
        // Writing into a String cannot fail.
        let _ = write!(out, "{from} --> {to}\n{text}\n\n");
    }
    out
}

fn timings(plan: &Plan) -> String {
    let (mut words, mut pages) = (Vec::new(), Vec::new());
    for page in plan.caption_pages() {
        let first = words.len();
        words.extend(page.words().map(
            |word| json!({ "text": word.text, "start": secs(word.start), "end": secs(word.end) }),
        ));
        pages.push(json!({
            "text": page.text(),
            "start": secs(page.span().start),
            "end": secs(page.span().end),
            "first_word": first,
            "n_words": words.len() - first,
        }));
    }
    let timing = match plan.timing() {
        Timing::Exact => "exact",
        Timing::Estimated => "estimated",
    };
    let all = json!({ "timing": timing, "words": words, "pages": pages });
    format!("{all:#}\n")
}
