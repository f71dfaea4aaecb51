//! English speech by Flite: natural pace, and exact word times from the synthesizer's own segments.

mod library;

use std::ffi::CString;

use self::library::{Loaded, VOICES};
use super::sound::{EDGE_SECS, Pcm};
use super::spans::{Piece, Span, tokens};
use super::{
    MAX_SECS, VoiceInfo, check_length, check_time, english, failure, nothing_to_say, pick, too_long,
};
use crate::failure::{Failure, FailureKind};
use crate::providers::{Answer, Call, Speech, SpeechAsk, VoiceProvider};

const NAME: &str = "flite";

/// Pitches that distinguish characters, as factors; the voice's own first.
const PITCHES: [f32; 5] = [1.0, 0.88, 1.12, 0.94, 1.06];

/// Speaks English with the libraries of Flite 2.2, if they are installed.
#[derive(Debug, Default)]
pub struct Flite(());

/// A voice and its pitch.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Speaker {
    row: usize,
    pitch: f32,
}

impl Flite {
    /// Creates the provider. The libraries are loaded on first use.
    pub fn new() -> Flite {
        Flite(())
    }

    /// Checks that the libraries are installed and valid.
    ///
    /// # Errors
    /// `NotConfigured`, with what to install.
    pub fn check(&self) -> Result<(), Failure> {
        library().map(|_| ())
    }

    /// Returns the installed voices, the default first; none if Flite is missing.
    pub fn voices(&self) -> Vec<VoiceInfo> {
        let installed = library().map(|flite| flite.voices.as_slice());
        let rows = installed
            .unwrap_or_default()
            .iter()
            .map(|row| &VOICES[*row]);
        rows.map(|row| VoiceInfo {
            id: format!("{NAME}:{}", row.short),
            name: row.name.to_owned(),
            language: "en".to_owned(),
            provider: NAME.to_owned(),
        })
        .collect()
    }
}

impl VoiceProvider for Flite {
    fn name(&self) -> &str {
        NAME
    }

    fn model(&self) -> &str {
        // The number after the version changes when the same text is spoken differently.
        "flite-2.2-1"
    }

    fn speaks(&self, language: &str) -> bool {
        is_english(language)
    }

    fn speak(&self, ask: &SpeechAsk, call: &Call) -> Result<Answer<Speech>, Failure> {
        check_length(NAME, ask)?;
        check_time(NAME, call)?;
        if !ask.language.is_empty() && !is_english(&ask.language) {
            let message = format!("Flite speaks English only, not `{}`", ask.language);
            return Err(failure(NAME, FailureKind::BadInput, message));
        }
        let flite = library()?;
        let pieces = english::pieces(&ask.text);
        if pieces.is_empty() {
            return Err(nothing_to_say(NAME));
        }
        let (speaker, note) = speaker(&flite.voices, &ask.voice);
        let (mut pcm, mut spans) = perform(flite, &pieces, speaker, call)?;
        pcm.trim(&mut spans);
        let file = pcm
            .wav()
            .map_err(|e| failure(NAME, FailureKind::Storage, e.to_string()))?;
        let secs = pcm.secs();
        let speech = Speech {
            file,
            extension: "wav",
            secs,
            words: Some(tokens(&ask.text, &pieces, &spans, secs)),
        };
        Ok(Answer::noted(speech, note.into_iter().collect()))
    }
}

fn library() -> Result<&'static Loaded, Failure> {
    Loaded::get().map_err(|reason| failure(NAME, FailureKind::NotConfigured, reason))
}

/// Returns whether a tag is English.
pub(super) fn is_english(language: &str) -> bool {
    let primary = language.split(['-', '_']).next().unwrap_or_default();
    primary.eq_ignore_ascii_case("en") || primary.eq_ignore_ascii_case("eng")
}

/// Returns the speaker for an id, and a note if the id is not one of Flite's.
fn speaker(installed: &[usize], id: &str) -> (Speaker, Option<String>) {
    let short = id.strip_prefix("flite:").unwrap_or(id);
    let by_name = installed.iter().find(|row| VOICES[**row].short == short);
    if let Some(row) = by_name {
        let pitch = 1.0;
        return (Speaker { row: *row, pitch }, None);
    }
    let mut choices: Vec<Speaker> = Vec::new();
    for row in installed.iter().copied() {
        let pitches = if VOICES[row].has_pitch {
            &PITCHES[..]
        } else {
            &PITCHES[..1]
        };
        choices.extend(pitches.iter().map(|pitch| Speaker { row, pitch: *pitch }));
    }
    let fallback = Speaker {
        row: installed.first().copied().unwrap_or(0),
        pitch: 1.0,
    };
    let sexes: Vec<pick::Sex> = choices
        .iter()
        .map(|choice| VOICES[choice.row].sex)
        .collect();
    let chosen = pick::choice(id, &sexes);
    let speaker = choices.get(chosen).copied().unwrap_or(fallback);
    let named = format!("{NAME}:{}", VOICES[speaker.row].short);
    let note = pick::note(id, &named);
    (speaker, note)
}

