//! Decodes samples to pictures: one decoder each for H.264, VP9, AV1 and animated pictures, behind a common interface.
//!
//! Takes: samples in decoding order, starting with one where decoding can start. Gives: at most one picture per sample. Never: allocates for a
//! size that was not checked first.

mod animation;
mod av1;
#[cfg(feature = "clips")]
mod h264;
#[cfg(feature = "clips")]
mod vp9;

use super::ClipLimits;
use super::codec::Description;
use super::frame::Picture;
use super::refuse::{damaged, unsupported};
use super::track::Coding;
use crate::media::refusal::Refusal;

/// A decoder at some position in its stream.
pub(super) enum Decoder {
    #[cfg(feature = "clips")]
    H264(Box<h264::H264>),
    Av1(Box<av1::Av1>),
    #[cfg(feature = "clips")]
    Vp9(Box<vp9::Vp9>),
    Animated(animation::Animated),
}

/// Returns an error if this machine lacks the decoder, so that it is known before any work starts.
pub(super) fn check_there(coding: &Coding) -> Result<(), Refusal> {
    match coding {
        Coding::Av1 { .. } => av1::check_there(),
        #[cfg(not(feature = "clips"))]
        Coding::H264 { .. } | Coding::Vp9 => Err(missing()),
        #[cfg(feature = "clips")]
        Coding::H264 { .. } | Coding::Vp9 => Ok(()),
        Coding::Animation(_) => Ok(()),
    }
}

impl Decoder {
    pub(super) fn new(
        coding: &Coding,
        about: &Description,
        limits: &ClipLimits,
    ) -> Result<Decoder, Refusal> {
        Ok(match coding {
            #[cfg(not(feature = "clips"))]
            Coding::H264 { .. } | Coding::Vp9 => return Err(missing()),
            #[cfg(feature = "clips")]
            Coding::H264 {
                length_size,
                parameter_sets,
            } => Decoder::H264(Box::new(h264::H264::new(
                *length_size,
                parameter_sets,
                about,
                limits,
            )?)),
            Coding::Av1 { config_obus } => {
                Decoder::Av1(Box::new(av1::Av1::new(config_obus, about, limits)?))
            }
            #[cfg(feature = "clips")]
            Coding::Vp9 => Decoder::Vp9(Box::new(vp9::Vp9::new(about, limits))),
            Coding::Animation(animation) => {
                Decoder::Animated(animation::Animated::new(animation, about)?)
            }
        })
    }

    /// Decodes one sample; `None` when it shows nothing new.
    pub(super) fn decode(&mut self, sample: &[u8]) -> Result<Option<Picture>, Refusal> {
        match self {
            #[cfg(feature = "clips")]
            Decoder::H264(decoder) => decoder.decode(sample),
            Decoder::Av1(decoder) => decoder.decode(sample),
            #[cfg(feature = "clips")]
            Decoder::Vp9(decoder) => decoder.decode(sample),
            Decoder::Animated(decoder) => decoder.decode(),
        }
    }
}

/// Returns the refusal of clips whose decoders this build leaves out.
#[cfg(not(feature = "clips"))]
fn missing() -> Refusal {
    unsupported(
        "is H.264 or VP9, which this build of kinora does not decode (it lacks the feature `clips`)",
    )
}

/// Returns an error if a picture has another size than the clip.
fn check_same_size(about: &Description, width: u32, height: u32) -> Result<(), Refusal> {
    if (width, height) == (about.width, about.height) {
        return Ok(());
    }
    Err(unsupported(format!(
        "changes its size midway, from {}x{} to {width}x{height} px",
        about.width, about.height
    )))
}

/// Wraps an error of a decoder.
fn not_decoded(e: impl std::fmt::Display) -> Refusal {
    damaged(format_args!("a frame cannot be decoded ({e})"))
}
