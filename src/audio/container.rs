//! The outside of a sound file: its bytes as the demuxer wants them, which track is heard, how long it says it is.

use std::io::{self, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

use symphonia::core::codecs::CodecParameters;
use symphonia::core::codecs::audio::well_known::{CODEC_ID_PCM_MULAW, CODEC_ID_PCM_S32LE};
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia::core::errors::Error as SymphoniaError;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, Track, TrackType};
use symphonia::core::io::{MediaSource, MediaSourceStream, MediaSourceStreamOptions};
use symphonia::core::meta::MetadataOptions;
use symphonia::core::packet::Packet;

use crate::media::AssetRead;

/// An asset of known length.
struct Source {
    stream: Box<dyn AssetRead>,
    n_bytes: u64,
}

impl Read for Source {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buf)
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.stream.seek(to)
    }
}

impl MediaSource for Source {
    fn is_seekable(&self) -> bool {
        true
    }

    fn byte_len(&self) -> Option<u64> {
        Some(self.n_bytes)
    }
}

/// The stream from its start, with buffering.
pub(crate) fn buffered(
    mut stream: Box<dyn AssetRead>,
    n_bytes: u64,
) -> io::Result<MediaSourceStream<'static>> {
    stream.seek(SeekFrom::Start(0))?;
    let source = Box::new(Source { stream, n_bytes });
    Ok(MediaSourceStream::new(
        source,
        MediaSourceStreamOptions::default(),
    ))
}

/// The demuxer for the format that the bytes show.
pub(crate) fn demuxer(source: MediaSourceStream<'static>) -> io::Result<Box<dyn FormatReader>> {
    symphonia::default::get_probe()
        .probe(
            &Hint::new(),
            source,
            FormatOptions::default(),
            MetadataOptions::default(),
        )
        .map_err(|e| match e {
            SymphoniaError::IoError(e) if e.kind() != io::ErrorKind::UnexpectedEof => e,
            e => invalid(format!(
                "is no sound file that can be read ({e}); WAV, MP3, AAC (M4A), FLAC, ALAC and Ogg Vorbis can"
            )),
        })
}

/// The number of the default sound track and a decoder for it.
pub(crate) fn decoder_of(format: &dyn FormatReader) -> io::Result<(u32, Box<dyn AudioDecoder>)> {
    let track = format
        .default_track(TrackType::Audio)
        .ok_or_else(|| invalid("has no sound track"))?;
    let params = audio_params(track).ok_or_else(|| invalid("has no sound track"))?;
    let codec = symphonia::default::get_codecs()
        .make_audio_decoder(params, &AudioDecoderOptions::default())
        .map_err(|e| {
            invalid(format!(
                "holds sound in a codec that cannot be decoded ({e}); convert it to WAV, MP3, AAC, FLAC or Ogg Vorbis"
            ))
        })?;
    Ok((track.id, codec))
}

fn audio_params(track: &Track) -> Option<&AudioCodecParameters> {
    track.codec_params.as_ref().and_then(CodecParameters::audio)
}

/// Frames that the headers claim, at `rate_hz`. For plain samples no more than `n_bytes` can hold, going by the size of the first packet,
/// because headers of streamed WAV files lie or are silent about it.
pub(crate) fn claimed_frames(
    track: &Track,
    first: &Packet,
    rate_hz: u32,
    n_bytes: u64,
) -> Option<u64> {
    let claimed = match (track.num_frames, track.duration, track.time_base) {
        (Some(n), _, _) => Some(n),
        (None, Some(d), Some(base)) => {
            let n = u128::from(d.get()) * u128::from(base.numer.get()) * u128::from(rate_hz);
            u64::try_from(n / u128::from(base.denom.get())).ok()
        }
        _ => None,
    };
    let is_plain = audio_params(track)
        .is_some_and(|p| (CODEC_ID_PCM_S32LE..=CODEC_ID_PCM_MULAW).contains(&p.codec));
    let per_frame = first.data.len() as u64 / first.dur.get().max(1);
    let held = (is_plain && per_frame > 0).then(|| n_bytes / per_frame);
    match (claimed, held) {
        (Some(claimed), Some(held)) => Some(claimed.min(held)),
        (claimed, held) => claimed.or(held),
    }
}

/// Runs code of a decoder; its panic becomes an error of the file.
pub(crate) fn guarded<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(invalid("is damaged: its decoder broke off")))
}

/// Bytes that are not what they should be. The message continues the file's name.
pub(crate) fn invalid(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.into())
}
