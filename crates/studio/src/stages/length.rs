//! Fits a written script to the wanted number of words: a script that is too long loses sentences, one that is too short gets a note.

use crate::scene::Script;
use crate::script::{fit, n_words};

/// A script above this share of the wanted words is too long.
const MOST_SHARE: f64 = 1.25;
/// A script below this share of the wanted words is too short.
const LEAST_SHARE: f64 = 0.7;
/// A difference of up to this many words is accepted, however short the script is.
const ALLOWED: usize = 10;

/// Returns the script, cut if it is far too long, and a note for the user.
pub(super) fn fitted(script: Script, wanted: usize) -> (Script, Option<String>) {
    let count = |script: &Script| -> usize {
        let lines = script.scenes.iter().flat_map(|scene| &scene.lines);
        lines.map(|line| n_words(&line.text)).sum()
    };
    let written = count(&script);
    let is_far = |n: usize| {
        let share = n as f64 / wanted.max(1) as f64;
        n.abs_diff(wanted) > ALLOWED && !(LEAST_SHARE..=MOST_SHARE).contains(&share)
    };
    if !is_far(written) {
        return (script, None);
    }
    if written < wanted {
        let note = format!("the script has {written} words; {wanted} were requested");
        return (script, Some(note));
    }
    let fit = fit(&script, wanted);
    let left = count(&fit.script);
    let note = match fit.n_dropped {
        0 => format!("the script has {written} words; {wanted} were requested"),
        n => format!(
            "the script was written with {written} words instead of {wanted}: {n} sentences were left out, {left} words remain"
        ),
    };
    (fit.script, Some(note))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Line, Scene};

    fn script(sentences: usize) -> Script {
        let scenes = (0..sentences).map(|i| Scene {
            lines: vec![Line::narrated(format!(
                "The lamp number {i} burned in the tower."
            ))],
            ..Scene::default()
        });
        Script {
            language: "en".into(),
            scenes: scenes.collect(),
            ..Script::default()
        }
    }

    #[test]
    fn far_too_long_is_cut_and_far_too_short_is_told() {
        let (kept, note) = fitted(script(10), 76);
        assert_eq!((kept.scenes.len(), note), (10, None));
        let (cut, note) = fitted(script(20), 80);
        assert_eq!(cut.scenes.len(), 10);
        assert!(note.is_some_and(|note| note.contains("160 words instead of 80: 10 sentences")));
        let (first, last) = (&cut.scenes[0].lines[0].text, &cut.scenes[9].lines[0].text);
        assert!(
            first.contains(" 0 ") && last.contains(" 19 "),
            "the ends stay"
        );
        let (short, note) = fitted(script(5), 100);
        assert_eq!(short.scenes.len(), 5);
        assert!(note.is_some_and(|note| note.contains("40 words; 100 were requested")));
        assert_eq!(fitted(script(1), 1).1, None, "a few words are no matter");
    }
}
