//! Presents the bytes of a sound file to its demuxer: without leading tags, with wrong lengths corrected and metadata hidden, so that metadata never
//! decides whether a sound can be read.

mod flac;
mod matroska;
mod mp4;
mod wav;

use std::io::{self, Read, Seek, SeekFrom};

use symphonia::core::io::MediaSource;

use super::kind::{Kind, kind_of};
use crate::media::AssetRead;

/// Offset in a file, and bytes that replace those at that offset.
type Patch = (u64, Vec<u8>);

/// Facts found about a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// The container.
    pub(super) kind: Kind,
    /// Whether bytes are missing at the end.
    pub(super) is_cut: bool,
}

impl Found {
    /// Returns whether the headers list more samples than there are.
    pub(super) fn is_table_too_long(self) -> bool {
        self.is_cut && self.kind == Kind::Mp4
    }
}

/// A part of an asset, read with some bytes corrected.
pub(super) struct Source {
    stream: Box<dyn AssetRead>,
    base: u64,
    n_bytes: u64,
    at: u64,
    patches: Vec<Patch>,
}

impl Source {
    /// Opens the sound in a file of `n_bytes`, positioned at its start; also returns the facts found.
    pub(super) fn open(
        mut stream: Box<dyn AssetRead>,
        n_bytes: u64,
    ) -> io::Result<(Source, Found)> {
        let base = behind_tags(&mut *stream, n_bytes)?;
        let mut source = Source {
            stream,
            base,
            n_bytes: n_bytes - base,
            at: 0,
            patches: Vec::new(),
        };
        let mut found = Found {
            kind: kind_of(&mut source)?,
            is_cut: false,
        };
        let n_bytes = source.n_bytes;
        let mut patches = Vec::new();
        // Anything that cannot be parsed is left to the demuxer.
        match found.kind {
            Kind::Wav => {
                let walk = wav::walk(&mut source, n_bytes);
                found.is_cut = walk.is_cut;
                patches = walk.patches;
                if let Some((start, n_bytes)) = walk.inner {
                    source.narrow(start, n_bytes);
                    found.kind = kind_of(&mut source)?;
                }
            }
            Kind::Flac => patches = flac::patches(&mut source).unwrap_or_default(),
            Kind::Matroska => patches = matroska::patches(&mut source, n_bytes).unwrap_or_default(),
            Kind::Mp4 => {
                (patches, found.is_cut) = mp4::patches(&mut source, n_bytes).unwrap_or_default();
            }
            _ => {}
        }
        source.patches = patches;
        if let Kind::Mpeg(start) | Kind::Adts(start) = found.kind {
            source.narrow(start, source.n_bytes - start);
        }
        source.seek(SeekFrom::Start(0))?;
        Ok((source, found))
    }

    /// Restricts the source to `n_bytes` from `start` on.
    fn narrow(&mut self, start: u64, n_bytes: u64) {
        self.base += start;
        self.n_bytes = n_bytes.min(self.n_bytes - start);
        self.patches.clear();
    }
}

impl Read for Source {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let room = self.n_bytes.saturating_sub(self.at);
        let n = buf.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        let n = self.stream.read(&mut buf[..n])?;
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
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.n_bytes.checked_add_signed(by),
        };
        let place = at.and_then(|at| self.base.checked_add(at));
        let (at, place) = at.zip(place).ok_or(io::ErrorKind::InvalidInput)?;
        self.stream.seek(SeekFrom::Start(place))?;
        self.at = at;
        Ok(at)
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

/// Returns the start of the sound after ID3v2 tags (id3v2.4.0-structure, 3.1), whose pictures may be larger than any demuxer's search range.
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

/// Reads `N` bytes at an offset.
fn bytes_at<const N: usize>(stream: &mut (impl Read + Seek), at: u64) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.seek(SeekFrom::Start(at))?;
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}
