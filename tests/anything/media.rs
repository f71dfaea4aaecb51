//! Pictures, clips and sounds whose names say what they are, so that facts need no files: `6000x4000.png`, `640x360-2.5s-25fps.mp4`, `3.5s.wav`.

use std::collections::HashMap;
use std::io::{self, Cursor};
use std::sync::Arc;

use image::{ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use kinora::compose::Pictures;
use kinora::facts::{ClipCodec, ClipFacts, Facts, PictureFacts, SoundFacts};
use kinora::media::{AssetRead, Assets, Picture};
use kinora::plan::Plan;
use kinora::scene::PictureUse;
use kinora::scene::draw::PictureId;
use kinora::units::{FrameRate, Time};
use serde_json::Value;

/// The facts of everything that a document names.
pub fn facts_of(document: &Value) -> Facts {
    let mut facts = Facts::default();
    for name in names_in(document) {
        if let Some(picture) = picture_of(&name) {
            facts.pictures.insert(name, picture);
        } else if let Some(clip) = clip_of(&name) {
            if clip.has_sound {
                facts.sounds.insert(name.clone(), sound(clip.duration));
            }
            facts.clips.insert(name, clip);
        } else if let Some(secs) = name.strip_suffix("s.wav") {
            let duration = Time::from_secs(secs.parse().unwrap()).unwrap();
            facts.sounds.insert(name, sound(duration));
        }
    }
    facts
}

fn sound(duration: Time) -> SoundFacts {
    SoundFacts {
        flaw: None,
        duration: Some(duration),
        channels: 1,
        rate_hz: 48_000,
    }
}

/// The names of files in a document.
pub fn names_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if text.ends_with(".png") || text.ends_with(".mp4") => {
            vec![text.clone()]
        }
        Value::String(text) if text.ends_with("s.wav") => vec![text.clone()],
        Value::Array(list) => list.iter().flat_map(names_in).collect(),
        Value::Object(map) => map.values().flat_map(names_in).collect(),
        _ => Vec::new(),
    }
}

fn size_of(name: &str) -> Option<(u32, u32)> {
    let (width, rest) = name.split_once('x')?;
    let height: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some((width.parse().ok()?, height.parse().ok()?))
}

fn picture_of(name: &str) -> Option<PictureFacts> {
    let stem = name.strip_suffix(".png")?;
    let (width, height) = size_of(stem)?;
    Some(PictureFacts {
        width,
        height,
        has_alpha: stem.ends_with('a'),
    })
}

fn clip_of(name: &str) -> Option<ClipFacts> {
    let stem = name.strip_suffix(".mp4")?;
    let (width, height) = size_of(stem)?;
    let mut parts = stem.split('-').skip(1);
    let secs: f64 = parts.next()?.strip_suffix('s')?.parse().ok()?;
    let fps: u32 = parts.next()?.strip_suffix("fps")?.parse().ok()?;
    let step = FrameRate::new(fps, 1)?.frame_duration();
    let duration = Time::from_secs(secs)?.max(Time(1));
    let n_frames = (duration.0 + step.0 - 1) / step.0;
    Some(ClipFacts {
        width,
        height,
        starts: (0..n_frames).map(|i| Time(i * step.0)).collect(),
        duration,
        codec: ClipCodec::H264,
        has_sound: fps.is_multiple_of(2),
    })
}

/// What a plan's frame shows, green and opaque but for pictures with alpha, without decoding anything.
pub fn pictures_of(plan: &Plan, frame: u64) -> Pictures {
    let shown = |wanted: &&PictureUse| (wanted.first_frame..wanted.end_frame).contains(&frame);
    let mut pictures: Pictures = HashMap::new();
    for (id, wanted) in plan.pictures.iter().enumerate() {
        if shown(&wanted) {
            pictures.insert(PictureId(id as u32), painted(wanted));
        }
    }
    for clip in plan.clips.iter().filter(|clip| shown(&&clip.look)) {
        let picture = painted(&clip.look);
        // A picture for each frame of the video at most.
        for run in 0..plan.n_frames as u32 {
            pictures.insert(PictureId(clip.first_id.0 + run), Arc::clone(&picture));
        }
    }
    pictures
}

/// The green that pictures are made of: no other thing in a case has it.
pub const GREEN: [u8; 3] = [0, 200, 0];

fn painted(wanted: &PictureUse) -> Arc<Picture> {
    let n = wanted.width as usize * wanted.height as usize;
    let has_alpha = wanted.asset.ends_with("a.png");
    let [r, g, b] = GREEN.map(|v| (f32::from(v) * wanted.brightness) as u8);
    let px = match has_alpha {
        true => [r / 2, g / 2, b / 2, 128],
        false => [r, g, b, 255],
    };
    Arc::new(Picture {
        width: wanted.width,
        height: wanted.height,
        rgba: px.repeat(n),
        opaque: !has_alpha,
    })
}

/// Files made when they are asked for, for cases that go through the real readers. Clips are left out.
pub struct Made;

impl Assets for Made {
    fn open(&self, name: &str) -> io::Result<Box<dyn AssetRead>> {
        file_of(name)
            .map(|bytes| Box::new(Cursor::new(bytes)) as Box<dyn AssetRead>)
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such case"))
    }
}

/// The bytes of the picture or sound of this name.
pub fn file_of(name: &str) -> Option<Vec<u8>> {
    if let Some(facts) = picture_of(name) {
        let mut bytes = Cursor::new(Vec::new());
        let [r, g, b] = GREEN;
        let written = match facts.has_alpha {
            true => RgbaImage::from_pixel(facts.width, facts.height, Rgba([r, g, b, 128]))
                .write_to(&mut bytes, ImageFormat::Png),
            false => RgbImage::from_pixel(facts.width, facts.height, Rgb(GREEN))
                .write_to(&mut bytes, ImageFormat::Png),
        };
        written.unwrap();
        return Some(bytes.into_inner());
    }
    let secs: f64 = name.strip_suffix("s.wav")?.parse().ok()?;
    let n = ((secs * 8000.0) as usize).max(1);
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 8000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut bytes, spec).unwrap();
    for i in 0..n {
        writer
            .write_sample(((i as f64 * 0.3).sin() * 9000.0) as i16)
            .unwrap();
    }
    writer.finalize().unwrap();
    Some(bytes.into_inner())
}
