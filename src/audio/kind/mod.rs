//! Detects the type of a sound file from its first bytes: the container, or why it cannot be read. Names and extensions are not trusted.

mod frames;
mod others;

use std::io::{self, Read, Seek, SeekFrom};

pub(super) use others::undecoded;

use super::codec::SUPPORTED;
use super::container::invalid;

/// Number of leading bytes that identify a container.
const HEAD_BYTES: usize = 4096;
/// Range in which the first frame of a raw MPEG or AAC stream is searched: after padding and the rest of a truncated frame.
const SEARCHED_BYTES: usize = 128 << 10;
/// Maximum number of initial pages of an Ogg file that are checked for new streams.
const MAX_STREAMS: usize = 32;

/// A supported container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Wav,
    Aiff,
    Caf,
    Flac,
    Ogg,
    Matroska,
    Mp4,
    /// MPEG audio of any layer, starting at this byte.
    Mpeg(u64),
    /// AAC in ADTS, starting at this byte.
    Adts(u64),
}

impl Kind {
    /// Returns the common name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Wav => "WAV",
            Kind::Aiff => "AIFF",
            Kind::Caf => "CAF",
            Kind::Flac => "FLAC",
            Kind::Ogg => "Ogg",
            Kind::Matroska => "Matroska or WebM",
            Kind::Mp4 => "MP4 or QuickTime",
            Kind::Mpeg(_) => "MPEG audio",
            Kind::Adts(_) => "AAC",
        }
    }
}

/// Returns the container. The error is `Unsupported` for a sound that only another program decodes, `InvalidData` if the file is not a sound.
pub(super) fn kind_of(stream: &mut (impl Read + Seek)) -> io::Result<Kind> {
    let head = start_of(stream, HEAD_BYTES)?;
    if let Some(kind) = container(&head) {
        if kind == Kind::Ogg {
            check_ogg(stream)?;
        }
        return Ok(kind);
    }
    if let Some(refusal) = others::refusal(&head) {
        return Err(refusal);
    }
    let start = start_of(stream, SEARCHED_BYTES + frames::MARGIN)?;
    frames::find(&start, SEARCHED_BYTES).ok_or_else(|| {
        invalid(format!(
            "is not an audio file of a supported kind; supported: {SUPPORTED}"
        ))
    })
}

/// Reads the first bytes, fewer if the file is shorter.
fn start_of(stream: &mut (impl Read + Seek), n: usize) -> io::Result<Vec<u8>> {
    stream.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    stream.take(n as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn container(head: &[u8]) -> Option<Kind> {
    let four = |at: usize| head.get(at..at + 4);
    match (four(0)?, four(8)) {
        (b"RIFF" | b"RF64" | b"BW64", Some(b"WAVE")) => Some(Kind::Wav),
        (b"FORM", Some(b"AIFF" | b"AIFC")) => Some(Kind::Aiff),
        (b"caff", _) => Some(Kind::Caf),
        (b"fLaC", _) => Some(Kind::Flac),
        (b"OggS", _) => Some(Kind::Ogg),
        (b"\x1a\x45\xdf\xa3", _) => Some(Kind::Matroska),
        _ if others::is_picture_box(head) => None,
        _ => match four(4)? {
            b"ftyp" | b"moov" | b"mdat" | b"free" | b"skip" | b"wide" | b"styp" => Some(Kind::Mp4),
            _ => None,
        },
    }
}

/// Returns an error when an Ogg file has streams but none of them is a sound that is decoded.
fn check_ogg(stream: &mut (impl Read + Seek)) -> io::Result<()> {
    let (mut at, mut found) = (0, None);
    for _ in 0..MAX_STREAMS {
        let mut page = [0; 27];
        stream.seek(SeekFrom::Start(at))?;
        let is_first = stream.read_exact(&mut page).is_ok() && page[5] & 2 != 0;
        if !is_first || !page.starts_with(b"OggS") {
            break;
        }
        let mut lengths = vec![0; usize::from(page[26])];
        stream.read_exact(&mut lengths)?;
        let n_bytes: u64 = lengths.iter().map(|n| u64::from(*n)).sum();
        let mut body = Vec::new();
        (&mut *stream)
            .take(n_bytes.min(16))
            .read_to_end(&mut body)?;
        match ogg_codec(&body) {
            Some(Ok(())) => return Ok(()),
            Some(Err(name)) => found = found.or(Some(name)),
            None => {}
        }
        at += 27 + lengths.len() as u64 + n_bytes;
    }
    match found {
        Some(name) => Err(others::undecoded(name)),
        // The demuxer reports what is wrong.
        None => Ok(()),
    }
}

/// Returns whether an Ogg stream with this first packet is decoded; the error is the name of a sound codec that is not.
fn ogg_codec(packet: &[u8]) -> Option<Result<(), &'static str>> {
    const DECODED: [&[u8]; 4] = [b"\x01vorbis", b"OpusHead", b"\x7fFLAC", b"fLaC"];
    const NOT_DECODED: [(&[u8], &str); 3] = [
        (b"Speex   ", "Speex"),
        (b"CELT    ", "CELT"),
        (b"PCM     ", "uncompressed Ogg"),
    ];
    if DECODED.iter().any(|magic| packet.starts_with(magic)) {
        return Some(Ok(()));
    }
    let known = NOT_DECODED
        .iter()
        .find(|(magic, _)| packet.starts_with(magic));
    known.map(|(_, name)| Err(*name))
}

#[cfg(test)]
mod tests;
