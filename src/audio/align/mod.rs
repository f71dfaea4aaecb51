//! Aligns words with the sound in which they are spoken.
//!
//! Takes: mono samples and the words of a text. Gives: start and end of each word. Never: uses knowledge of a language beyond its letters, needs
//! an external model, guesses without the sound. Letters map to kinds of sound (vowels, hisses, stops ...) with typical lengths. A search finds
//! the best path through the sound, first with statistics that hold for any voice, then again with what was learned about this voice.

mod frames;
mod model;
mod numbers;
mod search;
mod spelling;

use std::collections::HashMap;
use std::io;

use self::frames::{FRAMES_PER_SEC, Frame, frames};
use self::model::{Model, Sound};
use self::search::{Band, Step, search};
use self::spelling::{Phone, Tongue, phones};
use crate::cancel::CancelToken;

pub(crate) use self::frames::RATE_HZ;

/// Number of search rounds; each one after the first uses what was learned about the voice.
const N_ROUNDS: usize = 4;
/// Maximum distance in frames between a step and its expected position: in the first round and in later rounds.
const SLACKS: [usize; 2] = [1500, 300];

/// Time span of a spoken word, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) start: f64,
    pub(crate) end: f64,
}

/// Finds when each of `words` is spoken in mono samples at [`RATE_HZ`]. `language` is a tag such as `en`, if known. Returns `None` when there are no
/// words, or more than can be spoken in the time.
pub(crate) fn align(
    samples: &[f32],
    words: &[&str],
    language: Option<&str>,
    cancel: &CancelToken,
) -> io::Result<Option<Vec<Span>>> {
    let frames = frames(samples, cancel)?;
    let mut text = Text::new(words, language);
    if words.is_empty() || text.steps.len() > frames.len() {
        return Ok(None);
    }
    let n_speech = frames.iter().filter(|f| f[0] > 0.4).count().max(1);
    text.scale(n_speech as f32);
    let mut model = Model::of_any_voice(&text.letters);
    let mut expected = text.expected(&frames);
    let mut spans = Vec::new();
    for round in 0..N_ROUNDS {
        let band = Band::around(&expected, frames.len(), SLACKS[round.min(1)]);
        let sums = model.running_sums(&frames, cancel)?;
        let Some(found) = search(&text.steps, &sums, &band, cancel)? else {
            return Ok(None);
        };
        spans = found;
        if round + 1 < N_ROUNDS {
            model = Model::of_this_voice(&text.letters, &frames, &text.found(&spans));
            text.learn_pace(&spans);
            expected.clone_from(&spans);
        }
    }
    Ok(Some(text.word_spans(&spans)))
}

/// Distributes the words over `secs`, one after the other, each with the typical length of its sounds.
pub(crate) fn spread(words: &[&str], language: Option<&str>, secs: f64) -> Vec<Span> {
    let text = Text::new(words, language);
    let all: f32 = text.lengths.iter().sum();
    let at = |said: f32| f64::from(said / all.max(1e-3)) * secs;
    let mut said = 0.0;
    let words = text.words.iter();
    words
        .map(|(from, to)| {
            let start = at(said);
            said += text.lengths[*from..*to].iter().sum::<f32>();
            Span {
                start,
                end: at(said),
            }
        })
        .collect()
}

/// The text as steps for the search.
struct Text {
    /// Kind of each letter; the first is silence.
    letters: Vec<Sound>,
    steps: Vec<Step>,
    /// Typical length of each step relative to a vowel.
    lengths: Vec<f32>,
    /// Range of steps of each word.
    words: Vec<(usize, usize)>,
}

