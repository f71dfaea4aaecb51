//! What models cost those who run them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::request::{ImageModel, VideoModel};

/// The approximate cost of a model at its provider.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum CostClass {
    /// Made by the program itself.
    Offline,
    /// Small, fast models.
    Economy,
    /// Models that most videos use.
    Standard,
    /// The largest models.
    Premium,
}

impl CostClass {
    /// Returns the serialized name.
    pub fn as_str(self) -> &'static str {
        match self {
            CostClass::Offline => "offline",
            CostClass::Economy => "economy",
            CostClass::Standard => "standard",
            CostClass::Premium => "premium",
        }
    }

    /// Returns the class of a picture model: the fast ones, the flagships, and the rest between.
    pub fn of_images(model: ImageModel) -> CostClass {
        use ImageModel as M;
        match model {
            M::FluxSchnell
            | M::Sdxl
            | M::SdxlLora
            | M::Sd35Medium
            | M::Sd35LargeTurbo
            | M::HidreamFast => CostClass::Economy,
            M::FluxProUltra
            | M::LeonardoPhoenixUltra
            | M::Midjourney
            | M::GptImage1
            | M::Imagen4Preview => CostClass::Premium,
            _ => CostClass::Standard,
        }
    }

    /// Returns the class of a clip model. The interface lists them from the cheapest to the most expensive; each class has a third of the list.
    pub fn of_clips(model: VideoModel) -> CostClass {
        const DEAREST_OF: [(VideoModel, CostClass); 2] = [
            (VideoModel::LtxVideo13bDev, CostClass::Economy),
            (VideoModel::WanI2v, CostClass::Standard),
        ];
        let class = DEAREST_OF.iter().find(|(dearest, _)| model <= *dearest);
        class.map_or(CostClass::Premium, |(_, class)| *class)
    }
}
