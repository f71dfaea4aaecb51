//! Substitutes: warns when a run is created, and not only in its notes, about parts of the request that this configuration cannot provide.

use kinora_studio::estimate::Makers;
use kinora_studio::failure::Failure;
use kinora_studio::makers::Configured;
use kinora_studio::offers::{self, VoiceOffer};
use kinora_studio::providers::config::{Kind, Named};
use kinora_studio::request::{FieldWarning, ShortRequest, UniverseRequest, VoiceoverConfig};
use kinora_studio::script::language_of;
use kinora_studio::stages::table;

use super::asker::Asker;
use crate::heavy::heavy;
use crate::order::Asked;
use crate::state::App;
use crate::studios::Studios;

/// What is known in advance about how a request will be made.
#[derive(Debug, Default)]
pub(crate) struct Outlook {
    /// Parts that differ from the request.
    pub warnings: Vec<FieldWarning>,
    /// The makers used for the price.
    pub makers: Makers,
}

/// Returns the outlook of a Short; empty if the configuration cannot be read, since the run will report that. Default values cause no warning.
pub(crate) async fn of_short(app: &App, asker: &Asker, request: &ShortRequest) -> Outlook {
    let voice = (request.voiceover_config.enabled).then_some(&request.voiceover_config.voice_id);
    let voice = voice.filter(|id| is_asked_for(id)).cloned();
    let (studios, is_sandbox, request) = (app.studios.clone(), asker.is_sandbox, request.clone());
    let looked = heavy(move || {
        let setup = studios.setup(is_sandbox)?;
        let mut warnings = Vec::new();
        if let Some(id) = voice {
            let listed = offers::voices(&setup)?;
            warnings.extend(of_voice(&id, &listed, &setup.config.voice));
        }
        let table = table(&setup)?;
        let configured = Configured {
            config: &setup.config,
            table: &table,
        };
        warnings.extend(configured.warnings_of_short(&request));
        warnings.extend(of_language(&studios, is_sandbox, &request));
        Ok::<_, Failure>(Outlook {
            warnings,
            makers: configured.makers_of_short(&request),
        })
    });
    looked.await.and_then(Result::ok).unwrap_or_default()
}

/// Warns if no configured provider writes in the prompt's language.
fn of_language(
    studios: &Studios,
    is_sandbox: bool,
    request: &ShortRequest,
) -> Option<FieldWarning> {
    let language = language_of(request.prompt.as_deref()?);
    let studio = studios.studio(is_sandbox).ok()?;
    (!studio.script.writes(language)).then(|| FieldWarning {
        field: "prompt".to_owned(),
        message: format!(
            "is in the language `{language}`, but no script provider here writes it: the video will be in English"
        ),
    })
}

/// Returns the outlook of a video in a universe.
pub(crate) async fn of_universe(app: &App, asker: &Asker, request: &UniverseRequest) -> Outlook {
    let (studios, is_sandbox, request) = (app.studios.clone(), asker.is_sandbox, request.clone());
    let looked = heavy(move || {
        let setup = studios.setup(is_sandbox)?;
        let table = table(&setup)?;
        let configured = Configured {
            config: &setup.config,
            table: &table,
        };
        Ok::<_, Failure>(Outlook {
            warnings: configured.warnings_of_universe(&request),
            makers: configured.makers_of_universe(&request),
        })
    });
    looked.await.and_then(Result::ok).unwrap_or_default()
}

/// Returns the outlook of an earlier order.
pub(super) async fn of_order(app: &App, asker: &Asker, asked: &Asked) -> Outlook {
    match asked {
        Asked::Short { request } => of_short(app, asker, request).await,
        Asked::Universe { request, .. } => of_universe(app, asker, request).await,
    }
}

/// Whether no provider of this service can have a voice with this id.
pub(super) async fn is_unknown_voice(app: &App, id: &str) -> bool {
    if !is_asked_for(id) {
        return false;
    }
    let (studios, id) = (app.studios.clone(), id.to_owned());
    let known = heavy(move || {
        let setup = studios.setup(false)?;
        let listed = offers::voices(&setup)?;
        let is_listed = listed.iter().any(|voice| voice.id == id);
        Ok::<_, Failure>(is_listed || may_be_known(&id, &setup.config.voice))
    });
    matches!(known.await, Some(Ok(false)))
}

/// Whether only the provider knows: services have voices of their own, and eSpeak has more names per language than are listed.
fn may_be_known(id: &str, speakers: &[Named]) -> bool {
    let is_offline = |named: &Named| matches!(named.kind, Kind::Offline);
    id.starts_with("espeak:") || !speakers.iter().all(is_offline)
}

/// Whether a voice id was chosen by the client: not the default, and not a cast member.
fn is_asked_for(id: &str) -> bool {
    !id.is_empty() && id != VoiceoverConfig::default().voice_id && !id.starts_with("cast:")
}

/// Warns if a voice is not available; `None` if it is, or may be.
fn of_voice(id: &str, listed: &[VoiceOffer], speakers: &[Named]) -> Option<FieldWarning> {
    let known = listed.iter().find(|voice| voice.id == id);
    let message = match known {
        Some(voice) if voice.is_available => return None,
        Some(voice) => format!(
            "is a voice of {}, which is not configured here; using another voice",
            voice.provider
        ),
        None if may_be_known(id, speakers) => return None,
        None => "is not known here; using another voice; GET /voices lists the available ones"
            .to_owned(),
    };
    Some(FieldWarning {
        field: "voiceoverConfig.voiceId".to_owned(),
        message,
    })
}
