//! The fixtures of transformers as GGUF files: as llama.cpp's converter writes them they must answer the same.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::Path;

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{DType, Device, Tensor};
use kinora_local::{LocalErrorKind, Writer};
use tempfile::TempDir;

use crate::{answer, answers, fixture};

/// Parts of layers on the hub and in GGUF files.
const PARTS: [(&str, &str); 11] = [
    ("self_attn.q_proj", "attn_q"),
    ("self_attn.k_proj", "attn_k"),
    ("self_attn.v_proj", "attn_v"),
    ("self_attn.o_proj", "attn_output"),
    ("self_attn.q_norm", "attn_q_norm"),
    ("self_attn.k_norm", "attn_k_norm"),
    ("mlp.gate_proj", "ffn_gate"),
    ("mlp.up_proj", "ffn_up"),
    ("mlp.down_proj", "ffn_down"),
    ("post_attention_layernorm", "ffn_norm"),
    ("input_layernorm", "attn_norm"),
];

fn renamed(name: &str) -> String {
    let mut name = name
        .replace("model.embed_tokens", "token_embd")
        .replace("model.norm", "output_norm")
        .replace("lm_head", "output")
        .replace("model.layers", "blk");
    for (hub, own) in PARTS {
        name = name.replace(hub, own);
    }
    name
}

/// The weights of a fixture as F32.
fn weights(name: &str) -> HashMap<String, Tensor> {
    let mut weights = HashMap::new();
    for entry in fs::read_dir(fixture(name)).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "safetensors") {
            weights.extend(candle_core::safetensors::load(path, &Device::Cpu).unwrap());
        }
    }
    weights
        .into_iter()
        .map(|(name, tensor)| (name, tensor.to_dtype(DType::F32).unwrap()))
        .collect()
}

/// The rows of a llama's heads with pairs side by side.
fn interleaved(tensor: &Tensor, n_heads: usize) -> Tensor {
    let (rows, columns) = tensor.dims2().unwrap();
    tensor
        .reshape((n_heads, 2, rows / n_heads / 2, columns))
        .and_then(|tensor| tensor.transpose(1, 2))
        .and_then(|tensor| tensor.reshape((rows, columns)))
        .unwrap()
}

fn write(folder: &Path, metadata: &[(String, Value)], tensors: &[(String, Tensor)]) {
    let tensors: Vec<(&str, QTensor)> = tensors
        .iter()
        .map(|(name, tensor)| {
            let tensor = tensor.contiguous().unwrap();
            (
                name.as_str(),
                QTensor::quantize(&tensor, GgmlDType::F32).unwrap(),
            )
        })
        .collect();
    let tensors: Vec<(&str, &QTensor)> = tensors
        .iter()
        .map(|(name, tensor)| (*name, tensor))
        .collect();
    let metadata: Vec<(&str, &Value)> = metadata
        .iter()
        .map(|(key, value)| (key.as_str(), value))
        .collect();
    let mut file = File::create(folder.join("model.gguf")).unwrap();
    gguf_file::write(&mut file, &metadata, &tensors).unwrap();
}

/// The settings of a fixture as metadata.
fn metadata(name: &str) -> Vec<(String, Value)> {
    let text = fs::read_to_string(fixture(name).join("config.json")).unwrap();
    let config: serde_json::Value = serde_json::from_str(&text).unwrap();
    let number = |key: &str| Value::U32(config[key].as_u64().unwrap() as u32);
    let fraction = |value: &serde_json::Value| Value::F32(value.as_f64().unwrap() as f32);
    let mut metadata = vec![
        (
            "general.architecture".to_owned(),
            Value::String(name.to_owned()),
        ),
        (
            "tokenizer.ggml.eos_token_id".to_owned(),
            number("eos_token_id"),
        ),
    ];
    let mut add = |key: &str, value: Value| metadata.push((format!("{name}.{key}"), value));
    add("block_count", number("num_hidden_layers"));
    add("embedding_length", number("hidden_size"));
    add("feed_forward_length", number("intermediate_size"));
    add("attention.head_count", number("num_attention_heads"));
    add("attention.head_count_kv", number("num_key_value_heads"));
    add("context_length", number("max_position_embeddings"));
    if !config["head_dim"].is_null() {
        add("attention.key_length", number("head_dim"));
    }
    add(
        "attention.layer_norm_rms_epsilon",
        fraction(&config["rms_norm_eps"]),
    );
    add(
        "rope.freq_base",
        fraction(&config["rope_parameters"]["rope_theta"]),
    );
    metadata
}

