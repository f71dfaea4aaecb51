//! Subtitles: the captions of a job as SubRip, WebVTT, or the times of words and pages as JSON.
//!
//! Every cue is a page as it is shown. Times are rounded to milliseconds the same way at both ends, so cues that do not overlap still do not.

use std::fmt::Write;

use serde_json::json;

use crate::job::Job;
use crate::plan::{Plan, Timing};
use crate::units::{TICKS_PER_SECOND, Time};

/// How subtitles are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubtitleFormat {
    /// SubRip, what most players and sites read.
    Srt,
    /// WebVTT (W3C), what browsers read.
    Vtt,
    /// `{"timing": "exact" or "estimated", "words": [{"text", "start", "end"}], "pages": [{"text", "start", "end", "first_word", "n_words"}]}`, times in seconds.
    Json,
}

impl SubtitleFormat {
    /// The extension of its files, and its name on the command line.
    pub fn extension(self) -> &'static str {
        match self {
            SubtitleFormat::Srt => "srt",
            SubtitleFormat::Vtt => "vtt",
            SubtitleFormat::Json => "json",
        }
    }
}

impl Job {
    /// Whether any caption is shown, so that subtitles say something.
    pub fn has_captions(&self) -> bool {
        self.plan().caption_pages().next().is_some()
    }

    /// The captions as subtitles, a cue for each page; an empty list of cues without captions.
    pub fn subtitles(&self, format: SubtitleFormat) -> String {
        let plan = self.plan();
        match format {
            SubtitleFormat::Srt => srt(&cues(plan)),
            SubtitleFormat::Vtt => vtt(&cues(plan)),
            SubtitleFormat::Json => timings(plan),
        }
    }
}

/// A page's text and its times in milliseconds.
struct Cue<'a> {
    text: &'a str,
    start: i64,
    end: i64,
}

/// Every page that lasts at least a millisecond.
fn cues(plan: &Plan) -> Vec<Cue<'_>> {
    plan.caption_pages()
        .map(|page| Cue {
            text: page.text(),
            start: millis(page.span().start),
            end: millis(page.span().end),
        })
        .filter(|cue| cue.start < cue.end)
        .collect()
}

/// The nearest millisecond.
fn millis(time: Time) -> i64 {
    const PER_MILLI: i64 = TICKS_PER_SECOND / 1000;
    (time.0 + PER_MILLI / 2).div_euclid(PER_MILLI)
}

/// Seconds with three decimals at most.
fn secs(time: Time) -> f64 {
    millis(time) as f64 / 1000.0
}

/// `01:02:03,004`.
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
            srt_text(cue.text)
        );
    }
    out
}

/// SubRip has no escapes: what players take for an arrow, a tag (`<i>`) or an override (`{\an8}`) gets an invisible word joiner inside.
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
        let text = cue.text.replace('&', "&amp;");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_have_hours_and_milliseconds() {
        assert_eq!(clock(0, ','), "00:00:00,000");
        assert_eq!(clock(3_723_004, ','), "01:02:03,004");
        assert_eq!(clock(59_999, '.'), "00:00:59.999");
    }

    #[test]
    fn text_never_reads_as_syntax() {
        let cue = |text| Cue {
            text,
            start: 0,
            end: 1,
        };
        let cues = [cue("a --> b <i>& {\\an8}")];
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
}
