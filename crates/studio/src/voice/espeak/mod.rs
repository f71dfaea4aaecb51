//! Speech in a hundred languages by eSpeak NG: plain-sounding, with the start of every word. It runs as a separate program, because its license is the GPL.

mod languages;
mod program;

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use serde::Deserialize;

use self::languages::{Listed, Speaker, for_tag, speaker};
use super::sound::Pcm;
use super::spans::{Piece, shared, tokens};
use super::{VoiceInfo, check_length, check_time, failure, nothing_to_say, plain};
use crate::failure::{Failure, FailureKind};
use crate::providers::{Answer, Call, Speech, SpeechAsk, VoiceProvider};

const NAME: &str = "espeak";

/// Time limit of each of two attempts: eSpeak NG 1.51 is reported to hang sometimes while it starts its threads, and a busy machine stalls.
const LIMIT: Duration = Duration::from_secs(30);

/// Added time for each character; ten times what a slow machine takes.
const LIMIT_PER_CHAR: Duration = Duration::from_millis(2);

/// Words per minute: eSpeak's default of 175 is too fast for a voice-over.
const RATE_WPM: i32 = 160;

/// Speaks through the program `kinora-espeak`.
#[derive(Debug)]
pub struct Espeak {
    program: Option<PathBuf>,
    limit: Duration,
    listing: OnceLock<Listing>,
}

/// The output of `kinora-espeak --voices`.
#[derive(Debug, Deserialize)]
struct Listing {
    version: String,
    voices: Vec<Listed>,
    #[serde(skip)]
    model: String,
}

/// The line before the WAV file.
#[derive(Deserialize)]
struct Header {
    words: Vec<Word>,
}

#[derive(Deserialize)]
struct Word {
    at: usize,
    start_ms: u32,
}

impl Default for Espeak {
    fn default() -> Espeak {
        Espeak::new()
    }
}

impl Espeak {
    /// Uses the program found at each use: `$KINORA_ESPEAK`, next to the running program, on the `PATH`.
    pub fn new() -> Espeak {
        Espeak {
            program: None,
            limit: LIMIT,
            listing: OnceLock::new(),
        }
    }

    /// Uses the program at this path. Each of two attempts is stopped after `limit` plus some milliseconds per character.
    pub fn at(program: impl Into<PathBuf>, limit: Duration) -> Espeak {
        Espeak {
            program: Some(program.into()),
            limit,
            listing: OnceLock::new(),
        }
    }

    /// Checks that the program, its library and its data are installed.
    ///
    /// # Errors
    /// `NotConfigured`, with what to install, or as [`VoiceProvider::speak`].
    pub fn check(&self) -> Result<(), Failure> {
        self.listing(None).map(|_| ())
    }

    /// Returns the voices, by language; none if the program or its library is missing.
    pub fn voices(&self) -> Vec<VoiceInfo> {
        let listed = self.listing(None).map(|listing| listing.voices.as_slice());
        let voices = listed.unwrap_or_default().iter().map(|listed| VoiceInfo {
            id: format!("{NAME}:{}", listed.voice),
            name: listed.name.clone(),
            language: listed.voice.clone(),
            provider: NAME.to_owned(),
        });
        voices.collect()
    }

    /// Returns the version and the voices. A successful answer is cached.
    fn listing(&self, call: Option<&Call>) -> Result<&Listing, Failure> {
        if let Some(known) = self.listing.get() {
            return Ok(known);
        }
        let heard = self.run(&["--voices"], Vec::new(), call)?;
        let mut listing: Listing = serde_json::from_slice(&heard.line).map_err(bad_answer)?;
        // The number after the version changes when the same text is spoken differently.
        listing.model = format!("espeak-ng-{}-1", listing.version);
        Ok(self.listing.get_or_init(|| listing))
    }

