//! When words are spoken, as a transcriber hears them.

use serde::Deserialize;

use super::OpenAiSettings;
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::http::{Ask, Endpoint, Part};
use crate::providers::{AlignAsk, AlignProvider, Answer, Call, SpokenToken, checks};

/// Bytes that one request takes.
const MAX_FILE_BYTES: usize = 25_000_000;
/// Characters of the known text that are given as a hint; the model reads no more than 224 tokens.
const MAX_HINT: usize = 600;
const STAGE: Stage = Stage::Voice;

/// Hears words.
#[derive(Clone, Debug)]
pub struct OpenAiListener {
    endpoint: Endpoint,
    model: String,
}

#[derive(Deserialize)]
struct Heard {
    words: Option<Vec<HeardWord>>,
}

#[derive(Deserialize)]
struct HeardWord {
    word: String,
    start: f64,
    end: f64,
}

impl OpenAiListener {
    pub(super) fn new(endpoint: Endpoint, settings: &OpenAiSettings) -> OpenAiListener {
        OpenAiListener {
            endpoint,
            model: settings.align_model.clone(),
        }
    }

    fn request(&self, ask: &AlignAsk<'_>) -> Ask {
        let mut parts = vec![
            file_part(ask),
            Part::Text("model", self.model.clone()),
            Part::Text("response_format", "verbose_json".to_owned()),
            Part::Text("timestamp_granularities[]", "word".to_owned()),
        ];
        // ISO 639-1 only.
        let base = ask.language.and_then(|tag| tag.split(['-', '_']).next());
        parts.extend(
            base.filter(|tag| tag.len() == 2)
                .map(|tag| Part::Text("language", tag.to_lowercase())),
        );
        parts.extend(
            ask.text
                .map(|text| Part::Text("prompt", text.chars().take(MAX_HINT).collect())),
        );
        Ask::form(self.endpoint.url(&["audio", "transcriptions"]), parts)
    }
}

/// The sound as a part `file`; servers go by its name's extension.
pub(in crate::providers) fn file_part(ask: &AlignAsk<'_>) -> Part {
    Part::File {
        name: "file",
        file_name: format!("voice.{}", ask.extension),
        mime: "application/octet-stream",
        bytes: ask.file.into(),
    }
}

impl AlignProvider for OpenAiListener {
    fn name(&self) -> &str {
        self.endpoint.name()
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn align(&self, ask: &AlignAsk<'_>, call: &Call) -> Result<Answer<Vec<SpokenToken>>, Failure> {
        let bad = |what: &str| self.endpoint.bad_answer(STAGE, what);
        let secs = checks::sound_secs(ask.file).map_err(|what| {
            Failure::new(STAGE, FailureKind::BadInput, format!("the sound {what}"))
        })?;
        if ask.file.len() > MAX_FILE_BYTES {
            let message =
                "it takes sounds of at most 25 MB; give a compressed one, such as Opus or MP3";
            return Err(self.endpoint.failure(STAGE, FailureKind::Refused, message));
        }
        let reply = self.endpoint.call(&self.request(ask), STAGE, call)?;
        let heard: Heard = serde_json::from_slice(&reply.body)
            .map_err(|_| bad("its answer is not the JSON of words that was asked for"))?;
        let words = heard.words.ok_or_else(|| {
            bad("it gives no times of words with this model; whisper-1 and its relatives do")
        })?;
        let tokens = words.into_iter().map(|word| SpokenToken {
            text: word.word.trim().to_owned(),
            start: word.start,
            end: word.end,
        });
        let tokens = tokens.filter(|token| !token.text.is_empty()).collect();
        let tokens = checks::word_times(tokens, secs)
            .map_err(|what| bad(&format!("the word times {what}")))?;
        Ok(Answer::plain(tokens))
    }
}
