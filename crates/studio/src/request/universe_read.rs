//! Reads and checks a request of the Universe interface.

use serde_json::{Map, Value};
use uuid::Uuid;

use super::fields::{Fields, Span, is_absent, whole};
use super::names::AudioKind;
use super::problem::{FieldProblem, ProblemCode, Report, quoted};
use super::short_read::VOLUME;
use super::texts::{MAX_NAME_CHARS, MAX_PROFILE_CHARS, MAX_PROMPT_CHARS, MAX_SCRIPT_CHARS};
use super::universe::{
    CharacterRef, InlineCharacter, PRESET_ALIASES, TargetSecs, UniverseMusic, UniverseRequest,
};
use super::{MAX_SPOKEN_SECS, MAX_VIDEO_SECS, Parsed, without_words};
use crate::script::canonical::{self, folded};
use crate::text_problem::{is_blank, quoted_text};

const MAX_CHARACTERS: usize = 50;

impl UniverseRequest {
    /// Reads a body.
    ///
    /// # Errors
    /// All problems of the body, including those of a script that is not canonical.
    pub fn parse(body: impl AsRef<[u8]>) -> Result<Parsed<UniverseRequest>, Vec<FieldProblem>> {
        let mut report = Report::default();
        let body = super::json::read(body.as_ref(), &mut report);
        let request = body.and_then(|body| whole(&body, &mut report, request));
        report.end(request.unwrap_or_default())
    }

    /// Reads a body that is already parsed JSON.
    ///
    /// # Errors
    /// As [`UniverseRequest::parse`]; duplicate keys can no longer be detected.
    pub fn from_value(body: &Value) -> Result<Parsed<UniverseRequest>, Vec<FieldProblem>> {
        let mut report = Report::default();
        let request = whole(body, &mut report, request);
        report.end(request.unwrap_or_default())
    }
}

fn request(fields: &mut Fields<'_, '_>) -> UniverseRequest {
    let request = UniverseRequest {
        prompt: prompt(fields),
        duration: target_secs(fields),
        animation_preset: fields.choice_or("animationPreset", PRESET_ALIASES),
        animation: fields.boolean("animation"),
        user_script: user_script(fields),
        voiceover_key: fields.identifier("voiceoverKey", MAX_NAME_CHARS),
        voiceover_duration: fields.number("voiceoverDuration", &Span::up_to(MAX_VIDEO_SECS)),
        audio_kind: fields.choice("audioKind").unwrap_or_default(),
        language: language(fields),
        characters: characters(fields),
        video_format: fields.choice("videoFormat"),
        captions: captions(fields),
        captions_style: fields.choice("captionsStyle"),
        captions_position: fields.choice("captionsPosition"),
        visual_style_id: uuid(fields, "visualStyleId"),
        prefer_ai_style: fields.boolean("preferAiStyle"),
        music_config: fields.optional_object("musicConfig", |music| UniverseMusic {
            music_slug: music.choice("musicSlug"),
            enabled: music.boolean("enabled"),
            volume: music.number("volume", &VOLUME),
            r#loop: music.boolean("loop"),
        }),
        remove_watermark: fields.boolean("removeWatermark").unwrap_or_default(),
    };
    inputs(fields, &request);
    request
}

/// Checks rule 1, and which fields exclude or need each other.
fn inputs(fields: &mut Fields<'_, '_>, request: &UniverseRequest) {
    let [has_prompt, has_script, has_key] =
        ["prompt", "userScript", "voiceoverKey"].map(|name| fields.is_written(name));
    let is_song = request.audio_kind == AudioKind::Song;
    if has_script && has_key {
        fields.invalid(
            "voiceoverKey",
            "`userScript` and `voiceoverKey` are mutually exclusive: send only one of them",
        );
    }
    if !has_key && is_song {
        fields.missing(
            "voiceoverKey",
            "`audioKind` is `song`, which requires the `voiceoverKey` of an uploaded song",
        );
    }
    if !has_key && request.voiceover_duration.is_some() {
        fields.missing(
            "voiceoverKey",
            "`voiceoverDuration` is given, which requires the `voiceoverKey` of uploaded audio",
        );
    }
    if !has_prompt && !has_script && !has_key && !is_song {
        fields.missing(
            "prompt",
            "one of `prompt`, `userScript` and `voiceoverKey` is required, and none contains any text",
        );
    }
    let given = [("userScript", has_script), ("voiceoverKey", has_key)];
    for (name, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
        let because = format!("`{name}` is given and determines the length");
        fields.unused(&because, &[("duration", request.duration.is_some())]);
    }
    if has_script {
        fields.unused(
            "`userScript` is given and determines what is seen and heard",
            &[("prompt", has_prompt)],
        );
    }
    if request.animation.is_some() && request.animation_preset.is_some() {
        fields.warn(
            "animation",
            "has no effect, because `animationPreset` is given",
        );
    }
}

