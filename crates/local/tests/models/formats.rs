//! Files of weights: shards, quantized files, and the shapes of their settings.

use std::fs::{self, File};

use candle_core::quantized::gguf_file::{self, Content, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};
use kinora_local::{Limits, LocalErrorKind, Prompt, Writer};

use crate::{answer, answers, copy, edit, fixture};

#[test]
fn shards_are_read_by_their_index() {
    let shards = fs::read_dir(fixture("llama"))
        .unwrap()
        .filter(|entry| {
            entry
                .as_ref()
                .unwrap()
                .path()
                .extension()
                .is_some_and(|it| it == "safetensors")
        })
        .count();
    assert!(shards > 1);
    let folder = copy(&fixture("llama"));
    let lost = "model-00002-of-00002.safetensors";
    let lost = if folder.path().join(lost).exists() {
        lost.to_owned()
    } else {
        format!("model-0000{shards}-of-0000{shards}.safetensors")
    };
    fs::remove_file(folder.path().join(&lost)).unwrap();
    let error = Writer::load(folder.path()).unwrap_err();
    assert_eq!(error.kind, LocalErrorKind::Missing);
    assert!(error.message.contains(&lost), "{}", error.message);
}

#[test]
fn a_single_file_may_have_any_name() {
    let folder = copy(&fixture("qwen2"));
    let path = |name: &str| folder.path().join(name);
    fs::rename(path("model.safetensors"), path("weights.safetensors")).unwrap();
    let writer = Writer::load(folder.path()).unwrap();
    assert_eq!(answer(&writer, "qwen2", 40), answers("qwen2")["text"]);
    fs::copy(path("weights.safetensors"), path("more.safetensors")).unwrap();
    assert_eq!(
        Writer::load(folder.path()).unwrap_err().kind,
        LocalErrorKind::Unreadable
    );
}

/// The GGUF fixture with its matrices quantized and other metadata.
fn requantized(
    dtype: GgmlDType,
    change: impl FnOnce(&mut Vec<(String, Value)>),
) -> tempfile::TempDir {
    let folder = copy(&fixture("llama-gguf"));
    let path = folder.path().join("model.gguf");
    let mut file = File::open(&path).unwrap();
    let content = Content::read(&mut file).unwrap();
    let tensors: Vec<(String, QTensor)> = content
        .tensor_infos
        .keys()
        .map(|name| {
            let tensor = content.tensor(&mut file, name, &Device::Cpu).unwrap();
            let plain: Tensor = tensor.dequantize(&Device::Cpu).unwrap();
            let dtype = if plain.dims().len() == 2 {
                dtype
            } else {
                GgmlDType::F32
            };
            (name.clone(), QTensor::quantize(&plain, dtype).unwrap())
        })
        .collect();
    let mut metadata: Vec<(String, Value)> = content.metadata.into_iter().collect();
    change(&mut metadata);
    let metadata: Vec<(&str, &Value)> = metadata
        .iter()
        .map(|(key, value)| (key.as_str(), value))
        .collect();
    let tensors: Vec<(&str, &QTensor)> = tensors
        .iter()
        .map(|(name, tensor)| (name.as_str(), tensor))
        .collect();
    let mut out = File::create(&path).unwrap();
    gguf_file::write(&mut out, &metadata, &tensors).unwrap();
    folder
}

#[test]
fn quantized_weights_answer_nearly_the_same() {
    let whole = answers("llama-gguf")["text"].as_str().unwrap().to_owned();
    let folder = requantized(GgmlDType::F32, |_| {});
    let writer = Writer::load(folder.path()).unwrap();
    assert_eq!(answer(&writer, "llama-gguf", 40), whole);
    let begin = answer(&writer, "llama-gguf", 3);
    for dtype in [GgmlDType::Q8_0, GgmlDType::Q4_0, GgmlDType::Q5_1] {
        let folder = requantized(dtype, |_| {});
        let writer = Writer::load(folder.path()).unwrap();
        if dtype == GgmlDType::Q8_0 {
            assert_eq!(answer(&writer, "llama-gguf", 3), begin);
        }
        assert!(!answer(&writer, "llama-gguf", 8).is_empty(), "{dtype:?}");
    }
}

#[test]
fn other_architectures_are_refused_by_name() {
    let folder = requantized(GgmlDType::F32, |metadata| {
        for (key, value) in metadata {
            if key == "general.architecture" {
                *value = Value::String("gpt2".to_owned());
            }
        }
    });
    let error = Writer::load(folder.path()).unwrap_err();
    assert_eq!(error.kind, LocalErrorKind::Unsupported);
    assert!(error.message.contains("gpt2") && error.message.contains("qwen3"));
    let folder = copy(&fixture("llama"));
    for (key, value, words) in [
        ("model_type", "gpt_neox", "mistral"),
        ("hidden_act", "gelu", "silu"),
    ] {
        edit(&folder.path().join("config.json"), |config| {
            config[key] = value.into()
        });
        let error = Writer::load(folder.path()).unwrap_err();
        assert_eq!(error.kind, LocalErrorKind::Unsupported);
        assert!(
            error.message.contains(value) && error.message.contains(words),
            "{}",
            error.message
        );
        edit(&folder.path().join("config.json"), |config| {
            config["model_type"] = "llama".into();
            config["hidden_act"] = "silu".into();
        });
    }
    assert!(Writer::load(folder.path()).is_ok());
}

#[test]
fn settings_of_older_and_newer_configurations_mean_the_same() {
    let folder = copy(&fixture("llama"));
    let whole = answers("llama")["text"].as_str().unwrap().to_owned();
    edit(&folder.path().join("config.json"), |config| {
        let mut newer = config["rope_parameters"].clone();
        if newer.is_object() {
            config["rope_theta"] = newer["rope_theta"].take();
            config["rope_scaling"] = newer;
            config["rope_parameters"] = serde_json::Value::Null;
        }
    });
    let writer = Writer::load(folder.path()).unwrap();
    assert_eq!(answer(&writer, "llama", 40), whole);
    edit(&folder.path().join("config.json"), |config| {
        config["rope_scaling"]["rope_type"] = "yarn".into();
    });
    let error = Writer::load(folder.path()).unwrap_err();
    assert_eq!(error.kind, LocalErrorKind::Unsupported);
    assert!(error.message.contains("yarn") && error.message.contains("llama3"));
}

#[test]
fn a_mistral_is_a_llama_with_a_window() {
    let folder = copy(&fixture("llama"));
    edit(&folder.path().join("config.json"), |config| {
        config["model_type"] = "mistral".into();
        config["sliding_window"] = 20.into();
    });
    let known = answers("llama");
    let asked = Prompt {
        system: String::new(),
        user: known["user"].as_str().unwrap().to_owned(),
    };
    let writer = Writer::load(folder.path()).unwrap();
    let error = writer
        .generate(&asked, &Limits::default(), &|| false)
        .unwrap_err();
    assert_eq!(error.kind, LocalErrorKind::TooLong);
    assert!(error.message.contains("20"));
}
