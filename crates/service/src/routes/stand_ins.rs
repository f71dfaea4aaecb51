//! What a request names that is not there with this configuration, and who stands in for it: told when a run is made, and not only by its notes.

use kinora_studio::failure::Failure;
use kinora_studio::offers::{self, Makes, ModelOffer, VoiceOffer};
use kinora_studio::providers::config::{Kind, Named, ProvidersConfig};
use kinora_studio::request::{
    FieldWarning, ImageConfig, ShortRequest, VideoConfig, VoiceoverConfig, WireName,
};

use super::create::Asker;
use crate::heavy::heavy;
use crate::state::App;

/// Warnings of a Short; none where the configuration cannot be read, which the run will say. Nothing is said of what is named where nothing is.
pub(super) async fn of_short(
    app: &App,
    asker: &Asker,
    request: &ShortRequest,
) -> Vec<FieldWarning> {
    let voice = (request.voiceover_config.enabled).then_some(&request.voiceover_config.voice_id);
    let voice = voice.filter(|id| is_asked_for(id)).cloned();
    let models = models_of(request);
    if voice.is_none() && models.is_empty() {
        return Vec::new();
    }
    let (studios, is_sandbox) = (app.studios.clone(), asker.is_sandbox);
    let listed = heavy(move || {
        let setup = studios.setup(is_sandbox)?;
        let mut warnings = Vec::new();
        if let Some(id) = voice {
            let listed = offers::voices(&setup)?;
            warnings.extend(of_voice(&id, &listed, &setup.config.voice));
        }
        if !models.is_empty() {
            let listed = offers::models(&setup)?;
            let told = models
                .iter()
                .filter_map(|model| of_model(model, &listed, &setup.config));
            warnings.extend(told);
        }
        Ok::<_, Failure>(warnings)
    });
    listed.await.and_then(Result::ok).unwrap_or_default()
}

/// Whether no provider of this service can have a voice of this id.
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

/// Whether it cannot be said without asking: services have voices of their own, and a language more names than are listed.
fn may_be_known(id: &str, speakers: &[Named]) -> bool {
    let is_offline = |named: &Named| matches!(named.kind, Kind::Offline);
    id.starts_with("espeak:") || !speakers.iter().all(is_offline)
}

/// Whether a voice's id is one that somebody chose: not what stands there when nobody did, and no member of a cast.
fn is_asked_for(id: &str) -> bool {
    !id.is_empty() && id != VoiceoverConfig::default().voice_id && !id.starts_with("cast:")
}

/// Field, name and kind of the models that a request chose.
fn models_of(request: &ShortRequest) -> Vec<(&'static str, &'static str, Makes)> {
    let mut chosen = Vec::new();
    let picture = request.image_config.model;
    if picture != ImageConfig::default().model {
        chosen.push(("imageConfig.model", picture.as_str(), Makes::Picture));
    }
    let clip = request.video_config.model;
    if request.video_config.enabled && clip != VideoConfig::default().model {
        chosen.push(("videoConfig.model", clip.as_str(), Makes::Clip));
    }
    chosen
}

/// `None` where it speaks, or may.
fn of_voice(id: &str, listed: &[VoiceOffer], speakers: &[Named]) -> Option<FieldWarning> {
    let known = listed.iter().find(|voice| voice.id == id);
    let message = match known {
        Some(voice) if voice.is_available => return None,
        Some(voice) => format!(
            "is a voice of {}, which is not configured here; another voice stands in for it",
            voice.provider
        ),
        None if may_be_known(id, speakers) => return None,
        None => "is not known here; another voice stands in for it; GET /voices lists those that are there".to_owned(),
    };
    Some(FieldWarning {
        field: "voiceoverConfig.voiceId".to_owned(),
        message,
    })
}

fn of_model(
    (field, name, makes): &(&str, &str, Makes),
    listed: &[ModelOffer],
    config: &ProvidersConfig,
) -> Option<FieldWarning> {
    let offer = listed.iter().find(|m| m.id == *name && m.makes == *makes)?;
    if offer.is_available {
        return None;
    }
    let makers = match makes {
        Makes::Picture => &config.pictures,
        Makes::Clip => &config.clips,
    };
    let maker = makers.first().map_or("offline", |named| &named.name);
    Some(FieldWarning {
        field: (*field).to_owned(),
        message: format!("`{name}` is not available here; `{maker}` is asked instead"),
    })
}
