//! Models that recite: whatever they are asked or made to hear, they give a fixed text. Their weights are constructed, not trained.
//! It needs std and `serde_json` only, so that tests of other crates may include this file by `#[path]`.
// A test that includes this file need not use all of it.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{Error, Result};
use std::path::Path;

use serde_json::{Value, json};

/// A small script, as a language model would write it.
pub const SCRIPT: &str = r#"{"title":"The lighthouse","scenes":[{"text":"A keeper climbs the stairs.","picture":"a lighthouse in a storm"},{"text":"The light turns on.","picture":"a lamp shining over the sea"}]}"#;

/// The same words as speech: text, start and end in seconds.
pub const SPEECH: [(&str, f64, f64); 2] = [
    ("A keeper climbs the stairs.", 0.0, 2.0),
    ("The light turns on.", 2.0, 4.0),
];

/// Characters of a piece of the text, which is one token.
const PIECE: usize = 8;
/// Weight that makes a token certain.
const CERTAIN: f32 = 20.0;

/// A tensor's name, shape and values.
type Named = (String, Vec<usize>, Vec<f32>);

/// Writes the folder of a llama that answers `text` to whatever it is asked. Its hidden state is the place in the text: the embedding tells
/// which piece was given last, attention and the inner layer add nothing, and the head scores the piece after that one.
pub fn writer(folder: &Path, text: &str) -> Result<()> {
    let pieces = pieces(text);
    let (start, end, first) = (256, 257, 258);
    let vocab = first + pieces.len();
    let width = (pieces.len() + 1).next_multiple_of(2);
    let mut tokens = alphabet();
    tokens.extend(["<|im_start|>".to_owned(), "<|im_end|>".to_owned()]);
    tokens.extend(pieces.iter().map(|piece| spelled(piece)));
    let mut embedding = vec![0.0; vocab * width];
    let mut head = vec![0.0; vocab * width];
    for token in 0..vocab {
        let place = (token + 1).saturating_sub(first);
        embedding[token * width + place] = 1.0;
    }
    for place in 0..pieces.len() {
        head[(first + place) * width + place] = CERTAIN;
    }
    head[end * width + pieces.len()] = CERTAIN;
    let mut tensors: Vec<Named> = vec![
        (
            "model.embed_tokens.weight".into(),
            vec![vocab, width],
            embedding,
        ),
        ("lm_head.weight".into(), vec![vocab, width], head),
        ("model.norm.weight".into(), vec![width], vec![1.0; width]),
    ];
    let layer = |part: &str| format!("model.layers.0.{part}.weight");
    for part in ["q_proj", "k_proj", "v_proj", "o_proj"] {
        let name = layer(&format!("self_attn.{part}"));
        tensors.push((name, vec![width, width], vec![0.0; width * width]));
    }
    for (part, shape) in [
        ("gate_proj", [2, width]),
        ("up_proj", [2, width]),
        ("down_proj", [width, 2]),
    ] {
        let name = layer(&format!("mlp.{part}"));
        tensors.push((name, shape.to_vec(), vec![0.0; 2 * width]));
    }
    for part in ["input_layernorm", "post_attention_layernorm"] {
        tensors.push((layer(part), vec![width], vec![1.0; width]));
    }
    let config = json!({
        "model_type": "llama", "vocab_size": vocab, "hidden_size": width, "intermediate_size": 2, "num_hidden_layers": 1,
        "num_attention_heads": 1, "num_key_value_heads": 1, "max_position_embeddings": 32768, "rms_norm_eps": 1e-6,
        "hidden_act": "silu", "tie_word_embeddings": false, "eos_token_id": end,
    });
    fs::create_dir_all(folder)?;
    write_json(folder, "config.json", &config)?;
    write_json(
        folder,
        "tokenizer_config.json",
        &json!({"eos_token": "<|im_end|>"}),
    )?;
    write_json(folder, "tokenizer.json", &tokenizer(&tokens, start..first))?;
    write_safetensors(&folder.join("model.safetensors"), &tensors)
}

