//! The container of a sound file: its demuxer, the track to play, its stated length.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use symphonia::core::codecs::CodecParameters;
use symphonia::core::codecs::audio::AudioCodecParameters;
use symphonia::core::codecs::audio::well_known::{
    CODEC_ID_AAC, CODEC_ID_MP1, CODEC_ID_MP2, CODEC_ID_MP3, CODEC_ID_PCM_MULAW, CODEC_ID_PCM_S32LE,
};
use symphonia::core::errors::Error as SymphoniaError;
use symphonia::core::formats::{FormatOptions, FormatReader, Track, TrackType};
use symphonia::core::io::{MediaSourceStream, ReadBytes};
use symphonia::core::packet::Packet;
use symphonia::core::units::{Duration, TimeBase};
use symphonia::default::formats::{
    AdtsReader, AiffReader, CafReader, FlacReader, IsoMp4Reader, MkvReader, MpaReader, OggReader,
    WavReader,
};

use super::codec::{Codec, SUPPORTED};
use super::edit_list::Boxes;
use super::kind::{Kind, undecoded};
use super::mpeg_blocks::{Mixed, mixed_blocks};

/// Opens the demuxer of a container, at its first byte.
pub(super) fn demuxer(
    kind: Kind,
    mut source: MediaSourceStream<'static>,
) -> io::Result<Box<dyn FormatReader>> {
    let options = FormatOptions::default();
    let opened = match kind {
        Kind::Wav => WavReader::try_new(source, options).map(boxed),
        Kind::Aiff => AiffReader::try_new(source, options).map(boxed),
        Kind::Caf => CafReader::try_new(source, options).map(boxed),
        Kind::Flac => FlacReader::try_new(source, options).map(boxed),
        Kind::Ogg => OggReader::try_new(source, options).map(boxed),
        Kind::Matroska => MkvReader::try_new(source, options).map(boxed),
        Kind::Mp4 => {
            // It expects to be positioned at the type of the first box.
            source.ignore_bytes(4)?;
            IsoMp4Reader::try_new(source, options).map(boxed)
        }
        Kind::Mpeg(_) => MpaReader::try_new(source, options).map(boxed),
        Kind::Adts(_) => AdtsReader::try_new(source, options).map(boxed),
    };
    opened.map_err(|e| match e {
        SymphoniaError::IoError(e) if e.kind() != io::ErrorKind::UnexpectedEof => e,
        SymphoniaError::IoError(_) => {
            invalid("is cut off before its sound begins; copy or download it again")
        }
        e => invalid(format!(
            "is damaged, or is a kind of {} file that is not supported ({e}); supported: {SUPPORTED}",
            kind.name()
        )),
    })
}

fn boxed(reader: impl FormatReader + 'static) -> Box<dyn FormatReader> {
    Box::new(reader)
}

/// Returns the sound track to play and its decoder: the default track if it can be decoded, else the first one that can.
pub(super) fn track_heard(
    format: &dyn FormatReader,
    kind: Kind,
    boxes: &Boxes,
) -> io::Result<(u32, Codec)> {
    let default = format.default_track(TrackType::Audio);
    let mut refusal = None;
    for track in default.into_iter().chain(format.tracks()) {
        let Some(params) = audio_params(track) else {
            continue;
        };
        match Codec::new(params, kind) {
            Ok(codec) => return Ok((track.id, codec)),
            Err(e) => refusal = refusal.or(Some(e)),
        }
    }
    // The demuxer does not name codecs that it does not know.
    let entry = boxes.sounds.first();
    let name = entry.and_then(named);
    Err(match (entry, name, refusal) {
        (Some(b"enca"), ..) => {
            invalid("is encrypted (DRM), which cannot be decoded; use a file without protection")
        }
        (_, Some(name), _) => undecoded(name),
        (_, None, Some(e)) => e,
        (Some(letters), None, None) => undecoded(&format!("`{}`", letters.escape_ascii())),
        (None, None, None) => invalid("has no sound track"),
    })
}

/// Returns the name of a QuickTime codec that is not decoded, by the type of its sample entry.
fn named(letters: &[u8; 4]) -> Option<&'static str> {
    Some(match letters {
        b"ac-3" => "Dolby Digital (AC-3)",
        b"ec-3" => "Dolby Digital Plus (E-AC-3)",
        b"ulaw" => "mu-law",
        b"alaw" => "A-law",
        b"ima4" => "IMA ADPCM",
        b"samr" => "AMR",
        b"sawb" => "AMR-WB",
        b"QDM2" | b"QDMC" => "QDesign",
        _ => return None,
    })
}

