//! The voice stage: each line of the script is spoken by its voice, and its words are timed as shown in captions.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::brief::{Brief, Character};
use super::progress::Watch;
use super::store::StepKey;
use super::told::told;
use super::{Made, Studio, add};
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::{AlignAsk, Call, SpeechAsk, SpokenToken};
use crate::scene::{Line, Script, cast_voice};
use crate::script::{Token, speakable};

/// How the times of words were found, the most reliable first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timing {
    /// Reported by the voice.
    Exact,
    /// Found in the sound.
    Aligned,
    /// Without speech, they are spread at reading pace.
    Spread,
}

/// A spoken line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Utterance {
    /// The sound file; `None` without speech.
    pub file: Option<PathBuf>,
    /// Its length in seconds.
    pub secs: f64,
    /// The words as shown in captions, timed from the start of the sound.
    pub words: Vec<SpokenToken>,
    /// How the times were found.
    pub timing: Timing,
}

/// The stored facts about an utterance.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Kept {
    file: String,
    secs: f64,
    words: Vec<SpokenToken>,
    timing: Timing,
    notes: Vec<String>,
}

/// Speaks all lines, scene by scene.
pub(crate) fn speak(
    studio: &Studio,
    brief: &Brief,
    script: &Script,
    watch: &Watch,
    notes: &mut Vec<String>,
) -> Result<Vec<Vec<Utterance>>, Failure> {
    let Some(voice) = &brief.voice else {
        return Ok(silent(script));
    };
    let lines: Vec<(usize, &Line)> = script
        .scenes
        .iter()
        .enumerate()
        .flat_map(|(i, scene)| scene.lines.iter().map(move |line| (i, line)))
        .collect();
    let others = others(&lines, &brief.characters);
    let mut scenes: Vec<Vec<Utterance>> = vec![Vec::new(); script.scenes.len()];
    for (n, (scene, line)) in lines.iter().enumerate() {
        watch.check(Stage::Voice)?;
        let beside = |i: Option<usize>| {
            i.and_then(|i| lines.get(i))
                .map_or(String::new(), |(_, line)| line.text.clone())
        };
        let tokens = speakable(&line.text, &script.language);
        let ask = SpeechAsk {
            text: spoken_text(&tokens),
            voice: voice_of(line, voice, (&brief.characters, &others)),
            language: script.language.clone(),
            around: [beside(n.checked_sub(1)), beside(Some(n + 1))],
        };
        if ask.text.is_empty() {
            continue;
        }
        let spoken = utter(studio, &ask, (&tokens, line, *scene), watch);
        let (utterance, is_kept, told) = match spoken {
            Ok(spoken) => spoken,
            // With no voice at all, the video is made silent, with a note.
            Err(failure)
                if failure.kind == FailureKind::NotConfigured
                    && studio.voice.name() == "offline" =>
            {
                // Readers of notes are not always the operator, so what to install is left to `kinora doctor`.
                notes.push(format!(
                    "no voice for the language `{}` is available here, so the video has no voiceover; `kinora doctor` tells the operator what to install",
                    script.language
                ));
                return Ok(silent(script));
            }
            Err(failure) => return Err(failure.in_scene(*scene)),
        };
        add(notes, &told);
        scenes[*scene].push(utterance);
        watch.report(Stage::Voice, (n + 1, lines.len()), is_kept);
    }
    Ok(scenes)
}

/// Returns the speakers that are not characters of the brief, in the order of their first lines.
fn others<'a>(lines: &[(usize, &'a Line)], characters: &[Character]) -> Vec<&'a str> {
    let mut others: Vec<&str> = Vec::new();
    for speaker in lines.iter().filter_map(|(_, line)| line.speaker.as_deref()) {
        if !others.contains(&speaker) && !characters.iter().any(|c| c.is_called(speaker)) {
            others.push(speaker);
        }
    }
    others
}

/// Returns the voice of a line: its character's own, else a suitable one that no other speaker has; the narrator's if no speaker is named.
fn voice_of(line: &Line, narrator: &str, (characters, others): (&[Character], &[&str])) -> String {
    let Some(speaker) = &line.speaker else {
        return narrator.to_owned();
    };
    match characters.iter().position(|c| c.is_called(speaker)) {
        Some(i) => {
            let character = &characters[i];
            let cast = || cast_voice(i, &character.name, &character.descriptor);
            character.voice.clone().unwrap_or_else(cast)
        }
        None => {
            let i = others.iter().position(|other| other == speaker);
            cast_voice(characters.len() + i.unwrap_or(0), speaker, speaker)
        }
    }
}

