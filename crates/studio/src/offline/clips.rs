//! Moving pictures: the camera moves through the illustrator's layers, near ones faster than far ones, and weather falls. The engine renders them.

use std::io::Cursor;
use std::sync::Arc;

use image::{ImageFormat, RgbaImage};
use kinora::encode::{Quality, VideoCodec};
use kinora::media::MemoryAssets;
use kinora::text::Fonts;
use kinora::timeline::{
    Audio, Draw, Layer, Motion, NameOr, PictureDraw, Place, PlaceKey, Shot, Timeline, ViewKey,
    WhenSilent,
};
use kinora::{Control, Job, Render};
use kinora_illustrator::{Painting, Weather, paint, paint_flat};

use super::drift::{self, Drift};
use super::paint::{jpeg, stand_in, with_words};
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::CostClass;
use crate::providers::{Answer, Call, ClipAsk, ClipFile, ClipProvider, Picture};

/// Animates painted layers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Animator;

/// Longest clip, in seconds.
const MAX_SECS: f64 = 60.0;
/// How much the nearest layer grows over a clip, beyond the growth of the farthest.
const NEAR_ZOOM: f64 = 0.09;
/// How much the farthest layer grows.
const FAR_ZOOM: f64 = 0.015;
/// How far the nearest layer moves sideways, as a fraction of the width.
const NEAR_PAN: f64 = 0.022;

impl ClipProvider for Animator {
    fn name(&self) -> &str {
        "offline"
    }

    fn model(&self) -> &str {
        "animator-1"
    }

    fn reads_sentences(&self) -> bool {
        false
    }

    fn animate(
        &self,
        ask: &ClipAsk,
        picture: &Picture,
        call: &Call,
    ) -> Result<Answer<ClipFile>, Failure> {
        let secs = ask.secs.clamp(0.5, MAX_SECS);
        let scene = Stage3d {
            size: (ask.picture.width, ask.picture.height),
            secs,
            seed: ask.picture.seed,
        };
        // The illustrator's own picture is painted again in layers; any other picture is one layer.
        let is_own = with_words(&ask.picture, paint_flat);
        let is_own = jpeg(&is_own).is_ok_and(|file| file == picture.file);
        let laid = if is_own {
            scene.layered(&with_words(&ask.picture, paint))
        } else {
            Ok(scene.flat(&picture.file))
        };
        let (timeline, assets) = laid.map_err(|e| failure(FailureKind::Engine, e.to_string()))?;
        let job = Job::new(&timeline, Arc::new(assets), Fonts::default())
            .map_err(|e| failure(FailureKind::of_engine(&e), e.to_string()))?;
        let options = Render {
            codec: Some(VideoCodec::H264),
            quality: Quality::High,
            ..Render::default()
        };
        let control = Control {
            cancel: call.cancel.clone(),
            progress: None,
        };
        let made = job.render(Cursor::new(Vec::new()), &options, &control);
        let (file, _) = made.map_err(|e| failure(FailureKind::of_engine(&e), e.to_string()))?;
        let clip = ClipFile {
            file: file.into_inner(),
            extension: "mp4",
        };
        let told = stand_in(
            &ask.model,
            "",
            "clips are made from the layers of the pictures",
        );
        Ok(Answer::noted(clip, told).at(CostClass::Offline))
    }
}

fn failure(kind: FailureKind, message: String) -> Failure {
    Failure::new(Stage::Clips, kind, message).by("offline", None)
}

/// The scene that the camera moves through.
struct Stage3d {
    size: (u32, u32),
    secs: f64,
    seed: u64,
}

impl Stage3d {
    /// Builds a scene of one layer that the camera approaches.
    fn flat(&self, file: &[u8]) -> (Timeline, MemoryAssets) {
        let mut assets = MemoryAssets::default();
        assets.insert("0", file.to_vec());
        let shots = vec![self.seen("0", 1.0 + NEAR_ZOOM)];
        (self.timeline(shots, Vec::new()), assets)
    }

