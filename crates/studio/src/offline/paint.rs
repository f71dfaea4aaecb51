//! Pictures by the illustrator.

use image::RgbImage;
use image::codecs::jpeg::JpegEncoder;
use kinora_illustrator::{Ask, paint_flat};

use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::CostClass;
use crate::providers::{Answer, Call, Picture, PictureAsk, PictureProvider};
use crate::request::{ImageModel, WireName};

/// Paints scenes procedurally.
#[derive(Clone, Copy, Debug, Default)]
pub struct Illustrator;

/// JPEG quality that preserves painted grain; it takes a tenth of PNG's time.
const QUALITY: u8 = 92;

impl PictureProvider for Illustrator {
    fn name(&self) -> &str {
        "offline"
    }

    fn model(&self) -> &str {
        "illustrator-1"
    }

    fn reads_sentences(&self) -> bool {
        false
    }

    fn paint(&self, ask: &PictureAsk, _: &[Vec<u8>], _: &Call) -> Result<Answer<Picture>, Failure> {
        let painted = with_words(ask, paint_flat);
        let file = jpeg(&painted).map_err(|e| {
            Failure::new(Stage::Pictures, FailureKind::BadInput, e.to_string()).by("offline", None)
        })?;
        let picture = Picture {
            width: painted.width(),
            height: painted.height(),
            file,
        };
        let default = ImageModel::default().as_str();
        let notes = stand_in(&ask.model, default, "used the built-in illustrator");
        Ok(Answer::noted(picture, notes).at(CostClass::Offline))
    }
}

/// Notes that a substitute was used for the requested model.
pub(super) fn stand_in(model: &str, default: &str, instead: &str) -> Vec<String> {
    let note = || format!("the model {model} is not available here; {instead}");
    match model == default || model.is_empty() {
        true => Vec::new(),
        false => vec![note()],
    }
}

/// Calls the illustrator with a request in its own terms.
pub(super) fn with_words<T>(ask: &PictureAsk, paint: impl FnOnce(&Ask<'_>) -> T) -> T {
    let figures = ask.figures.iter();
    let figures: Vec<kinora_illustrator::Figure<'_>> = figures
        .map(|figure| kinora_illustrator::Figure {
            name: &figure.name,
            descriptor: &figure.descriptor,
        })
        .collect();
    paint(&Ask {
        words: ask.drawn(),
        notes: ask.notes.as_deref().unwrap_or(""),
        figures: &figures,
        style: &ask.style,
        width: ask.width,
        height: ask.height,
        seed: ask.seed,
        place: &ask.place,
    })
}

pub(super) fn jpeg(picture: &RgbImage) -> image::ImageResult<Vec<u8>> {
    let mut file = Vec::new();
    picture.write_with_encoder(JpegEncoder::new_with_quality(&mut file, QUALITY))?;
    Ok(file)
}
