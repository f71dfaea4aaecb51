//! The encoder and decoder of whisper, with caches of keys and values (openai/whisper, `whisper/model.py`; names of weights as in
//! transformers' `modeling_whisper.py`). One window and one sequence at a time: a tensor is `(positions, width)`.

use candle_core::quantized::QMatMul;
use candle_core::{Device, Module, Tensor};
use candle_nn::attention::{AttnMask, flash_attn};
use candle_nn::kv_cache::KvCache;
use candle_nn::ops::layer_norm;

use super::TIME_FRAMES;
use super::mel::Mel;
use super::shape::Shape;
use crate::error::LocalError;
use crate::weights::{Linear, Weights};

/// Added to variances, as torch's `LayerNorm` does.
const EPS: f32 = 1e-5;

type Candle<T> = candle_core::Result<T>;

struct Norm(Tensor, Tensor);

impl Norm {
    fn load(weights: &dyn Weights, name: &str, n: usize) -> Result<Self, LocalError> {
        Ok(Self(
            weights.tensor(&format!("{name}.weight"), &[n])?,
            weights.tensor(&format!("{name}.bias"), &[n])?,
        ))
    }

    fn forward(&self, x: &Tensor) -> Candle<Tensor> {
        layer_norm(&x.contiguous()?, &self.0, &self.1, EPS)
    }
}

struct Attention {
    query: Linear,
    key: Linear,
    value: Linear,
    out: Linear,
    n_heads: usize,
}

impl Attention {
    fn load(
        weights: &dyn Weights,
        name: &str,
        (width, n_heads): (usize, usize),
    ) -> Result<Self, LocalError> {
        let linear = |part: &str, has_bias: bool| {
            Linear::load(weights, &format!("{name}.{part}"), (width, width), has_bias)
        };
        Ok(Self {
            query: linear("q_proj", true)?,
            key: linear("k_proj", false)?,
            value: linear("v_proj", true)?,
            out: linear("out_proj", true)?,
            n_heads,
        })
    }

    /// `(positions, width)` as `(1, positions, heads, width / heads)`.
    fn heads(&self, x: &Tensor) -> Candle<Tensor> {
        let (n, width) = x.dims2()?;
        x.reshape((1, n, self.n_heads, width / self.n_heads))
    }

    /// Keys and values of positions.
    fn memory(&self, x: &Tensor) -> Candle<(Tensor, Tensor)> {
        Ok((
            self.heads(&self.key.forward(x)?)?,
            self.heads(&self.value.forward(x)?)?,
        ))
    }

    fn forward(
        &self,
        x: &Tensor,
        (keys, values): (&Tensor, &Tensor),
        mask: AttnMask,
    ) -> Candle<Tensor> {
        let (n, width) = x.dims2()?;
        let query = self.heads(&self.query.forward(x)?)?;
        let scale = ((width / self.n_heads) as f32).powf(-0.5);
        let mixed = flash_attn::<f32>(&query, keys, values, scale, mask, None, None)?;
        self.out
            .forward(&mixed.transpose(1, 2)?.reshape((n, width))?)
    }
}

struct Mlp {
    norm: Norm,
    inner: Linear,
    outer: Linear,
}

impl Mlp {
    fn load(
        weights: &dyn Weights,
        name: &str,
        (width, inner): (usize, usize),
    ) -> Result<Self, LocalError> {
        Ok(Self {
            norm: Norm::load(weights, &format!("{name}.final_layer_norm"), width)?,
            inner: Linear::load(weights, &format!("{name}.fc1"), (inner, width), true)?,
            outer: Linear::load(weights, &format!("{name}.fc2"), (width, inner), true)?,
        })
    }

    fn add(&self, x: &Tensor) -> Candle<Tensor> {
        let inner = self.inner.forward(&self.norm.forward(x)?)?.gelu_erf()?;
        x + self.outer.forward(&inner)?
    }
}

struct EncoderLayer {
    norm: Norm,
    attention: Attention,
    mlp: Mlp,
}

struct DecoderLayer {
    norm: Norm,
    attention: Attention,
    cross_norm: Norm,
    cross: Attention,
    mlp: Mlp,
}

/// A convolution over three positions.
struct Convolution {
    weight: Tensor,
    bias: Tensor,
    stride: usize,
}

