//! The offline writer: turns a prompt into a narrated script with narrative grammars and word lists.
//!
//! Takes a [`ScriptAsk`] and gives a [`Script`] and notes about how it was made. It never states as a fact what the prompt does not say and uses no network.
//! The same request and seed always give the same script.

mod bodies;
mod compose;
mod grammar;
mod languages;
mod names;
mod phrases;
mod random;
mod shown;
mod styles;
mod topic;
mod worlds;

use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::{Answer, Call, ScriptAsk, ScriptProvider};
use crate::scene::Script;
use crate::script::language_of;
use random::Random;
use topic::Topic;

/// The maximum of `targetLengthInWords`, which starts at 1.
const MAX_WORDS: usize = 1500;

/// The note on every script of this writer.
pub const OFFLINE_NOTE: &str = "The script was written offline, by rules, from the prompt's own words: it invents pictures but knows no facts. A script provider (a language model) would write better.";

/// Writes scripts by rules, without a network.
#[derive(Clone, Copy, Debug, Default)]
pub struct OfflineWriter {
    /// Another seed gives another script for the same request.
    pub seed: u64,
}

impl ScriptProvider for OfflineWriter {
    fn name(&self) -> &str {
        "offline"
    }

    fn model(&self) -> &str {
        "grammar-1"
    }

    fn writes(&self, language: &str) -> bool {
        let language = crate::script::primary(language);
        language == "en" || languages::written(&language).is_some()
    }

    fn write(&self, ask: &ScriptAsk, _call: &Call) -> Result<Answer<Script>, Failure> {
        write(ask, self.seed)
    }

    /// Returns `None`: the writer has no rules for rewriting prose.
    fn rewrite(&self, _text: &str, _call: &Call) -> Result<Option<String>, Failure> {
        Ok(None)
    }
}

/// Returns the requested style, or with `enhance` a better one than the default; notes the decision.
fn chosen_style(ask: &ScriptAsk, notes: &mut Vec<String>) -> &'static styles::Style {
    let mut style = styles::style(&ask.style);
    if style.name != ask.style && !ask.style.is_empty() {
        notes.push(format!(
            "There is no script style `{}`; the default was used.",
            ask.style
        ));
    }
    if ask.enhance {
        if style.is_default()
            && let Some(better) = styles::fitting(&ask.prompt)
        {
            style = better;
            notes.push(format!(
                "The prompt suits the style `{}`, which was used instead of the default.",
                style.name
            ));
        }
        notes.push(format!(
            "Director's notes, used where the request has none: {}.",
            style.notes
        ));
    }
    style
}

/// Writes a script of about `ask.n_words` words (1 to 1500; off by a tenth or six words at most), the same for the same request and seed.
///
/// # Errors
/// `BadInput` of stage `Script` for a prompt without a word.
pub fn write(ask: &ScriptAsk, seed: u64) -> Result<Answer<Script>, Failure> {
    if !ask.prompt.contains(char::is_alphanumeric) {
        let message = "the prompt has no words; say in a sentence what the video is about";
        return Err(Failure::new(Stage::Script, FailureKind::BadInput, message));
    }
    let n_words = ask.n_words.clamp(1, MAX_WORDS);
    let mut notes = vec![OFFLINE_NOTE.to_string()];
    let style = chosen_style(ask, &mut notes);
    let mut random = Random::new(&[&ask.prompt, style.name, &n_words.to_string()], seed);
    let director = ask.enhance.then(|| style.notes.to_owned());
    let prompted = language_of(&ask.prompt);
    let wanted = match ask.language.as_str() {
        "" => prompted.to_owned(),
        tag => crate::script::primary(tag),
    };
    if wanted != prompted {
        notes.push(format!(
            "The prompt is in a different language (`{prompted}`) from the video (`{wanted}`); words taken from it are not translated."
        ));
    }
    if let Some(language) = languages::written(&wanted) {
        let mut script =
            languages::write(&ask.prompt, language, style.family, n_words, &mut random);
        script.notes = director;
        let n_written: usize = script
            .scenes
            .iter()
            .flat_map(|s| &s.lines)
            .map(|l| crate::script::n_words(&l.text))
            .sum();
        if n_written.abs_diff(n_words) > (n_words / 10).max(6) {
            notes.push(format!(
                "The offline grammar of this language ends at {n_written} words; {n_words} were requested."
            ));
        }
        return Ok(Answer::noted(script, notes));
    }
    if wanted != "en" {
        notes.push(
            "The offline writer has no grammar for this language; the script is English."
                .to_string(),
        );
    }
    let topic = Topic::new(&ask.prompt, &ask.characters);
    let text = compose::compose(&topic, style, n_words, &mut random);
    let scenes = shown::scenes(&text, &topic);
    let script = Script {
        title: Some(topic.title.clone()),
        language: "en".to_string(),
        scenes,
        notes: director,
    };
    Ok(Answer::noted(script, notes))
}
