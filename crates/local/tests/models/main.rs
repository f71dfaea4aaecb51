//! Models as a user's folders hold them: tiny ones of this crate, whole, in other formats, and broken in many ways.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod broken;
mod formats;
mod gguf;
mod listening;
#[path = "../support/reciting.rs"]
mod reciting;
mod writing;

use std::fs;
use std::path::{Path, PathBuf};

use kinora_local::{Limits, Prompt, Writer};
use serde_json::Value;
use tempfile::TempDir;

/// The folder of a fixture.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// A copy of a folder to break.
fn copy(from: &Path) -> TempDir {
    let to = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.path().join(entry.file_name())).unwrap();
    }
    to
}

/// The answers of transformers beside a fixture.
fn answers(name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(fixture(name).join("answers.json")).unwrap()).unwrap()
}

/// The likeliest answer of a writer to the chat of a fixture.
fn answer(writer: &Writer, name: &str, max_tokens: usize) -> String {
    let known = answers(name);
    let asked = Prompt {
        system: known["system"].as_str().unwrap().to_owned(),
        user: known["user"].as_str().unwrap().to_owned(),
    };
    let limits = Limits {
        max_tokens,
        temperature: 0.0,
        ..Limits::default()
    };
    writer.generate(&asked, &limits, &|| false).unwrap().text
}

/// Changes a JSON file.
fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, value.to_string()).unwrap();
}
