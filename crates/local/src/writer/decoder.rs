//! The decoder of the llama family (llama, mistral, qwen2, qwen3), from plain or quantized weights alike, with a cache of keys and values.
//!
//! After transformers' `modeling_llama.py`, `modeling_qwen2.py` and `modeling_qwen3.py`. One sequence at a time: a tensor of tokens is
//! `(tokens, width)`, one of heads `(1, tokens, heads, head)`.

use candle_core::quantized::QMatMul;
use candle_core::{Device, Module, Tensor};
use candle_nn::attention::{AttnMask, flash_attn};
use candle_nn::kv_cache::KvCache;
use candle_nn::ops::{rms_norm, silu};
use candle_nn::rotary_emb::{rope_i, rope_thd};

use super::shape::{Shape, Stretch};
use crate::error::LocalError;
use crate::weights::{Linear, Weights};

/// Positions by which a cache grows.
const CACHE_STEP: usize = 512;

type Candle<T> = candle_core::Result<T>;

/// One layer's weights.
struct Layer {
    attention_norm: Tensor,
    query: Linear,
    key: Linear,
    value: Linear,
    out: Linear,
    /// Norms of queries and keys.
    head_norms: Option<(Tensor, Tensor)>,
    mlp_norm: Tensor,
    gate: Linear,
    up: Linear,
    down: Linear,
}

/// A decoder's weights; shared by any number of sequences.
pub(crate) struct Decoder {
    pub(crate) shape: Shape,
    embedding: QMatMul,
    layers: Vec<Layer>,
    norm: Tensor,
    /// None when the embedding serves (tied).
    head: Option<QMatMul>,
    /// Turns per token of each pair of a head, in radians.
    turns: Vec<f32>,
}

/// Keys and values of one sequence.
pub(crate) struct Sequence {
    caches: Vec<KvCache>,
    n_tokens: usize,
}

impl Decoder {
    /// Loads the weights that a shape asks for.
    ///
    /// # Errors
    /// `Unreadable`, naming the tensor that is absent or has another shape.
    pub(crate) fn load(shape: Shape, weights: &dyn Weights) -> Result<Self, LocalError> {
        let table = (shape.vocab, shape.width);
        let is_tied = shape
            .is_tied
            .unwrap_or_else(|| weights.shape("lm_head.weight").is_none());
        let head = (!is_tied).then(|| weights.matrix("lm_head.weight", table));
        Ok(Self {
            embedding: weights.matrix("model.embed_tokens.weight", table)?,
            layers: (0..shape.n_layers)
                .map(|index| Layer::load(&shape, weights, index))
                .collect::<Result<_, _>>()?,
            norm: weights.tensor("model.norm.weight", &[shape.width])?,
            head: head.transpose()?,
            turns: turns(&shape, weights)?,
            shape,
        })
    }

    /// An empty sequence.
    pub(crate) fn sequence(&self) -> Sequence {
        let step = CACHE_STEP.min(self.shape.context);
        Sequence {
            caches: vec![KvCache::new(1, step); self.shape.n_layers],
            n_tokens: 0,
        }
    }

    /// Appends tokens to a sequence; gives the scores (logits) of what may follow, one for each of the vocabulary.
    ///
    /// # Errors
    /// `Unreadable` when the arithmetic fails or gives no numbers.
    pub(crate) fn append(
        &self,
        sequence: &mut Sequence,
        tokens: &[u32],
    ) -> Result<Vec<f32>, LocalError> {
        if let Some(id) = tokens.iter().find(|id| **id as usize >= self.shape.vocab) {
            return Err(LocalError::unreadable(format!(
                "tokenizer.json gives token {id} and the model knows {} tokens; take both from the same model",
                self.shape.vocab
            )));
        }
        let scores = self.forward(sequence, tokens)?;
        if scores.iter().any(|score| score.is_nan()) {
            return Err(LocalError::unreadable(
                "the model's weights give no numbers (NaN); get its files again",
            ));
        }
        Ok(scores)
    }

    fn forward(&self, sequence: &mut Sequence, tokens: &[u32]) -> Candle<Vec<f32>> {
        let start = sequence.n_tokens;
        let ids = Tensor::new(tokens, &Device::Cpu)?;
        let mut x = self.embedding.embedding(&ids)?;
        let rotation = self.rotation(start, tokens.len())?;
        for (layer, cache) in self.layers.iter().zip(&mut sequence.caches) {
            x = layer.forward(&self.shape, &x, (&rotation, start), cache)?;
        }
        sequence.n_tokens += tokens.len();
        let last = x.narrow(0, tokens.len() - 1, 1)?.contiguous()?;
        let last = rms_norm(&last, &self.norm, self.shape.norm_eps as f32)?;
        let head = self.head.as_ref().unwrap_or(&self.embedding);
        head.forward(&last)?.flatten_all()?.to_vec1()
    }

    /// Cosines and sines of positions, `(positions, head / 2)` each.
    fn rotation(&self, start: usize, n: usize) -> Candle<(Tensor, Tensor)> {
        let angles: Vec<f32> = (start..start + n)
            .flat_map(|position| self.turns.iter().map(move |turn| position as f32 * turn))
            .collect();
        let angles = Tensor::from_vec(angles, (n, self.turns.len()), &Device::Cpu)?;
        Ok((angles.cos()?, angles.sin()?))
    }
}

