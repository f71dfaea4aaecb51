//! Broken and hostile folders: each gives an error that says what is wrong, never a panic.

use std::fs;
use std::path::Path;

use kinora_local::{Limits, Listener, LocalError, LocalErrorKind, Prompt, Writer};
use serde_json::{Value, json};

use crate::{copy, edit, fixture};

/// Loads a folder and uses the model a little.
fn load(folder: &Path, is_listener: bool) -> Result<(), LocalError> {
    if is_listener {
        let listener = Listener::load(folder)?;
        return listener
            .transcribe(&vec![0.1; 8000], None, &|| false)
            .map(|_| ());
    }
    let limits = Limits {
        max_tokens: 3,
        ..Limits::default()
    };
    let prompt = Prompt {
        system: "Be brief.".to_owned(),
        user: "Tell.".to_owned(),
    };
    Writer::load(folder)?
        .generate(&prompt, &limits, &|| false)
        .map(|_| ())
}

const MODELS: [&str; 5] = ["llama", "qwen2", "qwen3", "llama-gguf", "whisper"];

fn load_named(folder: &Path, name: &str) -> Result<(), LocalError> {
    load(folder, name == "whisper")
}

#[test]
fn whole_models_load() {
    for name in MODELS {
        load_named(&fixture(name), name).unwrap();
    }
}

#[test]
fn each_missing_file_is_named_with_what_a_folder_holds() {
    let there = tempfile::tempdir().unwrap();
    for is_listener in [false, true] {
        let error = load(&there.path().join("nowhere"), is_listener).unwrap_err();
        assert_eq!(error.kind, LocalErrorKind::Missing);
        assert!(error.message.contains("nowhere") && error.message.contains("folder holds"));
    }
    for (name, file) in [
        ("qwen2", "config.json"),
        ("qwen2", "tokenizer.json"),
        ("qwen2", "model.safetensors"),
        ("llama-gguf", "tokenizer.json"),
        ("whisper", "config.json"),
        ("whisper", "generation_config.json"),
        ("whisper", "tokenizer.json"),
        ("whisper", "model.safetensors"),
    ] {
        let folder = copy(&fixture(name));
        fs::remove_file(folder.path().join(file)).unwrap();
        let error = load_named(folder.path(), name).unwrap_err();
        assert_eq!(
            error.kind,
            LocalErrorKind::Missing,
            "{name} {file}: {error}"
        );
        assert!(error.message.contains(file), "{}", error.message);
        assert!(error.message.contains("folder holds"), "{}", error.message);
    }
}

#[test]
fn optional_files_may_be_missing() {
    for (name, file) in [
        ("qwen2", "generation_config.json"),
        ("qwen2", "tokenizer_config.json"),
        ("qwen3", "chat_template.jinja"),
    ] {
        let folder = copy(&fixture(name));
        fs::remove_file(folder.path().join(file)).unwrap();
        load_named(folder.path(), name).unwrap();
    }
}

#[test]
fn truncated_files_are_errors() {
    for name in MODELS {
        for entry in fs::read_dir(fixture(name)).unwrap() {
            let file = entry.unwrap().file_name().into_string().unwrap();
            if file == "answers.json" || file == "chat_template.jinja" {
                continue;
            }
            let whole = fs::read(fixture(name).join(&file)).unwrap();
            let n = whole.len();
            for cut in [0, 1, 7, 8, 9, 40, n / 3, n / 2, n - n / 10, n - 2] {
                let folder = copy(&fixture(name));
                fs::write(folder.path().join(&file), &whole[..cut.min(n - 2)]).unwrap();
                let error = load_named(folder.path(), name).unwrap_err();
                assert_eq!(
                    error.kind,
                    LocalErrorKind::Unreadable,
                    "{name} {file} at {cut}: {error}"
                );
                assert!(error.message.contains(&file), "{file}: {}", error.message);
            }
        }
    }
}

#[test]
fn garbage_is_an_error_or_another_model_but_no_panic() {
    for name in MODELS {
        for entry in fs::read_dir(fixture(name)).unwrap() {
            let file = entry.unwrap().file_name().into_string().unwrap();
            if file == "answers.json" {
                continue;
            }
            let whole = fs::read(fixture(name).join(&file)).unwrap();
            let folder = copy(&fixture(name));
            let path = folder.path().join(&file);
            fs::write(&path, vec![0xa5; whole.len()]).unwrap();
            assert!(load_named(folder.path(), name).is_err(), "{name} {file}");
            let mut state = 1_u32;
            for _ in 0..12 {
                let mut bytes = whole.clone();
                for _ in 0..4 {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    // Headers come first: half of the strikes go there.
                    let n = if state & 1 == 0 {
                        bytes.len()
                    } else {
                        bytes.len().min(600)
                    };
                    let place = (state >> 8) as usize % n;
                    bytes[place] ^= 1 << (state >> 29);
                }
                fs::write(&path, bytes).unwrap();
                let _ = load_named(folder.path(), name);
            }
        }
    }
}

/// Replaces the header of a safetensors file.
fn with_header(path: &Path, change: impl FnOnce(&mut Value)) {
    let bytes = fs::read(path).unwrap();
    let n = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut header: Value = serde_json::from_slice(&bytes[8..8 + n]).unwrap();
    change(&mut header);
    let header = header.to_string();
    let mut out = (header.len() as u64).to_le_bytes().to_vec();
    out.extend(header.as_bytes());
    out.extend(&bytes[8 + n..]);
    fs::write(path, out).unwrap();
}

