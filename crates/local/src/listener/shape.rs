//! The shape of a whisper model, and which of its tokens do what, checked.

use std::collections::BTreeMap;

use crate::error::LocalError;
use crate::settings::Settings;
use crate::words::Words;

/// Values of a position, rows of an inner layer, tokens, layers, heads and positions at most.
const MAX_WIDTH: usize = 1 << 14;
const MAX_VOCAB: usize = 1 << 20;
const MAX_LAYERS: usize = 256;
const MAX_POSITIONS: usize = 1 << 14;

/// The shape of a stack of layers.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    pub n_layers: usize,
    pub n_heads: usize,
    pub inner: usize,
}

/// The shape of a model.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Bands of the spectrogram: 80, or 128 since large-v3.
    pub n_bands: usize,
    pub width: usize,
    pub vocab: usize,
    /// Positions of a window, 20 ms each: 1500, which are 30 s.
    pub n_positions: usize,
    /// Tokens of a window at most, with those that begin it.
    pub n_tokens: usize,
    pub encoder: Stack,
    pub decoder: Stack,
}

impl Shape {
    /// The shape that a `config.json` describes.
    ///
    /// # Errors
    /// `Unsupported` for another `model_type`, `Unreadable` for numbers that no model has.
    pub(crate) fn new(config: &Settings) -> Result<Self, LocalError> {
        let kind = config
            .text("model_type")
            .ok_or_else(|| config.bad("model_type is not set"))?;
        if kind != "whisper" {
            return Err(LocalError::unsupported(format!(
                "model_type {kind:?} is not known as a listener; known is whisper"
            )));
        }
        let stack = |side: &str| {
            Ok::<_, LocalError>(Stack {
                n_layers: config.size(&format!("{side}_layers"), MAX_LAYERS, None)?,
                n_heads: config.size(&format!("{side}_attention_heads"), MAX_LAYERS, None)?,
                inner: config.size(&format!("{side}_ffn_dim"), MAX_WIDTH * 8, None)?,
            })
        };
        let shape = Self {
            n_bands: config.size("num_mel_bins", 256, Some(80))?,
            width: config.size("d_model", MAX_WIDTH, None)?,
            vocab: config.size("vocab_size", MAX_VOCAB, None)?,
            n_positions: config.size("max_source_positions", MAX_POSITIONS, Some(1500))?,
            n_tokens: config.size("max_target_positions", MAX_POSITIONS, Some(448))?,
            encoder: stack("encoder")?,
            decoder: stack("decoder")?,
        };
        for stack in [&shape.encoder, &shape.decoder] {
            if !shape.width.is_multiple_of(stack.n_heads) || !shape.width.is_multiple_of(2) {
                return Err(config.bad(format!(
                    "d_model of {} cannot be shared by {} heads",
                    shape.width, stack.n_heads
                )));
            }
        }
        Ok(shape)
    }
}

/// The tokens that steer a model.
#[derive(Clone, Debug)]
pub(crate) struct Signs {
    /// Begins what is heard.
    pub start: u32,
    /// Ends it; text has the ids below.
    pub end: u32,
    /// Asks for words and not for a translation; none in a model of English alone.
    pub transcribe: Option<u32>,
    /// Its chance is that of silence.
    pub no_speech: Option<u32>,
    /// Asks for no times; never given.
    pub no_times: u32,
    /// The time 0.00; each one after it is 20 ms later.
    pub first_time: u32,
    /// Languages by their codes; empty in a model of English alone.
    pub languages: BTreeMap<String, u32>,
    /// Never given.
    pub suppressed: Vec<u32>,
    /// Not given as the first.
    pub suppressed_first: Vec<u32>,
    /// The latest time that may come first, in steps of 20 ms.
    pub max_first_time: u32,
}

impl Signs {
    /// The tokens by what `tokenizer.json` and `generation_config.json` say.
    ///
    /// # Errors
    /// `Unreadable` when a token is not known or beyond the vocabulary.
    pub(crate) fn new(
        shape: &Shape,
        words: &Words,
        generation: &Settings,
    ) -> Result<Self, LocalError> {
        let vocab = shape.vocab as u32;
        let id = |token: &str| words.id(token).filter(|id| *id < vocab);
        let needed = |token: &str| {
            id(token).ok_or_else(|| {
                LocalError::unreadable(format!(
                    "tokenizer.json has no token {token} below {vocab}; take a whisper model's own"
                ))
            })
        };
        let no_times = needed("<|notimestamps|>")?;
        let multilingual = generation.get("is_multilingual").as_bool();
        // `whisper/model.py`, `is_multilingual`.
        let is_multilingual = multilingual.unwrap_or(shape.vocab >= 51_865);
        let known = |key: &str| {
            let ids = generation.ids(key).into_iter();
            ids.filter(|id| *id < vocab).collect::<Vec<_>>()
        };
        let signs = Self {
            start: needed("<|startoftranscript|>")?,
            end: needed("<|endoftext|>")?,
            transcribe: is_multilingual
                .then(|| needed("<|transcribe|>"))
                .transpose()?,
            no_speech: id("<|nospeech|>").or_else(|| id("<|nocaptions|>")),
            no_times,
            first_time: no_times + 1,
            languages: if is_multilingual {
                languages(words, generation, vocab)
            } else {
                BTreeMap::new()
            },
            suppressed: known("suppress_tokens"),
            suppressed_first: known("begin_suppress_tokens"),
            max_first_time: generation
                .ids("max_initial_timestamp_index")
                .first()
                .copied()
                .unwrap_or(50),
        };
        if signs.first_time >= vocab || signs.end >= signs.first_time {
            return Err(LocalError::unreadable(format!(
                "the model's {vocab} tokens have no times after <|notimestamps|> ({no_times}); take tokenizer.json and config.json from the same model"
            )));
        }
        if is_multilingual && signs.languages.is_empty() {
            return Err(LocalError::unreadable(
                "the model is of many languages and names none; get generation_config.json and tokenizer.json again",
            ));
        }
        Ok(signs)
    }
}

/// Languages: those that `lang_to_id` lists, or the tokens between `<|startoftranscript|>` and `<|translate|>`.
fn languages(words: &Words, generation: &Settings, vocab: u32) -> BTreeMap<String, u32> {
    let code = |token: &str| {
        let code = token.strip_prefix("<|")?.strip_suffix("|>")?;
        Some(code.to_owned())
    };
    if let Some(listed) = generation.get("lang_to_id").as_object() {
        return listed
            .iter()
            .filter_map(|(token, id)| Some((code(token)?, u32::try_from(id.as_u64()?).ok()?)))
            .filter(|(_, id)| *id < vocab)
            .collect();
    }
    let first = words.id("<|startoftranscript|>").map_or(0, |id| id + 1);
    let after = words.id("<|translate|>").unwrap_or(first).min(vocab);
    (first..after)
        .filter_map(|id| Some((code(&words.token(id)?)?, id)))
        .collect()
}
