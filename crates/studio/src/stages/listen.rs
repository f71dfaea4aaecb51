//! A recording as the master clock: finds its words and splits it into scenes.

use std::fs::{self, File};
use std::io;

use kinora::audio::Phrases;
use serde::{Deserialize, Serialize};

use super::brief::{Brief, Recording};
use super::progress::Watch;
use super::schedule::Span;
use super::speak::{Timing, lengthened};
use super::store::StepKey;
use super::told::told;
use super::{Made, Studio};
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::{AlignAsk, Call, SpokenToken};
use crate::scene::{Scene, Script};
use crate::script::{SceneOptions, language_of, scenes};

/// Approximate length of a picture during a recording.
const SCENE_SECS: f64 = 5.0;
/// Largest recording that is read, in bytes.
const MAX_BYTES: u64 = 200 << 20;
/// Longest recording, in seconds.
const MAX_SECS: f64 = 600.0;

/// A recording split into scenes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Heard {
    /// The script; its scenes have no lines if the words are unknown.
    pub script: Script,
    /// One for each scene.
    pub spans: Vec<Span>,
    /// The words at their times in the recording.
    pub words: Vec<SpokenToken>,
    pub timing: Timing,
    pub notes: Vec<String>,
}

/// Finds the words and scenes of a recording.
pub(crate) fn listen(
    studio: &Studio,
    brief: &Brief,
    recording: &Recording,
    watch: &Watch,
) -> Result<(Heard, bool), Failure> {
    watch.check(Stage::Voice)?;
    let asked = (
        (studio.align.name(), studio.align.model()),
        (
            &recording.address,
            recording.is_song,
            &recording.text,
            &recording.prompt,
        ),
        &brief.language,
    );
    let key = StepKey::of(Stage::Voice, &asked);
    let (step, is_kept) = studio.step(&key, (watch, None), |call| {
        let phrases = phrases_of(recording)?;
        let (words, notes) = words_of(studio, brief, recording, call)?;
        let heard = if words.is_empty() {
            by_sound(brief, recording, &phrases)
        } else {
            by_words(brief, recording, words, phrases.secs)
        };
        Ok(Made::bare(Heard { notes, ..heard }))
    })?;
    Ok((step.value, is_kept))
}

fn bad(recording: &Recording, why: impl std::fmt::Display) -> Failure {
    let message = format!("the recording {} {why}", recording.file.display());
    Failure::new(Stage::Voice, FailureKind::BadInput, message)
}

/// Returns the length and where it can be split.
fn phrases_of(recording: &Recording) -> Result<Phrases, Failure> {
    let cannot = |e: io::Error| bad(recording, format!("cannot be read: {e}"));
    let file = File::open(&recording.file).map_err(cannot)?;
    if file.metadata().map_err(cannot)?.len() > MAX_BYTES {
        return Err(bad(
            recording,
            format!("is larger than {} MiB", MAX_BYTES >> 20),
        ));
    }
    let parted = match recording.is_song {
        true => kinora::audio::song_phrases,
        false => kinora::audio::phrases,
    };
    let found = parted(Box::new(file), "", SCENE_SECS);
    let found = found.map_err(|e| bad(recording, e.to_string().trim()))?;
    let secs = found.secs;
    if secs > MAX_SECS + 0.5 {
        let message = format!("lasts {secs:.0} s; the maximum is {MAX_SECS} s: shorten it");
        return Err(bad(recording, message));
    }
    if secs < 0.1 {
        return Err(bad(recording, "contains no sound"));
    }
    Ok(found)
}

