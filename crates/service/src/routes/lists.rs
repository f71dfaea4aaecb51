//! Lists of what a request may name: voices, tracks, caption styles, transitions, models, styles, with their availability.

use axum::Extension;
use axum::extract::State;
use kinora::plan::looks::{self, Look};
use kinora_studio::failure::Failure;
use kinora_studio::offers::{self, Makes, ModelOffer, VoiceOffer};
use kinora_studio::request::{CaptionStyle, MusicSlug, ScriptStyle, Transition, WireName};
use serde::Serialize;

use super::read::Data;
use crate::app::asker::Asker;
use crate::error::{Answer, ApiError};
use crate::heavy::heavy;
use crate::state::App;

/// Voices.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct VoiceList {
    voices: Vec<VoiceOffer>,
}

/// A model with its price.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelRecord {
    #[serde(flatten)]
    offer: ModelOffer,
    /// Credits for each started step of a video; clips are charged besides the pictures they start from.
    credits_per_step: u64,
}

/// Models of pictures and clips.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelList {
    models: Vec<ModelRecord>,
    /// The length of a step in seconds.
    seconds_per_step: u32,
}

/// A track.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrackRecord {
    /// The name for `musicSlug`.
    slug: String,
    /// The display title.
    title: String,
    /// A few words that describe the mood.
    mood: Vec<String>,
    /// Beats per minute.
    tempo_bpm: Option<f64>,
    /// Tonic and mode.
    key: Option<String>,
    /// Length of the loop in seconds.
    duration: Option<f64>,
    /// Whether it is available here.
    is_available: bool,
}

/// Tracks.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct TrackList {
    tracks: Vec<TrackRecord>,
}

/// A named option with a description.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LookRecord {
    /// The name in the API.
    id: String,
    /// A one-line description.
    description: String,
    /// Whether it is available.
    is_available: bool,
}

/// Caption styles.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct CaptionList {
    captions: Vec<LookRecord>,
}

/// Transitions.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct TransitionList {
    transitions: Vec<LookRecord>,
}

/// Styles of scripts and of pictures.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct StyleList {
    /// Values of `scriptConfig.style`.
    scripts: Vec<LookRecord>,
    /// Styles of the built-in illustrator; a universe's visual style may name one.
    pictures: Vec<LookRecord>,
}

/// Pairs API names with the engine's descriptions.
fn looked_up<T: WireName>(looks: &[Look]) -> Vec<LookRecord> {
    let record = |name: &'static str| {
        let look = looks.iter().find(|look| look.name == name);
        LookRecord {
            id: name.to_owned(),
            description: look.map_or_else(String::new, |look| look.description.clone()),
            is_available: look.is_some(),
        }
    };
    T::names().map(record).collect()
}

fn not_configured(failure: Failure) -> ApiError {
    tracing::error!(%failure, "the configuration cannot be used");
    ApiError::unavailable()
}

pub(super) async fn voices(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
) -> Answer<Data<VoiceList>> {
    let listed = heavy(move || offers::voices(&app.studios.setup(asker.is_sandbox)?)).await;
    let voices = listed
        .ok_or_else(ApiError::internal)?
        .map_err(not_configured)?;
    Ok(Data(VoiceList { voices }))
}

pub(super) async fn models(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
) -> Answer<Data<ModelList>> {
    let rates = app.config.credits.clone();
    let listed = heavy(move || offers::models(&app.studios.setup(asker.is_sandbox)?)).await;
    let models = listed
        .ok_or_else(ApiError::internal)?
        .map_err(not_configured)?;
    let priced = |offer: ModelOffer| ModelRecord {
        credits_per_step: match offer.makes {
            Makes::Picture => rates.images.of(offer.price_class),
            Makes::Clip => rates.clips.of(offer.price_class),
        },
        offer,
    };
    Ok(Data(ModelList {
        models: models.into_iter().map(priced).collect(),
        seconds_per_step: rates.secs_per_step,
    }))
}

pub(super) async fn music(State(app): State<App>) -> Answer<Data<TrackList>> {
    let library = app.studios.music().map_err(not_configured)?;
    let slugs = MusicSlug::names().filter(|slug| !slug.is_empty());
    let tracks = slugs.map(|slug| {
        let track = library.tracks().iter().find(|track| track.slug == slug);
        TrackRecord {
            slug: slug.to_owned(),
            title: track.map_or_else(|| slug.to_owned(), |track| track.title.clone()),
            mood: track.map(|track| track.mood.clone()).unwrap_or_default(),
            tempo_bpm: track.and_then(|track| track.tempo_bpm),
            key: track.and_then(|track| track.key.clone()),
            duration: track.and_then(|track| track.secs),
            is_available: track.is_some(),
        }
    });
    Ok(Data(TrackList {
        tracks: tracks.collect(),
    }))
}

pub(super) async fn captions() -> Data<CaptionList> {
    Data(CaptionList {
        captions: looked_up::<CaptionStyle>(&looks::caption_styles()),
    })
}

pub(super) async fn transitions() -> Data<TransitionList> {
    Data(TransitionList {
        transitions: looked_up::<Transition>(&looks::transitions()),
    })
}

pub(super) async fn styles() -> Data<StyleList> {
    let record = |(name, description): (&str, &str)| LookRecord {
        id: name.to_owned(),
        description: description.to_owned(),
        is_available: true,
    };
    let pictures = kinora_studio::offline::picture_styles();
    Data(StyleList {
        scripts: ScriptStyle::names()
            .map(|name| record((name, "a style for scripts")))
            .collect(),
        pictures: pictures.map(record).collect(),
    })
}
