//! Scripts by a language model.

use serde::Deserialize;
use serde_json::Value;

use super::OpenAiSettings;
use super::chat::{Chat, Question, unfenced};
use crate::failure::{Failure, Stage};
use crate::providers::http::Endpoint;
use crate::providers::prompts::{REWRITE_SYSTEM, SCRIPT_SYSTEM, script_schema, script_wish};
use crate::providers::{Answer, Call, ScriptAsk, ScriptProvider};
use crate::scene::{Line, Scene, Script};

/// Scenes of a script; ten minutes of the shortest sentences have fewer.
const MAX_SCENES: usize = 300;
/// Characters of one line.
const MAX_LINE: usize = 5000;

/// Writes scripts.
#[derive(Clone, Debug)]
pub struct OpenAiWriter(Chat);

#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    title: Option<String>,
    scenes: Vec<WrittenScene>,
}

#[derive(Deserialize)]
struct WrittenScene {
    #[serde(default)]
    lines: Vec<WrittenLine>,
    #[serde(default)]
    picture: String,
}

#[derive(Deserialize)]
struct WrittenLine {
    #[serde(default)]
    speaker: Option<String>,
    text: String,
}

impl OpenAiWriter {
    pub(super) fn new(endpoint: Endpoint, settings: &OpenAiSettings) -> OpenAiWriter {
        OpenAiWriter(Chat {
            endpoint,
            model: settings.script_model.clone(),
            token_field: settings.token_field,
        })
    }

    fn script_of(&self, json: Value, ask: &ScriptAsk) -> Result<Answer<Script>, Failure> {
        let bad = |what| self.0.endpoint.bad_answer(Stage::Script, what);
        let written: Written = serde_json::from_value(json)
            .map_err(|_| bad("the model did not answer in the form that was asked for"))?;
        if written.scenes.len() > MAX_SCENES {
            return Err(bad("the model wrote more than 300 scenes"));
        }
        let scenes = written.scenes.into_iter().map(|scene| scene_of(scene, ask));
        let scenes: Vec<Scene> = scenes
            .filter(|scene| !scene.lines.is_empty() || !scene.brief.is_empty())
            .collect();
        let texts = || {
            scenes
                .iter()
                .flat_map(|scene| &scene.lines)
                .map(|line| line.text.as_str())
        };
        if texts().next().is_none() {
            return Err(bad("the model wrote a script in which nothing is said"));
        }
        if texts().any(|text| text.chars().count() > MAX_LINE) {
            return Err(bad("the model wrote a line of more than 5,000 characters"));
        }
        let title = written
            .title
            .map(|title| plain(&title))
            .filter(|title| !title.is_empty());
        let script = Script {
            title,
            language: ask.language.clone(),
            scenes,
        };
        Ok(Answer::plain(script))
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
            // Words of lines and pictures, JSON around them, and what a reasoning model thinks before it writes.
            max_tokens: 4000 + ask.n_words * 8,
        };
        let json = self.0.ask_json(&question, call)?;
        self.script_of(json, ask)
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
        let script = unfenced(&answer);
        match script.contains("## ") && script.contains("Reusable Elements") {
            true => Ok(Some(script.to_owned())),
            false => {
                let what = "the model did not answer with a canonical script";
                Err(self.0.endpoint.bad_answer(Stage::Script, what))
            }
        }
    }
}

fn scene_of(scene: WrittenScene, ask: &ScriptAsk) -> Scene {
    let lines = scene.lines.into_iter().map(|line| Line {
        speaker: line.speaker.and_then(|name| known(&name, &ask.characters)),
        text: plain(&line.text),
    });
    Scene {
        lines: lines.filter(|line| !line.text.is_empty()).collect(),
        brief: plain(&scene.picture),
        ..Scene::default()
    }
}

/// The name of a character that takes part, as it was given; nobody else may speak but the narrator.
fn known(speaker: &str, characters: &[String]) -> Option<String> {
    let names = characters
        .iter()
        .filter_map(|character| character.split(':').next());
    let wanted = speaker.trim().trim_start_matches('@').to_lowercase();
    names
        .map(str::trim)
        .find(|name| name.to_lowercase() == wanted)
        .map(str::to_owned)
}

/// One line of plain text: no control characters, no marks of Markdown around words.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words = words.map(|word| word.replace("**", "").replace("__", ""));
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_plain_and_speakers_known_ones() {
        assert_eq!(plain(" **One**\n\ttwo\u{0} three "), "One two three");
        let characters = ["Ada Fox: a red fox".to_owned()];
        assert_eq!(known("@ada fox", &characters), Some("Ada Fox".to_owned()));
        assert_eq!(known("Narrator", &characters), None);
    }
}
