//! The decoder of a track: symphonia's, or another one for formats that symphonia does not decode.

use std::io;

use symphonia::core::audio::Channels;
use symphonia::core::codecs::audio::well_known as id;
use symphonia::core::codecs::audio::{
    AudioCodecId, AudioCodecParameters, AudioDecoder, AudioDecoderOptions, CODEC_ID_NULL_AUDIO,
};
use symphonia::core::errors::Error as SymphoniaError;
use symphonia::core::packet::Packet;

use super::aac_codec::{self, AacCodec};
use super::container::invalid;
use super::kind::{Kind, undecoded};
use super::mpeg_blocks::{Mixed, mixed_blocks};
use super::opus_codec::{OpusCodec, n_frames_of};
use super::scale;
use crate::opus;

/// Supported formats, for messages.
pub(super) const SUPPORTED: &str =
    "WAV, AIFF, CAF, MP3, AAC, ALAC, FLAC, Vorbis and Opus, also inside MP4, WebM and Matroska";

/// Decodes packets of one track.
pub(crate) enum Codec {
    General(Box<dyn AudioDecoder>),
    Opus(Box<OpusCodec>),
    Aac(Box<AacCodec>),
}

/// Why a packet could not be decoded.
pub(crate) enum Failure {
    /// The packet is bad; the next may be good.
    Packet(String),
    /// The decoder cannot continue.
    Codec(io::Error),
}

impl Codec {
    /// Creates the decoder for a track with these parameters in a file of this kind.
    pub(super) fn new(params: &AudioCodecParameters, kind: Kind) -> io::Result<Codec> {
        let headers = params.extra_data.as_deref().unwrap_or_default();
        let n_channels = params.channels.as_ref().map(Channels::count);
        match params.codec {
            id::CODEC_ID_OPUS => {
                OpusCodec::new(headers, kind == Kind::Mp4).map(|codec| Codec::Opus(Box::new(codec)))
            }
            id::CODEC_ID_AAC if !aac_codec::is_plain(params) => Codec::full_aac(params),
            id::CODEC_ID_AAC => general(params).or_else(|_| Codec::full_aac(params)),
            // Symphonia decodes it to noise: channels stored as differences have 33 bits.
            id::CODEC_ID_FLAC if params.bits_per_sample == Some(32) && n_channels == Some(2) => {
                Err(undecoded("32-bit stereo FLAC"))
            }
            // Symphonia mixes up the residues of more than two channels.
            id::CODEC_ID_VORBIS if n_channels > Some(2) => Err(undecoded("surround Vorbis")),
            _ => general(params).map_err(|e| match e {
                SymphoniaError::Unsupported(_) => unsupported(params.codec),
                e => invalid(format!("is damaged: {e}")),
            }),
        }
    }

    /// Creates the decoder for every kind of AAC.
    fn full_aac(params: &AudioCodecParameters) -> io::Result<Codec> {
        AacCodec::new(params).map(|codec| Codec::Aac(Box::new(codec)))
    }

    /// Appends the samples of a packet, interleaved, and returns their rate in Hz and their channels.
    pub(super) fn decode(
        &mut self,
        packet: &Packet,
        out: &mut Vec<f32>,
    ) -> Result<(u32, Channels), Failure> {
        match self {
            Codec::General(codec) => {
                let is_aac = codec.codec_params().codec == id::CODEC_ID_AAC;
                if codec.codec_params().codec == id::CODEC_ID_MP3 {
                    check_blocks(&packet.data)?;
                }
                let error = match codec.decode(packet) {
                    Ok(decoded) => {
                        let spec = decoded.spec().clone();
                        decoded.copy_to_vec_interleaved(out);
                        return Ok((spec.rate(), spec.channels().clone()));
                    }
                    Err(e) => e,
                };
                match error {
                    SymphoniaError::DecodeError(e) => Err(Failure::Packet(e.to_owned())),
                    SymphoniaError::IoError(e) => Err(Failure::Packet(e.to_string())),
                    // A rarely used part of AAC: the other decoder takes over.
                    SymphoniaError::Unsupported(_) if is_aac => {
                        let full = Codec::full_aac(codec.codec_params());
                        *self = full.map_err(Failure::Codec)?;
                        self.decode(packet, out)
                    }
                    e => Err(Failure::Codec(invalid(format!("is damaged: {e}")))),
                }
            }
            Codec::Opus(codec) => {
                let channels = Channels::Discrete(codec.n_channels() as u16);
                codec
                    .decode(&packet.data, out)
                    .map(|()| (opus::RATE_HZ, channels))
                    .map_err(|e| Failure::Packet(e.to_owned()))
            }
            Codec::Aac(codec) => codec
                .decode(&packet.data, out)
                .map_err(|e| Failure::Packet(e.to_string())),
        }
    }

