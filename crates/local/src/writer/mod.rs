//! A chat language model.
//!
//! *Takes* a folder of weights, a prompt and limits. *Gives* text. *Never* opens a connection, and never writes a file.

mod decoder;
mod shape;
mod template;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;

use self::decoder::Decoder;
use self::shape::Shape;
use self::template::{CHATML_END, Template};
use crate::chance::Chance;
use crate::error::{LocalError, LocalErrorKind, guard};
use crate::folder::Folder;
use crate::settings::Settings;
use crate::weights::{Gguf, SafeTensors};
use crate::words::Words;

/// What a folder of a writer holds.
const MUST_HOLD: &str = "a writer's folder holds config.json, tokenizer.json, tokenizer_config.json and model.safetensors (or its shards and model.safetensors.index.json), or else one .gguf file and tokenizer.json";
/// Tokens of a prompt that are read between two questions to `stop`.
const CHUNK: usize = 64;

/// What is asked of a [`Writer`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// How to answer; empty for nothing.
    pub system: String,
    /// The question.
    pub user: String,
}

/// Limits of an answer and how it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Tokens of the answer at most (a word is one to three).
    pub max_tokens: usize,
    /// 0 takes the likeliest token each time; 1 draws them as often as the model says; above 2 is noise.
    pub temperature: f32,
    /// The likeliest tokens whose chances add up to this (0 to 1) take part; anything else is 1.
    pub top_p: f32,
    /// The same seed gives the same answer on the same machine.
    pub seed: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_tokens: 1024,
            temperature: 0.7,
            top_p: 0.95,
            seed: 0,
        }
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The text, without special tokens and without a model's thoughts (`<think>…</think>`).
    pub text: String,
    /// Whether a limit ended it (`max_tokens`, the context's length) and not the model.
    pub is_cut: bool,
}

/// A chat language model in memory. Answers change nothing in it: any number of threads may ask at once.
pub struct Writer {
    decoder: Decoder,
    words: Words,
    template: Template,
    /// Tokens that end an answer.
    ends: BTreeSet<u32>,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("shape", &self.decoder.shape)
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// Loads a model from a folder as model hubs publish it: `config.json` (`model_type` llama, mistral, qwen2 or qwen3), `tokenizer.json`,
    /// `tokenizer_config.json`, `generation_config.json` if there, a chat template in the configuration or in `chat_template.jinja`, and
    /// `*.safetensors` (F16, BF16 or F32, held as F32: four bytes a weight); or one `*.gguf` file (llama, qwen2, qwen3; held as quantized
    /// as it is) beside `tokenizer.json`. A folder with both is read as safetensors.
    ///
    /// # Errors
    /// `Missing`, `Unreadable` or `Unsupported`; nothing in the files makes it panic, unless panics abort the program.
    pub fn load(folder: &Path) -> Result<Self, LocalError> {
        let folder = Folder::open(folder, MUST_HOLD)?;
        guard(
            &format!("the model in {}", folder.path("").display()),
            || {
                let gguf = folder.files_of("gguf")?;
                if folder.has("config.json") && !folder.files_of("safetensors")?.is_empty()
                    || gguf.is_empty()
                {
                    return Self::from_safetensors(&folder);
                }
                match gguf.as_slice() {
                    [one] => Self::from_gguf(&folder, one),
                    _ => Err(LocalError::new(
                        LocalErrorKind::Unsupported,
                        format!(
                            "{} holds {} GGUF files and which one to use is not known; keep one",
                            folder.path("").display(),
                            gguf.len()
                        ),
                    )),
                }
            },
        )
    }

    fn from_safetensors(folder: &Folder) -> Result<Self, LocalError> {
        let config = Settings::required(folder, "config.json")?;
        let shape = Shape::from_config(&config)?;
        let words = Words::load(folder)?;
        let mut ends: BTreeSet<u32> = config.ids("eos_token_id").into_iter().collect();
        let weights = SafeTensors::open(folder)?;
        let decoder = Decoder::load(shape, &weights)?;
        let template = template(folder, &words, &mut ends, None)?;
        Ok(Self {
            decoder,
            words,
            template,
            ends,
        })
    }