#[test]
fn hostile_headers_are_errors_that_name_the_tensor() {
    let tensor = "model.layers.0.mlp.up_proj.weight";
    let huge = u64::MAX / 2;
    let changes: [(&str, Value, &str); 7] = [
        ("data_offsets", json!([0, huge]), "claims bytes"),
        ("data_offsets", json!([8, 4]), "claims bytes"),
        ("shape", json!([huge, huge]), "does not fill"),
        ("shape", json!([3, 3]), "does not fill"),
        ("shape", json!([-1]), tensor),
        ("dtype", json!("I4"), "GGUF"),
        ("dtype", json!(7), tensor),
    ];
    for (key, value, words) in changes {
        let folder = copy(&fixture("qwen2"));
        with_header(&folder.path().join("model.safetensors"), |header| {
            header[tensor][key] = value.clone()
        });
        let error = load(folder.path(), false).unwrap_err();
        assert!(
            error.message.contains(words) && error.message.contains(tensor),
            "{}",
            error.message
        );
    }
    let folder = copy(&fixture("qwen2"));
    let path = folder.path().join("model.safetensors");
    with_header(&path, |header| {
        let entry = header[tensor].take();
        header.as_object_mut().unwrap().remove(tensor);
        header["model.layers.0.mlp.other.weight"] = entry;
    });
    let error = load(folder.path(), false).unwrap_err();
    assert_eq!(error.kind, LocalErrorKind::Unreadable);
    assert!(error.message.contains(tensor), "{}", error.message);
    let mut bytes = fs::read(&path).unwrap();
    bytes[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    fs::write(&path, bytes).unwrap();
    assert!(
        load(folder.path(), false)
            .unwrap_err()
            .message
            .contains("claims")
    );
}

#[test]
fn settings_that_no_model_has_are_errors_that_name_them() {
    for (name, key, value) in [
        ("qwen2", "hidden_size", json!(0)),
        ("qwen2", "hidden_size", json!(1_u64 << 60)),
        ("qwen2", "num_hidden_layers", json!(1_u64 << 40)),
        ("qwen2", "num_attention_heads", json!(-2)),
        ("qwen2", "num_key_value_heads", json!("2")),
        ("qwen2", "vocab_size", json!(1_u64 << 50)),
        ("qwen2", "max_position_embeddings", json!(1_u64 << 62)),
        ("qwen2", "rms_norm_eps", json!(-1)),
        ("qwen3", "head_dim", json!(0)),
        ("whisper", "d_model", json!(1_u64 << 40)),
        ("whisper", "num_mel_bins", json!(0)),
        ("whisper", "encoder_layers", json!(null)),
        ("whisper", "max_target_positions", json!(1_u64 << 40)),
    ] {
        let folder = copy(&fixture(name));
        edit(&folder.path().join("config.json"), |config| {
            config[key] = value.clone()
        });
        let error = load_named(folder.path(), name).unwrap_err();
        assert_eq!(
            error.kind,
            LocalErrorKind::Unreadable,
            "{key} {value}: {error}"
        );
        assert!(error.message.contains(key), "{}", error.message);
    }
    for (key, value) in [
        ("hidden_size", 28),
        ("num_hidden_layers", 3),
        ("intermediate_size", 41),
        ("vocab_size", 300),
    ] {
        let folder = copy(&fixture("qwen2"));
        edit(&folder.path().join("config.json"), |config| {
            config[key] = value.into()
        });
        let error = load(folder.path(), false).unwrap_err();
        assert_eq!(error.kind, LocalErrorKind::Unreadable);
        assert!(
            error.message.contains("tensor model."),
            "{key}: {}",
            error.message
        );
    }
}

#[test]
fn an_index_cannot_lead_out_of_the_folder() {
    for name in [
        "../llama/model.safetensors",
        "/etc/passwd",
        "C:\\x.safetensors",
    ] {
        let folder = copy(&fixture("llama"));
        edit(
            &folder.path().join("model.safetensors.index.json"),
            |index| {
                index["weight_map"]["lm_head.weight"] = name.into();
            },
        );
        let error = load(folder.path(), false).unwrap_err();
        assert_eq!(error.kind, LocalErrorKind::Unreadable);
        assert!(
            error.message.contains("no safetensors file of this folder"),
            "{}",
            error.message
        );
    }
}

#[test]
fn weights_that_are_no_numbers_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    crate::reciting::writer(folder.path(), "Once upon a time, on a rock.").unwrap();
    let path = folder.path().join("model.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    let n = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    for value in bytes[8 + n..].chunks_exact_mut(4) {
        value.copy_from_slice(&f32::NAN.to_le_bytes());
    }
    fs::write(&path, bytes).unwrap();
    let error = load(folder.path(), false).unwrap_err();
    assert_eq!(error.kind, LocalErrorKind::Unreadable);
    assert!(error.message.contains("NaN"), "{}", error.message);
}

#[test]
fn a_listener_is_no_writer() {
    let error = load(&fixture("whisper"), false).unwrap_err();
    assert_eq!(error.kind, LocalErrorKind::Unsupported);
    let error = load(&fixture("qwen2"), true).unwrap_err();
    assert_eq!(error.kind, LocalErrorKind::Unsupported);
}
