//! Answers of tiny models against those of transformers, token for token.

use std::path::Path;

use serde_json::Value;

use super::*;

fn fixture(name: &str) -> (Writer, Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name);
    let answers = std::fs::read(folder.join("answers.json")).unwrap();
    (
        Writer::load(&folder).unwrap(),
        serde_json::from_slice(&answers).unwrap(),
    )
}

fn tokens(value: &Value) -> Vec<u32> {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn prompts_scores_and_tokens_are_those_of_transformers() {
    for name in ["llama", "qwen2", "qwen3", "llama-gguf"] {
        let (writer, known) = fixture(name);
        let prompt = Prompt {
            system: known["system"].as_str().unwrap().to_owned(),
            user: known["user"].as_str().unwrap().to_owned(),
        };
        let rendered = writer.template.render(&prompt).unwrap();
        assert_eq!(rendered, known["rendered"].as_str().unwrap(), "{name}");
        let asked = writer.words.ids(&rendered).unwrap();
        assert_eq!(asked, tokens(&known["asked"]), "{name}");
        let scores = writer
            .decoder
            .append(&mut writer.decoder.sequence(), &asked)
            .unwrap();
        for (found, wanted) in scores.iter().zip(known["scores"].as_array().unwrap()) {
            let wanted = wanted.as_f64().unwrap() as f32;
            assert!((found - wanted).abs() < 2e-3, "{name}: {found} {wanted}");
        }
        let limits = Limits {
            max_tokens: 40,
            temperature: 0.0,
            ..Limits::default()
        };
        let (answer, is_cut) = writer.answer(&asked, &limits, &|| false).unwrap();
        assert_eq!(answer, tokens(&known["answer"]), "{name}");
        assert_eq!(is_cut, known["is_cut"].as_bool().unwrap(), "{name}");
    }
}

#[test]
fn a_prompt_in_pieces_is_the_prompt_at_once() {
    let (writer, known) = fixture("llama");
    let asked = tokens(&known["asked"]);
    let at_once = writer
        .decoder
        .append(&mut writer.decoder.sequence(), &asked)
        .unwrap();
    let mut sequence = writer.decoder.sequence();
    let mut pieced = Vec::new();
    for piece in asked.chunks(7) {
        pieced = writer.decoder.append(&mut sequence, piece).unwrap();
    }
    for (a, b) in at_once.iter().zip(&pieced) {
        assert!((a - b).abs() < 1e-4, "{a} {b}");
    }
}

#[test]
fn thoughts_are_left_out() {
    for (answer, text) in [
        ("<think>\nHm.\n</think>\n\nYes.", "Yes."),
        ("Hm.</think>Yes.", "Yes."),
        ("<think>Hm, and", ""),
        ("Yes.", "Yes."),
    ] {
        assert_eq!(without_thoughts(answer.to_owned()), text);
    }
}
