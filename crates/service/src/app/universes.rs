//! Universes: the built-in ones and an account's own.

use std::sync::OnceLock;

use axum::http::StatusCode;
use kinora_studio::request::{self, FieldProblem, MAX_NAME_CHARS, UniverseSettings};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::asker::Asker;
use super::languages;
use crate::db::{Account, Universe};
use crate::error::{Answer, ApiError, Code};
use crate::ids::is_id;
use crate::state::App;

/// `/universe/status` is the status of runs, `/universes/new` is a page of the dashboard.
const RESERVED: [&str; 2] = ["status", "new"];
/// Maximum number of universes per account.
const MAX_OF_ACCOUNT: usize = 1000;

/// A universe in requests and answers.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct UniverseRecord {
    /// Its display name.
    pub name: String,
    /// Whether it is built in: available to every account, and read-only.
    #[serde(rename = "isBuiltIn")]
    pub is_built_in: bool,
    /// Its defaults for requests.
    #[serde(flatten)]
    pub settings: UniverseSettings,
}

/// All universes visible to an account.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct UniverseList {
    /// The universes, the built-in ones first.
    pub(crate) universes: Vec<UniverseRecord>,
}

/// Returns the built-in universes.
pub fn built_in() -> &'static [Universe] {
    static ALL: OnceLock<Vec<Universe>> = OnceLock::new();
    #[derive(Deserialize)]
    struct Table {
        universe: Vec<Row>,
    }
    #[derive(Deserialize)]
    struct Row {
        name: String,
        #[serde(flatten)]
        settings: toml::Table,
    }
    ALL.get_or_init(|| {
        let table: Table = toml::from_str(include_str!("../../data/universes.toml"))
            .expect("a test reads this file");
        let universes = table.universe.into_iter().map(|row| Universe {
            name: row.name,
            settings: UniverseSettings::from_toml(&row.settings.to_string())
                .expect("a test reads this file"),
            created_at: 0,
            updated_at: 0,
        });
        universes.collect()
    })
}

fn built_in_of(slug: &str) -> Option<&'static Universe> {
    built_in().iter().find(|u| u.settings.slug == slug)
}

/// Finds a universe by its slug: built-in, or the account's.
///
/// # Errors
/// 404; 503.
pub async fn find(app: &App, account: &Account, slug: &str) -> Answer<Universe> {
    if let Some(universe) = built_in_of(slug) {
        return Ok(universe.clone());
    }
    let own = match is_id(slug) {
        true => app.db.universe(&account.id, slug).await?,
        false => None,
    };
    own.ok_or_else(|| unknown(slug))
}

/// Returns all universes visible to an account, the built-in ones first.
///
/// # Errors
/// 503.
pub async fn all(app: &App, account: &Account) -> Answer<Vec<Universe>> {
    let mut all = built_in().to_vec();
    all.extend(app.db.universes(&account.id).await?);
    Ok(all)
}

/// Creates a universe of an account.
///
/// # Errors
/// 400; 409 if the slug is taken.
pub async fn add(app: &App, account: &Account, body: &[u8]) -> Answer<UniverseRecord> {
    let record = read(body, None)?;
    let slug = &record.settings.slug;
    if app.db.universes(&account.id).await?.len() >= MAX_OF_ACCOUNT {
        return Err(ApiError::conflict(
            "universes",
            "at most 1000 universes per account",
        ));
    }
    let is_taken = built_in_of(slug).is_some()
        || !app
            .db
            .add_universe(&account.id, &record.name, &record.settings)
            .await?;
    if is_taken {
        let message = "a universe with this slug already exists";
        return Err(ApiError::conflict("slug", message));
    }
    Ok(record)
}

