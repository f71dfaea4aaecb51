//! Turns an order into the studio's brief and fetches the objects it names from the media store.

use std::path::{Path, PathBuf};

use kinora::encode::Quality as Encoded;
use kinora_studio::estimate::{Input, Rates, charged};
use kinora_studio::failure::{Failure, FailureKind, Stage};
use kinora_studio::request::Quality;
use kinora_studio::stages::{Brief, Character, Material};

use super::make::Made;
use super::trouble::Trouble;
use crate::media::{Media, MediaError};
use crate::order::{Asked, Member, Order, Recorded};
use kinora_studio::video::Video;

/// The minimum side of a picture, px.
const MIN_SIDE: u32 = 16;

/// Returns the brief of an order, with the objects it names in `folder`.
pub(super) async fn brief(
    order: &Order,
    media: &Media,
    video: &Video,
    folder: &Path,
) -> Result<Brief, Trouble> {
    let mut brief = match &order.asked {
        Asked::Short { request } => Brief::of_short(request, None),
        Asked::Universe {
            request,
            settings,
            cast,
            recording,
        } => {
            let resolved = request.resolve(settings).map_err(|problems| {
                let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
                Failure::new(Stage::Request, FailureKind::BadInput, problems.join("; "))
            })?;
            let material = material(cast, recording.as_ref(), media, folder).await?;
            blocking(move || Brief::of_universe(&resolved, &material, None)).await?
        }
    };
    brief.codec = Some(video.codec);
    brief.watermark = order.watermark.then(|| video.watermark.clone());
    // Even sizes, as required by subsampled chroma.
    brief.size = brief
        .size
        .map(|side| (side / video.scale_down.max(1)).max(MIN_SIDE) & !1);
    Ok(brief)
}

/// Returns the encoding quality.
pub(super) fn quality(order: &Order) -> Encoded {
    match &order.asked {
        Asked::Universe { .. } => Encoded::Medium,
        Asked::Short { request } => match request.quality {
            Quality::High => Encoded::High,
            Quality::Medium => Encoded::Medium,
            Quality::Low => Encoded::Low,
        },
    }
}

/// Returns a video's price, with the same rates as its estimate, by the actual maker of each scene.
pub(super) fn credits(order: &Order, made: &Made, rates: &Rates) -> u64 {
    let input = match &order.asked {
        Asked::Short { request } => Input::of_short(request),
        Asked::Universe { request, .. } => Input::of_universe(request, None),
    };
    let input = Input {
        secs: made.secs,
        ..input
    };
    charged(&input, &made.makers, rates)
}

async fn material(
    cast: &[Member],
    recording: Option<&Recorded>,
    media: &Media,
    folder: &Path,
) -> Result<Material, Trouble> {
    let mut saved = Vec::new();
    for (i, member) in cast.iter().enumerate() {
        let file = fetch(media, &member.image, folder, &format!("character-{i}")).await?;
        saved.push(Character {
            name: member.name.clone(),
            descriptor: member.prompt.clone(),
            voice: member.voice.clone(),
            reference: Some(file),
            is_measured: member.is_measured,
        });
    }
    let file = match recording {
        Some(recorded) => Some(fetch(media, &recorded.object, folder, "recording").await?),
        None => None,
    };
    Ok(Material {
        recording: file,
        recording_text: recording.and_then(|recorded| recorded.spoken.clone()),
        saved,
    })
}

/// Fetches an object into a file.
async fn fetch(media: &Media, object: &str, folder: &Path, stem: &str) -> Result<PathBuf, Trouble> {
    let extension = object
        .rsplit_once('.')
        .map_or("bin", |(_, extension)| extension);
    let file = folder.join(format!("{stem}.{extension}"));
    media.fetch(object, &file).await.map_err(|e| match e {
        MediaError::NotFound => {
            let message = format!("the {stem} was deleted before the video was made");
            Trouble::new("bad_input", message).at(Stage::Request)
        }
        other => Trouble::from(other).at(Stage::Request),
    })?;
    Ok(file)
}

async fn blocking<T: Send + 'static, E: Into<Trouble> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, Trouble> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(Into::into),
        Err(_) => Err(Trouble::internal()),
    }
}