/// Returns whether the file has a video track, so that the start time of the sound matters.
pub(crate) fn has_video(format: &dyn FormatReader) -> bool {
    format
        .tracks()
        .iter()
        .any(|track| matches!(track.codec_params, Some(CodecParameters::Video(_))))
}

/// Returns the parameters of a sound track.
pub(crate) fn audio_params(track: &Track) -> Option<&AudioCodecParameters> {
    track.codec_params.as_ref().and_then(CodecParameters::audio)
}

/// Returns the number of frames claimed by the headers, at `rate_hz`; `None` when they state nothing reliable. In MPEG audio and ADTS the number may be
/// a guess from the bitrate, or of the first of several concatenated files; fragments are not counted; Matroska only gives the longest track's.
pub(crate) fn claimed_frames(format: &dyn FormatReader, id: u32, rate_hz: u32) -> Option<u64> {
    let track = format.tracks().iter().find(|t| t.id == id)?;
    let params = audio_params(track)?;
    let is_guess = is_mpeg(track) || params.codec == CODEC_ID_AAC && params.extra_data.is_none();
    // The duration is preferred: the frames of HE-AAC are counted at half of its rate.
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

/// Undoes the demuxer's trimming of MPEG audio where it is wrong: without LAME's tag it uses a guessed length, and with one it trims what was
/// appended to the file later.
pub(crate) fn mend_trim(track: &Track, packet: &mut Packet) {
    let counted = track.num_frames.unwrap_or(0) + u64::from(track.padding.unwrap_or(0));
    let is_appended = i128::from(packet.pts.get()) >= i128::from(counted);
    if is_mpeg(track) && (track.delay.is_none() || is_appended) {
        packet.trim_end = Duration::ZERO;
    }
}

/// Returns how many frames of uncompressed samples fit in `n_bytes`, based on a packet and its frames: headers of streamed WAV files are unreliable.
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

/// Facts about the first packet of a track.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct First {
    /// Start time, in the track's units.
    pub(crate) pts: i64,
    /// Number of frames decoded from it.
    pub(crate) n_frames: u64,
}

/// Counts the frames of a track from its first packet, already read, to the end of its last one, by reading all packets. Returns an error when one
/// of them has content that is not decoded.
pub(crate) fn counted_frames(
    format: &mut dyn FormatReader,
    (id, first): (u32, First),
    rate_hz: u32,
) -> io::Result<Option<u64>> {
    let Some((track, base)) = timed_track(format, id) else {
        return Ok(None);
    };
    let is_mp3 = audio_params(track).is_some_and(|p| p.codec == CODEC_ID_MP3);
    // LAME's tag counts from the first audible sample, and covers everything except what was appended later.
    let tagged = track.num_frames.zip(track.delay);
    let behind = u64::from(track.padding.unwrap_or(0));
    let start = if tagged.is_some() { 0 } else { first.pts };
    let (mut last, mut longest) = (start, 0);
    // An error that ends the file here ends it for the decoder too.
    while let Ok(Some(packet)) = format.next_packet() {
        if packet.track_id == id {
            if is_mp3 && mixed_blocks(&packet.data) == Mixed::All {
                return Err(undecoded("mixed-block MP3"));
            }
            // A demuxer that trims by a wrong guess leaves nothing of late packets, and some packets have no duration.
            longest = packet.dur.get().max(longest);
            last = packet.pts.get().max(last);
        }
    }
    let counted = || {
        let until_last = u64::try_from(last.saturating_sub(start)).ok()?;
        let last_frames = frames(longest, base, rate_hz)?.max(first.n_frames);
        let end = frames(until_last, base, rate_hz)?.saturating_add(last_frames);
        match tagged {
            Some((n, _)) if end <= n.saturating_add(behind) => Some(n),
            _ => Some(end),
        }
    };
    Ok(counted())
}

fn timed_track(format: &dyn FormatReader, id: u32) -> Option<(&Track, TimeBase)> {
    let track = format.tracks().iter().find(|t| t.id == id)?;
    Some((track, track.time_base?))
}

fn frames(ticks: u64, base: TimeBase, rate_hz: u32) -> Option<u64> {
    let n = u128::from(ticks) * u128::from(base.numer.get()) * u128::from(rate_hz);
    u64::try_from(n / u128::from(base.denom.get())).ok()
}

/// Runs code of a decoder and turns a panic into an error of the file.
pub(crate) fn guarded<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(invalid("is damaged: its decoder failed")))
}

/// Creates the error for invalid bytes. The message continues the file's name.
pub(crate) fn invalid(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.into())
}
