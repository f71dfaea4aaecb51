//! ElevenLabs: speech with the time of every character, and the words of a recorded voice.
//!
//! Source: ElevenLabs' OpenAPI description of 2026. The requests of its Python client (2.78) were recorded; they have the same paths, headers and fields.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Value, json};

use super::http::{Ask, Auth, Endpoint, EndpointSettings, Http, Part};
use super::models::ModelTable;
use super::openai::{file_part, speaks};
use super::{
    AlignAsk, AlignProvider, Answer, Call, Speech, SpeechAsk, SpokenToken, VoiceProvider, checks,
};
use crate::failure::{Failure, FailureKind, Stage};

/// The address of ElevenLabs.
pub const BASE_URL: &str = "https://api.elevenlabs.io";
/// The variable that usually contains its key.
pub const KEY_ENV: &str = "ELEVENLABS_API_KEY";
/// A minute of MP3 is 1 MB; the reply has it in Base64, with the time of every character.
const MAX_REPLY_BYTES: usize = 64 << 20;
/// Most characters before and after a text that are sent as context for its intonation.
const MAX_AROUND: usize = 500;
/// Parts of names of models that accept `language_code`; others reject it.
const KNOW_LANGUAGES: &[&str] = &["v2_5", "v3"];
const STAGE: Stage = Stage::Voice;

/// The server and its models.
#[derive(Clone, Debug)]
pub struct ElevenLabsSettings {
    /// The server.
    pub endpoint: EndpointSettings,
    /// Model for speech.
    pub voice_model: String,
    /// Model for transcription, if the text is unknown.
    pub align_model: String,
    /// Default voice; empty for the table's first.
    pub voice: String,
    /// Such as `mp3_44100_128`.
    pub output_format: String,
    /// Most characters of one request.
    pub max_chars: usize,
    /// Tags of the languages that it speaks; empty for all.
    pub languages: Vec<String>,
}

impl ElevenLabsSettings {
    /// Returns the settings for ElevenLabs' own server and models.
    pub fn new(name: &str) -> ElevenLabsSettings {
        ElevenLabsSettings {
            endpoint: EndpointSettings {
                name: name.to_owned(),
                base_url: Url::parse(BASE_URL).expect("an address"),
                key_env: Some(KEY_ENV.to_owned()),
                auth: Auth::Header("xi-api-key"),
                timeout: Duration::from_secs(120),
                allowed: Vec::new(),
                idempotency_header: None,
                ca_file: None,
            },
            voice_model: "eleven_multilingual_v2".to_owned(),
            align_model: "scribe_v1".to_owned(),
            voice: String::new(),
            output_format: "mp3_44100_128".to_owned(),
            max_chars: 5000,
            languages: Vec::new(),
        }
    }

    /// Builds the adapter, which speaks and aligns.
    pub fn build(&self, http: &Http, table: Arc<ModelTable>) -> ElevenLabs {
        ElevenLabs {
            endpoint: Endpoint::new(http, self.endpoint.clone()),
            settings: self.clone(),
            table,
        }
    }
}

/// Speaks and aligns.
#[derive(Clone, Debug)]
pub struct ElevenLabs {
    endpoint: Endpoint,
    settings: ElevenLabsSettings,
    table: Arc<ModelTable>,
}

/// A voice of the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedVoice {
    /// The value for `voiceId`.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// The tag of its language, if it has one.
    pub language: Option<String>,
}

#[derive(Deserialize)]
struct Spoken {
    audio_base64: String,
    alignment: Option<Alignment>,
}

#[derive(Deserialize)]
struct Alignment {
    characters: Vec<String>,
    character_start_times_seconds: Vec<f64>,
    character_end_times_seconds: Vec<f64>,
}

#[derive(Deserialize)]
struct Words {
    words: Vec<Word>,
}

#[derive(Deserialize)]
struct Word {
    text: String,
    #[serde(default)]
    start: Option<f64>,
    #[serde(default)]
    end: Option<f64>,
    /// `word`, `spacing` or `audio_event`; missing in forced alignments.
    #[serde(rename = "type", default)]
    kind: Option<String>,
}

