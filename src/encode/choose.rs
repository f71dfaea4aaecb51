//! The doors: which encoder makes what was asked for, and what there is on this machine.

use super::aac::Aac;
use super::openh264::OpenH264;
use super::opus::Opus;
use super::rav1e::Rav1e;
use super::sequence::encoder_error;
use super::svt::SvtAv1;
use super::{
    AudioCodec, AudioEncoder, Quality, VideoCodec, VideoEncoder, VideoEncoderName, VideoSettings,
    openh264, rav1e, svt,
};
use crate::error::Result;
use crate::opus;

/// An encoder for a video.
///
/// Fails when the encoder is not one for the codec, is not on this machine, or refuses the size.
pub fn video_encoder(settings: &VideoSettings) -> Result<Box<dyn VideoEncoder>> {
    use {VideoCodec as Codec, VideoEncoderName as Name};
    Ok(match (settings.codec, settings.encoder) {
        (Codec::Av1, Name::Auto) => {
            let is_large = settings.size.width.min(settings.size.height) >= svt::MIN_SIDE;
            if is_large && svt::version().is_ok() {
                Box::new(SvtAv1::new(settings)?)
            } else {
                Box::new(Rav1e::new(settings)?)
            }
        }
        (Codec::Av1, Name::SvtAv1) => Box::new(SvtAv1::new(settings)?),
        (Codec::Av1, Name::Rav1e) => Box::new(Rav1e::new(settings)?),
        (Codec::H264, Name::Auto | Name::OpenH264) => Box::new(OpenH264::new(settings)?),
        (Codec::Av1, Name::OpenH264) => {
            return Err(encoder_error(
                "openh264 makes H.264, but the codec is AV1: choose the codec H.264, or SVT-AV1 or rav1e as the encoder",
            ));
        }
        (Codec::H264, Name::SvtAv1 | Name::Rav1e) => {
            return Err(encoder_error(
                "SVT-AV1 and rav1e make AV1, but the codec is H.264: choose the codec AV1, or openh264 as the encoder",
            ));
        }
    })
}

/// An encoder for the sound (48 kHz stereo).
pub fn audio_encoder(codec: AudioCodec, quality: Quality) -> Result<Box<dyn AudioEncoder>> {
    Ok(match codec {
        AudioCodec::Opus => Box::new(Opus::new(quality)?),
        AudioCodec::Aac => Box::new(Aac::new(quality)?),
    })
}

/// Name and version of the machine's libopus, or why there is none: Opus is then coded by ropus, which is built in, slower and of 16 bits.
pub fn opus_library() -> std::result::Result<String, String> {
    opus::library_version()
}

/// A video encoder and whether this machine has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncoderInfo {
    /// What it is called.
    pub name: &'static str,
    /// What it makes.
    pub codec: VideoCodec,
    /// Its version, or why it cannot be used.
    pub version: std::result::Result<String, String>,
}

/// The video encoders, the preferred one of a codec first.
pub fn available() -> Vec<EncoderInfo> {
    vec![
        EncoderInfo {
            name: "SVT-AV1",
            codec: VideoCodec::Av1,
            version: svt::version().map(|v| v.trim_start_matches('v').to_owned()),
        },
        EncoderInfo {
            name: "rav1e",
            codec: VideoCodec::Av1,
            version: Ok(rav1e::version()),
        },
        EncoderInfo {
            name: "openh264",
            codec: VideoCodec::H264,
            version: Ok(openh264::version()),
        },
    ]
}
