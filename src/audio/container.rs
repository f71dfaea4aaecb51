//! The outside of a sound file: its bytes as the demuxer wants them, which track is heard, how long it says it is.

use std::io::{self, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

use symphonia::core::codecs::CodecParameters;
use symphonia::core::codecs::audio::AudioCodecParameters;
use symphonia::core::codecs::audio::well_known::{CODEC_ID_PCM_MULAW, CODEC_ID_PCM_S32LE};
use symphonia::core::common::Limit;
use symphonia::core::errors::Error as SymphoniaError;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, Track, TrackType};
use symphonia::core::io::{MediaSource, MediaSourceStream, MediaSourceStreamOptions};
use symphonia::core::meta::MetadataOptions;
use symphonia::core::packet::Packet;

use super::codec::{Codec, SUPPORTED};
use super::edit_list::Boxes;
use crate::media::AssetRead;

/// Longest tag that is kept; one of them tells the encoder's delay.
const MAX_TAG_BYTES: usize = 4096;

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

/// The demuxer for the format that the bytes show. Pictures and long tags in the file are passed over.
pub(crate) fn demuxer(source: MediaSourceStream<'static>) -> io::Result<Box<dyn FormatReader>> {
    let metadata = MetadataOptions::default()
        .limit_tag_bytes(Limit::Maximum(MAX_TAG_BYTES))
        .limit_visual_bytes(Limit::Maximum(0));
    symphonia::default::get_probe()
        .probe(&Hint::new(), source, FormatOptions::default(), metadata)
        .map_err(|e| match e {
            SymphoniaError::IoError(e) if e.kind() != io::ErrorKind::UnexpectedEof => e,
            e => invalid(format!(
                "is no sound file that can be read ({e}); {SUPPORTED} can"
            )),
        })
}

/// The sound track that is heard, and its decoder: the default one if it can be decoded, else the first that can.
pub(crate) fn track_heard(format: &dyn FormatReader, boxes: &Boxes) -> io::Result<(u32, Codec)> {
    let default = format.default_track(TrackType::Audio);
    let mut refusal = None;
    for track in default.into_iter().chain(format.tracks()) {
        let Some(params) = audio_params(track) else {
            continue;
        };
        match Codec::new(params) {
            Ok(codec) => return Ok((track.id, codec)),
            Err(e) => refusal = refusal.or(Some(e)),
        }
    }
    // The demuxer gives no name to what it does not know.
    let entry = boxes.sounds.first();
    Err(match (entry, refusal) {
        (Some(b"enca"), _) => {
            invalid("is encrypted (DRM), which cannot be decoded; use a file without protection")
        }
        (_, Some(e)) => e,
        (Some(letters), None) => invalid(format!(
            "holds sound as `{}`, which is not decoded; {SUPPORTED} are",
            letters.escape_ascii()
        )),
        (None, None) => invalid("has no sound track"),
    })
}

/// Whether pictures move beside the sound, so that its place in time matters.
pub(crate) fn has_video(format: &dyn FormatReader) -> bool {
    format
        .tracks()
        .iter()
        .any(|track| matches!(track.codec_params, Some(CodecParameters::Video(_))))
}

/// Frames at the start and the end that an encoder added, as iTunes writes them into a tag: ` 00000000 DELAY PADDING LENGTH ...`, hexadecimal.
pub(crate) fn itunes_gap(format: &mut dyn FormatReader) -> Option<(u64, u64)> {
    let metadata = format.metadata();
    let tags = &metadata.current()?.media.tags;
    let tag = tags.iter().find(|tag| tag.raw.key.ends_with("iTunSMPB"))?;
    let text = tag.raw.value.to_string();
    let mut fields = text.split_whitespace().skip(1);
    let delay = u64::from_str_radix(fields.next()?, 16).ok()?;
    let _padding = fields.next()?;
    let length = u64::from_str_radix(fields.next()?, 16).ok()?;
    (delay < 48_000 && length > 0).then_some((delay, length))
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
    // The duration first: the frames of HE-AAC are counted at half of its rate.
    let claimed = match (track.duration, track.time_base) {
        (Some(d), Some(base)) => {
            let n = u128::from(d.get()) * u128::from(base.numer.get()) * u128::from(rate_hz);
            u64::try_from(n / u128::from(base.denom.get())).ok()
        }
        _ => track.num_frames,
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