impl ElevenLabs {
    /// Returns the voices of the account.
    ///
    /// # Errors
    /// A failure of stage `Voice`, as for any call.
    pub fn voices(&self, call: &Call) -> Result<Vec<ListedVoice>, Failure> {
        let ask = Ask::get(self.endpoint.url(&["v1", "voices"]));
        let reply = self.endpoint.call(&ask, STAGE, call)?;
        let json = reply.json();
        let list = json.as_ref().and_then(|json| json["voices"].as_array());
        let list = list.ok_or_else(|| {
            self.endpoint
                .bad_answer(STAGE, "its response contains no voices")
        })?;
        let voice = |voice: &Value| {
            let text = |place: &str| {
                voice
                    .pointer(place)
                    .and_then(Value::as_str)
                    .map(str::to_owned)
            };
            Some(ListedVoice {
                id: text("/voice_id")?,
                name: text("/name").unwrap_or_default(),
                language: text("/labels/language"),
            })
        };
        Ok(list.iter().filter_map(voice).collect())
    }

    fn request(&self, ask: &SpeechAsk, voice: &str) -> Ask {
        let model = &self.settings.voice_model;
        let mut body = json!({"text": ask.text, "model_id": model});
        if KNOW_LANGUAGES.iter().any(|part| model.contains(part)) && !ask.language.is_empty() {
            let base = ask.language.split(['-', '_']).next().unwrap_or_default();
            body["language_code"] = Value::String(base.to_lowercase());
        }
        let [before, after] = &ask.around;
        if !before.is_empty() {
            let skipped = before.chars().count().saturating_sub(MAX_AROUND);
            body["previous_text"] = before.chars().skip(skipped).collect::<String>().into();
        }
        if !after.is_empty() {
            body["next_text"] = after.chars().take(MAX_AROUND).collect::<String>().into();
        }
        let mut url = self
            .endpoint
            .url(&["v1", "text-to-speech", voice, "with-timestamps"]);
        url.query_pairs_mut()
            .append_pair("output_format", &self.settings.output_format);
        Ask::post(url, body).at_most(MAX_REPLY_BYTES)
    }

    fn checked(
        &self,
        spoken: Spoken,
        ask: &SpeechAsk,
        notes: &mut Vec<String>,
    ) -> Result<Speech, Failure> {
        let bad = |what: &str| {
            self.endpoint
                .bad_answer(STAGE, &format!("its audio {what}"))
        };
        let file = STANDARD
            .decode(spoken.audio_base64.trim())
            .map_err(|_| bad("is damaged"))?;
        let secs = checks::sound_secs(&file).map_err(bad)?;
        checks::plausible_secs(secs, &ask.text, &ask.language).map_err(bad)?;
        let words = spoken.alignment.and_then(|alignment| tokens(&alignment));
        let words = words.and_then(|words| named(words, &ask.text));
        let words = words.and_then(|words| checks::word_times(words, secs).ok());
        if words.is_none() {
            notes.push(format!(
                "{} returned no usable word times",
                self.endpoint.name()
            ));
        }
        Ok(Speech {
            extension: checks::sound_extension(&file),
            file,
            secs,
            words,
        })
    }
}

/// Groups characters into words at white space; `None` if the three lists do not match.
fn tokens(alignment: &Alignment) -> Option<Vec<SpokenToken>> {
    let (starts, ends) = (
        &alignment.character_start_times_seconds,
        &alignment.character_end_times_seconds,
    );
    let n = alignment.characters.len();
    (starts.len() == n && ends.len() == n).then_some(())?;
    let mut tokens: Vec<SpokenToken> = Vec::new();
    let mut goes_on = false;
    for (text, (start, end)) in alignment.characters.iter().zip(starts.iter().zip(ends)) {
        if text.chars().all(char::is_whitespace) {
            goes_on = false;
            continue;
        }
        match tokens.last_mut() {
            Some(token) if goes_on => {
                token.text += text;
                token.end = *end;
            }
            _ => tokens.push(SpokenToken {
                text: text.clone(),
                start: *start,
                end: *end,
            }),
        }
        goes_on = true;
    }
    Some(tokens)
}

/// Replaces the tokens' texts by the words of the text; `None` if their numbers differ.
fn named(mut tokens: Vec<SpokenToken>, text: &str) -> Option<Vec<SpokenToken>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    (words.len() == tokens.len()).then_some(())?;
    for (token, word) in tokens.iter_mut().zip(words) {
        word.clone_into(&mut token.text);
    }
    Some(tokens)
}

impl VoiceProvider for ElevenLabs {
    fn name(&self) -> &str {
        self.endpoint.name()
    }

    fn model(&self) -> &str {
        &self.settings.voice_model
    }

    fn speaks(&self, language: &str) -> bool {
        speaks(&self.settings.languages, language)
    }