    fn from_gguf(folder: &Folder, name: &str) -> Result<Self, LocalError> {
        let file = Gguf::open(folder, name)?;
        let shape = Shape::from_gguf(&file)?;
        let words = Words::load(folder)?;
        let decoder = Decoder::load(shape, &file)?;
        let mut ends: BTreeSet<u32> = ["eos", "eot", "eom"]
            .iter()
            .filter_map(|kind| file.number(&format!("tokenizer.ggml.{kind}_token_id")))
            .filter_map(|id| u32::try_from(id).ok())
            .collect();
        let template = template(folder, &words, &mut ends, Some(&file))?;
        Ok(Self {
            decoder,
            words,
            template,
            ends,
        })
    }

    /// Answers a prompt. `stop` is asked before each token (and each 64 of the prompt) and ends the work when it says so.
    ///
    /// # Errors
    /// `TooLong` when the prompt leaves no room in the model's context, `Stopped`, `Unreadable` when the weights give no numbers.
    pub fn generate(
        &self,
        prompt: &Prompt,
        limits: &Limits,
        stop: &dyn Fn() -> bool,
    ) -> Result<Generated, LocalError> {
        guard("writing an answer", || {
            let asked = self.words.ids(&self.template.render(prompt)?)?;
            let (answer, is_cut) = self.answer(&asked, limits, stop)?;
            Ok(Generated {
                text: without_thoughts(self.words.text(&answer)?),
                is_cut,
            })
        })
    }

    /// The tokens that follow others, and whether a limit ended them.
    fn answer(
        &self,
        asked: &[u32],
        limits: &Limits,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Vec<u32>, bool), LocalError> {
        let context = self.decoder.shape.context;
        if asked.len() >= context {
            return Err(LocalError::too_long(format!(
                "the prompt has {} tokens and the model's context holds {context} with its answer; ask with less text",
                asked.len()
            )));
        }
        let mut sequence = self.decoder.sequence();
        let mut scores = Vec::new();
        for chunk in asked.chunks(CHUNK) {
            go_on(stop)?;
            scores = self.decoder.append(&mut sequence, chunk)?;
        }
        let mut chance = Chance::new(limits.seed);
        let mut answer = Vec::new();
        let room = limits.max_tokens.min(context - asked.len());
        while answer.len() < room && !scores.is_empty() {
            go_on(stop)?;
            let token = chance.token(&scores, limits.temperature, limits.top_p);
            if self.ends.contains(&token) {
                return Ok((answer, false));
            }
            answer.push(token);
            if answer.len() < room {
                scores = self.decoder.append(&mut sequence, &[token])?;
            }
        }
        Ok((answer, true))
    }
}

fn go_on(stop: &dyn Fn() -> bool) -> Result<(), LocalError> {
    if stop() {
        return Err(LocalError::stopped());
    }
    Ok(())
}

/// The chat template of a folder; adds the tokens that end an answer to `ends`.
fn template(
    folder: &Folder,
    words: &Words,
    ends: &mut BTreeSet<u32>,
    file: Option<&Gguf>,
) -> Result<Template, LocalError> {
    let generation = Settings::optional(folder, "generation_config.json")?;
    let settings = Settings::optional(folder, "tokenizer_config.json")?;
    let own = folder.text("chat_template.jinja")?;
    let source = own
        .as_deref()
        .or_else(|| template::in_settings(settings.get("chat_template")))
        .or_else(|| file.and_then(|file| file.text("tokenizer.chat_template")));
    ends.extend(generation.ids("eos_token_id"));
    let eos = settings.token("eos_token");
    ends.extend(eos.and_then(|eos| words.id(eos)));
    if source.is_none() {
        ends.extend(words.id(CHATML_END));
    }
    Ok(Template::new(source, settings.token("bos_token"), eos))
}

/// An answer without what a model thought before it.
fn without_thoughts(text: String) -> String {
    match text.split_once("</think>") {
        Some((_, rest)) => rest.trim_start().to_owned(),
        None if text.trim_start().starts_with("<think>") => String::new(),
        None => text,
    }
}
