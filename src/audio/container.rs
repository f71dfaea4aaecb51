//! The outside of a sound file: its bytes as the demuxer wants them, which track is heard, how long it says it is.

use std::io::{self, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

use symphonia::core::codecs::CodecParameters;
use symphonia::core::codecs::audio::AudioCodecParameters;
use symphonia::core::codecs::audio::well_known::{
    CODEC_ID_AAC, CODEC_ID_MP1, CODEC_ID_MP2, CODEC_ID_MP3, CODEC_ID_PCM_MULAW, CODEC_ID_PCM_S32LE,
};
use symphonia::core::common::Limit;
use symphonia::core::errors::Error as SymphoniaError;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, Track, TrackType};
use symphonia::core::io::{MediaSource, MediaSourceStream, MediaSourceStreamOptions};
use symphonia::core::meta::MetadataOptions;
use symphonia::core::packet::Packet;
use symphonia::core::units::{Duration, TimeBase};

use super::codec::{Codec, SUPPORTED};
use super::edit_list::Boxes;
use super::wav_sizes::{self, Patch};
use crate::media::AssetRead;

/// Longest tag that is kept; one of them tells the encoder's delay.
const MAX_TAG_BYTES: usize = 4096;

/// An asset of known length from `base` on, read with some bytes put right.
struct Source {
    stream: Box<dyn AssetRead>,
    base: u64,
    n_bytes: u64,
    at: u64,
    patches: Vec<Patch>,
}

impl Read for Source {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.stream.read(buf)?;
        for (from, bytes) in &self.patches {
            for (place, byte) in (*from..).zip(bytes) {
                let target = place.checked_sub(self.at).map(|i| i as usize);
                if let Some(i) = target.filter(|i| *i < n) {
                    buf[i] = *byte;
                }
            }
        }
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(at) => SeekFrom::Start(self.base.saturating_add(at)),
            other => other,
        };
        self.at = self.stream.seek(to)?.saturating_sub(self.base);
        Ok(self.at)
    }
}

/// Where the sound begins behind ID3v2 tags (id3v2.4.0-structure, 3.1), whose pictures may be larger than any demuxer searches.
fn behind_tags(stream: &mut dyn AssetRead, n_bytes: u64) -> io::Result<u64> {
    const MAX_TAGS: usize = 8;
    let mut at = 0;
    for _ in 0..MAX_TAGS {
        let mut head = [0; 10];
        stream.seek(SeekFrom::Start(at))?;
        if n_bytes < at + 10 {
            break;
        }
        stream.read_exact(&mut head)?;
        let [b'I', b'D', b'3', _, _, flags, size @ ..] = head else {
            break;
        };
        let size = size.iter().fold(0, |n, b| n << 7 | u64::from(b & 127));
        let footer = if flags & 0x10 != 0 { 10 } else { 0 };
        at += 10 + size + footer;
    }
    Ok(if at < n_bytes { at } else { 0 })
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
    let patches = wav_sizes::patches(&mut *stream, n_bytes);
    let base = behind_tags(&mut *stream, n_bytes)?;
    stream.seek(SeekFrom::Start(base))?;
    let source = Box::new(Source {
        stream,
        base,
        n_bytes: n_bytes - base,
        at: 0,
        patches,
    });
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

/// The parameters of a sound track.
pub(crate) fn audio_params(track: &Track) -> Option<&AudioCodecParameters> {
    track.codec_params.as_ref().and_then(CodecParameters::audio)
}

/// Frames that the headers claim, at `rate_hz`; `None` when they say nothing, or nothing that can be relied on: the number of frames in MPEG
/// audio and in ADTS may be a guess from the bitrate or of the first of several files in one, fragments are not counted, and Matroska tells the longest track's only.
pub(crate) fn claimed_frames(format: &dyn FormatReader, id: u32, rate_hz: u32) -> Option<u64> {
    let track = format.tracks().iter().find(|t| t.id == id)?;
    let params = audio_params(track)?;
    let is_guess = is_mpeg(track) || params.codec == CODEC_ID_AAC && params.extra_data.is_none();
    // The duration first: the frames of HE-AAC are counted at half of its rate.
    let claimed = match (track.duration, track.time_base) {
        (Some(d), Some(base)) => frames(d.get(), base, rate_hz),
        _ => track.num_frames,
    };
    claimed.filter(|n| *n > 0 && !is_guess)
}

fn is_mpeg(track: &Track) -> bool {
    audio_params(track)
        .is_some_and(|p| matches!(p.codec, CODEC_ID_MP1 | CODEC_ID_MP2 | CODEC_ID_MP3))
}

/// Takes back what the demuxer trims off MPEG audio: by a guessed length where LAME's tag does not tell it, and off what was appended to a file
/// with a tag.
pub(crate) fn mend_trim(track: &Track, packet: &mut Packet) {
    let counted = track.num_frames.unwrap_or(0) + u64::from(track.padding.unwrap_or(0));
    let is_appended = i128::from(packet.pts.get()) >= i128::from(counted);
    if is_mpeg(track) && (track.delay.is_none() || is_appended) {
        packet.trim_end = Duration::ZERO;
    }
}

/// Frames that plain samples can be in `n_bytes`, going by a packet and how many frames came of it: headers of streamed WAV files lie.
pub(crate) fn held_frames(
    params: &AudioCodecParameters,
    packet: &Packet,
    n_frames: u64,
    n_bytes: u64,
) -> Option<u64> {
    let is_plain = (CODEC_ID_PCM_S32LE..=CODEC_ID_PCM_MULAW).contains(&params.codec);
    let per_frame = packet.data.len() as u64 / n_frames.max(1);
    (is_plain && per_frame > 0).then(|| n_bytes / per_frame)
}

/// What the first packet of a track was like.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct First {
    /// When it begins, in the track's units.
    pub(crate) pts: i64,
    /// Frames that came of it.
    pub(crate) n_frames: u64,
}

/// Frames of a track from its first packet, already read, to the end of its last one, found by reading all of them.
pub(crate) fn counted_frames(
    format: &mut dyn FormatReader,
    (id, first): (u32, First),
    rate_hz: u32,
) -> Option<u64> {
    let track = format.tracks().iter().find(|t| t.id == id)?;
    let base = track.time_base?;
    // LAME's tag counts from the first sample that is heard, and tells of all but what was appended later.
    let tagged = track.num_frames.zip(track.delay);
    let behind = u64::from(track.padding.unwrap_or(0));
    let start = if tagged.is_some() { 0 } else { first.pts };
    let (mut last, mut longest) = (start, 0);
    // What ends the file early ends it for the decoder too.
    while let Ok(Some(packet)) = format.next_packet() {
        if packet.track_id == id {
            // A demuxer that trims by a wrong guess leaves nothing of late packets, and some tell no durations.
            longest = packet.dur.get().max(longest);
            last = packet.pts.get().max(last);
        }
    }
    let until_last = u64::try_from(last.saturating_sub(start)).ok()?;
    let last_frames = frames(longest, base, rate_hz)?.max(first.n_frames);
    let end = frames(until_last, base, rate_hz)?.saturating_add(last_frames);
    match tagged {
        Some((n, _)) if end <= n.saturating_add(behind) => Some(n),
        _ => Some(end),
    }
}

fn frames(ticks: u64, base: TimeBase, rate_hz: u32) -> Option<u64> {
    let n = u128::from(ticks) * u128::from(base.numer.get()) * u128::from(rate_hz);
    u64::try_from(n / u128::from(base.denom.get())).ok()
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