/// Changes a universe of an account; the slug comes from the path.
///
/// # Errors
/// 400; 403 if it is built in; 404.
pub async fn set(app: &App, account: &Account, slug: &str, body: &[u8]) -> Answer<UniverseRecord> {
    own_slug(slug)?;
    find(app, account, slug).await?;
    let record = read(body, Some(slug))?;
    let is_there = app
        .db
        .set_universe(&account.id, &record.name, &record.settings)
        .await?;
    is_there.then_some(record).ok_or_else(|| unknown(slug))
}

/// Deletes a universe of an account. Accepted runs continue.
///
/// # Errors
/// 403 if it is built in; 404.
pub async fn delete(app: &App, account: &Account, slug: &str) -> Answer<()> {
    own_slug(slug)?;
    let was_there = is_id(slug) && app.db.delete_universe(&account.id, slug).await?;
    was_there.then_some(()).ok_or_else(|| unknown(slug))
}

fn unknown(slug: &str) -> ApiError {
    ApiError::not_found("universe", "slug", slug)
}

fn own_slug(slug: &str) -> Answer<()> {
    if built_in_of(slug).is_none() {
        return Ok(());
    }
    let message =
        "this universe comes with the service and cannot be changed; make one of your own";
    Err(ApiError::new(
        Code::PlanRequired,
        StatusCode::FORBIDDEN,
        message,
    ))
}

/// Reads name and settings; if the path has a slug, the body may omit it but not contain another.
fn read(body: &[u8], slug: Option<&str>) -> Answer<UniverseRecord> {
    let mut fields = request::fields_of(body)?;
    let mut problems = Vec::new();
    if let Some(slug) = slug {
        let said = fields.entry("slug").or_insert_with(|| slug.into());
        if said.as_str().is_none_or(|said| said.trim().is_empty()) {
            *said = slug.into();
        }
        if said != slug {
            problems.push(FieldProblem::invalid("slug", "is not the slug in the path"));
        }
    }
    fields.remove("isBuiltIn");
    let name = name_of(fields.remove("name").unwrap_or_default());
    let settings = UniverseSettings::from_value(&Value::Object(fields));
    let (name, settings) = match (name, settings) {
        (Ok(name), Ok(settings)) if problems.is_empty() => (name, settings),
        (name, settings) => {
            problems.extend(name.err());
            problems.extend(settings.err().unwrap_or_default());
            return Err(problems.into());
        }
    };
    if RESERVED.contains(&settings.slug.as_str()) {
        let reason = format!(
            "`{}` is a reserved path of the service; choose another",
            settings.slug
        );
        return Err(ApiError::invalid("slug", reason));
    }
    Ok(UniverseRecord {
        name,
        is_built_in: false,
        settings,
    })
}

/// Reads the display name.
fn name_of(value: Value) -> Result<String, FieldProblem> {
    let text = match &value {
        Value::String(text) => text.trim(),
        Value::Null => "",
        _ => return Err(FieldProblem::invalid("name", "is not a string")),
    };
    if text.is_empty() || text.contains('\0') {
        let reason = "a display name is required";
        return Err(FieldProblem::missing("name", reason));
    }
    if text.chars().count() > MAX_NAME_CHARS {
        let reason = format!("is longer than {MAX_NAME_CHARS} characters");
        return Err(FieldProblem::invalid("name", reason));
    }
    Ok(text.to_owned())
}

/// Builds the record of a universe; a built-in one lists the languages that prompts can use here.
pub(crate) async fn record(app: &App, asker: &Asker, universe: Universe) -> UniverseRecord {
    let is_built_in = built_in_of(&universe.settings.slug).is_some();
    let mut settings = universe.settings;
    if is_built_in && settings.languages.len() > 1 {
        settings.languages = languages::had(app, asker, &settings.languages, true).await;
    }
    UniverseRecord {
        is_built_in,
        name: universe.name,
        settings,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_universes_are_whole() {
        assert!(built_in_of("service-pixel-art").is_some());
        assert!(
            built_in()
                .iter()
                .all(|u| u.settings.clone().checked().is_ok())
        );
    }
}