/// Writes the folder of a whisper of many languages that hears `lines` (text, start and end in seconds, the first from 0.0) in each window of 30 s
/// of any sound, in English. Its hidden state is the position of the token, whose embedding is that of the token to give there.
pub fn listener(folder: &Path, lines: &[(&str, f64, f64)]) -> Result<()> {
    let mut tokens = alphabet();
    for word in lines.iter().flat_map(|(text, _, _)| words(text)) {
        let word = spelled(&word);
        if !tokens.contains(&word) {
            tokens.push(word);
        }
    }
    let end = tokens.len();
    let specials = [
        "<|endoftext|>",
        "<|startoftranscript|>",
        "<|en|>",
        "<|translate|>",
        "<|transcribe|>",
        "<|nospeech|>",
        "<|notimestamps|>",
    ];
    tokens.extend(specials.map(str::to_owned));
    let first_time = tokens.len();
    let time = |secs: &f64| first_time + (secs * 50.0).round() as usize;
    let id = |word: &str| tokens.iter().position(|token| *token == spelled(word));
    // What follows the tokens that begin a window: start (asked for the language), language, task.
    let mut given = vec![end + 2, end + 2];
    for (text, from, to) in lines {
        given.push(time(from));
        given.extend(words(text).iter().filter_map(|word| id(word)));
        given.push(time(to));
    }
    given.push(end);
    let settings = json!({
        "is_multilingual": true, "lang_to_id": {"<|en|>": end + 2}, "no_timestamps_token_id": first_time - 1,
        "suppress_tokens": [], "begin_suppress_tokens": [end], "max_initial_timestamp_index": 50,
    });
    fs::create_dir_all(folder)?;
    write_json(folder, "generation_config.json", &settings)?;
    write_json(
        folder,
        "tokenizer.json",
        &tokenizer(&tokens, end..first_time),
    )?;
    listener_weights(folder, first_time + 1501, &given)
}

/// The configuration and weights of a whisper that gives `given[position]` at each position.
fn listener_weights(folder: &Path, vocab: usize, given: &[usize]) -> Result<()> {
    let mut places = BTreeMap::new();
    for token in given {
        let next = places.len();
        places.entry(*token).or_insert(next);
    }
    let width = places.len().next_multiple_of(2).max(16);
    let n_tokens = 448.max(2 * given.len());
    let mut embedding = vec![0.0; vocab * width];
    for (token, place) in &places {
        embedding[token * width + place] = 1.0;
    }
    let mut positions = vec![0.0; n_tokens * width];
    for (position, token) in given.iter().enumerate() {
        positions[position * width + places[token]] = CERTAIN;
    }
    let mut tensors: Vec<Named> = vec![
        (
            "model.decoder.embed_tokens.weight".into(),
            vec![vocab, width],
            embedding,
        ),
        (
            "model.decoder.embed_positions.weight".into(),
            vec![n_tokens, width],
            positions,
        ),
    ];
    tensors.extend(idle_tensors(width));
    let config = json!({
        "model_type": "whisper", "vocab_size": vocab, "num_mel_bins": 80, "d_model": width, "max_source_positions": 1500,
        "max_target_positions": n_tokens, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 1,
        "decoder_attention_heads": 1, "encoder_ffn_dim": 2, "decoder_ffn_dim": 2,
    });
    write_json(folder, "config.json", &config)?;
    write_safetensors(&folder.join("model.safetensors"), &tensors)
}