fn spoken_text(tokens: &[Token]) -> String {
    let spoken: Vec<&str> = tokens
        .iter()
        .map(|token| token.spoken.as_str())
        .filter(|spoken| !spoken.is_empty())
        .collect();
    spoken.join(" ")
}

fn utter(
    studio: &Studio,
    ask: &SpeechAsk,
    (tokens, line, scene): (&[Token], &Line, usize),
    watch: &Watch,
) -> Result<(Utterance, bool, Vec<String>), Failure> {
    let key = StepKey::of(
        Stage::Voice,
        &(
            (studio.voice.name(), studio.voice.model()),
            (studio.align.name(), studio.align.model()),
            ask,
            &line.text,
        ),
    );
    let (step, is_kept) = studio.step(&key, (watch, Some(scene)), |call| {
        let mut answer = studio.voice.speak(ask, call)?;
        let speech = answer.value;
        let (words, timing) = match &speech.words {
            Some(words) => (merged(tokens, words), Timing::Exact),
            None => {
                let align = AlignAsk {
                    file: &speech.file,
                    extension: speech.extension,
                    text: Some(&line.text),
                    language: Some(&ask.language),
                };
                // The call's substitute is a voice, not an aligner.
                let call = Call {
                    before: None,
                    ..call.clone()
                };
                let found = studio.align.align(&align, &call)?;
                answer.notes.extend(found.notes);
                let (mut words, note) = told(found.value, &line.text, Some(&ask.language));
                answer.notes.extend(note);
                lengthened(&mut words);
                (words, Timing::Aligned)
            }
        };
        let kept = Kept {
            file: format!("voice.{}", speech.extension),
            secs: speech.secs,
            words,
            timing,
            notes: answer.notes,
        };
        Ok(Made {
            file: Some((kept.file.clone(), speech.file)),
            substitute: answer.substitute,
            value: kept,
        })
    })?;
    let file = step.folder.join(&step.value.file);
    let notes = step.value.notes.clone();
    Ok((step.value.utterance(file), is_kept, notes))
}

impl Kept {
    fn utterance(self, file: PathBuf) -> Utterance {
        Utterance {
            file: Some(file),
            secs: self.secs,
            words: self.words,
            timing: self.timing,
        }
    }
}

/// Computes the times of captions from those of the speech. A silent word gets the end of the word before it. Chinese and Japanese text, which has no spaces,
/// is split where captions may break.
fn merged(tokens: &[Token], words: &[SpokenToken]) -> Vec<SpokenToken> {
    let mut words = words.iter();
    let mut end = 0.0;
    let mut shown = Vec::new();
    for token in tokens {
        let n = token.spoken.split_whitespace().count();
        let spoken: Vec<&SpokenToken> = words.by_ref().take(n).collect();
        let start = spoken.first().map_or(end, |word| word.start);
        end = spoken.last().map_or(end, |word| word.end);
        if !token.shown.is_empty() {
            shown.extend(parted(&token.shown, start, end));
        }
    }
    lengthened(&mut shown);
    shown
}

/// Shortest visible time of a word.
const LEAST_SECS: f64 = 0.05;

/// Lengthens words that are too short to be seen; the words after them then begin a little later.
pub(super) fn lengthened(words: &mut [SpokenToken]) {
    for i in 1..words.len() {
        words[i].start = words[i].start.max(words[i - 1].start + LEAST_SECS);
    }
    for i in 0..words.len() {
        let next = words.get(i + 1).map_or(f64::INFINITY, |next| next.start);
        let word = &mut words[i];
        word.end = word.end.max(word.start + LEAST_SECS).min(next);
    }
}