    fn speak(&self, ask: &SpeechAsk, call: &Call) -> Result<Answer<Speech>, Failure> {
        if ask.text.trim().is_empty() {
            return Err(Failure::new(
                STAGE,
                FailureKind::BadInput,
                "there is no text to speak",
            ));
        }
        let n_chars = ask.text.chars().count();
        if n_chars > self.settings.max_chars {
            let message = format!(
                "it accepts at most {} characters per request, but this scene has {n_chars}: split it in two",
                self.settings.max_chars
            );
            return Err(self.endpoint.failure(STAGE, FailureKind::Refused, message));
        }
        let (voice, mut notes) = match (ask.voice.is_empty(), self.settings.voice.as_str()) {
            (true, default) if !default.is_empty() => (default, Vec::new()),
            _ => self.table.voice_for("elevenlabs", &ask.voice),
        };
        let reply = self.endpoint.call(&self.request(ask, voice), STAGE, call)?;
        let spoken: Spoken = serde_json::from_slice(&reply.body).map_err(|_| {
            self.endpoint
                .bad_answer(STAGE, "its response is not the expected JSON with audio")
        })?;
        let value = self.checked(spoken, ask, &mut notes)?;
        Ok(Answer::noted(value, notes))
    }
}

impl AlignProvider for ElevenLabs {
    fn name(&self) -> &str {
        self.endpoint.name()
    }

    fn model(&self) -> &str {
        &self.settings.align_model
    }

    fn align(&self, ask: &AlignAsk<'_>, call: &Call) -> Result<Answer<Vec<SpokenToken>>, Failure> {
        let secs = checks::sound_secs(ask.file).map_err(|what| {
            Failure::new(STAGE, FailureKind::BadInput, format!("the audio {what}"))
        })?;
        let mut parts = vec![file_part(ask)];
        let path = match ask.text {
            Some(text) => {
                parts.push(Part::Text("text", text.to_owned()));
                "forced-alignment"
            }
            None => {
                parts.push(Part::Text("model_id", self.settings.align_model.clone()));
                parts.push(Part::Text("timestamps_granularity", "word".to_owned()));
                parts.push(Part::Text("tag_audio_events", "false".to_owned()));
                parts.extend(
                    ask.language
                        .map(|tag| Part::Text("language_code", tag.to_owned())),
                );
                "speech-to-text"
            }
        };
        let request = Ask::form(self.endpoint.url(&["v1", path]), parts);
        let reply = self.endpoint.call(&request, STAGE, call)?;
        let bad = |what: &str| self.endpoint.bad_answer(STAGE, what);
        let heard: Words = serde_json::from_slice(&reply.body)
            .map_err(|_| bad("its response is not the expected JSON with words"))?;
        let is_word = |word: &Word| {
            word.kind.as_deref().is_none_or(|kind| kind == "word") && !word.text.trim().is_empty()
        };
        let tokens = heard.words.into_iter().filter(is_word).map(|word| {
            Some(SpokenToken {
                text: word.text.trim().to_owned(),
                start: word.start?,
                end: word.end?,
            })
        });
        let tokens: Option<Vec<SpokenToken>> = tokens.collect();
        let tokens = tokens.ok_or_else(|| bad("it returned words without times"))?;
        let tokens = checks::word_times(tokens, secs)
            .map_err(|what| bad(&format!("the word times {what}")))?;
        Ok(Answer::plain(tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alignment(text: &str) -> Alignment {
        let characters: Vec<String> = text.chars().map(String::from).collect();
        let n = characters.len();
        Alignment {
            character_start_times_seconds: (0..n).map(|i| i as f64 / 10.0).collect(),
            character_end_times_seconds: (1..=n).map(|i| i as f64 / 10.0).collect(),
            characters,
        }
    }

    #[test]
    fn characters_become_words_of_the_text() {
        let found = tokens(&alignment("Hi,  you\nthere ")).unwrap();
        let found: Vec<(&str, f64, f64)> = found
            .iter()
            .map(|t| (t.text.as_str(), t.start, t.end))
            .collect();
        assert_eq!(
            found,
            [("Hi,", 0.0, 0.3), ("you", 0.5, 0.8), ("there", 0.9, 1.4)]
        );
        assert!(named(tokens(&alignment("a b")).unwrap(), "a b c").is_none());
        let mut broken = alignment("a b");
        broken.character_end_times_seconds.pop();
        assert!(tokens(&broken).is_none());
    }
}
