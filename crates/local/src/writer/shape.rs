//! The shape of a decoder: what `config.json` or the metadata of a GGUF file say about a model, checked.

use serde::Deserialize;
use serde_json::Value;

use crate::error::LocalError;
use crate::settings::{Settings, check_size};
use crate::weights::{Gguf, Weights};

/// Kinds of models that are known, for messages.
const KNOWN: &str = "llama, mistral, qwen2 and qwen3";
/// Values of a token's vector, rows of an inner layer, tokens of a vocabulary, layers, heads and positions at most.
const MAX_WIDTH: usize = 1 << 16;
const MAX_INNER: usize = 1 << 20;
const MAX_VOCAB: usize = 1 << 22;
const MAX_LAYERS: usize = 1024;
const MAX_CONTEXT: usize = 1 << 24;

/// The rotary embedding of positions (Su et al., RoFormer, 2021).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rotary {
    /// Base of the wavelengths.
    pub theta: f64,
    /// How the wavelengths are stretched for long contexts.
    pub stretch: Stretch,
    /// Whether pairs are neighbors (GGUF's order for llama) and not halves of the head.
    pub is_interleaved: bool,
}

/// Changes of the rotary wavelengths.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stretch {
    None,
    /// All longer by a factor.
    Linear(f64),
    /// Llama 3.1: long ones by `factor`, short ones not, with a ramp between.
    Llama3 {
        factor: f64,
        low: f64,
        high: f64,
        original: f64,
    },
    /// Each by its own divisor, from the tensor `rope_freqs.weight` of a GGUF file.
    Divisors,
}

/// Kinds of stretches as configurations name them.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Default,
    Linear,
    Llama3,
}

/// The shape of a decoder of the llama family.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub n_layers: usize,
    pub width: usize,
    pub inner: usize,
    pub n_heads: usize,
    pub n_kv_heads: usize,
    pub head: usize,
    pub vocab: usize,
    /// Tokens of a prompt and its answer at most.
    pub context: usize,
    pub norm_eps: f64,
    pub rotary: Rotary,
    /// Whether queries, keys and values have a bias.
    pub has_qkv_bias: bool,
    pub has_out_bias: bool,
    pub has_mlp_bias: bool,
    /// Whether queries and keys are normalized per head (qwen3).
    pub has_head_norms: bool,
    /// Whether the table of tokens also scores them; none leaves it to the file.
    pub is_tied: Option<bool>,
}

impl Shape {
    /// The shape that a `config.json` describes.
    ///
    /// # Errors
    /// `Unsupported` for another `model_type` or setting, `Unreadable` for numbers that no model has.
    pub(crate) fn from_config(config: &Settings) -> Result<Self, LocalError> {
        let kind = config
            .text("model_type")
            .ok_or_else(|| config.bad("model_type is not set"))?;
        if !["llama", "mistral", "qwen2", "qwen3"].contains(&kind) {
            return Err(LocalError::unsupported(format!(
                "model_type {kind:?} is not known as a writer; known are {KNOWN}"
            )));
        }
        if let Some(other) = config.text("hidden_act").filter(|act| *act != "silu") {
            return Err(LocalError::unsupported(format!(
                "hidden_act {other:?} is not known; known is \"silu\""
            )));
        }
        if !config.get("quantization_config").is_null() {
            return Err(LocalError::unsupported(
                "safetensors with a quantization_config are not known; take the model as F16, BF16 or F32, or as a GGUF file",
            ));
        }
        let n_heads = config.size("num_attention_heads", MAX_LAYERS, None)?;
        let width = config.size("hidden_size", MAX_WIDTH, None)?;
        let bias = config.switch("attention_bias");
        let shape = Self {
            n_layers: config.size("num_hidden_layers", MAX_LAYERS, None)?,
            width,
            inner: config.size("intermediate_size", MAX_INNER, None)?,
            n_heads,
            n_kv_heads: config.size("num_key_value_heads", MAX_LAYERS, Some(n_heads))?,
            head: config.size("head_dim", MAX_WIDTH, Some(width / n_heads))?,
            vocab: config.size("vocab_size", MAX_VOCAB, None)?,
            context: context(config, kind)?,
            norm_eps: config.positive("rms_norm_eps", 1e-6)?,
            rotary: rotary(config)?,
            has_qkv_bias: kind == "qwen2" || bias,
            has_out_bias: kind != "qwen2" && bias,
            has_mlp_bias: config.switch("mlp_bias"),
            has_head_norms: kind == "qwen3",
            is_tied: config.get("tie_word_embeddings").as_bool(),
        };
        shape.check().map_err(|why| config.bad(why))?;
        Ok(shape)
    }