fn words_of(
    studio: &Studio,
    brief: &Brief,
    recording: &Recording,
    call: &Call,
) -> Result<(Vec<SpokenToken>, Vec<String>), Failure> {
    let file = fs::read(&recording.file).map_err(|e| bad(recording, e))?;
    let extension = recording.file.extension().and_then(|e| e.to_str());
    let ask = AlignAsk {
        file: &file,
        extension: extension.unwrap_or("wav"),
        text: recording.text.as_deref(),
        language: brief.language.as_deref(),
    };
    match studio.align.align(&ask, call) {
        Ok(mut answer) => {
            let Some(text) = &recording.text else {
                return Ok((answer.value, answer.notes));
            };
            let (mut words, note) = told(answer.value, text, brief.language.as_deref());
            answer.notes.extend(note);
            lengthened(&mut words);
            Ok((words, answer.notes))
        }
        Err(failure) if failure.kind == FailureKind::NotConfigured && recording.text.is_none() => {
            let note = "speech cannot be recognized here: give the text for captions and fitting pictures, or configure an `align` provider";
            Ok((Vec::new(), vec![note.to_owned()]))
        }
        Err(failure) => Err(failure),
    }
}

/// Builds the scenes of a known text, from the first word of each to that of the next.
fn by_words(brief: &Brief, recording: &Recording, words: Vec<SpokenToken>, secs: f64) -> Heard {
    let said: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let text = recording.text.clone().unwrap_or_else(|| said.join(" "));
    let language = brief
        .language
        .clone()
        .unwrap_or_else(|| language_of(&text).to_owned());
    let mut scenes = scenes(&text, &language, &SceneOptions::default());
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let n_letters: Vec<usize> = scenes
        .iter()
        .map(|scene| scene.lines.iter().map(|line| letters(&line.text)).sum())
        .collect();
    // Words and scenes are two divisions of the same letters.
    let mut starts = Vec::new();
    let (mut of_scenes, mut of_words, mut at) = (0, 0, 0);
    for n in &n_letters {
        while at < words.len() && of_words < of_scenes {
            of_words += letters(&words[at].text);
            at += 1;
        }
        starts.push(words.get(at).map_or(secs, |word| word.start));
        of_scenes += n;
    }
    if let Some(prompt) = &recording.prompt {
        scenes
            .iter_mut()
            .filter(|scene| scene.brief.is_empty())
            .for_each(|scene| scene.brief.clone_from(prompt));
    }
    let (scenes, spans) = joined(scenes, &starts, secs);
    Heard {
        script: Script {
            notes: None,
            title: None,
            language,
            scenes,
        },
        spans,
        words,
        timing: Timing::Aligned,
        notes: Vec::new(),
    }
}

/// Builds spans from the scenes' starts; a scene without time joins the one before it.
fn joined(scenes: Vec<Scene>, starts: &[f64], secs: f64) -> (Vec<Scene>, Vec<Span>) {
    const LEAST_SECS: f64 = 0.8;
    let (mut kept, mut spans): (Vec<Scene>, Vec<Span>) = (Vec::new(), Vec::new());
    for (scene, start) in scenes.into_iter().zip(starts) {
        let has_time = spans
            .last()
            .is_none_or(|last| start - last.start >= LEAST_SECS)
            && secs - start >= LEAST_SECS;
        match (kept.last_mut(), has_time) {
            (Some(last), false) => last.lines.extend(scene.lines),
            _ => {
                let start = if spans.is_empty() { 0.0 } else { *start };
                if let Some(last) = spans.last_mut() {
                    last.end = start;
                }
                spans.push(Span { start, end: secs });
                kept.push(scene);
            }
        }
    }
    (kept, spans)
}

/// Builds the scenes of a recording with unknown words: split at its pauses and beats.
fn by_sound(brief: &Brief, recording: &Recording, found: &Phrases) -> Heard {
    let (secs, cuts) = (found.secs, &found.cuts);
    let starts = std::iter::once(0.0).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([secs]);
    let spans: Vec<Span> = starts
        .zip(ends)
        .map(|(start, end)| Span { start, end })
        .collect();
    let brief_text = recording.prompt.clone().unwrap_or_default();
    let scene = Scene {
        brief: brief_text,
        ..Scene::default()
    };
    Heard {
        script: Script {
            notes: None,
            title: None,
            language: brief.language.clone().unwrap_or_else(|| "en".into()),
            scenes: vec![scene; spans.len()],
        },
        spans,
        words: Vec::new(),
        timing: Timing::Aligned,
        notes: Vec::new(),
    }
}
