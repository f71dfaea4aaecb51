//! One question to a language model, and its answer as text or JSON.

use serde_json::{Value, json};

use super::TokenField;
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::Call;
use crate::providers::http::{Ask, Endpoint, Reply};
use crate::providers::written::{OTHER_FORM, object_in};

/// A language model on a server.
#[derive(Clone, Debug)]
pub(super) struct Chat {
    pub(super) endpoint: Endpoint,
    pub(super) model: String,
    pub(super) token_field: TokenField,
}

/// A question.
pub(super) struct Question<'a> {
    pub(super) stage: Stage,
    pub(super) system: &'a str,
    /// A text, or a list of parts with pictures.
    pub(super) user: Value,
    /// The form of the answer, if it must be JSON: a name and a schema.
    pub(super) schema: Option<(&'static str, Value)>,
    pub(super) max_tokens: usize,
}

impl Chat {
    /// Returns the text of the answer.
    ///
    /// # Errors
    /// `Refused` if the model or its filter declines; `BadAnswer` if the text is cut off or missing.
    pub(super) fn ask(&self, question: &Question<'_>, call: &Call) -> Result<String, Failure> {
        let (endpoint, stage) = (&self.endpoint, question.stage);
        let url = endpoint.url(&["chat", "completions"]);
        let first = Ask::post(url.clone(), self.body(question, true)).step("chat");
        let reply = endpoint.exchange(&first, stage, call)?;
        // Many compatible servers lack `response_format`; the instructions request the same form in words.
        let may_be_format = matches!(reply.status, 400 | 422) && question.schema.is_some();
        let is_refused = || endpoint.refusal(&reply, stage).kind == FailureKind::Refused;
        let reply = match may_be_format && !is_refused() {
            true => {
                let plain = Ask::post(url, self.body(question, false)).step("chat, plain");
                endpoint.exchange(&plain, stage, call)?
            }
            false => reply,
        };
        match reply.is_success() {
            true => self.text_of(&reply, stage),
            false => Err(endpoint.refusal(&reply, stage)),
        }
    }

    /// Returns the JSON object in the answer.
    ///
    /// # Errors
    /// As [`Chat::ask`]; `BadAnswer` if there is none.
    pub(super) fn ask_json(&self, question: &Question<'_>, call: &Call) -> Result<Value, Failure> {
        let text = self.ask(question, call)?;
        object_in(&text).ok_or_else(|| self.endpoint.bad_answer(question.stage, OTHER_FORM))
    }

    fn body(&self, question: &Question<'_>, is_strict: bool) -> Value {
        let tokens = match self.token_field {
            TokenField::MaxCompletionTokens => "max_completion_tokens",
            TokenField::MaxTokens => "max_tokens",
        };
        let mut body = json!({
            "model": self.model,
            "messages": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": question.user},
            ],
            tokens: question.max_tokens,
        });
        if let (Some((name, schema)), true) = (&question.schema, is_strict) {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": {"name": name, "schema": schema, "strict": true},
            });
        }
        body
    }

    fn text_of(&self, reply: &Reply, stage: Stage) -> Result<String, Failure> {
        let bad = |what| self.endpoint.bad_answer(stage, what);
        let refused = || {
            let message = "it refuses this content; reword it";
            self.endpoint.failure(stage, FailureKind::Refused, message)
        };
        let json = reply
            .json()
            .ok_or_else(|| bad("its response is not JSON"))?;
        let choice = json
            .pointer("/choices/0")
            .ok_or_else(|| bad("its response contains no text"))?;
        match choice["finish_reason"].as_str() {
            Some("content_filter") => return Err(refused()),
            Some("length") => {
                return Err(bad(
                    "its response was cut off at the maximum length; request fewer words",
                ));
            }
            _ if choice
                .pointer("/message/refusal")
                .is_some_and(Value::is_string) =>
            {
                return Err(refused());
            }
            _ => {}
        }
        let text = match &choice["message"]["content"] {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts
                .iter()
                .filter_map(|part| part["text"].as_str())
                .collect(),
            _ => String::new(),
        };
        match text.trim() {
            "" => Err(bad("its response contains no text")),
            text => Ok(text.to_owned()),
        }
    }
}