fn parted(text: &str, start: f64, end: f64) -> Vec<SpokenToken> {
    let parts = kinora::audio::spread_words(text, None);
    let whole = || {
        vec![SpokenToken {
            text: text.to_owned(),
            start,
            end,
        }]
    };
    let Some(last) = parts.last().filter(|_| parts.len() > 1) else {
        return whole();
    };
    let scale = (end - start) / last.end;
    let parts = parts.iter();
    parts
        .map(|part| SpokenToken {
            text: part.text.clone(),
            start: start + part.start * scale,
            end: start + part.end * scale,
        })
        .collect()
}

/// Returns silent lines, at reading pace.
fn silent(script: &Script) -> Vec<Vec<Utterance>> {
    let scenes = script.scenes.iter();
    scenes
        .map(|scene| {
            let lines = scene.lines.iter();
            lines
                .map(|line| {
                    let words = kinora::audio::spread_words(&line.text, Some(&script.language));
                    Utterance {
                        file: None,
                        secs: words.last().map_or(0.0, |word| word.end),
                        words: words.into_iter().map(SpokenToken::from).collect(),
                        timing: Timing::Spread,
                    }
                })
                .collect()
        })
        .collect()
}

impl From<kinora::facts::SpokenWord> for SpokenToken {
    fn from(word: kinora::facts::SpokenWord) -> SpokenToken {
        SpokenToken {
            text: word.text,
            start: word.start,
            end: word.end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, start: f64, end: f64) -> SpokenToken {
        SpokenToken {
            text: text.into(),
            start,
            end,
        }
    }

    fn token(shown: &str, spoken: &str) -> Token {
        Token {
            shown: shown.into(),
            spoken: spoken.into(),
        }
    }

    #[test]
    fn what_is_shown_has_the_times_of_what_is_spoken() {
        let tokens = [
            token("In", "In"),
            token("1984", "nineteen eighty four"),
            token("💡", ""),
            token("came", "came"),
        ];
        let spoken = [
            word("In", 0.1, 0.2),
            word("nineteen", 0.2, 0.6),
            word("eighty", 0.6, 0.9),
            word("four", 0.9, 1.2),
            word("came", 1.4, 1.6),
        ];
        let merged = merged(&tokens, &spoken);
        let told: Vec<_> = merged
            .iter()
            .map(|w| (w.text.as_str(), w.start, w.end))
            .collect();
        assert_eq!(
            told,
            [
                ("In", 0.1, 0.2),
                ("1984", 0.2, 1.2),
                ("💡", 1.2, 1.2 + LEAST_SECS),
                ("came", 1.4, 1.6)
            ]
        );
    }

    #[test]
    fn every_word_is_long_enough_to_be_seen_and_they_stay_in_order() {
        let mut words = [
            word("a", 0.0, 0.3),
            word("b", 0.3, 0.31),
            word("c", 0.31, 0.32),
            word("d", 0.32, 0.9),
            word("e", 0.9, 0.9),
        ];
        lengthened(&mut words);
        assert!(
            words.is_sorted_by(|a, b| a.end <= b.start + 1e-9 && a.start < b.start),
            "{words:?}"
        );
        assert!(
            words.iter().all(|w| w.end - w.start > LEAST_SECS - 1e-9),
            "{words:?}"
        );
    }

    #[test]
    fn chinese_is_parted_within_its_span() {
        let shown = parted("你好世界", 1.0, 3.0);
        assert_eq!(shown.len(), 4);
        assert_eq!((shown[0].start, shown[3].end), (1.0, 3.0));
    }

    #[test]
    fn everybody_who_speaks_has_a_voice_of_his_own() {
        let line = |speaker: &str| Line {
            speaker: Some(speaker.into()),
            text: "Go.".into(),
        };
        let (anna, rex, mia) = (line("Anna"), line("Rex"), line("Mia"));
        let lines = [&anna, &rex, &mia, &rex].map(|line| (0, line));
        let cast = [Character {
            name: "Mia".into(),
            descriptor: String::new(),
            voice: None,
            reference: None,
            is_measured: false,
        }];
        let others = others(&lines, &cast);
        assert_eq!(others, ["Anna", "Rex"]);
        let voices = [&anna, &rex, &mia].map(|line| voice_of(line, "n", (&cast, &others)));
        assert_eq!(voices, ["cast:1:woman", "cast:2:any", "cast:0:woman"]);
        assert_eq!(voice_of(&Line::narrated("Go."), "n", (&cast, &others)), "n");
    }
}