impl Layer {
    fn load(shape: &Shape, weights: &dyn Weights, index: usize) -> Result<Self, LocalError> {
        let name = |part: &str| format!("model.layers.{index}.{part}");
        let norm = |part: &str, n: usize| weights.tensor(&name(&format!("{part}.weight")), &[n]);
        let linear = |part: &str, size: (usize, usize), has_bias: bool| {
            Linear::load(weights, &name(part), size, has_bias)
        };
        let (width, inner) = (shape.width, shape.inner);
        let (queries, keys) = (shape.n_heads * shape.head, shape.n_kv_heads * shape.head);
        let head_norms = shape.has_head_norms.then(|| {
            Ok::<_, LocalError>((
                norm("self_attn.q_norm", shape.head)?,
                norm("self_attn.k_norm", shape.head)?,
            ))
        });
        let (qkv, mlp) = (shape.has_qkv_bias, shape.has_mlp_bias);
        Ok(Self {
            attention_norm: norm("input_layernorm", width)?,
            query: linear("self_attn.q_proj", (queries, width), qkv)?,
            key: linear("self_attn.k_proj", (keys, width), qkv)?,
            value: linear("self_attn.v_proj", (keys, width), qkv)?,
            out: linear("self_attn.o_proj", (width, queries), shape.has_out_bias)?,
            head_norms: head_norms.transpose()?,
            mlp_norm: norm("post_attention_layernorm", width)?,
            gate: linear("mlp.gate_proj", (inner, width), mlp)?,
            up: linear("mlp.up_proj", (inner, width), mlp)?,
            down: linear("mlp.down_proj", (width, inner), mlp)?,
        })
    }

    fn forward(
        &self,
        shape: &Shape,
        x: &Tensor,
        (rotation, start): (&(Tensor, Tensor), usize),
        cache: &mut KvCache,
    ) -> Candle<Tensor> {
        let eps = shape.norm_eps as f32;
        let normed = rms_norm(x, &self.attention_norm, eps)?;
        let n = x.dim(0)?;
        let heads = |y: Tensor, n_heads: usize| y.reshape((1, n, n_heads, shape.head));
        let mut query = heads(self.query.forward(&normed)?, shape.n_heads)?;
        let mut key = heads(self.key.forward(&normed)?, shape.n_kv_heads)?;
        let value = heads(self.value.forward(&normed)?, shape.n_kv_heads)?;
        if let Some((query_norm, key_norm)) = &self.head_norms {
            query = rms_norm(&query, query_norm, eps)?;
            key = rms_norm(&key, key_norm, eps)?;
        }
        let query = rotate(&query, rotation, shape.rotary.is_interleaved)?;
        let key = rotate(&key, rotation, shape.rotary.is_interleaved)?;
        let (key, value) = cache.append(&key, &value.contiguous()?)?;
        let scale = 1.0 / (shape.head as f32).sqrt();
        let mask = AttnMask::causal_with_offset(start);
        let mixed = flash_attn::<f32>(&query, &key, &value, scale, mask, None, None)?;
        let mixed = mixed
            .transpose(1, 2)?
            .reshape((n, shape.n_heads * shape.head))?;
        let x = (x + self.out.forward(&mixed)?)?;
        let normed = rms_norm(&x, &self.mlp_norm, eps)?;
        let gated = (silu(&self.gate.forward(&normed)?)? * self.up.forward(&normed)?)?;
        x + self.down.forward(&gated)?
    }
}

/// Turns heads `(1, tokens, heads, head)` by their positions.
fn rotate(x: &Tensor, (cos, sin): &(Tensor, Tensor), is_interleaved: bool) -> Candle<Tensor> {
    if is_interleaved {
        let x = x.transpose(1, 2)?.contiguous()?;
        return rope_i(&x, cos, sin)?.transpose(1, 2)?.contiguous();
    }
    rope_thd(&x.contiguous()?, cos, sin)
}

/// Radians per token of each pair of a head; transformers' `modeling_rope_utils.py` for the stretched ones.
fn turns(shape: &Shape, weights: &dyn Weights) -> Result<Vec<f32>, LocalError> {
    let half = shape.head / 2;
    let plain = (0..half).map(|pair| shape.rotary.theta.powf(-(pair as f64) / half as f64));
    let turns: Vec<f64> = match &shape.rotary.stretch {
        Stretch::None => plain.collect(),
        Stretch::Linear(factor) => plain.map(|turn| turn / factor).collect(),
        Stretch::Llama3 {
            factor,
            low,
            high,
            original,
        } => plain
            .map(|turn| {
                let length = std::f64::consts::TAU / turn;
                let share = (original / length - low) / (high - low);
                if length < original / high {
                    turn
                } else if length > original / low {
                    turn / factor
                } else {
                    (1.0 - share) * turn / factor + share * turn
                }
            })
            .collect(),
        Stretch::Divisors => {
            let divisors = weights.tensor("rope_freqs.weight", &[half])?;
            let divisors: Vec<f32> = divisors.to_vec1()?;
            plain
                .zip(divisors)
                .map(|(turn, divisor)| turn / f64::from(divisor))
                .collect()
        }
    };
    Ok(turns.into_iter().map(|turn| turn as f32).collect())
}
