//! The words of a text found in the sound of a voice.

use std::io;

use super::align::{self, RATE_HZ, align};
use super::container::invalid;
use super::decode::Decoder;
use super::resample::Resampler;
use crate::cancel::CancelToken;
use crate::facts::SpokenWord;
use crate::media::AssetRead;
use crate::units::MIX_RATE_HZ;

/// Maximum length of a voice that is searched, in seconds: the search takes about 1 MB per second.
const MAX_SECS: usize = 1800;
/// Samples at the mix's rate per sample at the search's rate.
const RATIO: usize = MIX_RATE_HZ as usize / RATE_HZ;
/// Taps of the low-pass filter before decimation.
const N_TAPS: usize = 16 * RATIO + 1;

/// A sound in which words are spoken, and when it is played.
pub struct VoicePiece {
    /// The file's bytes.
    pub stream: Box<dyn AssetRead>,
    /// Its name, for messages.
    pub name: String,
    /// Start on the timeline, in seconds.
    pub start: f64,
    /// Start and end of the played part, in seconds of the file; `None` means its end.
    pub trim: (f64, Option<f64>),
    /// Playback speed.
    pub speed: f64,
}

impl VoicePiece {
    /// Plays all of a sound, from the start.
    pub fn whole(stream: Box<dyn AssetRead>, name: impl Into<String>) -> VoicePiece {
        VoicePiece {
            stream,
            name: name.into(),
            start: 0.0,
            trim: (0.0, None),
            speed: 1.0,
        }
    }
}

impl std::fmt::Debug for VoicePiece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VoicePiece")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Finds when the words of `text` are spoken in these sounds together, from the sound alone: in seconds, in order, without overlaps. `language` is a tag
/// such as `en`, if known. Words that cannot be found, because the text is far longer than the speech, are distributed evenly.
///
/// Measured on speech with known times: half of the words begin within 10 ms of the time found, 95 of 100 within 60 ms; under music or in a reverberant
/// room within 300 ms.
///
/// # Errors
/// `InvalidData` when a sound cannot be decoded, all are silent, or they last more than 30 minutes; `Interrupted` when it was cancelled.
pub fn word_times(
    pieces: Vec<VoicePiece>,
    text: &str,
    language: Option<&str>,
    cancel: &CancelToken,
) -> io::Result<Vec<SpokenWord>> {
    let mut samples = Vec::new();
    for piece in pieces {
        let name = piece.name.clone();
        lay(piece, &mut samples, cancel)
            .map_err(|e| io::Error::new(e.kind(), format!("{name} {e}")))?;
    }
    if samples.iter().all(|s: &f32| s.abs() <= 1e-4) {
        return Err(invalid("all is silent"));
    }
    words_until(&samples, text, language, cancel)
}

/// Does the same in samples from [`voice_samples`]. In silence the words are distributed evenly.
pub fn words_in(samples: &[f32], text: &str, language: Option<&str>) -> Vec<SpokenWord> {
    // Without a caller who cancels there is no error.
    words_until(samples, text, language, &CancelToken::default()).unwrap_or_default()
}

fn words_until(
    samples: &[f32],
    text: &str,
    language: Option<&str>,
    cancel: &CancelToken,
) -> io::Result<Vec<SpokenWord>> {
    let words = words_of(text);
    let spans = align(samples, &words, language, cancel)?.unwrap_or_else(|| {
        let secs = samples.len() as f64 / RATE_HZ as f64;
        align::spread(&words, language, secs)
    });
    Ok(timed(&words, spans))
}

/// Times the words of `text` as they would be spoken, without a sound: at 137 words per minute, longer words take longer.
pub fn spread_words(text: &str, language: Option<&str>) -> Vec<SpokenWord> {
    const WORDS_PER_SEC: f64 = 137.0 / 60.0;
    let words = words_of(text);
    let secs = words.len() as f64 / WORDS_PER_SEC;
    timed(&words, align::spread(&words, language, secs))
}

fn timed(words: &[&str], spans: Vec<align::Span>) -> Vec<SpokenWord> {
    let pairs = words.iter().zip(spans);
    pairs
        .map(|(word, span)| SpokenWord {
            text: (*word).to_owned(),
            start: span.start,
            end: span.end,
        })
        .collect()
}

/// Splits into units that are shown together: at spaces, and after every Chinese or Japanese character with the marks that follow it.
fn words_of(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for token in text.split_whitespace() {
        let mut from = 0;
        let mut chars = token.char_indices().peekable();
        while let Some((_, c)) = chars.next() {
            let Some((at, next)) = chars.peek() else {
                break;
            };
            let parts = is_han(c) || is_closing(c) || is_han(*next);
            if parts && !is_opening(c) && !is_closing(*next) {
                words.push(&token[from..*at]);
                from = *at;
            }
        }
        words.push(&token[from..]);
    }
    // Drops punctuation that stands alone.
    words.retain(|word| word.chars().any(char::is_alphanumeric));
    words
}

/// Returns whether a character is Han or kana, which have no spaces between words.
fn is_han(c: char) -> bool {
    matches!(c as u32, 0x3041..=0x3096 | 0x30a1..=0x30fa | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0x20000..=0x3ffff)
}

