//! Re-encodes uploaded, untrusted audio into a file of our own.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use kinora::encode::Quality;
use kinora::media::{Ffmpeg, FolderAssets};
use kinora::text::Fonts;
use kinora::{Control, Job, Render, SoundFormat};
use serde_json::json;

use super::form::Form;
use crate::config::Media;

/// Longest audio, in seconds.
const MAX_SECS: f64 = 900.0;
/// Shortest, in seconds.
const MIN_SECS: f64 = 0.1;
/// Seconds between sampled positions; only the length is needed here.
const EVERY_SECS: f64 = 60.0;

/// Signatures of audio files, with their offsets.
const MAGIC: &[(usize, &[u8])] = &[
    (8, b"WAVE"),
    (0, b"fLaC"),
    (0, b"OggS"),
    (0, b"ID3"),
    (4, b"ftyp"),
    (0, b"\x1a\x45\xdf\xa3"),
    (8, b"AIFF"),
    (8, b"AIFC"),
];

/// The stored format of uploads: small, and accepted by all transcription providers.
pub(super) const KEPT: SoundFormat = SoundFormat::M4a;

/// Decodes `upload` in a folder and encodes it beside that as `kept`; returns its length in seconds. Blocks until done.
///
/// # Errors
/// The reason for refusing it, to follow "the file".
pub(super) fn written_anew(folder: &Path, kept: &str, media: &Media) -> Result<f64, String> {
    let path = folder.join(Form::FILE);
    let assets = FolderAssets::confined(folder);
    let assets = match media.ffmpeg {
        true => assets.with_ffmpeg(Ffmpeg::on_path()),
        false => assets,
    };
    // With ffmpeg configured, ffmpeg decides what counts as audio.
    if !media.ffmpeg && !is_audio(&path).map_err(|e| e.to_string())? {
        return Err("is not WAV, FLAC, Ogg, MP3, AAC, M4A, WebM or AIFF audio".into());
    }
    let damaged = |e: io::Error| e.to_string().trim().to_owned();
    let open = || kinora::audio::readable(Form::FILE, &assets).map_err(damaged);
    // The header's length is checked before decoding, the real one after it.
    let (facts, _) = kinora::audio::asset_facts(Form::FILE, &assets).map_err(damaged)?;
    check_secs(facts.duration.map_or(MIN_SECS, |length| length.as_secs()))?;
    let heard = kinora::audio::phrases(open()?, "", EVERY_SECS).map_err(damaged)?;
    check_secs(heard.secs)?;
    write((folder, assets), kept, heard.secs)?;
    Ok(heard.secs)
}

fn check_secs(secs: f64) -> Result<(), String> {
    if secs > MAX_SECS {
        return Err(format!(
            "lasts {secs:.0} s; the maximum is {MAX_SECS} s: shorten it"
        ));
    }
    if secs < MIN_SECS {
        return Err("contains no sound".into());
    }
    Ok(())
}

fn is_audio(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(12).read_to_end(&mut head)?;
    let is_framed = matches!(head.as_slice(), [0xff, second, ..] if second & 0xe0 == 0xe0);
    let is_known = MAGIC
        .iter()
        .any(|(at, magic)| head.get(*at..).is_some_and(|rest| rest.starts_with(magic)));
    Ok(is_framed || is_known)
}

/// Encodes without changing levels. The picture is needed only because a timeline must have one.
fn write((folder, assets): (&Path, FolderAssets), kept: &str, secs: f64) -> Result<(), String> {
    const PICTURE: &str = "picture.png";
    let mut png = Cursor::new(Vec::new());
    image::RgbImage::new(2, 2)
        .write_to(&mut png, image::ImageFormat::Png)
        .expect("two rows of pixels can be written to memory");
    std::fs::write(folder.join(PICTURE), png.into_inner()).map_err(|e| e.to_string())?;
    let timeline = json!({
        "version": 1,
        "output": { "width": 64, "height": 64 },
        "shots": [{ "picture": PICTURE, "duration": secs }],
        "audio": { "voice": { "file": Form::FILE }, "loudness": null, "fade_out": 0 },
    });
    let assets = Arc::new(assets);
    let told = |e: kinora::Error| e.to_string();
    let job = Job::from_json(&timeline.to_string(), assets, Fonts::default()).map_err(told)?;
    let options = Render {
        quality: Quality::High,
        ..Render::default()
    };
    let path = folder.join(kept);
    let report = kinora::render_sound_to_file(&job, &path, KEPT, &options, &Control::default());
    report.map(drop).map_err(told)
}
