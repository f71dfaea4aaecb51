//! Parses what language models write: JSON with text around it, scripts of scenes, canonical scripts.

use serde::Deserialize;
use serde_json::Value;

use super::ScriptAsk;
use crate::scene::{Line, Scene, Script};

/// Most opening braces that are tried as the start of a JSON object.
const MAX_STARTS: usize = 20;
/// Most scenes of a script; ten minutes of the shortest sentences have fewer.
const MAX_SCENES: usize = 300;
/// Most characters of a scene's picture description.
const MAX_BRIEF: usize = 1000;
/// Most characters of one line.
const MAX_LINE: usize = 5000;
/// The message for an answer without the requested content.
pub(super) const OTHER_FORM: &str = "the model did not answer in the requested format";

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

/// Extracts the script from a model's answer.
///
/// # Errors
/// What is wrong with it.
pub(super) fn script_of(json: Value, ask: &ScriptAsk) -> Result<Script, &'static str> {
    let written: Written = serde_json::from_value(json).map_err(|_| OTHER_FORM)?;
    if written.scenes.len() > MAX_SCENES {
        return Err("the model wrote more than 300 scenes");
    }
    let scenes = written.scenes.into_iter().map(|scene| scene_of(scene, ask));
    let scenes: Vec<Scene> = scenes
        .filter(|scene| !scene.lines.is_empty() || !scene.brief.is_empty())
        .collect();
    let lines = || scenes.iter().flat_map(|scene| &scene.lines);
    if lines().next().is_none() {
        return Err("the model wrote a script without any speech");
    }
    if lines().any(|line| line.text.chars().count() > MAX_LINE) {
        return Err("the model wrote a line of more than 5,000 characters");
    }
    let title = written.title.map(|title| plain(&title));
    Ok(Script {
        notes: None,
        title: title.filter(|title| !title.is_empty()),
        language: ask.language.clone(),
        scenes,
    })
}

/// Extracts the picture descriptions of `n_scenes` scenes from a model's answer.
///
/// # Errors
/// What is wrong with it.
pub(super) fn briefs_of(json: Value, n_scenes: usize) -> Result<Vec<String>, &'static str> {
    #[derive(Deserialize)]
    struct Seen {
        pictures: Vec<String>,
    }
    let seen: Seen = serde_json::from_value(json).map_err(|_| OTHER_FORM)?;
    if seen.pictures.len() != n_scenes {
        return Err("the model did not describe exactly one picture for each scene");
    }
    let shortened = |text: &String| plain(text).chars().take(MAX_BRIEF).collect();
    Ok(seen.pictures.iter().map(shortened).collect())
}

/// Extracts the canonical script from a model's answer.
///
/// # Errors
/// What is wrong with it.
pub(super) fn canonical_of(text: &str) -> Result<String, &'static str> {
    let script = unfenced(text);
    match script.contains("## ") && script.contains("Reusable Elements") {
        true => Ok(script.to_owned()),
        false => Err("the model did not answer with a canonical script"),
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

/// Returns the name of a character as given; only characters and the narrator may speak.
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

/// Returns one line of plain text: no control characters, no Markdown around words.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words = words.map(|word| word.replace("**", "").replace("__", ""));
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Returns the first JSON object in a text that may have words or a code fence around it.
pub(super) fn object_in(text: &str) -> Option<Value> {
    let starts = text.match_indices('{').take(MAX_STARTS);
    starts.into_iter().find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values
            .next()?
            .ok()
            .filter(|value| value.as_object().is_some_and(|o| !o.is_empty()))
    })
}

/// Returns the content of a code fence, or the text itself if there is none.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let Some(inner) = text.strip_prefix("```").and_then(|t| t.strip_suffix("```")) else {
        return text;
    };
    // The first line names the language.
    inner
        .split_once('\n')
        .map_or(inner, |(_, rest)| rest)
        .trim()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_found_in_whatever_surrounds_them() {
        let wanted = json!({"a": [1, {"b": "}"}]});
        for text in [
            "{\"a\":[1,{\"b\":\"}\"}]}",
            "```json\n{\"a\":[1,{\"b\":\"}\"}]}\n```",
            "Sure {here} it is: {\"a\":[1,{\"b\":\"}\"}]} – enjoy!",
            "\u{feff}{}{\"a\":[1,{\"b\":\"}\"}]}",
        ] {
            assert_eq!(object_in(text), Some(wanted.clone()), "{text}");
        }
        for text in ["", "no", "{\"a\":", "[1, 2]", "{{{{", "<html>{}</html>"] {
            assert_eq!(object_in(text), None, "{text}");
        }
        let deep = "{\"a\":".repeat(10_000);
        assert_eq!(object_in(&deep), None);
    }

    #[test]
    fn fences_are_taken_off() {
        assert_eq!(
            unfenced("```markdown\n## Scene 1\ntext\n```"),
            "## Scene 1\ntext"
        );
        assert_eq!(unfenced(" ## Scene 1 "), "## Scene 1");
    }

    #[test]
    fn texts_become_plain_and_speakers_known_ones() {
        assert_eq!(plain(" **One**\n\ttwo\u{0} three "), "One two three");
        let characters = ["Ada Fox: a red fox".to_owned()];
        assert_eq!(known("@ada fox", &characters), Some("Ada Fox".to_owned()));
        assert_eq!(known("Narrator", &characters), None);
    }
}
