//! Turns bytes into facts and pictures; the only module that does input, through [`Assets`].
//!
//! Takes: names of assets. Gives: facts (sizes, lengths), decoded pictures, byte streams for the sound decoder. Never: uses the plan's timing.

mod assets;
mod av1;
mod blur;
pub mod clip;
mod conform;
mod decode;
mod feed;
mod ffmpeg;
mod fonts;
mod footage;
mod headers;
mod icc;
mod limits;
mod loader;
mod refusal;
mod schedule;
mod sniff;
mod still;

pub use assets::{AssetRead, Assets, FolderAssets, Limited, MemoryAssets};
pub use decode::decode_picture;
pub use ffmpeg::Ffmpeg;
pub(crate) use ffmpeg::{
    ForeignSound, INSTALL as INSTALL_FFMPEG, sound_facts as foreign_sound_facts,
};
pub(crate) use fonts::font_file;
pub use footage::Footage;
pub(crate) use headers::{clip_facts, open, picture_facts};
pub use limits::PictureLimits;
pub use loader::{Loader, load_clips, load_frame};
pub(crate) use refusal::{Refusal, guarded};

use std::sync::Arc;

use crate::error::Result;
use crate::scene::PictureUse;

/// Returns the version of the library that decodes AV1 clips and AVIF pictures.
///
/// # Errors
/// The reason why this machine cannot use the library, and how to install it.
pub fn av1_decoder() -> std::result::Result<&'static str, String> {
    av1::version()
}

/// Returns the version of the library that decodes HEIC pictures.
///
/// # Errors
/// The reason why this machine cannot use the library, and how to install it.
pub fn heic_decoder() -> std::result::Result<String, String> {
    still::heic_version()
}

/// Decodes, turns upright, converts to sRGB, crops, resamples and blurs a picture as the plan asks.
///
/// # Errors
/// `Media`, with the asset's name and its path in the document, when the file is missing, too large, damaged or not a picture.
pub fn load(wanted: &PictureUse, assets: &dyn Assets) -> Result<Arc<Picture>> {
    let mut loaded = load_each(&[wanted], assets)?;
    Ok(loaded.swap_remove(0))
}

/// Does what [`load`] does, for several uses of one asset, which is decoded once.
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
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// `width*height*4` bytes.
    pub rgba: Vec<u8>,
    /// Whether every alpha is 255.
    pub opaque: bool,
}
