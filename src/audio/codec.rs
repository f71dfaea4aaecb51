//! The decoder of a track: symphonia's, or one of those for what symphonia does not decode.

use std::io;

use symphonia::core::audio::Channels;
use symphonia::core::codecs::audio::well_known as id;
use symphonia::core::codecs::audio::{
    AudioCodecId, AudioCodecParameters, AudioDecoder, AudioDecoderOptions, CODEC_ID_NULL_AUDIO,
};
use symphonia::core::errors::Error as SymphoniaError;
use symphonia::core::packet::Packet;

use super::aac_codec::AacCodec;
use super::container::invalid;
use super::opus_codec::{self, OpusCodec, n_frames_of};
use super::vorbis_codec::VorbisCodec;

/// What is decoded, for messages.
pub(super) const SUPPORTED: &str =
    "WAV, AIFF, CAF, MP3, AAC, ALAC, FLAC, Vorbis and Opus, also inside MP4, WebM and Matroska";

/// Decodes packets of one track.
pub(crate) enum Codec {
    General(Box<dyn AudioDecoder>),
    Opus(Box<OpusCodec>),
    Aac(Box<AacCodec>),
    Vorbis(Box<VorbisCodec>),
}

/// Why a packet gave nothing.
pub(crate) enum Failure {
    /// The packet is bad; the next may be good.
    Packet(String),
    /// The decoder is done for.
    Codec(io::Error),
}

impl Codec {
    /// For a track with these parameters.
    pub(super) fn new(params: &AudioCodecParameters) -> io::Result<Codec> {
        let headers = params.extra_data.as_deref().unwrap_or_default();
        let is_surround = params.channels.as_ref().is_some_and(|c| c.count() > 2);
        match params.codec {
            id::CODEC_ID_OPUS => OpusCodec::new(headers).map(|codec| Codec::Opus(Box::new(codec))),
            id::CODEC_ID_AAC => AacCodec::new(params).map(|codec| Codec::Aac(Box::new(codec))),
            id::CODEC_ID_VORBIS if is_surround => {
                VorbisCodec::new(headers).map(|codec| Codec::Vorbis(Box::new(codec)))
            }
            _ => symphonia::default::get_codecs()
                .make_audio_decoder(params, &AudioDecoderOptions::default())
                .map(Codec::General)
                .map_err(|e| match e {
                    SymphoniaError::Unsupported(_) => unsupported(params.codec),
                    e => invalid(format!("is damaged: {e}")),
                }),
        }
    }

    /// Appends the samples of a packet, interleaved, and gives their rate in Hz and their channels.
    pub(super) fn decode(
        &mut self,
        packet: &Packet,
        out: &mut Vec<f32>,
    ) -> Result<(u32, Channels), Failure> {
        match self {
            Codec::General(codec) => match codec.decode(packet) {
                Ok(decoded) => {
                    let spec = decoded.spec().clone();
                    decoded.copy_to_vec_interleaved(out);
                    Ok((spec.rate(), spec.channels().clone()))
                }
                Err(SymphoniaError::DecodeError(e)) => Err(Failure::Packet(e.to_owned())),
                Err(SymphoniaError::IoError(e)) => Err(Failure::Packet(e.to_string())),
                Err(e) => Err(Failure::Codec(invalid(format!("is damaged: {e}")))),
            },
            Codec::Opus(codec) => {
                let channels = Channels::Discrete(codec.n_channels() as u16);
                codec
                    .decode(&packet.data, out)
                    .map(|()| (opus_codec::RATE_HZ, channels))
                    .map_err(|e| Failure::Packet(e.to_owned()))
            }
            Codec::Aac(codec) => codec
                .decode(&packet.data, out)
                .map_err(|e| Failure::Packet(e.to_string())),
            Codec::Vorbis(codec) => {
                let (rate_hz, n) = codec.format();
                codec
                    .decode(&packet.data, out)
                    .map(|()| (rate_hz, Channels::Discrete(u16::from(n))))
                    .map_err(Failure::Packet)
            }
        }
    }

    /// Frames that the codec itself says are to be dropped at the start.
    pub(super) fn pre_skip(&self) -> u64 {
        match self {
            Codec::Opus(codec) => codec.pre_skip(),
            Codec::General(_) | Codec::Aac(_) | Codec::Vorbis(_) => 0,
        }
    }

    /// Whether it drops by itself what the packet says is to be trimmed.
    pub(super) fn trims(&self) -> bool {
        match self {
            Codec::General(codec) => matches!(
                codec.codec_params().codec,
                id::CODEC_ID_VORBIS | id::CODEC_ID_MP1 | id::CODEC_ID_MP2 | id::CODEC_ID_MP3
            ),
            Codec::Opus(_) | Codec::Aac(_) | Codec::Vorbis(_) => false,
        }
    }

    /// Frames at `rate_hz` that a bad packet would have given, as far as can be told: silence of that length stands in for it.
    pub(super) fn n_frames_lost(&self, packet: &Packet, rate_hz: u32) -> usize {
        let told = match self {
            Codec::Opus(_) => n_frames_of(&packet.data).unwrap_or(0),
            Codec::Aac(codec) => codec.n_frames(),
            Codec::General(_) | Codec::Vorbis(_) => {
                packet.dur.get().min(u64::from(rate_hz)) as usize
            }
        };
        told.min(rate_hz as usize)
    }
}

/// The error for a codec without decoder.
pub(super) fn unsupported(codec: AudioCodecId) -> io::Error {
    let name = name_of(codec).map_or_else(|| codec.to_string(), str::to_owned);
    invalid(format!(
        "holds sound as {name}, which is not decoded; {SUPPORTED} are"
    ))
}

/// What people call codecs that are met but not decoded.
fn name_of(codec: AudioCodecId) -> Option<&'static str> {
    Some(match codec {
        id::CODEC_ID_AC3 => "Dolby Digital (AC-3)",
        id::CODEC_ID_EAC3 => "Dolby Digital Plus (E-AC-3)",
        id::CODEC_ID_AC4 => "Dolby AC-4",
        id::CODEC_ID_TRUEHD => "Dolby TrueHD",
        id::CODEC_ID_DCA => "DTS",
        id::CODEC_ID_WMA => "Windows Media Audio",
        id::CODEC_ID_SPEEX => "Speex",
        id::CODEC_ID_MUSEPACK => "Musepack",
        id::CODEC_ID_WAVPACK => "WavPack",
        id::CODEC_ID_MONKEYS_AUDIO => "Monkey's Audio",
        id::CODEC_ID_TTA => "True Audio",
        id::CODEC_ID_ADPCM_G722 => "G.722",
        id::CODEC_ID_ADPCM_G726 | id::CODEC_ID_ADPCM_G726LE => "G.726",
        CODEC_ID_NULL_AUDIO => "a codec that is not known",
        _ => return None,
    })
}
