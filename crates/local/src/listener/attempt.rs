//! The tokens of one window, tried at rising temperatures until they are neither a loop nor a guess
//! (openai/whisper, `whisper/decoding.py` and `decode_with_fallback` in `whisper/transcribe.py`).

use std::io::Write;

use candle_core::Tensor;
use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::model::Model;
use super::rules;
use super::shape::Signs;
use crate::chance::{Chance, log_chances};
use crate::error::LocalError;
use crate::words::Words;

/// Bytes of a text for each byte of it when compressed; above, the text is a loop.
const MAX_RATIO: f32 = 2.4;
/// Mean logarithm of the tokens' chances; below, they are guesses.
const MIN_LOG_CHANCE: f32 = -1.0;
/// Chance of silence; above, and with tokens that are guesses, nobody speaks.
const MAX_NO_SPEECH: f32 = 0.6;
/// Temperatures in the order they are tried.
pub(crate) const TEMPERATURES: [f32; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];

/// A model and all that is asked of it.
pub(crate) struct Task<'a> {
    pub model: &'a Model,
    pub words: &'a Words,
    pub signs: &'a Signs,
    /// None for a model of English alone.
    pub language: Option<u32>,
    pub temperatures: &'a [f32],
    pub stop: &'a dyn Fn() -> bool,
}

/// What a window was heard as.
pub(crate) struct Attempt {
    /// Words and times, without the end.
    pub tokens: Vec<u32>,
    log_chance: f32,
    no_speech: f32,
}

impl Attempt {
    /// Whether nobody speaks in the window.
    pub(crate) fn is_silence(&self) -> bool {
        self.no_speech > MAX_NO_SPEECH && self.log_chance <= MIN_LOG_CHANCE
    }
}

impl Task<'_> {
    /// The tokens of an encoded window: the first attempt that is good, or the last one.
    pub(crate) fn hear(&self, encoded: &Tensor, seed: u64) -> Result<Attempt, LocalError> {
        let mut last = None;
        for temperature in self.temperatures {
            let attempt = self.attempt(encoded, *temperature, seed)?;
            let text = self.text(&attempt.tokens)?;
            let is_good = ratio(&text) <= MAX_RATIO && attempt.log_chance >= MIN_LOG_CHANCE;
            if is_good || attempt.is_silence() {
                return Ok(attempt);
            }
            last = Some(attempt);
        }
        last.ok_or_else(|| LocalError::unreadable("no temperature to try"))
    }

    /// The text of tokens, without times.
    pub(crate) fn text(&self, tokens: &[u32]) -> Result<String, LocalError> {
        let words: Vec<u32> = tokens
            .iter()
            .copied()
            .filter(|token| *token < self.signs.end)
            .collect();
        Ok(self.words.text(&words)?.trim().to_owned())
    }

    fn attempt(
        &self,
        encoded: &Tensor,
        temperature: f32,
        seed: u64,
    ) -> Result<Attempt, LocalError> {
        let mut begin = vec![self.signs.start];
        begin.extend(self.language);
        begin.extend(self.signs.transcribe);
        let mut sequence = self.model.sequence(encoded)?;
        let mut rows = self.model.append(&mut sequence, &begin)?;
        let no_speech = match (self.signs.no_speech, rows.first()) {
            (Some(id), Some(row)) => log_chances(row)[id as usize].exp(),
            _ => 0.0,
        };
        let mut chance = Chance::new(seed);
        let mut tokens = Vec::new();
        let mut sum = 0.0;
        let room = self.model.shape.n_tokens;
        let most = (room / 2).min(room - begin.len());
        while let Some(mut scores) = rows.pop() {
            if (self.stop)() {
                return Err(LocalError::stopped());
            }
            rules::apply(self.signs, &tokens, &mut scores);
            let token = chance.token(&scores, temperature, 1.0);
            sum += log_chances(&scores)[token as usize];
            if token == self.signs.end {
                break;
            }
            tokens.push(token);
            if tokens.len() >= most {
                break;
            }
            rows = self.model.append(&mut sequence, &[token])?;
        }
        Ok(Attempt {
            log_chance: sum / (tokens.len() + 1) as f32,
            tokens,
            no_speech,
        })
    }
}

/// How much shorter a text becomes by zlib.
fn ratio(text: &str) -> f32 {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let compressed = encoder
        .write_all(text.as_bytes())
        .and_then(|()| encoder.finish());
    match compressed {
        Ok(compressed) => text.len() as f32 / compressed.len().max(1) as f32,
        Err(_) => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_told_from_speech() {
        assert!(ratio("A keeper climbs the stairs. The light turns on over the sea.") < MAX_RATIO);
        assert!(ratio(&"Thank you. ".repeat(20)) > MAX_RATIO);
        assert_eq!(ratio(""), 0.0);
    }
}
