//! The GGUF format of llama.cpp (ggml-org/ggml, docs/gguf.md): metadata and quantized tensors in one file.

use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Mutex;

use candle_core::quantized::gguf_file::{Content, TensorInfo, Value};
use candle_core::quantized::{QMatMul, QTensor};
use candle_core::{DType, Device, Tensor};

use super::{Weights, check_shape};
use crate::error::{LocalError, first_line};
use crate::folder::Folder;

/// Layers' tensors: the hub's words and those of GGUF.
const LAYER_WORDS: [(&str, &str); 11] = [
    ("self_attn.q_proj", "attn_q"),
    ("self_attn.k_proj", "attn_k"),
    ("self_attn.v_proj", "attn_v"),
    ("self_attn.o_proj", "attn_output"),
    ("self_attn.q_norm", "attn_q_norm"),
    ("self_attn.k_norm", "attn_k_norm"),
    ("mlp.gate_proj", "ffn_gate"),
    ("mlp.up_proj", "ffn_up"),
    ("mlp.down_proj", "ffn_down"),
    ("input_layernorm", "attn_norm"),
    ("post_attention_layernorm", "ffn_norm"),
];

/// One GGUF file.
pub(crate) struct Gguf {
    path: PathBuf,
    content: Content,
    reader: Mutex<BufReader<File>>,
    n_bytes: u64,
}

impl Gguf {
    /// Opens a file of a folder and reads its header.
    ///
    /// # Errors
    /// `Missing`, `Unreadable`, or `Unsupported` for formats of numbers that candle does not know.
    pub(crate) fn open(folder: &Folder, name: &str) -> Result<Self, LocalError> {
        let path = folder.path(name);
        if !path.is_file() {
            return Err(folder.missing(name));
        }
        let failed = |error: std::io::Error| LocalError::file(&path, error);
        let file = File::open(&path).map_err(failed)?;
        let n_bytes = file.metadata().map_err(failed)?.len();
        let mut reader = BufReader::new(file);
        reader.seek(SeekFrom::Start(0)).map_err(failed)?;
        let content = Content::read(&mut reader).map_err(|error| {
            let why = first_line(&error.to_string()).to_owned();
            if why.contains("unknown dtype") {
                return LocalError::unsupported(format!(
                    "{} has tensors in a format that is not known ({why}); known are F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 and Q2_K to Q6_K",
                    path.display()
                ));
            }
            LocalError::file(&path, why)
        })?;
        Ok(Self {
            path,
            content,
            reader: Mutex::new(reader),
            n_bytes,
        })
    }

    /// Where the file is, for messages.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// A text of the metadata.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.content.metadata.get(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// A whole number of the metadata that is not negative.
    pub(crate) fn number(&self, key: &str) -> Option<usize> {
        let value = self.content.metadata.get(key)?;
        let number = match value {
            Value::I32(number) => u64::try_from(*number).ok()?,
            Value::I64(number) => u64::try_from(*number).ok()?,
            other => other.to_u64().ok()?,
        };
        usize::try_from(number).ok()
    }

    /// A fraction of the metadata.
    pub(crate) fn fraction(&self, key: &str) -> Option<f64> {
        match self.content.metadata.get(key)? {
            Value::F32(number) => Some(f64::from(*number)),
            Value::F64(number) => Some(*number),
            _ => None,
        }
    }

    /// A tensor as it is in the file. Checked here and not left to candle: a product of dimensions that overflows.
    fn quantized(&self, name: &str, shape: &[usize]) -> Result<QTensor, LocalError> {
        let own = own_name(name);
        let info = self.content.tensor_infos.get(&own);
        let found = info.map(|info| info.shape.dims());
        check_shape(&self.name(), &own, (found, shape))?;
        let fits = info.and_then(n_bytes_of).is_some_and(|n_bytes| {
            let start = info.map_or(0, |info| info.offset);
            let end = self.content.tensor_data_offset.checked_add(start);
            end.and_then(|end| end.checked_add(n_bytes))
                .is_some_and(|end| end <= self.n_bytes)
        });
        if !fits {
            return Err(LocalError::file(
                &self.path,
                format!("tensor {own} is cut off"),
            ));
        }
        let mut reader = self
            .reader
            .lock()
            .unwrap_or_else(|poison| poison.into_inner());
        self.content
            .tensor(&mut *reader, &own, &Device::Cpu)
            .map_err(|error| {
                let why = first_line(&error.to_string()).to_owned();
                LocalError::file(&self.path, format!("tensor {own}: {why}"))
            })
    }
}

impl Weights for Gguf {
    fn shape(&self, name: &str) -> Option<Vec<usize>> {
        let info = self.content.tensor_infos.get(&own_name(name))?;
        Some(info.shape.dims().to_vec())
    }

    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor, LocalError> {
        let tensor = self.quantized(name, shape)?;
        Ok(tensor.dequantize(&Device::Cpu)?.to_dtype(DType::F32)?)
    }

    fn matrix(&self, name: &str, (rows, columns): (usize, usize)) -> Result<QMatMul, LocalError> {
        let tensor = self.quantized(name, &[rows, columns])?;
        if columns % tensor.dtype().block_size() != 0 {
            return Err(LocalError::file(
                &self.path,
                format!(
                    "tensor {name}: rows of {columns} do not fill blocks of {}",
                    tensor.dtype().block_size()
                ),
            ));
        }
        Ok(QMatMul::from_qtensor(tensor)?)
    }
}

/// Bytes of a tensor, unless its dimensions overflow.
fn n_bytes_of(info: &TensorInfo) -> Option<u64> {
    let n = info
        .shape
        .dims()
        .iter()
        .try_fold(1_usize, |size, n| size.checked_mul(*n))?;
    let blocks = n / info.ggml_dtype.block_size();
    u64::try_from(blocks.checked_mul(info.ggml_dtype.type_size())?).ok()
}

/// The word of GGUF for a tensor's name on the hub; other names stay as they are.
fn own_name(name: &str) -> String {
    match name {
        "model.embed_tokens.weight" => return "token_embd.weight".to_owned(),
        "model.norm.weight" => return "output_norm.weight".to_owned(),
        "lm_head.weight" => return "output.weight".to_owned(),
        _ => {}
    }
    let layer = name
        .strip_prefix("model.layers.")
        .and_then(|rest| rest.split_once('.'))
        .and_then(|(layer, rest)| Some((layer, rest.rsplit_once('.')?)));
    if let Some((layer, (words, last))) = layer
        && let Some((_, own)) = LAYER_WORDS.iter().find(|(hub, _)| *hub == words)
    {
        return format!("blk.{layer}.{own}.{last}");
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::own_name;

    #[test]
    fn names_of_the_hub_become_names_of_gguf() {
        for (hub, own) in [
            ("model.embed_tokens.weight", "token_embd.weight"),
            (
                "model.layers.11.self_attn.k_proj.bias",
                "blk.11.attn_k.bias",
            ),
            (
                "model.layers.0.mlp.down_proj.weight",
                "blk.0.ffn_down.weight",
            ),
            ("rope_freqs.weight", "rope_freqs.weight"),
        ] {
            assert_eq!(own_name(hub), own);
        }
    }
}
