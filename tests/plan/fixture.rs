//! Files in memory and documents resolved against them.

use std::io::Cursor;
use std::sync::{Arc, LazyLock};

use image::{ImageFormat, RgbImage, RgbaImage};
use kinora::Job;
use kinora::media::MemoryAssets;
use kinora::plan::Plan;
use kinora::scene::draw::{Content, Homography, Layer, PictureId};
use kinora::text::Fonts;
use kinora::timeline::Timeline;
use serde_json::Value;

static ASSETS: LazyLock<Arc<MemoryAssets>> = LazyLock::new(|| {
    let mut assets = MemoryAssets::default();
    let mut add = |name: &str, picture: image::DynamicImage| {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
        assets.insert(name, bytes.into_inner());
    };
    add("wide.png", RgbImage::new(640, 360).into());
    add("tall.png", RgbImage::new(300, 700).into());
    add("logo.png", RgbaImage::new(40, 20).into());
    assets.insert("tone.ogg", &include_bytes!("../media/tone.ogg")[..]);
    Arc::new(assets)
});

static FONTS: LazyLock<Fonts> = LazyLock::new(Fonts::default);

/// A document as JSON, resolved.
pub fn plan(document: &Value) -> Plan {
    match Job::from_json(&document.to_string(), ASSETS.clone(), FONTS.clone()) {
        Ok(job) => job.plan().clone(),
        Err(e) => panic!("{e}"),
    }
}

/// A document built in Rust, resolved.
pub fn job(timeline: &Timeline) -> Job {
    Job::new(timeline, ASSETS.clone(), FONTS.clone()).unwrap()
}

/// The pictures that layers draw by themselves, with the map of each.
pub fn pictures(layers: &[Layer]) -> Vec<(PictureId, Homography)> {
    let of = |layer: &Layer| match &layer.content {
        Content::Picture(id, pose) => Some((*id, pose.maps[0])),
        _ => None,
    };
    layers.iter().filter_map(of).collect()
}
