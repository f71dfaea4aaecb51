//! What a request may name, and which of it is available with a configuration: voices, models.

use schemars::JsonSchema;
use serde::Serialize;

use crate::failure::Failure;
use crate::providers::CostClass;
use crate::providers::config::{Kind, Named};
use crate::request::{ImageModel, VideoModel, WireName};
use crate::stages::{Setup, table};
use crate::voice;

/// A voice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VoiceOffer {
    /// The value for `voiceId`.
    pub id: String,
    /// The display name.
    pub name: String,
    /// A tag such as `en-us`; empty if the voice speaks many languages.
    pub language: String,
    /// The provider of the voice.
    pub provider: String,
    /// Whether it is available here; another voice substitutes for an unavailable one.
    pub is_available: bool,
}

/// What a model makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Makes {
    /// Pictures: a value of `imageConfig.model`.
    Picture,
    /// Clips: a value of `videoConfig.model`.
    Clip,
}

/// A model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelOffer {
    /// The name in the interface.
    pub id: String,
    /// What it makes.
    pub makes: Makes,
    /// The vendor of the model or of its substitute; empty if there is none.
    pub vendor: String,
    /// The endpoint, as the vendor spells it.
    pub endpoint: String,
    /// The substitute, if there is one, and the reason.
    pub notes: Vec<String>,
    /// Whether its vendor is configured here; if not, the next provider of the chain substitutes.
    pub is_available: bool,
    /// Its cost: `economy`, `standard` or `premium`. What the program makes in its place costs less.
    pub price_class: CostClass,
}

/// Returns the offline voices, then those of the table.
///
/// # Errors
/// As [`table`].
pub fn voices(setup: &Setup) -> Result<Vec<VoiceOffer>, Failure> {
    let speakers = &setup.config.voice;
    let has_offline = speakers.iter().any(|n| matches!(n.kind, Kind::Offline));
    let offline = voice::voices().into_iter().map(|voice| VoiceOffer {
        id: voice.id,
        name: voice.name,
        language: voice.language,
        provider: voice.provider,
        is_available: has_offline,
    });
    let table = table(setup)?;
    let of_table = table.voice.iter().map(|row| VoiceOffer {
        id: row.id.clone(),
        name: row.id.clone(),
        language: String::new(),
        provider: row.vendor.clone(),
        is_available: has_vendor(speakers, &row.vendor),
    });
    Ok(offline.chain(of_table).collect())
}

/// Returns the models of pictures and clips, in the interface's order.
///
/// # Errors
/// As [`table`].
pub fn models(setup: &Setup) -> Result<Vec<ModelOffer>, Failure> {
    let table = table(setup)?;
    let pictures = ImageModel::all().map(|model| {
        let (name, class) = (model.as_str(), CostClass::of_images(model));
        let live = table.live_picture(name);
        let live = live.map(|(row, notes)| (&*row.vendor, &*row.endpoint, notes));
        offer((name, Makes::Picture, class), live, &setup.config.pictures)
    });
    let clips = VideoModel::all().map(|model| {
        let (name, class) = (model.as_str(), CostClass::of_clips(model));
        let live = table.live_clip(name);
        let live = live.map(|(row, notes)| (&*row.vendor, &*row.endpoint, notes));
        offer((name, Makes::Clip, class), live, &setup.config.clips)
    });
    Ok(pictures.chain(clips).collect())
}

fn offer(
    (id, makes, price_class): (&str, Makes, CostClass),
    live: Option<(&str, &str, Vec<String>)>,
    configured: &[Named],
) -> ModelOffer {
    let (vendor, endpoint, notes) = live.unwrap_or_default();
    ModelOffer {
        id: id.to_owned(),
        makes,
        vendor: vendor.to_owned(),
        endpoint: endpoint.to_owned(),
        notes,
        is_available: has_vendor(configured, vendor),
        price_class,
    }
}

/// Returns whether one of the configured providers is this vendor of the table.
fn has_vendor(configured: &[Named], vendor: &str) -> bool {
    configured.iter().any(|named| {
        let kind = match &named.kind {
            Kind::OpenAi(_) => "openai",
            Kind::ElevenLabs(_) => "elevenlabs",
            Kind::Fal(_) => "fal",
            Kind::Offline | Kind::Folder(_) => return false,
        };
        kind == vendor
    })
}