/// Returns the pause after a mark, in seconds.
fn pause_secs(mark: Option<char>) -> f64 {
    match mark {
        Some('.' | '!' | '?') => 0.42,
        Some(_) => 0.22,
        None => 0.0,
    }
}

/// Speaks sentence by sentence, and returns the spans of the pieces.
fn perform(
    flite: &Loaded,
    pieces: &[Piece],
    speaker: Speaker,
    call: &Call,
) -> Result<(Pcm, Vec<Span>), Failure> {
    let mut pcm = Pcm::default();
    let mut spans: Vec<Span> = Vec::with_capacity(pieces.len());
    for sentence in english::sentences(pieces) {
        check_time(NAME, call)?;
        let pieces = &pieces[sentence];
        let said = flite
            .say(&fed(pieces), speaker.row, speaker.pitch)
            .map_err(|reason| {
                failure(
                    NAME,
                    FailureKind::BadAnswer,
                    format!("Flite failed: {reason}"),
                )
            })?;
        if said.words.len() != pieces.len() {
            let message = format!(
                "Flite read {} words instead of {}; reword the text",
                said.words.len(),
                pieces.len()
            );
            return Err(failure(NAME, FailureKind::BadAnswer, message));
        }
        append(&mut pcm, &mut spans, &said, pieces);
        if pcm.secs() > MAX_SECS {
            return Err(too_long(NAME));
        }
    }
    Ok((pcm, spans))
}

/// Returns the words of a sentence as passed to Flite.
fn fed(pieces: &[Piece]) -> CString {
    let mut text = String::new();
    for piece in pieces {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&piece.text);
        text.extend(piece.mark);
    }
    CString::new(text).expect("pieces hold letters, digits and signs, no NUL")
}

/// Appends a sentence: trims its ends to [`EDGE_SECS`] and extends its pauses to those of their marks.
fn append(pcm: &mut Pcm, spans: &mut Vec<Span>, said: &library::Said, pieces: &[Piece]) {
    let rate = f64::from(said.pcm.rate_hz);
    pcm.rate_hz = said.pcm.rate_hz;
    let sounding: Vec<Span> = said.words.iter().flatten().copied().collect();
    let (Some(first), Some(last)) = (sounding.first(), sounding.last()) else {
        let at = pcm.secs();
        spans.extend(pieces.iter().map(|_| Span { start: at, end: at }));
        return;
    };
    let mut from = said.pcm.index(first.start - EDGE_SECS);
    let mut end = first.start;
    for (i, word) in said.words.iter().enumerate() {
        let word = word.unwrap_or(Span { start: end, end });
        let missing = match i
            .checked_sub(1)
            .map(|before| pause_secs(pieces[before].mark))
        {
            Some(pause) if pause > 0.0 => pause - (word.start - end),
            _ => 0.0,
        };
        if missing > 0.0 {
            let cut = said.pcm.index(end.midpoint(word.start));
            pcm.push(&said.pcm.samples[from.min(cut)..cut]);
            pcm.push_silence(missing);
            from = cut;
        }
        let shift = (pcm.samples.len() as f64 - from as f64) / rate;
        spans.push(Span {
            start: word.start + shift,
            end: word.end + shift,
        });
        end = word.end.max(end);
    }
    let to = said.pcm.index(last.end + EDGE_SECS).max(from);
    pcm.push(&said.pcm.samples[from..to]);
    let pause = pieces.last().map_or(0.0, |piece| pause_secs(piece.mark));
    pcm.push_silence(pause - 2.0 * EDGE_SECS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_ids_choose_a_voice_and_say_so() {
        let all = [0, 1, 2];
        let (speaker_named, note) = speaker(&all, "flite:rms");
        assert_eq!((VOICES[speaker_named.row].short, note), ("rms", None));
        let (default, note) = speaker(&all, pick::DEFAULT_VOICE_ID);
        assert_eq!((VOICES[default.row].short, default.pitch), ("slt", 1.0));
        assert_eq!(note, None, "nobody asked for it");
        let note = speaker(&all, "someone").1.unwrap();
        assert!(
            note.contains("someone") && note.contains("flite:"),
            "{note}"
        );
        let ids: Vec<Speaker> = (0..30)
            .map(|i| speaker(&all, &format!("id{i}")).0)
            .collect();
        let mut different = ids.clone();
        different.dedup();
        assert!(different.len() > 20);
        assert_eq!(speaker(&[2], "x").0.row, 2);
    }

    #[test]
    fn english_is_told_by_its_tag() {
        assert!(
            ["en", "EN-us", "en_GB", "eng"]
                .iter()
                .all(|t| is_english(t))
        );
        assert!(["", "de", "enm", "es-en"].iter().all(|t| !is_english(t)));
    }
}
