//! Bytes to facts and pictures; the only room that does input, through [`Assets`].
//!
//! Takes: names of assets. Gives: facts (sizes, lengths), decoded pictures, byte streams for the sound decoder. Never: knows the plan's timing.

mod assets;
mod av1;
mod blur;
pub mod clip;
mod conform;
mod decode;
mod facts;
mod feed;
mod ffmpeg;
mod fonts;
mod footage;
mod icc;
mod limits;
mod loader;
mod refusal;
mod schedule;
mod sniff;
mod still;

pub use assets::{AssetRead, Assets, FolderAssets, Limited, MemoryAssets};
pub use decode::decode_picture;
pub use facts::{Named, probe};
pub use ffmpeg::Ffmpeg;
pub(crate) use ffmpeg::{
    ForeignSound, INSTALL as INSTALL_FFMPEG, sound_facts as foreign_sound_facts,
};
pub(crate) use fonts::font_file;
pub use footage::Footage;
pub use limits::PictureLimits;
pub use loader::{Loader, load_clips, load_frame};

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::Result;
use crate::media::refusal::Refusal;
use crate::plan::PictureUse;
use crate::units::Time;

/// The version of the library that decodes AV1 clips and AVIF pictures, or why this machine cannot use it.
///
/// # Errors
/// Says what is wrong with the library and how to install it.
pub fn av1_decoder() -> std::result::Result<&'static str, String> {
    av1::version()
}

/// The version of the library that decodes HEIC pictures, or why this machine cannot use it.
///
/// # Errors
/// Says what is wrong with the library and how to install it.
pub fn heic_decoder() -> std::result::Result<String, String> {
    still::heic_version()
}

/// What is known of a picture without decoding its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureFacts {
    /// Upright (after the EXIF orientation), px.
    pub width: u32,
    /// Upright, px.
    pub height: u32,
    /// The file carries alpha. `true` for every GIF: whether its first frame is opaque is only known once decoded ([`Picture::opaque`]).
    pub has_alpha: bool,
}

/// What is known of a sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoundFacts {
    /// Length; `None` when the container does not say.
    pub duration: Option<Time>,
    /// Channels.
    pub channels: u16,
    /// Sample rate in Hz.
    pub rate_hz: u32,
    /// What is wrong with it, though it is heard.
    pub flaw: Option<SoundFlaw>,
}

/// What is wrong with a sound that is heard all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoundFlaw {
    /// The file was cut: only its beginning is there.
    Cut,
    /// Its samples are floats of the size of integers; they are brought to full scale.
    IntegerScale,
}

/// A word and when it is spoken, found in a sound or guessed.
#[derive(Clone, Debug, PartialEq)]
pub struct SpokenWord {
    /// As it is written, punctuation included.
    pub text: String,
    /// Start in seconds.
    pub start: f64,
    /// End in seconds.
    pub end: f64,
}

/// Facts of every asset that a document names, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Pictures.
    pub pictures: BTreeMap<String, PictureFacts>,
    /// Sounds.
    pub sounds: BTreeMap<String, SoundFacts>,
    /// Clips.
    pub clips: BTreeMap<String, clip::ClipFacts>,
    /// Assets that the machine's ffmpeg reads, and what its user should know of them, to follow their names.
    pub foreign: BTreeMap<String, String>,
    /// The words of the captions' text and when they are spoken; none when the captions have timed words.
    pub spoken: Vec<SpokenWord>,
}

/// Decodes, turns upright, converts to sRGB, crops, resamples and blurs a picture as the plan asks.
///
/// # Errors
/// `Media`, with the asset's name and its place in the document, when the file is missing, too large, damaged or no picture.
pub fn load(wanted: &PictureUse, assets: &dyn Assets) -> Result<Arc<Picture>> {
    let mut loaded = load_each(&[wanted], assets)?;
    Ok(loaded.swap_remove(0))
}

/// As [`load`] for several uses of one asset, which is decoded once.
fn load_each(wanted: &[&PictureUse], assets: &dyn Assets) -> Result<Vec<Arc<Picture>>> {
    let Some(first) = wanted.first() else {
        return Ok(Vec::new());
    };
    let source = source_of(first, assets)?;
    let limits = assets.picture_limits();
    wanted
        .iter()
        .map(|wanted| conform::conform(&source, wanted, &limits).map(Arc::new))
        .collect()
}

fn source_of(wanted: &PictureUse, assets: &dyn Assets) -> Result<decode::Source> {
    let name = &wanted.asset;
    let limits = assets.picture_limits();
    assets
        .open(name)
        .map_err(|e| Refusal::of_open(&e, name, assets))
        .and_then(|mut stream| decode::read_all(&mut stream, &limits))
        .and_then(|bytes| decode::decode(bytes, &limits))
        .map_err(|refusal| refusal.error(name, &wanted.path))
}

/// A decoded picture: premultiplied RGBA in non-linear sRGB, 8 bits, no row padding.
#[derive(Debug)]
pub struct Picture {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width*height*4` bytes.
    pub rgba: Vec<u8>,
    /// Every alpha is 255.
    pub opaque: bool,
}
