//! Moving pictures as sources: MP4, MOV, WebM and Matroska with H.264, VP9 or AV1, and animated GIF, WebP and PNG, read frame by frame.
//!
//! Takes: a stream of bytes. Gives: facts without decoding, and exact frames by index. Never: holds the file or all frames in memory.
//!
//! A container (`mp4`, `webm`, `animation`) becomes a `track::Track`: codec, samples, and which sample is shown at which time. `reader` feeds samples
//! to one of four decoders, which are guarded against panics and run only after their headers were checked against [`ClipLimits`].

mod animation;
mod avc_parts;
mod bytes;
mod clock;
mod codec;
mod decoder;
mod elsewhere;
mod frame;
mod limits;
mod mp4;
mod reader;
mod refuse;
mod rgba;
mod timing;
mod track;
mod webm;

pub(crate) use elsewhere::{Stamp, check_size, orientation, shown_when, square_size};
pub(crate) use frame::Depth;
pub use frame::{ChromaSiting, ClipColor, ClipFrame, ColorMatrix, ColorRange, Plane, Subsampling};
pub use limits::ClipLimits;
pub use reader::ClipReader;

use super::refusal::Refusal;
use super::{AssetRead, Assets};
use crate::error;
use crate::facts::{ClipCodec, ClipFacts};

/// Reads the facts of a named clip, if kinora reads it itself: from its headers and its first picture's header; nothing is decoded.
///
/// # Errors
/// `Media`, naming the asset, when it cannot be opened or is not a clip that can be decoded within the limits.
pub fn probe(name: &str, assets: &dyn Assets, limits: &ClipLimits) -> error::Result<ClipFacts> {
    open(name, assets)
        .and_then(|stream| ClipReader::open(stream, limits))
        .map(|reader| reader.facts().clone())
        .map_err(|refusal| refusal.error(name, ""))
}

fn open(name: &str, assets: &dyn Assets) -> Result<Box<dyn AssetRead>, Refusal> {
    assets
        .open(name)
        .map_err(|e| Refusal::of_open(&e, name, assets))
}
