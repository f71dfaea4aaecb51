//! `align`: words and their times as JSON, and inputs in which there is nothing to find.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use super::{code, kinora, names_in, stderr};

/// A folder with a voice, and its words with the start of each where the synthesizer told it.
fn spoken() -> (TempDir, Vec<(String, Option<f64>)>) {
    let folder = tempfile::tempdir().unwrap();
    let speech = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/media/speech");
    let known: Value = serde_json::from_slice(&fs::read(speech.join("en.json")).unwrap()).unwrap();
    let known = known.as_array().unwrap().iter();
    let known: Vec<_> = known
        .map(|w| (w["text"].as_str().unwrap().to_owned(), w["start"].as_f64()))
        .collect();
    let words: Vec<&str> = known.iter().map(|(text, _)| text.as_str()).collect();
    fs::write(folder.path().join("text.txt"), words.join(" ")).unwrap();
    fs::copy(speech.join("en.opus"), folder.path().join("voice.opus")).unwrap();
    (folder, known)
}

/// A second of silence: mono, 8 bits, 8 kHz.
fn silence(path: PathBuf) {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 8_000,
        bits_per_sample: 8,
        sample_format: hound::SampleFormat::Int,
    };
    let mut wav = hound::WavWriter::create(path, spec).unwrap();
    for _ in 0..spec.sample_rate {
        wav.write_sample(0_i8).unwrap();
    }
    wav.finalize().unwrap();
}

#[test]
fn words_are_told_with_their_times() {
    let (folder, known) = spoken();
    let run = kinora(
        folder.path(),
        &["align", "voice.opus", "text.txt", "-o", "words.json"],
    );
    assert_eq!(code(&run), 0, "{}", stderr(&run));
    let file = fs::read(folder.path().join("words.json")).unwrap();
    let told: Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(told["timing"], "estimated");
    let words = told["words"].as_array().unwrap();
    assert_eq!(words.len(), known.len());
    let mut end = 0.0;
    for (word, (text, start)) in words.iter().zip(&known) {
        let [from, to] = ["start", "end"].map(|field| word[field].as_f64().unwrap());
        assert_eq!(word["text"], **text);
        assert!(end <= from && from < to, "{word}");
        assert!(
            start.is_none_or(|start| (start - from).abs() < 0.3),
            "{word}, not {start:?}"
        );
        end = to;
    }
    // Without a file to write, the same on stdout.
    let run = kinora(
        folder.path(),
        &["align", "voice.opus", "text.txt", "--language", "en"],
    );
    assert_eq!(code(&run), 0, "{}", stderr(&run));
    assert_eq!(serde_json::from_slice::<Value>(&run.stdout).unwrap(), told);
}

#[test]
fn what_cannot_be_aligned_is_refused_by_name() {
    let (folder, _) = spoken();
    let at = |name: &str| folder.path().join(name);
    silence(at("silence.wav"));
    fs::write(at("marks.txt"), " … — !").unwrap();
    fs::write(at("bytes.txt"), b"\xff\xfe\x80").unwrap();
    fs::create_dir(at("folder")).unwrap();
    let before = names_in(folder.path());
    for (voice, text, output, exit, told) in [
        (
            "none.wav",
            "text.txt",
            "w.json",
            1,
            "none.wav cannot be read",
        ),
        (
            "voice.opus",
            "none.txt",
            "w.json",
            1,
            "none.txt cannot be read",
        ),
        ("folder", "text.txt", "w.json", 2, "folder is not a file"),
        (
            "voice.opus",
            "folder",
            "w.json",
            2,
            "folder is not a text file",
        ),
        (
            "voice.opus",
            "bytes.txt",
            "w.json",
            2,
            "bytes.txt is not UTF-8",
        ),
        (
            "voice.opus",
            "marks.txt",
            "w.json",
            2,
            "marks.txt has no words",
        ),
        ("text.txt", "text.txt", "w.json", 1, "text.txt"),
        ("silence.wav", "text.txt", "w.json", 1, "all is silent"),
        ("voice.opus", "text.txt", "w.txt", 2, "w.txt"),
        ("voice.opus", "text.txt", "no/w.json", 1, "no"),
    ] {
        let run = kinora(folder.path(), &["align", voice, text, "-o", output]);
        let said = stderr(&run);
        assert_eq!(code(&run), exit, "{voice} {text} {output}: {said}");
        assert!(said.contains(told), "{voice} {text} {output}: {said}");
        assert_eq!(names_in(folder.path()), before, "{voice} {text} {output}");
    }
}
