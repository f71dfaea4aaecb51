//! What a request may name, and what of it is there with a configuration: voices, models.

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
    /// What `voiceId` names it by.
    pub id: String,
    /// For people.
    pub name: String,
    /// A tag such as `en-us`; empty where the voice speaks many.
    pub language: String,
    /// Who speaks.
    pub provider: String,
    /// Whether it speaks here; another voice stands in for one that does not.
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
    /// The interface's name.
    pub id: String,
    /// What it makes.
    pub makes: Makes,
    /// Who makes it, or what stands in for it; empty for nobody.
    pub vendor: String,
    /// Where, in the vendor's own words.
    pub endpoint: String,
    /// What stands in for it, if something does, and why.
    pub notes: Vec<String>,
    /// Whether its vendor is configured here; the next provider of the chain stands in where not.
    pub is_available: bool,
    /// What it costs: `economy`, `standard` or `premium`. What the program makes in its place costs less.
    pub price_class: CostClass,
}

/// Voices that need no network, then those of the table.
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

/// Models of pictures and clips, in the interface's order.
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

/// Whether one of the configured providers is this vendor of the table.
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
