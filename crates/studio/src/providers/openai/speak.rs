//! Speech without word times, which this interface does not provide.

use std::num::NonZeroUsize;
use std::sync::Arc;

use serde_json::json;

use super::OpenAiSettings;
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::http::{Ask, Endpoint};
use crate::providers::models::ModelTable;
use crate::providers::speech_parts::{joined, parts};
use crate::providers::{Answer, Call, Speech, SpeechAsk, VoiceProvider, checks};

/// Most characters of one request.
const MAX_CHARS: NonZeroUsize = NonZeroUsize::new(4096).expect("more than 0");
/// The sound of one part: ten minutes of 48 kHz mono.
const MAX_REPLY_BYTES: usize = 64 << 20;
const STAGE: Stage = Stage::Voice;

/// Speaks.
#[derive(Clone, Debug)]
pub struct OpenAiVoice {
    endpoint: Endpoint,
    model: String,
    voice: String,
    languages: Vec<String>,
    table: Arc<ModelTable>,
}

impl OpenAiVoice {
    pub(super) fn new(
        endpoint: Endpoint,
        settings: &OpenAiSettings,
        table: Arc<ModelTable>,
    ) -> OpenAiVoice {
        OpenAiVoice {
            endpoint,
            model: settings.voice_model.clone(),
            voice: settings.voice.clone(),
            languages: settings.languages.clone(),
            table,
        }
    }

    fn part(&self, text: &str, voice: &str, call: &Call) -> Result<Vec<u8>, Failure> {
        let body =
            json!({"model": self.model, "input": text, "voice": voice, "response_format": "wav"});
        let ask = Ask::post(self.endpoint.url(&["audio", "speech"]), body);
        // The text distinguishes the parts of one call.
        let ask = ask
            .at_most(MAX_REPLY_BYTES)
            .step(format!("{voice}: {text}"));
        self.endpoint
            .call(&ask, STAGE, call)
            .map(|reply| reply.body)
    }

    fn checked(&self, files: Vec<Vec<u8>>, ask: &SpeechAsk) -> Result<Speech, Failure> {
        let bad = |what: &str| {
            self.endpoint
                .bad_answer(STAGE, &format!("its audio {what}"))
        };
        let file = match (joined(&files), <[Vec<u8>; 1]>::try_from(files)) {
            (Some(file), _) => file,
            // A file other than WAV is fine too, if there is only one.
            (None, Ok([file])) => file,
            (None, Err(_)) => {
                return Err(bad(
                    "is not a 16-bit WAV, so the parts of a long text cannot be joined",
                ));
            }
        };
        let secs = checks::sound_secs(&file).map_err(bad)?;
        checks::plausible_secs(secs, &ask.text, &ask.language).map_err(bad)?;
        Ok(Speech {
            extension: checks::sound_extension(&file),
            file,
            secs,
            words: None,
        })
    }
}

impl VoiceProvider for OpenAiVoice {
    fn name(&self) -> &str {
        self.endpoint.name()
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn speaks(&self, language: &str) -> bool {
        speaks(&self.languages, language)
    }

    fn speak(&self, ask: &SpeechAsk, call: &Call) -> Result<Answer<Speech>, Failure> {
        let texts = parts(&ask.text, MAX_CHARS);
        if texts.is_empty() {
            return Err(Failure::new(
                STAGE,
                FailureKind::BadInput,
                "there is no text to speak",
            ));
        }
        let (voice, notes) = match self.table.voice_for("openai", &ask.voice) {
            // The operator's default takes precedence over the table's.
            (voice, notes)
                if self.voice.is_empty() || (voice == ask.voice && !voice.is_empty()) =>
            {
                (voice, notes)
            }
            (_, notes) if notes.is_empty() => (self.voice.as_str(), notes),
            _ => {
                let note = format!(
                    "the voice {} belongs to another provider; using {}",
                    ask.voice, self.voice
                );
                (self.voice.as_str(), vec![note])
            }
        };
        let files = texts.iter().map(|text| self.part(text, voice, call));
        let files: Vec<Vec<u8>> = files.collect::<Result<_, _>>()?;
        let value = self.checked(files, ask)?;
        Ok(Answer::noted(value, notes))
    }
}

/// Returns whether a list of tags (empty for all) includes this language: `en` covers `en-GB` too.
pub(in crate::providers) fn speaks(languages: &[String], language: &str) -> bool {
    let base = |tag: &str| {
        tag.split(['-', '_'])
            .next()
            .unwrap_or_default()
            .to_lowercase()
    };
    languages.is_empty() || languages.iter().any(|known| base(known) == base(language))
}
