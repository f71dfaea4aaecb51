//! Previews of caption styles and transitions: short films rendered by the engine on first request and cached.

use std::collections::HashMap;
use std::io::Cursor;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use bytes::Bytes;
use kinora::media::MemoryAssets;
use kinora::text::Fonts;
use kinora::timeline::Timeline;
use kinora::{Control, Job, Render};
use kinora_illustrator::Ask;
use kinora_studio::request::{AspectRatio, CaptionPosition, CaptionStyle, Transition, WireName};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Mutex, OnceCell, Semaphore};

use super::Web;
use super::page::{Refused, Shown};
use super::session::Visitor;
use crate::error::ApiError;

/// The words of the captions, one every `WORD_SECS`.
const WORDS: [&str; 6] = ["Every", "word", "as", "it", "is", "spoken."];
const WORD_SECS: f64 = 0.42;
const FIRST_WORD_SECS: f64 = 0.2;
/// Length of a shot next to a transition.
const SHOT_SECS: f64 = 1.3;

/// Pictures in the order of the shots.
const SCENES: [&str; 3] = [
    "a lighthouse on a cliff above the sea at dusk",
    "a mountain lake with pine trees on a clear morning",
    "a city by a river at night with lit windows",
];

/// The style previewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Look {
    Caption(CaptionStyle, CaptionPosition),
    Transition(Transition),
}

type Film = Arc<OnceCell<Bytes>>;

/// Rendered films: at most a few hundred, of about 50 kB each.
#[derive(Debug, Default)]
pub(super) struct Previews {
    films: Mutex<HashMap<(Look, AspectRatio), Film>>,
}

/// One at a time: paid videos need the cores.
static MAKING: Semaphore = Semaphore::const_new(1);

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/preview/caption/{style}", get(caption))
        .route("/preview/transition/{name}", get(transition))
}

/// The query of a preview.
#[derive(Debug, Default, Deserialize)]
struct Wish {
    #[serde(default)]
    format: String,
    #[serde(default)]
    position: String,
}

async fn caption(
    _: Visitor,
    State(web): State<Web>,
    Path(style): Path<String>,
    Query(wish): Query<Wish>,
) -> Shown {
    let style = CaptionStyle::parse(&style).ok_or_else(|| Refused::not_found("caption style"))?;
    let position = CaptionPosition::parse(&wish.position).unwrap_or_default();
    show(&web, Look::Caption(style, position), &wish).await
}

async fn transition(
    _: Visitor,
    State(web): State<Web>,
    Path(name): Path<String>,
    Query(wish): Query<Wish>,
) -> Shown {
    let name = Transition::parse(&name).ok_or_else(|| Refused::not_found("transition"))?;
    show(&web, Look::Transition(name), &wish).await
}

async fn show(web: &Web, look: Look, wish: &Wish) -> Shown {
    let format = AspectRatio::parse(&wish.format).unwrap_or_default();
    let film = Arc::clone(
        web.previews
            .films
            .lock()
            .await
            .entry((look, format))
            .or_default(),
    );
    let bytes = film.get_or_try_init(|| made(look, format)).await?;
    let headers = [
        (header::CONTENT_TYPE, "video/mp4"),
        (header::CACHE_CONTROL, "private, max-age=86400"),
    ];
    Ok((headers, bytes.clone()).into_response())
}

async fn made(look: Look, format: AspectRatio) -> Result<Bytes, Refused> {
    let turn = MAKING.acquire().await.expect("it is never closed");
    // The work owns the permit: it continues when the browser disconnects.
    let making = move || {
        let _turn = turn;
        film(look, format)
    };
    let film = tokio::task::spawn_blocking(making).await;
    let failed = |error: &dyn std::fmt::Display| {
        tracing::error!(%error, ?look, "preview");
        Refused::from(ApiError::internal())
    };
    film.map_err(|e| failed(&e))?.map_err(|e| failed(&e))
}

fn film(look: Look, format: AspectRatio) -> kinora::Result<Bytes> {
    let document = document(look, format).to_string();
    let assets = Arc::new(PICTURES[format as usize].clone());
    let job = Job::from_json(&document, assets, Fonts::default())?;
    let options = Render {
        codec: Some(kinora::encode::VideoCodec::H264),
        threads: 1,
        ..Render::default()
    };
    let mut file = Cursor::new(Vec::new());
    job.render(&mut file, &options, &Control::default())?;
    Ok(file.into_inner().into())
}

/// Returns width and height.
fn size(format: AspectRatio) -> (u32, u32) {
    match format {
        AspectRatio::Portrait => (270, 480),
        AspectRatio::Landscape => (480, 270),
    }
}

fn document(look: Look, format: AspectRatio) -> Value {
    let (width, height) = size(format);
    let mut document = json!({
        "version": Timeline::VERSION,
        "output": { "width": width, "height": height, "fps": 25 },
        "audio": { "when_silent": "none" },
    });
    match look {
        Look::Caption(style, position) => {
            let time = |i: usize| FIRST_WORD_SECS + i as f64 * WORD_SECS;
            let words = WORDS.iter().enumerate();
            let words: Vec<Value> = words
                .map(|(i, text)| json!({ "text": text, "start": time(i), "end": time(i + 1) }))
                .collect();
            document["shots"] =
                json!([{ "picture": name(0), "duration": time(WORDS.len()) + 0.3 }]);
            document["captions"] = json!({ "style": style, "position": position, "words": words });
        }
        Look::Transition(transition) => {
            let shots: Vec<Value> = (0..SCENES.len())
                .map(|i| json!({ "picture": name(i), "duration": SHOT_SECS }))
                .collect();
            document["shots"] = Value::Array(shots);
            document["transition"] = json!(transition);
        }
    }
    document
}

fn name(i: usize) -> String {
    format!("{i}.png")
}

/// The pictures in both formats, rendered once.
static PICTURES: LazyLock<[MemoryAssets; 2]> = LazyLock::new(|| {
    let mut formats = AspectRatio::all().map(painted);
    std::array::from_fn(|_| formats.next().expect("there are two formats"))
});

fn painted(format: AspectRatio) -> MemoryAssets {
    let (width, height) = size(format);
    let mut assets = MemoryAssets::default();
    for (i, words) in SCENES.iter().enumerate() {
        let ask = Ask {
            words,
            notes: "",
            figures: &[],
            style: "",
            width,
            height,
            seed: 7,
            place: "",
        };
        let mut png = Cursor::new(Vec::new());
        let written =
            kinora_illustrator::paint_flat(&ask).write_to(&mut png, image::ImageFormat::Png);
        written.expect("a picture in memory can be encoded");
        assets.insert(name(i), png.into_inner());
    }
    assets
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_look_has_a_document_that_the_engine_takes() {
        for format in AspectRatio::all() {
            let captions =
                CaptionStyle::all().map(|style| Look::Caption(style, CaptionPosition::default()));
            for look in captions.chain(Transition::all().map(Look::Transition)) {
                let assets = Arc::new(PICTURES[format as usize].clone());
                let job = Job::from_json(
                    &document(look, format).to_string(),
                    assets,
                    Fonts::default(),
                );
                assert!(job.is_ok(), "{look:?}: {:?}", job.err());
            }
        }
    }

    #[test]
    fn a_film_is_an_mp4() {
        let film = film(
            Look::Transition(Transition::default()),
            AspectRatio::default(),
        )
        .unwrap();
        assert_eq!(&film[4..8], b"ftyp");
        assert!(film.len() < 400_000, "{}", film.len());
    }
}