    /// Returns the number of frames that the codec says to drop at the start.
    pub(super) fn pre_skip(&self) -> u64 {
        match self {
            Codec::Opus(codec) => codec.pre_skip(),
            Codec::General(_) | Codec::Aac(_) => 0,
        }
    }

    /// Returns whether samples are stored as floats, which have no limit.
    pub(super) fn is_float(&self) -> bool {
        matches!(self, Codec::General(codec) if scale::is_float(codec.codec_params().codec))
    }

    /// Returns whether samples are computed from a spectrum, so that damage can make them arbitrarily loud.
    pub(super) fn is_lossy(&self) -> bool {
        match self {
            Codec::General(codec) => matches!(
                codec.codec_params().codec,
                id::CODEC_ID_VORBIS
                    | id::CODEC_ID_MP1
                    | id::CODEC_ID_MP2
                    | id::CODEC_ID_MP3
                    | id::CODEC_ID_AAC
            ),
            Codec::Opus(_) | Codec::Aac(_) => true,
        }
    }

    /// Returns whether the decoder itself applies the packet's trimming.
    pub(super) fn trims(&self) -> bool {
        match self {
            Codec::General(codec) => matches!(
                codec.codec_params().codec,
                id::CODEC_ID_VORBIS | id::CODEC_ID_MP1 | id::CODEC_ID_MP2 | id::CODEC_ID_MP3
            ),
            Codec::Opus(_) | Codec::Aac(_) => false,
        }
    }

    /// Estimates how many frames at `rate_hz` a bad packet would have had: silence of that length replaces it.
    pub(super) fn n_frames_lost(&self, packet: &Packet, rate_hz: u32) -> usize {
        let told = match self {
            Codec::Opus(_) => n_frames_of(&packet.data).unwrap_or(0),
            Codec::Aac(codec) => codec.n_frames(),
            Codec::General(_) => packet.dur.get().min(u64::from(rate_hz)) as usize,
        };
        told.min(rate_hz as usize)
    }
}

/// Returns an error when a packet of MP3 has mixed blocks, which ends decoding if the encoder used them throughout.
fn check_blocks(packet: &[u8]) -> Result<(), Failure> {
    match mixed_blocks(packet) {
        Mixed::None => Ok(()),
        Mixed::Some => Err(Failure::Packet("mixed blocks".to_owned())),
        Mixed::All => Err(Failure::Codec(undecoded("mixed-block MP3"))),
    }
}

/// Creates symphonia's decoder.
fn general(params: &AudioCodecParameters) -> Result<Codec, SymphoniaError> {
    symphonia::default::get_codecs()
        .make_audio_decoder(params, &AudioDecoderOptions::default())
        .map(Codec::General)
}

/// Creates the error for a codec without a decoder.
pub(super) fn unsupported(codec: AudioCodecId) -> io::Error {
    match name_of(codec) {
        Some(name) => undecoded(name),
        None => undecoded(&codec.to_string()),
    }
}

/// Returns the common name of a codec that occurs but is not decoded.
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
        CODEC_ID_NULL_AUDIO => "an unknown kind of",
        _ => return None,
    })
}