impl Convolution {
    fn load(
        weights: &dyn Weights,
        name: &str,
        (n_in, n_out): (usize, usize),
        stride: usize,
    ) -> Result<Self, LocalError> {
        Ok(Self {
            weight: weights.tensor(&format!("{name}.weight"), &[n_out, n_in, 3])?,
            bias: weights.tensor(&format!("{name}.bias"), &[n_out])?,
            stride,
        })
    }

    fn forward(&self, x: &Tensor) -> Candle<Tensor> {
        let n = self.bias.dim(0)?;
        x.conv1d(&self.weight, 1, self.stride, 1, 1)?
            .broadcast_add(&self.bias.reshape((1, n, 1))?)?
            .gelu_erf()
    }
}

/// A whisper model's weights.
pub(crate) struct Model {
    pub(crate) shape: Shape,
    convolutions: [Convolution; 2],
    places: Tensor,
    encoder: Vec<EncoderLayer>,
    encoder_norm: Norm,
    tokens: QMatMul,
    token_places: Tensor,
    decoder: Vec<DecoderLayer>,
    decoder_norm: Norm,
}

/// What the decoder remembers of one window: what it hears, and the tokens so far.
pub(crate) struct Sequence {
    heard: Vec<(Tensor, Tensor)>,
    caches: Vec<KvCache>,
    n_tokens: usize,
}

impl Model {
    /// Loads the weights that a shape asks for.
    ///
    /// # Errors
    /// `Unreadable`, naming the tensor that is absent or has another shape.
    pub(crate) fn load(shape: Shape, weights: &dyn Weights) -> Result<Self, LocalError> {
        let (width, places) = (shape.width, "model.encoder.embed_positions.weight");
        let convolution = |name: &str, n_in: usize, stride: usize| {
            Convolution::load(
                weights,
                &format!("model.encoder.{name}"),
                (n_in, width),
                stride,
            )
        };
        let places = match weights.shape(places) {
            Some(_) => weights.tensor(places, &[shape.n_positions, width])?,
            None => waves(shape.n_positions, width)?,
        };
        let tokens = [shape.n_tokens, width];
        Ok(Self {
            convolutions: [
                convolution("conv1", shape.n_bands, 1)?,
                convolution("conv2", width, 2)?,
            ],
            places,
            encoder: (0..shape.encoder.n_layers)
                .map(|index| EncoderLayer::load(&shape, weights, index))
                .collect::<Result<_, _>>()?,
            encoder_norm: Norm::load(weights, "model.encoder.layer_norm", width)?,
            tokens: weights.matrix("model.decoder.embed_tokens.weight", (shape.vocab, width))?,
            token_places: weights.tensor("model.decoder.embed_positions.weight", &tokens)?,
            decoder: (0..shape.decoder.n_layers)
                .map(|index| DecoderLayer::load(&shape, weights, index))
                .collect::<Result<_, _>>()?,
            decoder_norm: Norm::load(weights, "model.decoder.layer_norm", width)?,
            shape,
        })
    }

    /// What the window of a spectrogram from a frame on means: `(n_positions, width)`.
    ///
    /// # Errors
    /// `Stopped`, asked before each layer; `Unreadable` when the arithmetic fails.
    pub(crate) fn encode(
        &self,
        mel: &Mel,
        at: usize,
        stop: &dyn Fn() -> bool,
    ) -> Result<Tensor, LocalError> {
        let n_frames = self.shape.n_positions * TIME_FRAMES;
        let size = (1, self.shape.n_bands, n_frames);
        let mut x = Tensor::from_vec(mel.window(at, n_frames), size, &Device::Cpu)?;
        for convolution in &self.convolutions {
            x = convolution.forward(&x)?;
        }
        let mut x = x.squeeze(0)?.t()?.contiguous()?.add(&self.places)?;
        for layer in &self.encoder {
            if stop() {
                return Err(LocalError::stopped());
            }
            let normed = layer.norm.forward(&x)?;
            let (keys, values) = layer.attention.memory(&normed)?;
            let mixed = layer
                .attention
                .forward(&normed, (&keys, &values), AttnMask::None)?;
            x = layer.mlp.add(&(x + mixed)?)?;
        }
        Ok(self.encoder_norm.forward(&x)?)
    }

