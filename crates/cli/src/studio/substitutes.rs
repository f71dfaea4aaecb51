//! Notes about substitutes, printed before the work begins, with ways to avoid them.

use kinora_studio::failure::Stage;
use kinora_studio::providers::VoiceProvider;
use kinora_studio::script::language_of;
use kinora_studio::stages::{Brief, Source, Studio};
use kinora_studio::voice::{Espeak, Flite};
use kinora_studio::writer::OFFLINE_NOTE;
use serde_json::json;

use crate::console;

/// A note on one part of the video.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Substitute {
    /// The part of the video.
    pub(crate) stage: Stage,
    /// What makes it, and how to change that.
    pub(crate) line: String,
}

/// The notes printed before the work.
pub(crate) struct Early(Vec<Substitute>);

impl Early {
    /// Prints the notes, for programs as events.
    pub(crate) fn say(substitutes: Vec<Substitute>, json: bool) -> Early {
        for Substitute { stage, line } in &substitutes {
            match json {
                true => {
                    console::json_line(&json!({ "event": "note", "stage": stage, "message": line }))
                }
                false => console::say(&format!("note: {line}")),
            }
        }
        Early(substitutes)
    }

    /// Prints, after the work, the notes that were not printed before.
    pub(crate) fn say_others(&self, notes: &[String]) {
        let is_written = self.0.iter().any(|early| early.stage == Stage::Script);
        for note in notes
            .iter()
            .filter(|note| !(is_written && *note == OFFLINE_NOTE))
        {
            console::say(&format!("note: {note}"));
        }
    }
}

/// Returns the parts of a brief that kinora makes itself where a provider, or the user's own material, would do better.
pub(crate) fn of(brief: &Brief, studio: &Studio) -> Vec<Substitute> {
    const OFFLINE: &str = "offline";
    let mut lines = Vec::new();
    let mut add = |stage, line: String| lines.push(Substitute { stage, line });
    if matches!(brief.source, Source::Prompt(_)) && studio.script.name() == OFFLINE {
        add(Stage::Script, "script: written by rules from the words of the prompt; it knows no facts. Better: your own text (--script-file FILE), or a language model ([script] in kinora.toml)".into());
    }
    let is_recorded = matches!(brief.source, Source::Recording(_));
    if brief.voice.is_some() && !is_recorded && studio.voice.name() == OFFLINE {
        add(Stage::Voice, voice(brief));
    }
    if studio.pictures.name() == OFFLINE {
        add(Stage::Pictures, "pictures: painted by kinora's illustrator. Better: your own (--pictures DIR), or a picture model ([pictures] in kinora.toml)".into());
    }
    if brief.clips.is_some() && studio.clips.name() == OFFLINE {
        add(Stage::Clips, "clips: the camera moves through painted pictures. Better: a clip model ([clips] in kinora.toml)".into());
    }
    lines
}

/// Returns the note on the offline voice of a brief.
fn voice(brief: &Brief) -> String {
    let said = match &brief.source {
        Source::Prompt(prompt) => language_of(&prompt.prompt).to_owned(),
        Source::Script(text) => language_of(text).to_owned(),
        Source::Scenes(script) => script.language.clone(),
        Source::Recording(_) => String::new(),
    };
    let language = brief.language.clone().unwrap_or(said);
    let better =
        "Better: your own (--recording FILE), or a speech service ([voice] in kinora.toml)";
    let wants_espeak = brief
        .voice
        .as_deref()
        .is_some_and(|id| id.starts_with("espeak:"));
    let (flite, espeak) = (Flite::new(), Espeak::new());
    if flite.speaks(&language) && !wants_espeak && flite.check().is_ok() {
        return format!("voice: Flite, a synthetic voice. {better}");
    }
    match espeak.check().is_ok() && espeak.speaks(&language) {
        true => format!("voice: eSpeak NG, a robotic voice, in `{language}`. {better}"),
        false => format!(
            "voice: none, because nothing installed here speaks `{language}`; `kinora doctor` says what to install. {better}"
        ),
    }
}
