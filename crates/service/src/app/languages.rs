//! Languages that the configured providers support: these are listed, and others are refused when a run is created.

use kinora_studio::request::{FieldWarning, UniverseRequest, UniverseSettings};

use super::asker::Asker;
use crate::error::{Answer, ApiError};
use crate::heavy::heavy;
use crate::state::App;

/// Returns the supported ones of `languages`; all if the configuration is unusable, since the run will report that. `is_written`: the script must be written
/// too, not only spoken.
pub(crate) async fn had(
    app: &App,
    asker: &Asker,
    languages: &[String],
    is_written: bool,
) -> Vec<String> {
    let (studios, is_sandbox) = (app.studios.clone(), asker.is_sandbox);
    let all = languages.to_vec();
    let found = heavy(move || {
        let studio = studios.studio(is_sandbox).ok()?;
        let is_had = |language: &String| studio.tells(language, is_written);
        Some(all.into_iter().filter(is_had).collect())
    });
    found.await.flatten().unwrap_or_else(|| languages.to_vec())
}

/// Narrows the universe to the languages available for this request; also warns if that changes its language.
///
/// # Errors
/// 400 if the request's language belongs to the universe but no provider supports it.
pub(super) async fn narrowed(
    app: &App,
    asker: &Asker,
    request: &UniverseRequest,
    settings: UniverseSettings,
) -> Answer<(UniverseSettings, Option<FieldWarning>)> {
    if request.voiceover_key.is_some() {
        return Ok((settings, None));
    }
    let is_written = request.user_script.is_none();
    let languages = had(app, asker, &settings.languages, is_written).await;
    if languages.len() == settings.languages.len() {
        return Ok((settings, None));
    }
    let deed = if is_written {
        "writes and speaks"
    } else {
        "speaks"
    };
    let refused = |which: &str| {
        let rest = match languages.is_empty() {
            true => "configure a provider that does".to_owned(),
            false => format!(
                "of this universe's languages, these are available: {}",
                languages.join(", ")
            ),
        };
        let reason =
            format!("{which} is not available here, because no provider {deed} it; {rest}");
        ApiError::invalid("language", reason)
    };
    let is_lost =
        |language: &&String| settings.languages.contains(language) && !languages.contains(language);
    if let Some(lost) = request.language.as_ref().filter(is_lost) {
        return Err(refused(&format!("`{lost}`")));
    }
    if languages.is_empty() {
        return Err(refused(&format!("`{}`", settings.languages.join("`, `"))));
    }
    let due = request.resolve(&settings)?.language;
    let settings = UniverseSettings {
        languages,
        ..settings
    };
    let language = request.resolve(&settings)?.language;
    let warning = (due != language).then(|| FieldWarning {
        field: "language".to_owned(),
        message: format!(
            "the video would be in `{due}`, but no provider here {deed} it; it will be in `{language}`"
        ),
    });
    Ok((settings, warning))
}
