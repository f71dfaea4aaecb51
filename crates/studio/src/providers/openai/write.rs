//! Scripts by a language model.

use serde_json::Value;

use super::OpenAiSettings;
use super::chat::{Chat, Question};
use crate::failure::{Failure, Stage};
use crate::providers::http::Endpoint;
use crate::providers::prompts::{
    BRIEF_SYSTEM, REWRITE_SYSTEM, SCRIPT_SYSTEM, brief_schema, brief_wish, script_schema,
    script_wish,
};
use crate::providers::written::{briefs_of, canonical_of, script_of};
use crate::providers::{Answer, BriefAsk, Call, ScriptAsk, ScriptProvider};
use crate::scene::Script;

/// Writes scripts.
#[derive(Clone, Debug)]
pub struct OpenAiWriter(Chat);

impl OpenAiWriter {
    pub(super) fn new(endpoint: Endpoint, settings: &OpenAiSettings) -> OpenAiWriter {
        OpenAiWriter(Chat {
            endpoint,
            model: settings.script_model.clone(),
            token_field: settings.token_field,
        })
    }
}

impl ScriptProvider for OpenAiWriter {
    fn name(&self) -> &str {
        self.0.endpoint.name()
    }

    fn model(&self) -> &str {
        &self.0.model
    }

    fn write(&self, ask: &ScriptAsk, call: &Call) -> Result<Answer<Script>, Failure> {
        let question = Question {
            stage: Stage::Script,
            system: SCRIPT_SYSTEM,
            user: Value::String(script_wish(ask)),
            schema: Some(("script", script_schema())),
            // Enough for the words of lines and pictures, JSON around them, and the reasoning before the answer.
            max_tokens: 4000 + ask.n_words * 8,
        };
        let json = self.0.ask_json(&question, call)?;
        let script = script_of(json, ask);
        script
            .map(Answer::plain)
            .map_err(|what| self.0.endpoint.bad_answer(Stage::Script, what))
    }

    fn rewrite(&self, text: &str, call: &Call) -> Result<Option<String>, Failure> {
        let question = Question {
            stage: Stage::Script,
            system: REWRITE_SYSTEM,
            user: Value::String(text.to_owned()),
            schema: None,
            max_tokens: 4000 + text.chars().count(),
        };
        let answer = self.0.ask(&question, call)?;
        let script = canonical_of(&answer);
        script
            .map(Some)
            .map_err(|what| self.0.endpoint.bad_answer(Stage::Script, what))
    }

    fn brief(&self, ask: &BriefAsk, call: &Call) -> Result<Option<Answer<Vec<String>>>, Failure> {
        let question = Question {
            stage: Stage::Scenes,
            system: BRIEF_SYSTEM,
            user: Value::String(brief_wish(ask)),
            schema: Some(("pictures", brief_schema())),
            max_tokens: 4000 + ask.scenes.len() * 120,
        };
        let json = self.0.ask_json(&question, call)?;
        let briefs = briefs_of(json, ask.scenes.len());
        briefs
            .map(|briefs| Some(Answer::plain(briefs)))
            .map_err(|what| self.0.endpoint.bad_answer(Stage::Scenes, what))
    }
}