    /// Builds a scene in which the camera moves through the layers of a painting.
    fn layered(&self, painting: &Painting) -> image::ImageResult<(Timeline, MemoryAssets)> {
        let mut assets = MemoryAssets::default();
        let mut layers = Vec::new();
        let mut shots = Vec::new();
        let drift = drift_of(painting);
        for (i, layer) in painting.layers.iter().enumerate() {
            // Falling weather is animated below.
            if layer.name == "weather" && drift.falls() {
                continue;
            }
            let name = format!("{i}.png");
            assets.insert(&name, png(&layer.picture)?);
            if i == 0 {
                shots.push(self.seen(&name, 1.0));
            }
            layers.push(self.near(&name, f64::from(layer.depth), &layer.picture));
        }
        let look = drift.look();
        for (i, speed) in [look.speed, look.speed * 1.7].into_iter().enumerate() {
            let name = format!("drift-{i}.png");
            let seed = self.seed.wrapping_add(i as u64);
            assets.insert(&name, png(&drift::sheet(&look, self.size, seed))?);
            layers.push(self.falling(&name, speed));
        }
        Ok((self.timeline(shots, layers), assets))
    }

    fn timeline(&self, shots: Vec<Shot>, layers: Vec<Layer>) -> Timeline {
        let mut timeline = Timeline::new(shots);
        (timeline.output.width, timeline.output.height) = self.size;
        timeline.layers = layers;
        timeline.audio = Audio {
            when_silent: WhenSilent::None,
            ..Audio::default()
        };
        timeline
    }

    /// Returns left or right, by the seed.
    fn side(&self) -> f64 {
        if self.seed.is_multiple_of(2) {
            1.0
        } else {
            -1.0
        }
    }

    /// Returns a picture that fills the canvas and grows.
    fn seen(&self, name: &str, zoom: f64) -> Shot {
        let view = |at: f64, zoom: f64| ViewKey {
            at,
            zoom,
            ease: "linear".into(),
            ..ViewKey::default()
        };
        let motion = Motion {
            views: Some(vec![view(0.0, 1.0), view(1.0, zoom)]),
            ..Motion::default()
        };
        Shot {
            picture: Some(name.to_owned()),
            duration: Some(self.secs),
            motion: Some(NameOr::Inline(motion)),
            ..Shot::default()
        }
    }

    /// Returns a layer that moves according to its nearness.
    fn near(&self, name: &str, depth: f64, picture: &RgbaImage) -> Layer {
        let (pan, zoom) = (self.side() * NEAR_PAN * depth, FAR_ZOOM + NEAR_ZOOM * depth);
        let key = |at: f64, x: f64, scale: f64| PlaceKey {
            at,
            x,
            scale,
            ..PlaceKey::default()
        };
        let mut draw = PictureDraw::new(name);
        draw.place = Place {
            width: f64::from(picture.width()) / f64::from(self.size.0),
            ..Place::default()
        };
        draw.keys = vec![key(0.0, -pan, 1.0), key(self.secs, pan, 1.0 + zoom)];
        Layer::new(Draw::Picture(draw))
    }

    /// Returns a sheet that moves down (up, for a negative speed) by half its height and starts over.
    fn falling(&self, name: &str, speed: f64) -> Layer {
        let mut draw = PictureDraw::new(name);
        let (from, to) = if speed > 0.0 {
            (-0.5, 0.5)
        } else {
            (0.5, -0.5)
        };
        let period = 1.0 / speed.abs();
        let mut at = 0.0;
        while at < self.secs && draw.keys.len() < 998 {
            let key = |at: f64, y: f64| PlaceKey {
                at,
                y,
                ..PlaceKey::default()
            };
            draw.keys.extend([key(at, from), key(at + period, to)]);
            at += period;
        }
        Layer::new(Draw::Picture(draw))
    }
}

fn drift_of(painting: &Painting) -> Drift {
    match painting.weather {
        Some(Weather::Rain | Weather::Storm) => Drift::Rain,
        Some(Weather::Snow) => Drift::Snow,
        _ => Drift::Motes,
    }
}

fn png(picture: &RgbaImage) -> image::ImageResult<Vec<u8>> {
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, ImageFormat::Png)?;
    Ok(file.into_inner())
}