    /// A sequence without tokens that hears an encoded window.
    pub(crate) fn sequence(&self, encoded: &Tensor) -> Result<Sequence, LocalError> {
        let heard = self
            .decoder
            .iter()
            .map(|layer| layer.cross.memory(encoded))
            .collect::<Candle<_>>()?;
        Ok(Sequence {
            heard,
            caches: vec![KvCache::new(1, self.shape.n_tokens); self.decoder.len()],
            n_tokens: 0,
        })
    }

    /// Appends tokens; gives the scores of what may follow each, one for each of the vocabulary.
    ///
    /// # Errors
    /// `TooLong` beyond the decoder's length, `Unreadable` when the arithmetic fails or gives no numbers.
    pub(crate) fn append(
        &self,
        sequence: &mut Sequence,
        tokens: &[u32],
    ) -> Result<Vec<Vec<f32>>, LocalError> {
        let start = sequence.n_tokens;
        if start + tokens.len() > self.shape.n_tokens {
            return Err(LocalError::too_long(format!(
                "{} tokens do not fit into the {} that the model holds",
                start + tokens.len(),
                self.shape.n_tokens
            )));
        }
        let ids = Tensor::new(tokens, &Device::Cpu)?;
        let places = self.token_places.narrow(0, start, tokens.len())?;
        let mut x = (self.tokens.embedding(&ids)? + places)?;
        for (index, layer) in self.decoder.iter().enumerate() {
            let normed = layer.norm.forward(&x)?;
            let (keys, values) = layer.attention.memory(&normed)?;
            let (keys, values) = sequence.caches[index].append(&keys, &values)?;
            let mask = AttnMask::causal_with_offset(start);
            x = (x + layer.attention.forward(&normed, (&keys, &values), mask)?)?;
            let (keys, values) = &sequence.heard[index];
            let normed = layer.cross_norm.forward(&x)?;
            x = (x + layer
                .cross
                .forward(&normed, (keys, values), AttnMask::None)?)?;
            x = layer.mlp.add(&x)?;
        }
        sequence.n_tokens += tokens.len();
        let scores = self.tokens.forward(&self.decoder_norm.forward(&x)?)?;
        let scores: Vec<Vec<f32>> = scores.to_vec2()?;
        if scores.iter().flatten().any(|score| score.is_nan()) {
            return Err(LocalError::unreadable(
                "the model's weights give no numbers (NaN); get its files again",
            ));
        }
        Ok(scores)
    }
}

impl EncoderLayer {
    fn load(shape: &Shape, weights: &dyn Weights, index: usize) -> Result<Self, LocalError> {
        let name = format!("model.encoder.layers.{index}");
        let heads = (shape.width, shape.encoder.n_heads);
        Ok(Self {
            norm: Norm::load(
                weights,
                &format!("{name}.self_attn_layer_norm"),
                shape.width,
            )?,
            attention: Attention::load(weights, &format!("{name}.self_attn"), heads)?,
            mlp: Mlp::load(weights, &name, (shape.width, shape.encoder.inner))?,
        })
    }
}

impl DecoderLayer {
    fn load(shape: &Shape, weights: &dyn Weights, index: usize) -> Result<Self, LocalError> {
        let name = format!("model.decoder.layers.{index}");
        let heads = (shape.width, shape.decoder.n_heads);
        let norm = |part: &str| Norm::load(weights, &format!("{name}.{part}"), shape.width);
        Ok(Self {
            norm: norm("self_attn_layer_norm")?,
            attention: Attention::load(weights, &format!("{name}.self_attn"), heads)?,
            cross_norm: norm("encoder_attn_layer_norm")?,
            cross: Attention::load(weights, &format!("{name}.encoder_attn"), heads)?,
            mlp: Mlp::load(weights, &name, (shape.width, shape.decoder.inner))?,
        })
    }
}

/// Sines and cosines of the positions, for files without them (`whisper/model.py`, `sinusoids`).
fn waves(n: usize, width: usize) -> Candle<Tensor> {
    let half = width / 2;
    let step = 10_000_f64.ln() / (half.max(2) - 1) as f64;
    let mut values = vec![0.0_f32; n * width];
    for (place, row) in values.chunks_mut(width).enumerate() {
        for wave in 0..half {
            let angle = place as f64 * (-step * wave as f64).exp();
            row[wave] = angle.sin() as f32;
            row[half + wave] = angle.cos() as f32;
        }
    }
    Tensor::from_vec(values, (n, width), &Device::Cpu)
}
