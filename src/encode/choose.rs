//! Entry points: choose the encoder for the requested settings and list the encoders of this machine.

use std::sync::{Mutex, PoisonError};

use super::aac::Aac;
use super::opus::Opus;
use super::sequence::encoder_error;
use super::{
    AudioCodec, AudioEncoder, Quality, VideoCodec, VideoEncoder, VideoEncoderName, VideoSettings,
    openh264, rav1e, svt, x264,
};
use crate::error::Result;
use crate::opus;
use crate::units::Size;

/// Opens an encoder for a video.
///
/// Returns an error if the encoder does not make the codec, is missing on this machine, or rejects the size.
pub fn video_encoder(settings: &VideoSettings) -> Result<Box<dyn VideoEncoder>> {
    open(settings).map(|(_, encoder)| encoder)
}

/// Does what [`video_encoder`] does and also returns the name of the chosen encoder.
pub(crate) fn open(settings: &VideoSettings) -> Result<(VideoEncoderName, Box<dyn VideoEncoder>)> {
    use {VideoCodec as Codec, VideoEncoderName as Name};
    let name = match settings.encoder {
        Name::Auto => preferred(settings.codec, settings.size),
        name => name,
    };
    let encoder = match (settings.codec, name) {
        (Codec::Av1, Name::SvtAv1) => svt::open(settings)?,
        (Codec::Av1, Name::Rav1e) => rav1e::open(settings)?,
        (Codec::H264, Name::X264) => x264::open(settings)?,
        (Codec::H264, Name::OpenH264) => openh264::open(settings)?,
        (Codec::Av1, _) => {
            return Err(encoder_error(
                "x264 and openh264 make H.264, but the codec is AV1: choose the codec H.264, or SVT-AV1 or rav1e as the encoder",
            ));
        }
        (Codec::H264, _) => {
            return Err(encoder_error(
                "SVT-AV1 and rav1e make AV1, but the codec is H.264: choose the codec AV1, or x264 or openh264 as the encoder",
            ));
        }
    };
    Ok((name, Box::new(encoder)))
}

/// Resolves [`VideoEncoderName::Auto`] to the fastest encoder of the codec on this machine.
pub(crate) fn preferred(codec: VideoCodec, size: Size) -> VideoEncoderName {
    use VideoEncoderName as Name;
    match codec {
        VideoCodec::Av1 => {
            let is_large = size.width.min(size.height) >= svt::MIN_SIDE;
            match is_large && state(Name::SvtAv1).is_ok() {
                true => Name::SvtAv1,
                false => Name::Rav1e,
            }
        }
        VideoCodec::H264 => match state(Name::X264).is_ok() {
            true => Name::X264,
            false => Name::OpenH264,
        },
    }
}

/// Returns the version of an encoder, or why it cannot be used.
fn state(name: VideoEncoderName) -> std::result::Result<String, String> {
    let struck = STRUCK.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, reason)) = struck.iter().find(|(struck, _)| *struck == name) {
        return Err(reason.clone());
    }
    match name {
        VideoEncoderName::SvtAv1 => svt::version(),
        VideoEncoderName::X264 => x264::version(),
        VideoEncoderName::OpenH264 => openh264::version(),
        VideoEncoderName::Rav1e | VideoEncoderName::Auto => rav1e::version(),
    }
}

/// Encoders that got stuck in this process, and what was seen. One of their threads is still inside a call and holds its memory, so they are not used again.
static STRUCK: Mutex<Vec<(VideoEncoderName, String)>> = Mutex::new(Vec::new());

/// Stops `Auto` from choosing an encoder that got stuck.
pub(crate) fn strike(name: VideoEncoderName, reason: &str) {
    let mut struck = STRUCK.lock().unwrap_or_else(PoisonError::into_inner);
    struck.push((name, reason.to_owned()));
}

/// Opens an encoder for the sound (48 kHz stereo).
pub fn audio_encoder(codec: AudioCodec, quality: Quality) -> Result<Box<dyn AudioEncoder>> {
    Ok(match codec {
        AudioCodec::Opus => Box::new(Opus::new(quality)?),
        AudioCodec::Aac => Box::new(Aac::new(quality)?),
    })
}

/// Returns the name and version of the machine's libopus, or why it is missing. Without it the built-in ropus encodes Opus: slower, and in 16 bits.
pub fn opus_library() -> std::result::Result<String, String> {
    opus::library_version()
}

/// A video encoder and whether this machine has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncoderInfo {
    /// Name of the encoder.
    pub name: &'static str,
    /// Codec that it produces.
    pub codec: VideoCodec,
    /// Its version, or why it cannot be used.
    pub version: std::result::Result<String, String>,
}

/// Lists the video encoders, the preferred one of each codec first.
pub fn available() -> Vec<EncoderInfo> {
    vec![
        EncoderInfo {
            name: "SVT-AV1",
            codec: VideoCodec::Av1,
            version: state(VideoEncoderName::SvtAv1),
        },
        EncoderInfo {
            name: "rav1e",
            codec: VideoCodec::Av1,
            version: state(VideoEncoderName::Rav1e),
        },
        EncoderInfo {
            name: "x264",
            codec: VideoCodec::H264,
            version: state(VideoEncoderName::X264),
        },
        EncoderInfo {
            name: "openh264",
            codec: VideoCodec::H264,
            version: state(VideoEncoderName::OpenH264),
        },
    ]
}