/// What is left of a whisper: norms that pass everything on, and layers that add nothing.
fn idle_tensors(width: usize) -> Vec<Named> {
    let mut tensors = Vec::new();
    let mut norm = |name: String, weight: f32| {
        tensors.push((format!("{name}.weight"), vec![width], vec![weight; width]));
        tensors.push((format!("{name}.bias"), vec![width], vec![0.0; width]));
    };
    norm("model.encoder.layer_norm".into(), 1.0);
    norm("model.decoder.layer_norm".into(), CERTAIN);
    for (side, parts) in [
        ("encoder", vec!["self_attn_layer_norm", "final_layer_norm"]),
        (
            "decoder",
            vec![
                "self_attn_layer_norm",
                "encoder_attn_layer_norm",
                "final_layer_norm",
            ],
        ),
    ] {
        for part in parts {
            norm(format!("model.{side}.layers.0.{part}"), 1.0);
        }
    }
    let mut zeros = |name: String, shape: Vec<usize>| {
        let n = shape.iter().product();
        tensors.push((name, shape, vec![0.0; n]));
    };
    for (name, n_in) in [("conv1", 80), ("conv2", width)] {
        zeros(format!("model.encoder.{name}.weight"), vec![width, n_in, 3]);
        zeros(format!("model.encoder.{name}.bias"), vec![width]);
    }
    for block in [
        "encoder.layers.0.self_attn",
        "decoder.layers.0.self_attn",
        "decoder.layers.0.encoder_attn",
    ] {
        for part in ["q_proj", "k_proj", "v_proj", "out_proj"] {
            zeros(format!("model.{block}.{part}.weight"), vec![width, width]);
            zeros(format!("model.{block}.{part}.bias"), vec![width]);
        }
    }
    for side in ["encoder", "decoder"] {
        let layer = format!("model.{side}.layers.0");
        zeros(format!("{layer}.fc1.weight"), vec![2, width]);
        zeros(format!("{layer}.fc1.bias"), vec![2]);
        zeros(format!("{layer}.fc2.weight"), vec![width, 2]);
        zeros(format!("{layer}.fc2.bias"), vec![width]);
    }
    tensors
}

/// Words with the space before them.
fn words(text: &str) -> Vec<String> {
    text.split_whitespace()
        .map(|word| format!(" {word}"))
        .collect()
}

/// A text in pieces of some characters, each of which occurs once.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut piece = String::new();
    for letter in text.chars() {
        piece.push(letter);
        if piece.chars().count() >= PIECE && !pieces.contains(&piece) {
            pieces.push(std::mem::take(&mut piece));
        }
    }
    // What is left goes with the piece before it; a piece of one byte would be a token of the alphabet.
    match pieces.last_mut() {
        Some(last) => last.push_str(&piece),
        None => pieces.push(format!("{piece}  ")),
    }
    pieces
}

/// The letter that stands for a byte in byte-level tokenizers (openai/gpt-2, `encoder.py`, `bytes_to_unicode`).
fn letter(byte: u8) -> char {
    let is_plain = |byte: &u8| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    if is_plain(&byte) {
        return char::from(byte);
    }
    let n_before = (0..byte).filter(|byte| !is_plain(byte)).count() as u32;
    char::from_u32(256 + n_before).unwrap_or(' ')
}

fn spelled(text: &str) -> String {
    text.bytes().map(letter).collect()
}

fn alphabet() -> Vec<String> {
    (0..=255).map(|byte| letter(byte).to_string()).collect()
}

/// A byte-level tokenizer that splits a text into bytes and joins tokens to text.
fn tokenizer(tokens: &[String], specials: std::ops::Range<usize>) -> Value {
    let vocab: BTreeMap<&str, usize> = tokens
        .iter()
        .enumerate()
        .map(|(id, token)| (token.as_str(), id))
        .collect();
    let added: Vec<Value> = specials
        .map(|id| {
            json!({
                "id": id, "content": tokens[id], "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true,
            })
        })
        .collect();
    let bytes = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false});
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added, "normalizer": null,
        "pre_tokenizer": bytes, "post_processor": null, "decoder": bytes,
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null, "end_of_word_suffix": null,
            "fuse_unk": false, "byte_fallback": false, "ignore_merges": false, "vocab": vocab, "merges": [],
        },
    })
}

fn write_json(folder: &Path, name: &str, value: &Value) -> Result<()> {
    fs::write(folder.join(name), value.to_string())
}

/// Writes tensors as F32 in the safetensors format.
fn write_safetensors(path: &Path, tensors: &[Named]) -> Result<()> {
    let mut header = serde_json::Map::new();
    let mut data = Vec::new();
    for (name, shape, values) in tensors {
        if shape.iter().product::<usize>() != values.len() {
            return Err(Error::other(format!("{name} has {} values", values.len())));
        }
        let start = data.len();
        data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        let entry = json!({"dtype": "F32", "shape": shape, "data_offsets": [start, data.len()]});
        header.insert(name.clone(), entry);
    }
    let header = Value::Object(header).to_string();
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    fs::write(path, bytes)
}
