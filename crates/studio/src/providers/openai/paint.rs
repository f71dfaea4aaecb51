//! Pictures by an image model, with reference pictures of characters.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::OpenAiSettings;
use crate::failure::{Failure, Stage};
use crate::providers::http::{Ask, Endpoint, Media, MediaKind, Part, Reply};
use crate::providers::models::ModelTable;
use crate::providers::prompts::{picture_prompt, style_in_words};
use crate::providers::sizing::Told;
use crate::providers::{Answer, Call, Picture, PictureAsk, PictureProvider, checks};

/// Most pictures that one request may refer to.
const MAX_REFERENCES: usize = 16;
/// A picture of 30 MB in Base64, plus the JSON around it.
const MAX_REPLY_BYTES: usize = 42_000_000;
const STAGE: Stage = Stage::Pictures;

/// Makes pictures.
#[derive(Clone, Debug)]
pub struct OpenAiPainter {
    endpoint: Endpoint,
    model: String,
    table: Arc<ModelTable>,
}

impl OpenAiPainter {
    pub(super) fn new(
        endpoint: Endpoint,
        settings: &OpenAiSettings,
        table: Arc<ModelTable>,
    ) -> OpenAiPainter {
        OpenAiPainter {
            endpoint,
            model: settings.picture_model.clone(),
            table,
        }
    }

    fn size(&self, ask: &PictureAsk) -> Option<String> {
        let told = self
            .table
            .openai_sizing(&self.model)?
            .told(ask.width, ask.height)?;
        Some(match told {
            Told::Pixels(width, height) => format!("{width}x{height}"),
            Told::Aspect(name) | Told::Named(name) => name,
        })
    }

    fn request(&self, ask: &PictureAsk, references: &[Vec<u8>]) -> Ask {
        let prompt = picture_prompt(ask, &style_in_words(&ask.style));
        let size = self.size(ask);
        if references.is_empty() {
            // Without `response_format` and `seed`, which the GPT models reject.
            let mut body = json!({"model": self.model, "prompt": prompt, "n": 1});
            if let Some(size) = size {
                body["size"] = Value::String(size);
            }
            return Ask::post(self.endpoint.url(&["images", "generations"]), body);
        }
        let mut parts = vec![
            Part::Text("model", self.model.clone()),
            Part::Text("prompt", prompt),
            Part::Text("n", "1".to_owned()),
        ];
        parts.extend(size.map(|size| Part::Text("size", size)));
        let files = references.iter().take(MAX_REFERENCES).enumerate();
        parts.extend(files.map(|(i, file)| Part::File {
            name: "image[]",
            file_name: format!("reference-{i}.{}", checks::picture_extension(file)),
            mime: checks::picture_mime(file),
            bytes: file.as_slice().into(),
        }));
        Ask::form(self.endpoint.url(&["images", "edits"]), parts)
    }

    fn file_of(&self, reply: &Reply, call: &Call) -> Result<Vec<u8>, Failure> {
        let bad = |what| self.endpoint.bad_answer(STAGE, what);
        let json = reply
            .json()
            .ok_or_else(|| bad("its response is not JSON"))?;
        let item = json
            .pointer("/data/0")
            .ok_or_else(|| bad("its response contains no picture"))?;
        match (item["b64_json"].as_str(), item["url"].as_str()) {
            (Some(text), _) => STANDARD
                .decode(text.trim())
                .map_err(|_| bad("its response contains a damaged picture")),
            (None, Some(url)) => {
                let media = Media {
                    url,
                    kind: MediaKind::Picture,
                    stage: STAGE,
                };
                self.endpoint.fetch(media, call)
            }
            (None, None) => Err(bad("its response contains no picture")),
        }
    }

    fn notes(&self, ask: &PictureAsk, n_references: usize) -> Vec<String> {
        let mut notes = Vec::new();
        let is_this =
            ask.model.is_empty() || ask.model.replace('_', "-") == self.model.replace('_', "-");
        if !is_this {
            notes.push(format!(
                "the model {} is not available at {}; used {} instead",
                ask.model,
                self.endpoint.name(),
                self.model
            ));
        }
        if n_references > MAX_REFERENCES {
            notes.push(format!(
                "only the first {MAX_REFERENCES} character pictures were sent to {}",
                self.endpoint.name()
            ));
        }
        notes
    }
}

impl PictureProvider for OpenAiPainter {
    fn name(&self) -> &str {
        self.endpoint.name()
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn paint(
        &self,
        ask: &PictureAsk,
        references: &[Vec<u8>],
        call: &Call,
    ) -> Result<Answer<Picture>, Failure> {
        let request = self.request(ask, references).at_most(MAX_REPLY_BYTES);
        let reply = self.endpoint.call(&request, STAGE, call)?;
        let file = self.file_of(&reply, call)?;
        let picture = checks::picture(file).map_err(|what| {
            self.endpoint
                .bad_answer(STAGE, &format!("its picture {what}"))
        })?;
        Ok(Answer::noted(picture, self.notes(ask, references.len())))
    }
}