fn target_secs(fields: &mut Fields<'_, '_>) -> Option<TargetSecs> {
    let value = fields.value("duration")?;
    let secs = match value {
        Value::String(text) if is_blank(text) => return None,
        Value::String(text) if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
        Value::Number(number) => number
            .as_f64()
            .filter(|n| n.fract() == 0.0 && (0.0..1e6).contains(n))
            .map(|n| n as u32),
        _ => None,
    };
    let secs = secs.filter(|secs| (1..=TargetSecs::MAX).contains(secs));
    if secs.is_none() {
        let reason = format!(
            "{} is not a whole number of seconds as a string, \"1\" to \"{}\"",
            quoted(value),
            TargetSecs::MAX
        );
        fields.invalid("duration", reason);
    }
    secs.map(TargetSecs)
}

fn prompt(fields: &mut Fields<'_, '_>) -> Option<String> {
    let prompt = fields.text("prompt", MAX_PROMPT_CHARS)?;
    if let Some(reason) = without_words(&prompt) {
        fields.invalid("prompt", reason);
    }
    Some(prompt)
}

fn user_script(fields: &mut Fields<'_, '_>) -> Option<String> {
    let name = "userScript";
    let text = fields.text(name, MAX_SCRIPT_CHARS)?;
    match canonical::parse(&text) {
        Ok(reading) => {
            for warning in &reading.warnings {
                fields.warn(name, warning.to_string());
            }
            let secs = reading.script.spoken_or_written_secs();
            if secs > MAX_SPOKEN_SECS {
                let reason = format!(
                    "the speech takes about {:.0} minutes; a video can last up to {:.0} minutes",
                    secs / 60.0,
                    MAX_VIDEO_SECS / 60.0
                );
                fields.invalid(name, reason);
            }
        }
        Err(diagnostics) => {
            for diagnostic in diagnostics.iter().filter(|d| d.is_error()) {
                fields.add(
                    ProblemCode::NeedsCanonicalRewrite,
                    name,
                    diagnostic.to_string(),
                );
            }
        }
    }
    Some(text)
}

fn language(fields: &mut Fields<'_, '_>) -> Option<String> {
    let text = fields.text("language", MAX_NAME_CHARS)?;
    if is_language(&text) {
        return Some(text.to_ascii_lowercase());
    }
    let mut reason = format!(
        "{} is not a language code of two letters such as `en`",
        quoted_text(&text)
    );
    let start = text.split(['-', '_']).next().unwrap_or_default();
    if is_language(start) {
        reason += &format!("; did you mean `{}`?", start.to_ascii_lowercase());
    }
    fields.invalid("language", reason);
    None
}

/// Returns whether a text is two letters.
pub(super) fn is_language(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|b| b.is_ascii_alphabetic())
}

fn captions(fields: &mut Fields<'_, '_>) -> Option<bool> {
    let (captions, alias) = (
        fields.boolean("captions"),
        fields.boolean("captionsEnabled"),
    );
    if let (Some(captions), Some(alias)) = (captions, alias)
        && captions != alias
    {
        let reason =
            format!("is `{alias}`, but `captions`, of which this is an alias, is `{captions}`");
        fields.invalid("captionsEnabled", reason);
    }
    captions.or(alias)
}

pub(super) fn uuid(fields: &mut Fields<'_, '_>, name: &'static str) -> Option<Uuid> {
    let value = fields.value(name)?;
    let id = value.as_str().and_then(uuid_from_text);
    if id.is_none() {
        fields.invalid(name, format!("{} is {NOT_A_UUID}", quoted(value)));
    }
    id
}

const NOT_A_UUID: &str = "not a UUID such as `123e4567-e89b-12d3-a456-426614174000`";

/// Parses an id with hyphens, as the interface writes them.
fn uuid_from_text(text: &str) -> Option<Uuid> {
    const LEN: usize = 36;
    (text.len() == LEN)
        .then(|| Uuid::parse_str(text).ok())
        .flatten()
}

