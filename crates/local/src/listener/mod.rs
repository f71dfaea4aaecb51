//! Speech recognition by whisper.
//!
//! *Takes* a folder of weights and samples. *Gives* what is said and when. *Never* opens a connection, and never writes a file.

mod attempt;
mod mel;
mod model;
mod rules;
mod shape;
#[cfg(test)]
mod tests;

use std::path::Path;

use candle_core::Tensor;

use self::attempt::{TEMPERATURES, Task};
use self::mel::{HOP, Mel, RATE_HZ};
use self::model::Model;
use self::shape::{Shape, Signs};
use crate::error::{LocalError, guard};
use crate::folder::Folder;
use crate::settings::Settings;
use crate::weights::SafeTensors;
use crate::words::Words;

/// What a folder of a listener holds.
const MUST_HOLD: &str = "a listener's folder holds config.json, generation_config.json, tokenizer.json and model.safetensors of a whisper model";
/// Seconds of sound at most; its spectrogram takes some 50 KB a second.
const MAX_SECS: usize = 6 * 3600;
/// Seconds of one step of a time token, and frames of the spectrogram.
const TIME_SECS: f64 = 0.02;
pub(crate) const TIME_FRAMES: usize = 2;

/// A span of speech.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// The words, trimmed; never empty.
    pub text: String,
    /// When it begins, in seconds from the start of the sound, in steps of 0.02.
    pub start_secs: f64,
    /// When it ends; a model may say a little more than the sound has.
    pub end_secs: f64,
}

/// What was heard in a sound.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// The code of the language, as whisper has it (`en`, `de`, `haw`): the one told, or the one detected in the first window.
    pub language: String,
    /// Spans of speech in their order.
    pub segments: Vec<Segment>,
}

/// A whisper model in memory. Listening changes nothing in it: any number of threads may use it at once.
pub struct Listener {
    model: Model,
    words: Words,
    signs: Signs,
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listener")
            .field("shape", &self.model.shape)
            .finish_non_exhaustive()
    }
}

impl Listener {
    /// Loads a model from a folder as model hubs publish it: `config.json` (`model_type` whisper), `generation_config.json`,
    /// `tokenizer.json` and `*.safetensors` (F16, BF16 or F32, held as F32: four bytes a weight). Models of English alone work too.
    ///
    /// # Errors
    /// `Missing`, `Unreadable` or `Unsupported`; nothing in the files makes it panic, unless panics abort the program.
    pub fn load(folder: &Path) -> Result<Self, LocalError> {
        let folder = Folder::open(folder, MUST_HOLD)?;
        guard(
            &format!("the model in {}", folder.path("").display()),
            || {
                let shape = Shape::new(&Settings::required(&folder, "config.json")?)?;
                let generation = Settings::required(&folder, "generation_config.json")?;
                let words = Words::load(&folder)?;
                let signs = Signs::new(&shape, &words, &generation)?;
                let model = Model::load(shape, &SafeTensors::open(&folder)?)?;
                Ok(Self {
                    model,
                    words,
                    signs,
                })
            },
        )
    }

    /// The codes of the languages that the model knows, sorted.
    #[must_use]
    pub fn languages(&self) -> Vec<&str> {
        if self.signs.languages.is_empty() {
            return vec!["en"];
        }
        self.signs.languages.keys().map(String::as_str).collect()
    }