    fn run(
        &self,
        arguments: &[&str],
        input: Vec<u8>,
        call: Option<&Call>,
    ) -> Result<program::Heard, Failure> {
        let path = self.program.clone().map_or_else(program::find, Ok)?;
        let limit = self.limit + LIMIT_PER_CHAR * u32::try_from(input.len()).unwrap_or(0);
        let attempt = |input| program::run(&path, arguments, input, limit, call);
        match attempt(input.clone()) {
            Err(e) if e.kind == FailureKind::TimedOut => {}
            done => return done,
        }
        if let Some(call) = call {
            check_time(NAME, call)?;
        }
        attempt(input)
    }

    /// Returns the sound of pieces and the start of each.
    fn perform(
        &self,
        pieces: &[Piece],
        speaker: &Speaker,
        call: &Call,
    ) -> Result<(Pcm, Vec<Option<f64>>), Failure> {
        let (text, places) = plain::fed(pieces);
        let request = serde_json::json!({
            "text": text,
            "voice": speaker.voice,
            "pitch": speaker.pitch,
            "rate_wpm": RATE_WPM,
        });
        let heard = self.run(&[], request.to_string().into_bytes(), Some(call))?;
        let header: Header = serde_json::from_slice(&heard.line).map_err(bad_answer)?;
        let pcm = Pcm::from_wav(&heard.wav).map_err(bad_answer)?;
        let mut starts: Vec<Option<f64>> = vec![None; pieces.len()];
        let mut latest = (0, 0);
        for word in header.words {
            // Several events of one word (`142`) mark its parts: the first counts. Events that go backward are ignored.
            let piece = places.partition_point(|place| place.end <= word.at);
            let is_forward = (piece, word.start_ms) >= latest;
            if let Some(slot) = starts.get_mut(piece).filter(|s| s.is_none() && is_forward) {
                *slot = Some(f64::from(word.start_ms) / 1000.0);
                latest = (piece, word.start_ms);
            }
        }
        Ok((pcm, starts))
    }
}

impl VoiceProvider for Espeak {
    fn name(&self) -> &str {
        NAME
    }

    fn model(&self) -> &str {
        self.listing(None)
            .map_or("espeak-ng-1", |listing| &listing.model)
    }

    fn speaks(&self, language: &str) -> bool {
        self.listing(None)
            .is_ok_and(|listing| for_tag(&listing.voices, language).is_some())
    }

    fn speak(&self, ask: &SpeechAsk, call: &Call) -> Result<Answer<Speech>, Failure> {
        check_length(NAME, ask)?;
        check_time(NAME, call)?;
        let pieces = plain::pieces(&ask.text);
        if pieces.is_empty() {
            return Err(nothing_to_say(NAME));
        }
        let listing = self.listing(Some(call))?;
        let Some((speaker, note)) = speaker(&listing.voices, &ask.voice, &ask.language) else {
            let shown: String = ask
                .language
                .chars()
                .filter(|c| !c.is_control())
                .take(40)
                .collect();
            let message = format!(
                "eSpeak NG has no voice for the language `{shown}`; `kinora voices` lists the available ones"
            );
            return Err(failure(NAME, FailureKind::BadInput, message));
        };
        let (mut pcm, starts) = self.perform(&pieces, &speaker, call)?;
        let Some(mut spans) = shared(&pieces, &starts, pcm.secs()) else {
            return Err(nothing_to_say(NAME));
        };
        pcm.tighten(&mut spans);
        pcm.trim(&mut spans);
        let secs = pcm.secs();
        let speech = Speech {
            file: pcm.wav().map_err(bad_answer)?,
            extension: "wav",
            secs,
            words: Some(tokens(&ask.text, &pieces, &spans, secs)),
        };
        Ok(Answer::noted(speech, note.into_iter().collect()))
    }
}

fn bad_answer(reason: impl std::fmt::Display) -> Failure {
    let message = format!("kinora-espeak gave an unexpected answer: {reason}");
    failure(NAME, FailureKind::BadAnswer, message)
}
