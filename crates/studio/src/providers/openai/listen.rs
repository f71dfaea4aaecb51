//! Word times from a transcriber. If it times only sentences, the engine finds their words in the sound.

use std::io::Cursor;

use kinora::audio::{voice_samples, words_in};
use serde::Deserialize;
use serde_json::Value;

use super::OpenAiSettings;
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::http::{Ask, Endpoint, Part};
use crate::providers::{AlignAsk, AlignProvider, Answer, Call, SpokenToken, checks};

/// Most bytes of one request.
const MAX_FILE_BYTES: usize = 25_000_000;
/// Most characters of the known text that are sent as a hint; the model reads no more than 224 tokens.
const MAX_HINT: usize = 600;
const STAGE: Stage = Stage::Voice;
/// Sample rate of [`voice_samples`].
const RATE_HZ: f64 = 16_000.0;

/// Transcribes speech.
#[derive(Clone, Debug)]
pub struct OpenAiListener {
    endpoint: Endpoint,
    model: String,
}

#[derive(Deserialize)]
struct Heard {
    words: Option<Vec<HeardWord>>,
    /// Only read if no words are timed, because its form varies.
    #[serde(default)]
    segments: Value,
    #[serde(default)]
    language: Value,
}

#[derive(Deserialize)]
struct HeardWord {
    word: String,
    start: f64,
    end: f64,
}

#[derive(Deserialize)]
struct HeardSegment {
    text: String,
    start: f64,
    end: f64,
}

/// What a server timed.
enum Timed {
    Words(Vec<SpokenToken>),
    Sentences(Vec<SpokenToken>),
}

impl Heard {
    /// Returns the words, else the sentences. An empty list of words next to sentences means that the server times no words.
    fn timed(self) -> Option<Timed> {
        let token = |text: &str, start, end| SpokenToken {
            text: text.trim().to_owned(),
            start,
            end,
        };
        let is_said = |token: &SpokenToken| !token.text.is_empty() && !is_sign(&token.text);
        let words = self.words.map(|words| {
            let tokens = words.iter().map(|w| token(&w.word, w.start, w.end));
            let tokens = tokens.filter(|token| !token.text.is_empty());
            tokens.collect::<Vec<_>>()
        });
        let segments = serde_json::from_value::<Vec<HeardSegment>>(self.segments);
        let sentences = segments.ok().map(|segments| {
            let tokens = segments.iter().map(|s| token(&s.text, s.start, s.end));
            tokens.filter(is_said).collect::<Vec<_>>()
        });
        match (words, sentences) {
            (Some(words), Some(sentences)) if words.is_empty() && !sentences.is_empty() => {
                Some(Timed::Sentences(sentences))
            }
            (Some(words), _) => Some(Timed::Words(words)),
            (None, sentences) => sentences.map(Timed::Sentences),
        }
    }
}

/// Returns whether a text is one of whisper's marks for sound without speech, such as `[BLANK_AUDIO]` and `(wind)`.
fn is_sign(text: &str) -> bool {
    [('[', ']'), ('(', ')')]
        .iter()
        .any(|(open, close)| text.starts_with(*open) && text.ends_with(*close))
}

/// Returns the words of timed sentences, found in the sound of each.
///
/// # Errors
/// Why the sound cannot be decoded.
fn words_of(
    segments: &[SpokenToken],
    ask: &AlignAsk<'_>,
    language: Option<&str>,
) -> std::io::Result<Vec<SpokenToken>> {
    let samples = voice_samples(Box::new(Cursor::new(ask.file.to_vec())))?;
    let at = |secs: f64| ((secs * RATE_HZ) as usize).min(samples.len());
    let words = segments.iter().flat_map(|segment| {
        let (start, end) = (at(segment.start), at(segment.end));
        let begun = start as f64 / RATE_HZ;
        let sound = samples.get(start..end).unwrap_or(&[]);
        let found = words_in(sound, &segment.text, language).into_iter();
        found.map(move |word| SpokenToken {
            text: word.text,
            start: begun + word.start,
            end: begun + word.end,
        })
    });
    Ok(words.collect())
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

/// Returns the sound as a part `file`; servers go by the extension in its name.
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
        let unusable =
            |what: &str| Failure::new(STAGE, FailureKind::BadInput, format!("the audio {what}"));
        let secs = checks::sound_secs(ask.file).map_err(unusable)?;
        if ask.file.len() > MAX_FILE_BYTES {
            let message =
                "it accepts audio of at most 25 MB; use a compressed file, such as Opus or MP3";
            return Err(self.endpoint.failure(STAGE, FailureKind::Refused, message));
        }
        let reply = self.endpoint.call(&self.request(ask), STAGE, call)?;
        let heard: Heard = serde_json::from_slice(&reply.body)
            .map_err(|_| bad("its response is not the expected JSON with words"))?;
        let heard_language = heard.language.as_str().map(str::to_owned);
        let language = ask.language.or(heard_language.as_deref());
        let checked = |tokens| {
            checks::word_times(tokens, secs).map_err(|what| bad(&format!("the word times {what}")))
        };
        let tokens = match heard.timed() {
            Some(Timed::Words(words)) => checked(words)?,
            Some(Timed::Sentences(mut sentences)) => {
                // Whisper listens in windows of 30 seconds, and the last sentence may end with its window, after the sound.
                for sentence in sentences.iter_mut().filter(|s| s.start <= secs) {
                    sentence.end = sentence.end.min(secs);
                }
                let words = words_of(&checked(sentences)?, ask, language);
                checked(words.map_err(|e| unusable(&e.to_string()))?)?
            }
            None => {
                return Err(bad(
                    "it returns no times of words or sentences with this model; whisper-1 and related models do",
                ));
            }
        };
        Ok(Answer::plain(tokens))
    }
}