    /// Writes down the speech in `samples`: 16 kHz, one channel, -1 to 1. `language` is a code (`en`, `pt-BR` counts as `pt`); without one
    /// it is detected in the first window of 30 s. `stop` is asked before each token and each layer and ends the work when it says so.
    ///
    /// Windows advance by the last time that the model gives, as in OpenAI's decoder; text before a window is not told to the model, so
    /// that a loop in one does not spread. Windows in which nobody speaks give nothing.
    ///
    /// # Errors
    /// `Unsupported` for a language that the model does not know, `TooLong` above six hours, `Stopped`, `Unreadable` when the weights
    /// give no numbers.
    pub fn transcribe(
        &self,
        samples: &[f32],
        language: Option<&str>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Heard, LocalError> {
        guard("listening", || {
            let language = language.map(|code| self.language(code)).transpose()?;
            if samples.len() > MAX_SECS * RATE_HZ {
                return Err(LocalError::too_long(format!(
                    "the sound lasts {} s and at most {MAX_SECS} s are heard at once; cut it",
                    samples.len() / RATE_HZ
                )));
            }
            let mel = Mel::new(samples, self.model.shape.n_bands, stop)?;
            let first = self.model.encode(&mel, 0, stop)?;
            let code = match language {
                Some(code) => code,
                None => self.detect(&first)?,
            };
            let task = Task {
                model: &self.model,
                words: &self.words,
                signs: &self.signs,
                language: self.signs.languages.get(&code).copied(),
                temperatures: &TEMPERATURES,
                stop,
            };
            Ok(Heard {
                language: code,
                segments: windows(&task, &mel, first)?,
            })
        })
    }

    /// The code of a language that the model knows, by its primary part.
    fn language(&self, told: &str) -> Result<String, LocalError> {
        let primary = told.split(['-', '_']).next().unwrap_or_default();
        let code = primary.to_ascii_lowercase();
        let known = self.languages();
        if known.contains(&code.as_str()) {
            return Ok(code);
        }
        Err(LocalError::unsupported(format!(
            "the model does not know language {told:?}; it knows {}",
            known.join(", ")
        )))
    }

    /// The likeliest language of an encoded window.
    fn detect(&self, encoded: &Tensor) -> Result<String, LocalError> {
        if self.signs.languages.is_empty() {
            return Ok("en".to_owned());
        }
        let mut sequence = self.model.sequence(encoded)?;
        let rows = self.model.append(&mut sequence, &[self.signs.start])?;
        let scores = rows.first().map(Vec::as_slice).unwrap_or_default();
        let score = |id: u32| scores.get(id as usize).copied().unwrap_or(f32::MIN);
        let best = self
            .signs
            .languages
            .iter()
            .max_by(|(_, a), (_, b)| score(**a).total_cmp(&score(**b)));
        Ok(best.map_or_else(|| "en".to_owned(), |(code, _)| code.clone()))
    }
}

/// The segments of a sound, window after window (openai/whisper, `whisper/transcribe.py`).
/// `first` is the first window, encoded.
fn windows(task: &Task<'_>, mel: &Mel, first: Tensor) -> Result<Vec<Segment>, LocalError> {
    let mut first = Some(first);
    let n_frames = task.model.shape.n_positions * TIME_FRAMES;
    let mut segments = Vec::new();
    let mut at = 0;
    while at < mel.n_frames {
        let n = n_frames.min(mel.n_frames - at);
        let encoded = match first.take() {
            Some(encoded) => encoded,
            None => task.model.encode(mel, at, task.stop)?,
        };
        let attempt = task.hear(&encoded, at as u64)?;
        if attempt.is_silence() {
            at += n;
            continue;
        }
        let (spans, advance) = spans(&attempt.tokens, task.signs.first_time, n);
        let from_secs = (at * HOP) as f64 / RATE_HZ as f64;
        for span in spans {
            let text = task.text(span.tokens)?;
            if !text.is_empty() && span.start < span.end {
                segments.push(Segment {
                    text,
                    start_secs: secs(from_secs, span.start),
                    end_secs: secs(from_secs, span.end),
                });
            }
        }
        at += advance;
    }
    Ok(segments)
}

/// Steps of 20 ms after a start as seconds, without the noise of adding fractions.
fn secs(from_secs: f64, steps: u32) -> f64 {
    ((from_secs + f64::from(steps) * TIME_SECS) * 100.0).round() / 100.0
}

/// Tokens between two times, in steps of 20 ms from the start of the window.
#[derive(Debug, PartialEq)]
struct Span<'a> {
    tokens: &'a [u32],
    start: u32,
    end: u32,
}

/// The spans of a window of `n` frames, and by how many frames to go on: to the last time of a pair, past the window when it ends with a single
/// time or has no pairs.
fn spans(tokens: &[u32], first_time: u32, n: usize) -> (Vec<Span<'_>>, usize) {
    let time = |token: u32| token.checked_sub(first_time);
    let is_single_end = match tokens {
        [.., before, last] => time(*before).is_none() && time(*last).is_some(),
        _ => false,
    };
    let mut cuts: Vec<usize> = (1..tokens.len())
        .filter(|index| time(tokens[index - 1]).is_some() && time(tokens[*index]).is_some())
        .collect();
    if cuts.is_empty() {
        let last = tokens.iter().rev().find_map(|token| time(*token));
        let end = last.filter(|steps| *steps > 0);
        let whole = Span {
            tokens,
            start: 0,
            end: end.unwrap_or((n / TIME_FRAMES) as u32),
        };
        return (vec![whole], n);
    }
    if is_single_end {
        cuts.push(tokens.len());
    }
    let mut found = Vec::new();
    let mut from = 0;
    for cut in cuts {
        let span = &tokens[from..cut];
        if let [first, .., last] = span {
            found.push(Span {
                tokens: span,
                start: time(*first).unwrap_or(0),
                end: time(*last).unwrap_or(0),
            });
        }
        from = cut;
    }
    let heard = time(tokens[from - 1]).map_or(0, |steps| steps as usize * TIME_FRAMES);
    // A model that gives no time to go on to is not asked again about the same window.
    let advance = if is_single_end || heard == 0 {
        n
    } else {
        heard
    };
    (found, advance)
}
