//! Descriptions of the characters in a picture, by a multimodal language model.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::OpenAiSettings;
use super::chat::{Chat, Question};
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::http::Endpoint;
use crate::providers::prompts::{DESCRIBE_SYSTEM, describe_schema};
use crate::providers::{Answer, Call, checks};
use crate::scene::is_false;

/// Most characters of one picture.
const MAX_CHARACTERS: usize = 6;
/// Most letters of one field.
const MAX_FIELD: usize = 1000;

/// The description of one character, with the fields of the interface's saved character.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CharacterSheet {
    /// A name.
    pub name: String,
    /// Role and personality.
    #[serde(default)]
    pub description: String,
    /// How it looks.
    #[serde(default)]
    pub appearance: String,
    /// What it wears.
    #[serde(default)]
    pub clothing: String,
    /// Whether all of this is measured, without recognizing anyone.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_measured: bool,
}

/// Describes characters.
#[derive(Clone, Debug)]
pub struct OpenAiEye(Chat);

#[derive(Deserialize)]
struct Sheets {
    characters: Vec<CharacterSheet>,
}

impl OpenAiEye {
    pub(super) fn new(endpoint: Endpoint, settings: &OpenAiSettings) -> OpenAiEye {
        OpenAiEye(Chat {
            endpoint,
            model: settings.vision_model.clone(),
            token_field: settings.token_field,
        })
    }

    /// Returns the model.
    pub fn model(&self) -> &str {
        &self.0.model
    }

    /// Returns the characters in a picture (PNG, JPEG or WebP); an empty list if there are none.
    ///
    /// # Errors
    /// `BadInput` for an unusable picture; else a failure of stage `Request`, as for any call.
    pub fn characters(
        &self,
        picture: &[u8],
        call: &Call,
    ) -> Result<Answer<Vec<CharacterSheet>>, Failure> {
        let stage = Stage::Request;
        let picture = checks::picture(picture.to_vec()).map_err(|what| {
            Failure::new(stage, FailureKind::BadInput, format!("the picture {what}"))
        })?;
        let address = format!(
            "data:{};base64,{}",
            checks::picture_mime(&picture.file),
            STANDARD.encode(&picture.file)
        );
        let question = Question {
            stage,
            system: DESCRIBE_SYSTEM,
            user: json!([
                {"type": "text", "text": "Describe the characters in this picture."},
                {"type": "image_url", "image_url": {"url": address}},
            ]),
            schema: Some(("characters", describe_schema())),
            max_tokens: 6000,
        };
        let json = self.0.ask_json(&question, call)?;
        let sheets: Sheets = serde_json::from_value(json).map_err(|_| {
            self.0
                .endpoint
                .bad_answer(stage, "the model did not answer in the requested format")
        })?;
        let named = sheets
            .characters
            .into_iter()
            .filter(|sheet| !sheet.name.trim().is_empty());
        Ok(Answer::plain(
            named.take(MAX_CHARACTERS).map(shortened).collect(),
        ))
    }
}

fn shortened(sheet: CharacterSheet) -> CharacterSheet {
    let short = |text: String| {
        text.trim()
            .chars()
            .filter(|c| !c.is_control())
            .take(MAX_FIELD)
            .collect()
    };
    CharacterSheet {
        name: short(sheet.name),
        description: short(sheet.description),
        appearance: short(sheet.appearance),
        clothing: short(sheet.clothing),
        is_measured: false,
    }
}
