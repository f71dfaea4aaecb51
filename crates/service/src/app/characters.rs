//! Saved characters: created from a picture, listed, changed, given a voice, deleted.

use kinora_studio::failure::FailureKind;
use kinora_studio::request::{FieldProblem, InlineCharacter, MAX_NAME_CHARS, MAX_PROFILE_CHARS};
use kinora_studio::stages::{Watch, descriptor};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::asker::Asker;
use super::form::{Form, Rules};
use super::{in_use, picture, substitutions};
use crate::db::{Account, Character, NewCharacter};
use crate::error::{Answer, ApiError};
use crate::heavy::{asking, heavy};
use crate::state::App;

/// The form part with the picture.
pub(crate) const IMAGE: &str = "image";
/// The placeholder for an unknown name.
const NAMELESS: &str = "Character";
/// Maximum number of characters per account.
const MAX_OF_ACCOUNT: usize = 5000;

/// A saved character with its voice.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CharacterRecord {
    /// The id that names it in `characters` of a request.
    id: Uuid,
    /// Its name.
    name: String,
    /// Its role and personality.
    description: String,
    /// What it looks like.
    appearance: String,
    /// What it wears.
    clothing: String,
    /// All of that in one text.
    character_prompt: String,
    /// Its picture; the URL is valid for an hour.
    image_url: String,
    /// Its voice's id.
    voice_id: Option<String>,
    /// Whether it is described by colors measured in its picture, because no vision model is configured. Such a description is not passed to models; once the
    /// client changes it, it counts as the client's own.
    is_measured: bool,
    /// Milliseconds since 1970.
    created_at: i64,
}

impl CharacterRecord {
    /// Creates the record, with a newly signed picture URL.
    pub fn of(app: &App, character: Character) -> CharacterRecord {
        let told = character.told;
        CharacterRecord {
            id: character.id,
            image_url: app.media.signed_url(&told.image),
            name: told.name,
            description: told.description,
            appearance: told.appearance,
            clothing: told.clothing,
            character_prompt: told.prompt,
            voice_id: character.voice,
            is_measured: told.is_measured,
            created_at: character.created_at,
        }
    }
}

/// A list of characters.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct CharacterList {
    characters: Vec<CharacterRecord>,
    /// Notes for their owner on how they were created.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl CharacterList {
    /// Creates the list, with newly signed picture URLs.
    pub fn of(app: &App, characters: Vec<Character>, notes: Vec<String>) -> CharacterList {
        let records = characters.into_iter();
        CharacterList {
            characters: records.map(|c| CharacterRecord::of(app, c)).collect(),
            notes,
        }
    }
}

/// A change to a character; missing fields stay as they are.
#[derive(Clone, Debug, Default, schemars::JsonSchema)]
#[schemars(rename_all = "camelCase", extend("minProperties" = 1))]
pub struct CharacterChange {
    /// Its name.
    #[schemars(
        length(min = 1, max = 200),
        regex(pattern = r"[^\s\x00-\x1f\x7f-\x9f]")
    )]
    pub name: Option<String>,
    /// Its role and personality.
    #[schemars(length(max = 2000))]
    pub description: Option<String>,
    /// What it looks like.
    #[schemars(length(max = 2000))]
    pub appearance: Option<String>,
    /// What it wears.
    #[schemars(length(max = 2000))]
    pub clothing: Option<String>,
    /// The id of a voice; `null` removes it.
    #[schemars(
        with = "Option<String>",
        length(min = 1, max = 200),
        regex(pattern = r"^[!-~]+$")
    )]
    pub voice_id: Option<Option<String>>,
}