    /// The shape that the metadata of a GGUF file describes.
    ///
    /// # Errors
    /// As [`Shape::from_config`].
    pub(crate) fn from_gguf(file: &Gguf) -> Result<Self, LocalError> {
        let bad = |why: String| LocalError::unreadable(format!("{}: {why}", file.name()));
        let kind = file
            .text("general.architecture")
            .ok_or_else(|| bad("general.architecture is not set".to_owned()))?;
        if !["llama", "qwen2", "qwen3"].contains(&kind) {
            return Err(LocalError::unsupported(format!(
                "general.architecture {kind:?} is not known as a writer; known in GGUF files are llama (mistral too), qwen2 and qwen3"
            )));
        }
        let size = |key: &str, most: usize, default: Option<usize>| {
            let key = format!("{kind}.{key}");
            match file.number(&key) {
                None => default.ok_or_else(|| bad(format!("{key} is not set"))),
                Some(number) => check_size(Some(number as u64), most)
                    .ok_or_else(|| bad(format!("{key} is {number}, not of 1 to {most}"))),
            }
        };
        if file.number(&format!("{kind}.expert_count")).unwrap_or(0) > 0 {
            return Err(LocalError::unsupported(
                "models with experts are not known in GGUF files",
            ));
        }
        let vocab = file
            .shape("model.embed_tokens.weight")
            .and_then(|shape| check_size(Some(*shape.first()? as u64), MAX_VOCAB))
            .ok_or_else(|| bad("tensor token_embd.weight is not there".to_owned()))?;
        let n_heads = size("attention.head_count", MAX_LAYERS, None)?;
        let width = size("embedding_length", MAX_WIDTH, None)?;
        let head = size("attention.key_length", MAX_WIDTH, Some(width / n_heads))?;
        let eps = format!("{kind}.attention.layer_norm_rms_epsilon");
        let shape = Self {
            n_layers: size("block_count", MAX_LAYERS, None)?,
            width,
            inner: size("feed_forward_length", MAX_INNER, None)?,
            n_heads,
            n_kv_heads: size("attention.head_count_kv", MAX_LAYERS, Some(n_heads))?,
            head,
            vocab,
            context: size("context_length", MAX_CONTEXT, None)?,
            norm_eps: file.fraction(&eps).unwrap_or(1e-5),
            rotary: gguf_rotary(file, kind)?,
            has_qkv_bias: kind == "qwen2",
            has_out_bias: false,
            has_mlp_bias: false,
            has_head_norms: kind == "qwen3",
            is_tied: None,
        };
        shape.check().map_err(bad)?;
        Ok(shape)
    }

    /// What one number alone does not show.
    fn check(&self) -> Result<(), String> {
        let Self {
            n_heads,
            n_kv_heads,
            head,
            ..
        } = self;
        if n_heads % n_kv_heads != 0 {
            return Err(format!(
                "{n_heads} heads cannot share {n_kv_heads} keys evenly"
            ));
        }
        if *head == 0 || head % 2 != 0 || n_heads * head > MAX_WIDTH * 4 {
            return Err(format!(
                "a head of {head} values for {n_heads} heads is not possible"
            ));
        }
        if !(self.norm_eps.is_finite() && self.norm_eps > 0.0) {
            return Err(format!("the norms' epsilon is {}", self.norm_eps));
        }
        Ok(())
    }
}

/// The context length; a sliding window is kept by never writing beyond it.
fn context(config: &Settings, kind: &str) -> Result<usize, LocalError> {
    let context = config.size("max_position_embeddings", MAX_CONTEXT, Some(2048))?;
    let window = config.size("sliding_window", MAX_CONTEXT, Some(context))?;
    let slides = kind == "mistral" || config.switch("use_sliding_window");
    Ok(if slides { context.min(window) } else { context })
}

/// The rotary settings: `rope_theta` and `rope_scaling`, or `rope_parameters` with both (transformers 5).
fn rotary(config: &Settings) -> Result<Rotary, LocalError> {
    let newer = config.get("rope_parameters");
    let scaling = if newer.is_object() {
        newer
    } else {
        config.get("rope_scaling")
    };
    let number = |key: &str| {
        scaling[key]
            .as_f64()
            .filter(|number| number.is_finite() && *number > 0.0)
            .ok_or_else(|| {
                config.bad(format!(
                    "the rotary setting {key} is {}, not a number above 0",
                    scaling[key]
                ))
            })
    };
    let theta = match newer["rope_theta"] {
        Value::Null => config.positive("rope_theta", 10_000.0)?,
        _ => number("rope_theta")?,
    };
    let kind = match &scaling["rope_type"] {
        Value::Null => &scaling["type"],
        kind => kind,
    };
    let stretch = match Option::<Kind>::deserialize(kind) {
        Ok(None | Some(Kind::Default)) => Stretch::None,
        Ok(Some(Kind::Linear)) => Stretch::Linear(number("factor")?),
        Ok(Some(Kind::Llama3)) => Stretch::Llama3 {
            factor: number("factor")?,
            low: number("low_freq_factor")?,
            high: number("high_freq_factor")?,
            original: number("original_max_position_embeddings")?,
        },
        Err(_) => {
            return Err(LocalError::unsupported(format!(
                "rotary scaling {kind} is not known; known are default, linear and llama3 (remove rope_scaling from config.json to use the shorter context)"
            )));
        }
    };
    Ok(Rotary {
        theta,
        stretch,
        is_interleaved: false,
    })
}

/// The rotary settings of a GGUF file.
fn gguf_rotary(file: &Gguf, kind: &str) -> Result<Rotary, LocalError> {
    let positive = |number: f64| number.is_finite() && number > 0.0;
    let factor = file.fraction(&format!("{kind}.rope.scaling.factor"));
    let stretch = match file.text(&format!("{kind}.rope.scaling.type")) {
        _ if file.shape("rope_freqs.weight").is_some() => Stretch::Divisors,
        None | Some("none") => Stretch::None,
        Some("linear") => Stretch::Linear(factor.filter(|factor| positive(*factor)).unwrap_or(1.0)),
        Some(other) => {
            return Err(LocalError::unsupported(format!(
                "rotary scaling {other:?} is not known in GGUF files; known are none, linear and llama 3's"
            )));
        }
    };
    let theta = file.fraction(&format!("{kind}.rope.freq_base"));
    Ok(Rotary {
        theta: theta.filter(|theta| positive(*theta)).unwrap_or(10_000.0),
        stretch,
        is_interleaved: kind == "llama",
    })
}
