//! Shortens a script by whole sentences, and reports how far it is from the wanted length.

use super::{language, sentences};
use crate::scene::{Line, Scene, Script};

/// A script fitted to a length.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The script, with fewer sentences if it was too long.
    pub script: Script,
    /// Number of dropped sentences.
    pub n_dropped: usize,
    /// Number of words above (or, if negative, below) the target.
    pub off_by: i64,
}

/// A script is never cut below this share of the wanted length.
const LEAST_SHARE: f64 = 0.9;

/// Counts words as `targetLengthInWords` does; in text without spaces, two characters count as a word.
pub fn n_words(text: &str) -> usize {
    let mut n_words = 0;
    let mut n_unspaced = 0;
    for word in text.split_whitespace() {
        let n = word
            .chars()
            .filter(
                |c| matches!(u32::from(*c), 0x3040..=0x30FF | 0x3400..=0x9FFF | 0x20000..=0x3134F),
            )
            .count();
        n_unspaced += n;
        n_words += usize::from(n == 0 && word.contains(char::is_alphanumeric));
    }
    n_words + n_unspaced.div_ceil(2)
}

struct Sentence {
    scene: usize,
    line: usize,
    text: String,
    n_words: usize,
    is_kept: bool,
}

/// Drops whole sentences, the least important first, until a script has at most `n_words` words. The first and the last sentence stay. A script that is short
/// enough is not changed.
pub fn fit(script: &Script, n_words: usize) -> Fit {
    let mut all = split(script);
    let mut total: usize = all.iter().map(|s| s.n_words).sum();
    let mut order: Vec<usize> = (1..all.len().saturating_sub(1)).collect();
    let weights = weights(&all, &script.language);
    order.sort_by(|a, b| weights[*a].total_cmp(&weights[*b]).then(a.cmp(b)));
    let least = (n_words as f64 * LEAST_SHARE) as usize;
    let mut n_dropped = 0;
    for index in order {
        let sentence = &mut all[index];
        if total > n_words && total - sentence.n_words >= least {
            total -= sentence.n_words;
            sentence.is_kept = false;
            n_dropped += 1;
        }
    }
    let script = if n_dropped == 0 {
        script.clone()
    } else {
        rebuilt(script, &all)
    };
    Fit {
        script,
        n_dropped,
        off_by: total as i64 - n_words as i64,
    }
}

fn split(script: &Script) -> Vec<Sentence> {
    let mut all = Vec::new();
    for (scene, content) in script.scenes.iter().enumerate() {
        for (line, spoken) in content.lines.iter().enumerate() {
            for text in sentences(&spoken.text, &script.language) {
                all.push(Sentence {
                    scene,
                    line,
                    text: text.to_string(),
                    n_words: n_words(text),
                    is_kept: true,
                });
            }
        }
    }
    all
}

/// Returns the importance of each sentence: words repeated elsewhere, names and numbers, a position near the ends.
fn weights(all: &[Sentence], language: &str) -> Vec<f64> {
    let mut seen = std::collections::HashMap::<String, usize>::new();
    let content = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .map(str::to_lowercase)
            .filter(|w| w.chars().count() > 3 && !language::is_stop_word(w, language))
            .collect()
    };
    let words: Vec<Vec<String>> = all.iter().map(|s| content(&s.text)).collect();
    for word in words.iter().flatten() {
        *seen.entry(word.clone()).or_default() += 1;
    }
    let n = all.len().max(2) as f64 - 1.0;
    let weight = |(index, own): (usize, &Vec<String>)| {
        let shared = own.iter().filter(|w| seen[*w] > 1).count() as f64;
        let facts = all[index]
            .text
            .chars()
            .filter(char::is_ascii_digit)
            .count()
            .min(4) as f64;
        let names = all[index]
            .text
            .split_whitespace()
            .skip(1)
            .filter(|w| w.starts_with(char::is_uppercase))
            .count() as f64;
        let position = (index as f64 / n - 0.5).abs() * 4.0;
        (shared + 0.5 * facts + 0.5 * names) / (own.len() as f64).max(3.0) * 3.0 + position
    };
    words.iter().enumerate().map(weight).collect()
}

/// Rebuilds the script from the kept sentences; scenes without a line are dropped.
fn rebuilt(script: &Script, all: &[Sentence]) -> Script {
    let mut scenes: Vec<Scene> = script.scenes.clone();
    for (index, scene) in scenes.iter_mut().enumerate() {
        for (at, line) in scene.lines.iter_mut().enumerate() {
            let kept: Vec<&str> = all
                .iter()
                .filter(|s| s.is_kept && (s.scene, s.line) == (index, at))
                .map(|s| s.text.as_str())
                .collect();
            *line = Line {
                text: kept.join(" "),
                ..line.clone()
            };
        }
    }
    let was_spoken: Vec<bool> = scenes.iter().map(|s| !s.lines.is_empty()).collect();
    for scene in &mut scenes {
        scene.lines.retain(|line| !line.text.is_empty());
    }
    let kept = scenes
        .into_iter()
        .zip(was_spoken)
        .filter(|(scene, spoken)| !spoken || !scene.lines.is_empty())
        .map(|(scene, _)| scene)
        .collect();
    Script {
        scenes: kept,
        ..script.clone()
    }
}