/// Saves the characters in a picture and returns them with notes for their owner. The picture is re-encoded. A vision model describes the characters if one is
/// configured, else measurements do.
///
/// # Errors
/// 400 if it is not a picture; 503.
pub async fn add(app: &App, asker: &Asker, form: Form) -> Answer<(Vec<Character>, Vec<String>)> {
    let account = &asker.account.id;
    if app.db.characters(account).await?.len() >= MAX_OF_ACCOUNT {
        return Err(ApiError::conflict(
            "characters",
            "at most 5000 characters per account",
        ));
    }
    let (name, path) = (name_of(&form.name), form.path());
    let kept = heavy(move || {
        let file = std::fs::read(path).map_err(|e| e.to_string())?;
        picture::written_anew(&file)
    });
    let kept = kept
        .await
        .unwrap_or_else(|| Err("cannot be decoded".into()));
    let kept = kept.map_err(bad)?;
    let (studios, is_sandbox, picture) =
        (app.studios.clone(), asker.is_sandbox, kept.bytes.clone());
    let sheets = asking(move || {
        let studio = studios.answering(is_sandbox)?;
        studio.characters_in(picture, &name, &Watch::default())
    });
    let sheets = sheets.await.ok_or_else(ApiError::internal)?;
    let sheets = sheets.map_err(told)?;
    let mut notes: Vec<String> = kept.note.into_iter().collect();
    notes.extend(sheets.notes);
    let image = app
        .media
        .publish_bytes("characters", kept.extension, kept.bytes.into())
        .await?;
    let characters: Vec<NewCharacter> = sheets
        .value
        .into_iter()
        .map(|sheet| {
            let inline = InlineCharacter {
                name: plain(&sheet.name),
                description: plain(&sheet.description),
                appearance: Some(plain(&sheet.appearance)),
                clothing: Some(plain(&sheet.clothing)),
            };
            NewCharacter {
                is_measured: sheet.is_measured,
                ..prompted(inline, image.clone())
            }
        })
        .collect();
    let saved = app.db.add_characters(account, &characters).await?;
    Ok((saved, notes))
}

/// Adds the description used in prompts.
fn prompted(told: InlineCharacter, image: String) -> NewCharacter {
    NewCharacter {
        prompt: descriptor(&told),
        name: told.name,
        description: told.description,
        appearance: told.appearance.unwrap_or_default(),
        clothing: told.clothing.unwrap_or_default(),
        image,
        is_measured: false,
    }
}

fn bad(why: String) -> ApiError {
    ApiError::invalid(IMAGE, format!("the picture {why}"))
}

fn told(failure: kinora_studio::failure::Failure) -> ApiError {
    if failure.kind == FailureKind::BadInput {
        return ApiError::invalid(IMAGE, failure.message);
    }
    tracing::error!(%failure, "a picture could not be described");
    ApiError::unavailable()
}

/// Turns a file name into a character's name, for lack of a better one.
fn name_of(file: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let letters: String = stem
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    let words: Vec<&str> = letters.split_whitespace().collect();
    let name: String = words.join(" ").chars().take(60).collect();
    if name.is_empty() {
        NAMELESS.into()
    } else {
        name
    }
}

/// Returns a model's text without control characters.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// Returns one character of an account.
///
/// # Errors
/// 404.
pub async fn find(app: &App, account: &Account, id: &str) -> Answer<Character> {
    let found = match Uuid::try_parse(id) {
        Ok(id) => app.db.character(&account.id, id).await?,
        Err(_) => None,
    };
    found.ok_or_else(|| ApiError::not_found("character", "id", id))
}

/// Deletes a character, and its picture unless another character or an open run uses it.
///
/// # Errors
/// 404.
pub async fn delete(app: &App, account: &Account, id: &str) -> Answer<()> {
    let character = find(app, account, id).await?;
    let image = &character.told.image;
    if !app.db.delete_character(&account.id, character.id).await? {
        return Err(ApiError::not_found("character", "id", id));
    }
    in_use::delete_unless(app, account, image).await
}

/// Returns the rules for the upload form.
pub fn rules(app: &App) -> Rules {
    Rules {
        file: IMAGE,
        max_bytes: app.config.server.max_image,
        text: None,
        max_text: 0,
    }
}