fn characters(fields: &mut Fields<'_, '_>) -> Vec<CharacterRef> {
    let Some(value) = fields.value("characters") else {
        return Vec::new();
    };
    let Value::Array(items) = value else {
        fields.invalid(
            "characters",
            format!("{} is not an array of ids and characters", quoted(value)),
        );
        return Vec::new();
    };
    if items.len() > MAX_CHARACTERS {
        let reason = format!(
            "{} characters; at most {MAX_CHARACTERS} are allowed",
            items.len()
        );
        fields.invalid("characters", reason);
        return Vec::new();
    }
    // With the index of each, because problems of later ones refer to it.
    let mut found: Vec<(usize, CharacterRef)> = Vec::new();
    let items = items.iter().enumerate();
    let is_there = |item: &Value| item.is_null() || !is_absent(item);
    for (index, item) in items.filter(|(_, item)| is_there(item)) {
        if let Some(character) = character(fields, index, item) {
            let twin = found.iter().find(|(_, other)| is_same(other, &character));
            if let Some((first, _)) = twin {
                refuse_twin(fields, (*first, index), &character);
            }
            found.push((index, character));
        }
    }
    found.into_iter().map(|(_, character)| character).collect()
}

/// Refuses a duplicate character, or one with the same handle: a script could not tell them apart.
fn refuse_twin(
    fields: &mut Fields<'_, '_>,
    (first, index): (usize, usize),
    character: &CharacterRef,
) {
    let step = match character {
        CharacterRef::Inline(inline) if fields.is_written("userScript") => {
            let reason = same_handle(&inline.name, first, index);
            fields.add(ProblemCode::NeedsCanonicalRewrite, "userScript", reason);
            return;
        }
        CharacterRef::Inline(_) => format!("characters[{index}].name"),
        CharacterRef::Saved(_) => format!("characters[{index}]"),
    };
    let reason =
        format!("the same as `characters[{first}]`: list each character once, with its own name");
    fields.invalid(&step, reason);
}

/// Returns the message that two characters have the same handle.
pub fn same_handle(name: &str, first: usize, second: usize) -> String {
    format!(
        "`{name}` is the name of both `characters[{first}]` and `characters[{second}]`, so its handle is ambiguous: give each its own name"
    )
}

fn character<'v>(
    fields: &mut Fields<'v, '_>,
    index: usize,
    item: &'v Value,
) -> Option<CharacterRef> {
    let step = format!("characters[{index}]");
    match item {
        Value::String(text) => {
            let id = uuid_from_text(text);
            if id.is_none() {
                fields.invalid(
                    &step,
                    format!(
                        "{} is {NOT_A_UUID}; ids of saved characters are UUIDs",
                        quoted_text(text)
                    ),
                );
            }
            id.map(CharacterRef::Saved)
        }
        Value::Object(map) => inline(fields, &step, map).map(CharacterRef::Inline),
        other => {
            fields.invalid(
                &step,
                format!(
                    "{} is neither the id of a saved character nor a character object",
                    quoted(other)
                ),
            );
            None
        }
    }
}

fn inline<'v>(
    fields: &mut Fields<'v, '_>,
    step: &str,
    map: &'v Map<String, Value>,
) -> Option<InlineCharacter> {
    fields.inner(step, Some(map), |character| {
        let name = needed(character, "name", MAX_NAME_CHARS);
        let description = needed(character, "description", MAX_PROFILE_CHARS);
        let appearance = character.text("appearance", MAX_PROFILE_CHARS);
        let clothing = character.text("clothing", MAX_PROFILE_CHARS);
        Some(InlineCharacter {
            name: name?,
            description: description?,
            appearance,
            clothing,
        })
    })
}

/// Reads a text that a character must have.
fn needed(fields: &mut Fields<'_, '_>, name: &'static str, max_chars: usize) -> Option<String> {
    let text = fields.text(name, max_chars);
    if !fields.is_written(name) {
        fields.missing(name, format!("a character needs a `{name}`"));
    }
    text
}

/// Returns whether two are the same character, or would have the same handle.
fn is_same(a: &CharacterRef, b: &CharacterRef) -> bool {
    match (a, b) {
        (CharacterRef::Saved(a), CharacterRef::Saved(b)) => a == b,
        (CharacterRef::Inline(a), CharacterRef::Inline(b)) => folded(&a.name) == folded(&b.name),
        _ => false,
    }
}