/// A fixture as a folder with a GGUF file, its tokenizer and its settings of chats.
fn converted(name: &str, change: impl FnOnce(&mut Vec<(String, Tensor)>)) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in [
        "tokenizer.json",
        "tokenizer_config.json",
        "chat_template.jinja",
        "generation_config.json",
    ] {
        let from = fixture(name).join(file);
        if from.exists() {
            fs::copy(from, folder.path().join(file)).unwrap();
        }
    }
    let mut tensors: Vec<(String, Tensor)> = weights(name)
        .into_iter()
        .map(|(name, tensor)| (renamed(&name), tensor))
        .collect();
    change(&mut tensors);
    write(folder.path(), &metadata(name), &tensors);
    folder
}

#[test]
fn qwens_answer_the_same_from_a_gguf_file() {
    for name in ["qwen2", "qwen3"] {
        let folder = converted(name, |_| {});
        let writer = Writer::load(folder.path()).unwrap();
        assert_eq!(answer(&writer, name, 40), answers(name)["text"], "{name}");
    }
}

#[test]
fn a_stretched_llama_answers_the_same_by_its_divisors() {
    let folder = converted("llama", |tensors| {
        for (name, tensor) in tensors.iter_mut() {
            if name.ends_with("attn_q.weight") {
                *tensor = interleaved(tensor, 4);
            } else if name.ends_with("attn_k.weight") {
                *tensor = interleaved(tensor, 2);
            }
        }
        // What the converter writes for the fixture's llama3 scaling: factor 8, 1 and 4 turns of 64 tokens.
        let divisors: Vec<f32> = (0..4)
            .map(|pair| {
                let length = std::f64::consts::TAU * 10_000_f64.powf(f64::from(pair) / 4.0);
                let share = ((64.0 / length - 1.0) / 3.0).clamp(0.0, 1.0);
                (1.0 / ((1.0 - share) / 8.0 + share)) as f32
            })
            .collect();
        let divisors = Tensor::from_vec(divisors, 4, &Device::Cpu).unwrap();
        tensors.push(("rope_freqs.weight".to_owned(), divisors));
    });
    let writer = Writer::load(folder.path()).unwrap();
    assert_eq!(answer(&writer, "llama", 40), answers("llama")["text"]);
}

#[test]
fn a_panic_in_the_reader_of_files_is_an_error() {
    let folder = converted("qwen2", |_| {});
    let mut metadata = metadata("qwen2");
    metadata.push(("general.alignment".to_owned(), Value::U32(0)));
    write(folder.path(), &metadata, &[]);
    let error = Writer::load(folder.path()).unwrap_err();
    assert_eq!(error.kind, LocalErrorKind::Unreadable);
    assert!(
        error.message.contains("the library beneath"),
        "{}",
        error.message
    );
}

#[test]
fn tensors_that_other_settings_ask_for_are_named() {
    for lost in [
        "blk.1.attn_q.bias",
        "token_embd.weight",
        "blk.0.ffn_up.weight",
    ] {
        let folder = converted("qwen2", |tensors| {
            tensors.retain(|(name, _)| name != lost);
        });
        let error = Writer::load(folder.path()).unwrap_err();
        assert_eq!(error.kind, LocalErrorKind::Unreadable);
        assert!(error.message.contains(lost), "{}", error.message);
    }
}

#[test]
fn formats_of_numbers_that_are_not_known_are_refused_by_name() {
    let folder = converted("qwen2", |_| {});
    let path = folder.path().join("model.gguf");
    let mut bytes = fs::read(&path).unwrap();
    let name = b"output_norm.weight";
    let at = bytes.windows(name.len()).position(|it| it == name).unwrap();
    // After the name: the number of dimensions, one dimension, the format.
    bytes[at + name.len() + 12] = 20;
    fs::write(&path, bytes).unwrap();
    let error = Writer::load(folder.path()).unwrap_err();
    assert_eq!(error.kind, LocalErrorKind::Unsupported);
    assert!(error.message.contains("Q4_0"), "{}", error.message);
}
