//! OpenAI and compatible servers: scripts, speech, word times and pictures.
//!
//! Source: OpenAI's OpenAPI description of 2026; where compatible servers differ, both forms are understood.

mod chat;
mod listen;
mod paint;
mod speak;
mod vision;
mod write;

use std::sync::Arc;

use reqwest::Url;
use serde::Deserialize;

pub use listen::OpenAiListener;
pub(super) use listen::file_part;
pub use paint::OpenAiPainter;
pub use speak::OpenAiVoice;
pub(super) use speak::speaks;
pub use vision::{CharacterSheet, OpenAiEye};
pub use write::OpenAiWriter;

use super::http::{Auth, Endpoint, EndpointSettings, Http};
use super::models::ModelTable;

/// The address of OpenAI.
pub const BASE_URL: &str = "https://api.openai.com/v1";
/// The variable that usually contains its key.
pub const KEY_ENV: &str = "OPENAI_API_KEY";

/// The field that limits an answer's length. OpenAI's newer models accept only the first, many compatible servers only the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenField {
    /// `max_completion_tokens`.
    #[default]
    MaxCompletionTokens,
    /// `max_tokens`.
    MaxTokens,
}

/// A server and its models.
#[derive(Clone, Debug)]
pub struct OpenAiSettings {
    /// The server.
    pub endpoint: EndpointSettings,
    /// Model for scripts.
    pub script_model: String,
    /// Model for descriptions of pictures.
    pub vision_model: String,
    /// Model for pictures.
    pub picture_model: String,
    /// Model for speech.
    pub voice_model: String,
    /// Model for transcription.
    pub align_model: String,
    /// The field that limits the length of an answer.
    pub token_field: TokenField,
    /// Default voice; empty for the table's first.
    pub voice: String,
    /// Tags of the languages that it speaks; empty for all.
    pub languages: Vec<String>,
}

impl OpenAiSettings {
    /// Returns the settings for OpenAI's own server and models.
    pub fn new(name: &str) -> OpenAiSettings {
        OpenAiSettings {
            endpoint: EndpointSettings {
                name: name.to_owned(),
                base_url: Url::parse(BASE_URL).expect("an address"),
                key_env: Some(KEY_ENV.to_owned()),
                auth: Auth::Scheme("Bearer".to_owned()),
                timeout: std::time::Duration::from_secs(180),
                allowed: Vec::new(),
                idempotency_header: Some("idempotency-key"),
                ca_file: None,
            },
            script_model: "gpt-4.1".to_owned(),
            vision_model: "gpt-4.1".to_owned(),
            picture_model: "gpt-image-1".to_owned(),
            voice_model: "gpt-4o-mini-tts".to_owned(),
            align_model: "whisper-1".to_owned(),
            token_field: TokenField::default(),
            voice: String::new(),
            languages: Vec::new(),
        }
    }

    /// Builds its writer.
    pub fn writer(&self, http: &Http) -> OpenAiWriter {
        OpenAiWriter::new(Endpoint::new(http, self.endpoint.clone()), self)
    }

    /// Builds its describer of characters in pictures.
    pub fn eye(&self, http: &Http) -> OpenAiEye {
        OpenAiEye::new(Endpoint::new(http, self.endpoint.clone()), self)
    }

    /// Builds its voice.
    pub fn voice(&self, http: &Http, table: Arc<ModelTable>) -> OpenAiVoice {
        OpenAiVoice::new(Endpoint::new(http, self.endpoint.clone()), self, table)
    }

    /// Builds its maker of pictures.
    pub fn painter(&self, http: &Http, table: Arc<ModelTable>) -> OpenAiPainter {
        OpenAiPainter::new(Endpoint::new(http, self.endpoint.clone()), self, table)
    }

    /// Builds its transcriber.
    pub fn listener(&self, http: &Http) -> OpenAiListener {
        OpenAiListener::new(Endpoint::new(http, self.endpoint.clone()), self)
    }
}
