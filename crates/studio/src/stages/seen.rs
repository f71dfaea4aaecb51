//! Pictures for scripts that have only speech, for providers that read sentences. A script provider describes them, in one call for all scenes; else the speech
//! itself is used, with the speech before it.

use super::brief::{Brief, Character};
use super::progress::Watch;
use super::store::StepKey;
use super::{Made, Studio};
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::BriefAsk;
use crate::providers::prompts::style_in_words;
use crate::scene::{Scene, Script};

/// The noted substitute if the sentences themselves are used.
const SENTENCES: &str = "sentences";
/// Most characters of previous speech in a picture's request.
const MAX_BEFORE: usize = 240;

/// The descriptions of the pictures, scene by scene.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// For each scene the replacement of its brief; `None` if the brief suits every provider.
    pub briefs: Vec<Option<String>>,
    /// Whether a script provider wrote them.
    pub is_written: bool,
}

/// Returns the descriptions for the pictures and clips of this script.
pub(super) fn seen(
    studio: &Studio,
    brief: &Brief,
    script: &Script,
    watch: &Watch,
    notes: &mut Vec<String>,
) -> Result<Seen, Failure> {
    let is_read = studio.pictures.reads_sentences()
        || (brief.clips.is_some() && studio.clips.reads_sentences());
    let is_derived = |scene: &Scene| scene.is_derived && !scene.lines.is_empty();
    if !is_read || !script.scenes.iter().any(is_derived) {
        return Ok(Seen::default());
    }
    let said: Vec<String> = script.scenes.iter().map(said).collect();
    let written = written(studio, &ask(brief, script, &said), watch, notes)?;
    let briefs = script.scenes.iter().enumerate().map(|(i, scene)| {
        let own = written.as_ref().and_then(|all| all.get(i));
        let own = own.filter(|text| !text.is_empty()).cloned();
        is_derived(scene).then(|| own.unwrap_or_else(|| sentence(&said, i)))
    });
    Ok(Seen {
        briefs: briefs.collect(),
        is_written: written.is_some(),
    })
}

fn said(scene: &Scene) -> String {
    let lines = scene.lines.iter().map(|line| match &line.speaker {
        Some(speaker) => format!("{speaker}: {}", line.text),
        None => line.text.clone(),
    });
    lines.collect::<Vec<_>>().join(" ")
}

fn ask(brief: &Brief, script: &Script, said: &[String]) -> BriefAsk {
    let characters = brief.characters.iter();
    BriefAsk {
        language: script.language.clone(),
        scenes: said.to_vec(),
        characters: characters.map(Character::told).collect(),
        style: style_in_words(&brief.pictures.style),
        notes: brief.notes.clone().or_else(|| script.notes.clone()),
    }
}

/// Returns the descriptions of a script provider; `None` if none can write them or it failed.
fn written(
    studio: &Studio,
    ask: &BriefAsk,
    watch: &Watch,
    notes: &mut Vec<String>,
) -> Result<Option<Vec<String>>, Failure> {
    watch.check(Stage::Scenes)?;
    let key = StepKey::of(
        Stage::Scenes,
        &("briefs", (studio.script.name(), studio.script.model()), ask),
    );
    let (step, _) = studio.step(&key, (watch, None), |call| {
        match studio.script.brief(ask, call) {
            Ok(Some(answer)) => Ok(Made {
                substitute: answer.substitute,
                ..Made::bare((Some(answer.value), answer.notes))
            }),
            Ok(None) => Ok(Made::bare((None, Vec::new()))),
            Err(failure) if failure.kind == FailureKind::Cancelled => Err(failure),
            // The pictures made from the sentences are paid for: this run keeps the sentences, another run tries again.
            Err(failure) => Ok(Made {
                substitute: Some(SENTENCES.to_owned()),
                ..Made::bare((None, vec![not_written(&failure)]))
            }),
        }
    })?;
    let (briefs, told): (Option<Vec<String>>, Vec<String>) = step.value;
    super::add(notes, &told);
    Ok(briefs)
}

fn not_written(failure: &Failure) -> String {
    format!(
        "the picture descriptions could not be written ({}); the pictures are based on the spoken sentences",
        failure.message
    )
}

/// Returns a scene's own words after the previous ones, to which its pronouns refer.
fn sentence(said: &[String], i: usize) -> String {
    let text = format!("A picture for this moment of a story: {}", said[i]);
    let before: Vec<&str> = said[..i].iter().map(String::as_str).collect();
    let before = before.join(" ");
    let n_chars = before.chars().count();
    let end: String = before
        .chars()
        .skip(n_chars.saturating_sub(MAX_BEFORE))
        .collect();
    // Starts at the next whole word.
    let end = match n_chars > MAX_BEFORE {
        true => end.split_once(' ').map_or("", |(_, rest)| rest),
        false => end.as_str(),
    };
    match end {
        "" => text,
        end => format!("{text}\nWhat happened before: {end}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_comes_with_the_end_of_what_was_said_before() {
        let said = ["word ".repeat(100).trim_end().to_owned(), "He left.".into()];
        assert_eq!(
            sentence(&said, 0).lines().count(),
            1,
            "nothing is before the first"
        );
        let text = sentence(&said, 1);
        let (own, before) = text.split_once('\n').expect("two lines");
        assert!(own.ends_with(": He left."), "{own}");
        assert!(before.len() < 280 && before.ends_with("word"), "{before}");
    }
}