fn is_opening(c: char) -> bool {
    "「『（《〈【“‘(".contains(c)
}

fn is_closing(c: char) -> bool {
    "。、，！？；：」』）》〉】”…ーぁぃぅぇぉっゃゅょァィゥェォッャュョ".contains(c)
}

/// Decodes a sound for speech analysis: one channel, 16,000 samples per second, -1 to 1.
///
/// # Errors
/// `InvalidData` when it cannot be decoded or lasts more than 30 minutes.
pub fn voice_samples(stream: Box<dyn AssetRead>) -> io::Result<Vec<f32>> {
    samples_until(stream, &CancelToken::default())
}

fn samples_until(stream: Box<dyn AssetRead>, cancel: &CancelToken) -> io::Result<Vec<f32>> {
    let mut decoder = Decoder::open(stream)?;
    let n_channels = decoder.n_out();
    let mut resampler = Resampler::new(decoder.facts().rate_hz, n_channels);
    let mut decimator = Decimator::new();
    let (mut decoded, mut resampled, mut out) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        cancel.check_io()?;
        let goes_on = decoder.read(&mut decoded)?;
        match goes_on {
            true => resampler.push(&decoded, &mut resampled),
            false => resampler.finish(&mut resampled),
        }
        let mono = resampled.chunks_exact(n_channels);
        decimator.push(
            mono.map(|f| f.iter().sum::<f32>() / n_channels as f32),
            &mut out,
        );
        decoded.clear();
        resampled.clear();
        if out.len() > MAX_SECS * RATE_HZ {
            return Err(too_long());
        }
        if !goes_on {
            break;
        }
    }
    Ok(out)
}

/// Adds a sound to the sum of all, at its position on the timeline.
fn lay(piece: VoicePiece, all: &mut Vec<f32>, cancel: &CancelToken) -> io::Result<()> {
    let at = |secs: f64| (secs * RATE_HZ as f64) as usize;
    let sound = samples_until(piece.stream, cancel)?;
    let end = piece.trim.1.map_or(sound.len(), at).min(sound.len());
    let heard = sound.get(at(piece.trim.0)..end).unwrap_or(&[]);
    let start = at(piece.start);
    let n_played = (heard.len() as f64 / piece.speed) as usize;
    if start + n_played > MAX_SECS * RATE_HZ {
        return Err(too_long());
    }
    if all.len() < start + n_played {
        all.resize(start + n_played, 0.0);
    }
    // The pitch changes with the speed here, which does not affect the search for words.
    for (i, sum) in all[start..start + n_played].iter_mut().enumerate() {
        *sum += heard[(i as f64 * piece.speed) as usize];
    }
    Ok(())
}

fn too_long() -> io::Error {
    invalid(format!(
        "lasts more than {} minutes, which is too long to find the words in it; give the words with their times",
        MAX_SECS / 60
    ))
}

/// Keeps one of every [`RATIO`] samples, after a low-pass filter (a sinc under a Hann window).
struct Decimator {
    taps: Vec<f32>,
    waiting: Vec<f32>,
}

impl Decimator {
    fn new() -> Decimator {
        let middle = (N_TAPS / 2) as f32;
        let taps: Vec<f32> = (0..N_TAPS)
            .map(|i| {
                let x = (i as f32 - middle) / RATIO as f32 * std::f32::consts::PI;
                let sinc = if x == 0.0 { 1.0 } else { x.sin() / x };
                let window =
                    0.5 + 0.5 * (std::f32::consts::PI * (i as f32 - middle) / (middle + 1.0)).cos();
                sinc * window / RATIO as f32
            })
            .collect();
        Decimator {
            taps,
            // Centers the filter on the sample that it produces.
            waiting: vec![0.0; N_TAPS / 2],
        }
    }

    fn push(&mut self, samples: impl Iterator<Item = f32>, out: &mut Vec<f32>) {
        self.waiting.extend(samples);
        let mut at = 0;
        while at + N_TAPS <= self.waiting.len() {
            let part = &self.waiting[at..at + N_TAPS];
            out.push(part.iter().zip(&self.taps).map(|(s, t)| s * t).sum());
            at += RATIO;
        }
        self.waiting.drain(..at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_parted_where_they_may_stand_apart() {
        assert_eq!(words_of(" one,  two – three\n"), ["one,", "two", "three"]);
        assert_eq!(words_of("“你好，”世界。"), ["“你", "好，”", "世", "界。"]);
        assert_eq!(words_of("キャット OK"), ["キャッ", "ト", "OK"]);
        assert_eq!(words_of("don’t say “so…”"), ["don’t", "say", "“so…”"]);
        assert!(words_of(" … ").is_empty());
    }

    #[test]
    fn without_a_sound_words_take_their_time() {
        let words = spread_words("I congratulate", Some("en"));
        let end = words.last().expect("there are two").end;
        assert!((end - 2.0 * 60.0 / 137.0).abs() < 1e-9, "{end}");
        assert_eq!(words[0].end, words[1].start);
        assert!(words[0].end < words[1].end - words[1].start);
    }
}
