//! The doors: which encoder makes what was asked for, and what there is on this machine.

use super::aac::Aac;
use super::opus::Opus;
use super::rav1e::Rav1e;
use super::sequence::encoder_error;
use super::svt::SvtAv1;
use super::{
    AudioCodec, AudioEncoder, Quality, VideoCodec, VideoEncoder, VideoEncoderName, VideoSettings,
    openh264, rav1e, svt, x264,
};
use crate::error::Result;

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
        (Codec::H264, Name::Auto) if x264::version().is_ok() => Box::new(x264::open(settings)?),
        (Codec::H264, Name::X264) => Box::new(x264::open(settings)?),
        (Codec::H264, Name::Auto | Name::OpenH264) => Box::new(openh264::open(settings)?),
        (Codec::Av1, Name::OpenH264 | Name::X264) => {
            return Err(encoder_error(
                "x264 and openh264 make H.264, but the codec is AV1: choose the codec H.264, or SVT-AV1 or rav1e as the encoder",
            ));
        }
        (Codec::H264, Name::SvtAv1 | Name::Rav1e) => {
            return Err(encoder_error(
                "SVT-AV1 and rav1e make AV1, but the codec is H.264: choose the codec AV1, or x264 or openh264 as the encoder",
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
            name: "x264",
            codec: VideoCodec::H264,
            version: x264::version(),
        },
        EncoderInfo {
            name: "openh264",
            codec: VideoCodec::H264,
            version: Ok(openh264::version()),
        },
    ]
}
