//! Writers: the answers of transformers, limits, stops and seeds.

use std::cell::Cell;

use kinora_local::{Limits, LocalErrorKind, Prompt, Writer};

use crate::{answers, fixture, reciting};

/// No chance.
fn greedy(max_tokens: usize) -> Limits {
    Limits {
        max_tokens,
        temperature: 0.0,
        ..Limits::default()
    }
}

fn prompt(system: &str, user: &str) -> Prompt {
    Prompt {
        system: system.to_owned(),
        user: user.to_owned(),
    }
}

fn reciter() -> Writer {
    let folder = tempfile::tempdir().unwrap();
    reciting::writer(folder.path(), reciting::SCRIPT).unwrap();
    Writer::load(folder.path()).unwrap()
}

#[test]
fn answers_are_those_of_transformers() {
    for name in ["llama", "qwen2", "qwen3", "llama-gguf"] {
        let known = answers(name);
        let asked = prompt(
            known["system"].as_str().unwrap(),
            known["user"].as_str().unwrap(),
        );
        let writer = Writer::load(&fixture(name)).unwrap();
        let found = writer.generate(&asked, &greedy(40), &|| false).unwrap();
        assert_eq!(found.text, known["text"].as_str().unwrap(), "{name}");
        assert_eq!(found.is_cut, known["is_cut"].as_bool().unwrap(), "{name}");
    }
}

#[test]
fn a_reciter_recites_whatever_it_is_asked() {
    let writer = reciter();
    for (system, user) in [
        ("", ""),
        ("Be brief.", "What is ½ of ☃?"),
        ("x", &"long ".repeat(300)),
    ] {
        for temperature in [0.0, 1.0] {
            let limits = Limits {
                temperature,
                ..Limits::default()
            };
            let found = writer
                .generate(&prompt(system, user), &limits, &|| false)
                .unwrap();
            assert_eq!(found.text, reciting::SCRIPT);
            assert!(!found.is_cut);
        }
    }
}

#[test]
fn max_tokens_cut_an_answer() {
    let writer = reciter();
    let whole = reciting::SCRIPT;
    for n in [0, 1, 5] {
        let found = writer
            .generate(&prompt("", "Go."), &greedy(n), &|| false)
            .unwrap();
        assert!(found.is_cut);
        assert!(whole.starts_with(&found.text) && found.text.len() >= n);
        assert!(found.text.len() < whole.len() / 2);
    }
}

#[test]
fn stop_ends_an_answer_in_the_middle() {
    let writer = reciter();
    for stop_at in [1, 3, 9] {
        let n_asked = Cell::new(0);
        let stop = || {
            n_asked.set(n_asked.get() + 1);
            n_asked.get() == stop_at
        };
        let error = writer
            .generate(&prompt("", "Go."), &greedy(100), &stop)
            .unwrap_err();
        assert_eq!(error.kind, LocalErrorKind::Stopped);
        assert_eq!(n_asked.get(), stop_at);
    }
}

#[test]
fn a_prompt_beyond_the_context_is_refused_with_both_numbers() {
    let writer = Writer::load(&fixture("qwen2")).unwrap();
    let error = writer
        .generate(
            &prompt("", &"sea and storm ".repeat(200)),
            &greedy(4),
            &|| false,
        )
        .unwrap_err();
    assert_eq!(error.kind, LocalErrorKind::TooLong);
    assert!(error.message.contains("256"), "{}", error.message);
    let n: usize = error
        .message
        .split_whitespace()
        .find_map(|word| word.parse().ok())
        .unwrap();
    assert!(n > 600, "{}", error.message);
}

#[test]
fn an_answer_ends_where_the_context_does() {
    let known = answers("llama");
    let n_asked = known["asked"].as_array().unwrap().len();
    let asked = prompt(
        known["system"].as_str().unwrap(),
        known["user"].as_str().unwrap(),
    );
    let folder = crate::copy(&fixture("llama"));
    crate::edit(&folder.path().join("config.json"), |config| {
        config["max_position_embeddings"] = (n_asked + 5).into();
    });
    let n_calls = Cell::new(0);
    let count = || {
        n_calls.set(n_calls.get() + 1);
        false
    };
    let writer = Writer::load(folder.path()).unwrap();
    let found = writer.generate(&asked, &greedy(1000), &count).unwrap();
    assert!(found.is_cut);
    assert_eq!(n_calls.get(), n_asked.div_ceil(64) + 5);
}

#[test]
fn a_seed_gives_the_same_answer_each_time() {
    let writer = Writer::load(&fixture("qwen3")).unwrap();
    let answer = |seed: u64| {
        let limits = Limits {
            max_tokens: 24,
            temperature: 1.0,
            top_p: 0.9,
            seed,
        };
        writer
            .generate(&prompt("", "Tell."), &limits, &|| false)
            .unwrap()
            .text
    };
    assert_eq!(answer(7), answer(7));
    assert!((0..4).any(|seed| answer(seed) != answer(7)));
}

#[test]
fn threads_share_a_writer() {
    let writer = reciter();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let found = writer.generate(&prompt("", "Go."), &greedy(100), &|| false);
                assert_eq!(found.unwrap().text, reciting::SCRIPT);
            });
        }
    });
}
