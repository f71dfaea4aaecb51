//! Bytes to facts and pictures; the only room that does input, through [`Assets`].
//!
//! Takes: names of assets. Gives: facts (sizes, lengths), decoded pictures, byte streams for the sound decoder. Never: knows the plan's timing.

mod assets;

pub use assets::{AssetRead, Assets, FolderAssets, MemoryAssets};

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::{Problem, Result};
use crate::plan::PictureUse;
use crate::units::Time;

/// What is known of a picture without decoding its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureFacts {
    /// Upright (after the EXIF orientation), px.
    pub width: u32,
    /// Upright, px.
    pub height: u32,
    /// The format can carry alpha and this file does.
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
}

/// Facts of every asset that a document names, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Pictures.
    pub pictures: BTreeMap<String, PictureFacts>,
    /// Sounds.
    pub sounds: BTreeMap<String, SoundFacts>,
}

/// Reads the facts of each `(name, path in the document)`; every unreadable one is a problem.
pub fn probe(
    pictures: &[(String, String)],
    sounds: &[(String, String)],
    assets: &dyn Assets,
) -> (Facts, Vec<Problem>) {
    let _ = (pictures, sounds, assets);
    (Facts::default(), Vec::new())
}

/// Decodes, turns upright, converts to sRGB, crops, resamples and blurs a picture as the plan asks.
pub fn load(wanted: &PictureUse, assets: &dyn Assets) -> Result<Arc<Picture>> {
    let _ = (wanted, assets);
    unreachable!()
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