impl Text {
    fn new(words: &[&str], language: Option<&str>) -> Text {
        let tongue = Tongue::of(language, words);
        let mut text = Text {
            letters: vec![Sound::Silence],
            steps: vec![Step::Pause {
                taken: 0.0,
                skipped: 0.0,
            }],
            lengths: vec![0.0],
            words: Vec::new(),
        };
        let mut keys = HashMap::new();
        for (i, word) in words.iter().enumerate() {
            let from = text.steps.len();
            let mut phones = phones(word, tongue);
            let is_last = i + 1 == words.len();
            let pause = pause_after(word, is_last);
            if let Some(end) = phones.iter_mut().rev().find(|p| p.sound == Sound::Vowel) {
                // Before a pause the last syllable is drawn out.
                end.length *= if pause.1 < -1.0 || is_last { 1.5 } else { 1.0 };
            }
            for Phone { key, sound, length } in phones {
                let letter = *keys.entry((key, sound)).or_insert_with(|| {
                    text.letters.push(sound);
                    text.letters.len() - 1
                });
                text.steps.push(Step::Sound {
                    letter,
                    frames: 1.0,
                });
                text.lengths.push(length * sound.length());
            }
            text.words.push((from, text.steps.len()));
            text.steps.push(Step::Pause {
                taken: pause.0,
                skipped: pause.1,
            });
            text.lengths.push(0.0);
        }
        text
    }

    /// Scales the typical lengths so that their sum is `n_speech` frames.
    fn scale(&mut self, n_speech: f32) {
        let all: f32 = self.lengths.iter().sum();
        let pace = n_speech / all.max(1e-3);
        for (step, length) in self.steps.iter_mut().zip(&self.lengths) {
            if let Step::Sound { frames, .. } = step {
                *frames = pace * length;
            }
        }
    }

    /// Returns start and end of each step, assuming that speech progresses evenly wherever the sound is loud.
    fn expected(&self, frames: &[Frame]) -> Vec<(usize, usize)> {
        let all: f32 = self.lengths.iter().sum();
        let loudness = |f: &Frame| f[0].clamp(0.02, 0.6);
        let whole: f32 = frames.iter().map(loudness).sum();
        let (mut passed, mut t, mut said) = (0.0, 0, 0.0);
        self.lengths
            .iter()
            .map(|length| {
                said += length;
                let from = t;
                while t < frames.len() && passed < said / all * whole {
                    passed += loudness(&frames[t]);
                    t += 1;
                }
                (from, t)
            })
            .collect()
    }

    /// Returns the letter that was found at each frame.
    fn found(&self, spans: &[(usize, usize)]) -> Vec<usize> {
        let mut found = Vec::new();
        for (step, (from, to)) in self.steps.iter().zip(spans) {
            let letter = match step {
                Step::Sound { letter, .. } => *letter,
                Step::Pause { .. } => 0,
            };
            found.extend(std::iter::repeat_n(letter, to - from));
        }
        found
    }

    /// Adjusts the typical length of each letter to the lengths found, with the previous length weighted like 8 occurrences.
    fn learn_pace(&mut self, spans: &[(usize, usize)]) {
        const WEIGHT: f32 = 8.0;
        let mut sums = vec![(0.0_f32, 0.0_f32); self.letters.len()];
        for (step, (from, to)) in self.steps.iter().zip(spans) {
            if let Step::Sound { letter, frames } = step {
                let ratio = ((to - from) as f32 / frames).clamp(0.3, 3.0);
                sums[*letter].0 += ratio.ln();
                sums[*letter].1 += 1.0;
            }
        }
        for step in &mut self.steps {
            if let Step::Sound { letter, frames } = step {
                let (sum, n) = sums[*letter];
                *frames *= (sum / (n + WEIGHT)).exp();
            }
        }
    }

    fn word_spans(&self, spans: &[(usize, usize)]) -> Vec<Span> {
        let secs = |frame: usize| frame as f64 / FRAMES_PER_SEC as f64;
        self.words
            .iter()
            .map(|(from, to)| Span {
                start: secs(spans[*from].0),
                end: secs(spans[to - 1].1),
            })
            .collect()
    }
}

/// Returns the scores of a pause and of no pause after a word, by the word's punctuation.
fn pause_after(word: &str, is_last: bool) -> (f32, f32) {
    let mark = word.trim_end_matches(['"', '\'', '”', '’', '»', ')', ']', '」', '』']);
    match mark.chars().last() {
        _ if is_last => (0.0, 0.0),
        Some('.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' | '؟' | '։') => (0.0, -6.0),
        Some(':' | ';' | '—' | '–' | '：' | '；' | '·') => (-0.5, -3.0),
        Some(',' | '、' | '，' | '،') => (-0.5, -2.0),
        _ => (-6.0, 0.0),
    }
}