/// Parses a change.
pub(crate) fn change_of(body: &Value) -> Answer<CharacterChange> {
    const FIELDS: [&str; 5] = ["name", "description", "appearance", "clothing", "voiceId"];
    let problems: Vec<FieldProblem> = FIELDS
        .iter()
        .filter(|field| !matches!(body[**field], Value::Null | Value::String(_)))
        .map(|field| FieldProblem::invalid(*field, "is neither a string nor null"))
        .collect();
    if !problems.is_empty() {
        return Err(problems.into());
    }
    if FIELDS.iter().all(|field| body.get(field).is_none()) {
        let reason = format!("one of {} is required", FIELDS.join(", "));
        return Err(ApiError::missing("body", reason));
    }
    let text = |field: &str| body[field].as_str().map(str::to_owned);
    Ok(CharacterChange {
        name: text("name"),
        description: text("description"),
        appearance: text("appearance"),
        clothing: text("clothing"),
        voice_id: body.get("voiceId").map(|_| text("voiceId")),
    })
}

/// Changes a character's description and voice.
///
/// # Errors
/// 400 with every problem; 404.
pub async fn change(
    app: &App,
    account: &Account,
    id: &str,
    change: CharacterChange,
) -> Answer<Character> {
    let character = find(app, account, id).await?;
    let mut problems = problems_of(&change);
    let voice = change.voice_id.as_ref().and_then(Option::as_deref);
    if let Some(id) = voice.filter(|id| is_voice(id))
        && substitutions::is_unknown_voice(app, id).await
    {
        let reason = format!("there is no voice `{id}` here; GET /voices lists the available ones");
        problems.push(FieldProblem::invalid("voiceId", reason));
    }
    if !problems.is_empty() {
        return Err(problems.into());
    }
    let before = character.told;
    let line = |new: Option<String>, old: &String| {
        new.map_or_else(|| old.clone(), |text| on_a_line(&text))
    };
    let inline = InlineCharacter {
        name: line(change.name, &before.name),
        description: line(change.description, &before.description),
        appearance: Some(line(change.appearance, &before.appearance)),
        clothing: Some(line(change.clothing, &before.clothing)),
    };
    let told = prompted(inline, before.image.clone());
    let looks = |told: &NewCharacter| {
        [&told.description, &told.appearance, &told.clothing].map(Clone::clone)
    };
    let is_described = looks(&told) != looks(&before);
    let told = NewCharacter {
        is_measured: before.is_measured && !is_described,
        ..told
    };
    if is_described || told.name != before.name {
        app.db
            .tell_character(&account.id, character.id, &told)
            .await?;
    }
    if let Some(voice) = change.voice_id {
        let voice = voice.as_deref();
        app.db.set_voice(&account.id, character.id, voice).await?;
    }
    find(app, account, id).await
}

fn problems_of(change: &CharacterChange) -> Vec<FieldProblem> {
    let mut problems = Vec::new();
    if change
        .name
        .as_deref()
        .is_some_and(|name| on_a_line(name).is_empty())
    {
        problems.push(FieldProblem::missing("name", "a name is required"));
    }
    for (field, text, max) in [
        ("name", &change.name, MAX_NAME_CHARS),
        ("description", &change.description, MAX_PROFILE_CHARS),
        ("appearance", &change.appearance, MAX_PROFILE_CHARS),
        ("clothing", &change.clothing, MAX_PROFILE_CHARS),
    ] {
        let n_chars = text.as_deref().map_or(0, |text| text.chars().count());
        if n_chars > max {
            let reason = format!("the text has {n_chars} characters; at most {max} are allowed");
            problems.push(FieldProblem::invalid(field, reason));
        }
    }
    let voice = change.voice_id.as_ref().and_then(Option::as_deref);
    if voice.is_some_and(|id| !is_voice(id)) {
        let reason = format!("must be 1 to {MAX_NAME_CHARS} visible ASCII characters");
        problems.push(FieldProblem::invalid("voiceId", reason));
    }
    problems
}

/// Returns a text without control characters and with single spaces.
fn on_a_line(text: &str) -> String {
    let shown = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = shown.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Whether a text may be a voice id; providers choose their own ids.
fn is_voice(id: &str) -> bool {
    (1..=MAX_NAME_CHARS).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic())
}
