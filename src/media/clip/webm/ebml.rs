//! EBML (RFC 8794): elements with IDs and lengths, in the file and inside a piece of it.

use std::io::{BufReader, Read, Seek, SeekFrom};

use crate::media::AssetRead;
use crate::media::clip::refuse::damaged;
use crate::media::refusal::Refusal;

/// IDs of the elements that are read (RFC 9559, 5.1).
pub(super) mod id {
    pub(in crate::media::clip::webm) const EBML: u32 = 0x1a45_dfa3;
    pub(in crate::media::clip::webm) const SEGMENT: u32 = 0x1853_8067;
    pub(in crate::media::clip::webm) const INFO: u32 = 0x1549_a966;
    pub(in crate::media::clip::webm) const TIMESTAMP_SCALE: u32 = 0x2a_d7b1;
    pub(in crate::media::clip::webm) const TRACKS: u32 = 0x1654_ae6b;
    pub(in crate::media::clip::webm) const TRACK_ENTRY: u32 = 0xae;
    pub(in crate::media::clip::webm) const TRACK_NUMBER: u32 = 0xd7;
    pub(in crate::media::clip::webm) const TRACK_TYPE: u32 = 0x83;
    pub(in crate::media::clip::webm) const CODEC_ID: u32 = 0x86;
    pub(in crate::media::clip::webm) const CODEC_PRIVATE: u32 = 0x63a2;
    pub(in crate::media::clip::webm) const DEFAULT_DURATION: u32 = 0x23_e383;
    pub(in crate::media::clip::webm) const VIDEO: u32 = 0xe0;
    pub(in crate::media::clip::webm) const PIXEL_WIDTH: u32 = 0xb0;
    pub(in crate::media::clip::webm) const PIXEL_HEIGHT: u32 = 0xba;
    pub(in crate::media::clip::webm) const DISPLAY_WIDTH: u32 = 0x54b0;
    pub(in crate::media::clip::webm) const DISPLAY_HEIGHT: u32 = 0x54ba;
    pub(in crate::media::clip::webm) const COLOUR: u32 = 0x55b0;
    pub(in crate::media::clip::webm) const MATRIX: u32 = 0x55b1;
    pub(in crate::media::clip::webm) const RANGE: u32 = 0x55b9;
    pub(in crate::media::clip::webm) const TRANSFER: u32 = 0x55ba;
    pub(in crate::media::clip::webm) const PRIMARIES: u32 = 0x55bb;
    pub(in crate::media::clip::webm) const PROJECTION: u32 = 0x7670;
    pub(in crate::media::clip::webm) const POSE_ROLL: u32 = 0x7675;
    pub(in crate::media::clip::webm) const CONTENT_ENCODINGS: u32 = 0x6d80;
    pub(in crate::media::clip::webm) const CONTENT_ENCODING: u32 = 0x6240;
    pub(in crate::media::clip::webm) const CONTENT_ENCRYPTION: u32 = 0x5035;
    pub(in crate::media::clip::webm) const CONTENT_SCOPE: u32 = 0x5032;
    pub(in crate::media::clip::webm) const CONTENT_COMPRESSION: u32 = 0x5034;
    pub(in crate::media::clip::webm) const COMPRESSION_KIND: u32 = 0x4254;
    pub(in crate::media::clip::webm) const COMPRESSION_SETTINGS: u32 = 0x4255;
    pub(in crate::media::clip::webm) const CLUSTER: u32 = 0x1f43_b675;
    pub(in crate::media::clip::webm) const TIMESTAMP: u32 = 0xe7;
    pub(in crate::media::clip::webm) const SIMPLE_BLOCK: u32 = 0xa3;
    pub(in crate::media::clip::webm) const BLOCK_GROUP: u32 = 0xa0;
    pub(in crate::media::clip::webm) const BLOCK: u32 = 0xa1;
    pub(in crate::media::clip::webm) const BLOCK_DURATION: u32 = 0x9b;
    pub(in crate::media::clip::webm) const REFERENCE_BLOCK: u32 = 0xfb;
    pub(in crate::media::clip::webm) const ENCRYPTED_BLOCK: u32 = 0xaf;
}

/// An element's ID and its length, which is `None` if not known in advance.
pub(super) struct Header {
    pub(super) id: u32,
    pub(super) n_bytes: Option<u64>,
}

/// Reads a file sequentially from its start.
pub(super) struct Walk<'a> {
    input: BufReader<&'a mut Box<dyn AssetRead>>,
    at: u64,
    end: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn start(
        stream: &'a mut Box<dyn AssetRead>,
        n_bytes: u64,
    ) -> Result<Walk<'a>, Refusal> {
        // Small, because most of the file is skipped.
        const BUFFER_BYTES: usize = 4096;
        stream
            .seek(SeekFrom::Start(0))
            .map_err(|e| Refusal::of_read(&e))?;
        Ok(Walk {
            input: BufReader::with_capacity(BUFFER_BYTES, stream),
            at: 0,
            end: n_bytes,
        })
    }

    pub(super) fn position(&self) -> u64 {
        self.at
    }

    /// Reads the next element's header; returns `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Header>, Refusal> {
        if self.at >= self.end {
            return Ok(None);
        }
        let (id, n) = self.vint(4)?;
        let id = id as u32 | 1 << (7 * n);
        let (size, n) = self.vint(8)?;
        let is_unknown = size == (1 << (7 * n)) - 1;
        Ok(Some(Header {
            id,
            n_bytes: (!is_unknown).then_some(size),
        }))
    }

    /// Reads a number of variable length, such as the one before a block.
    pub(super) fn number(&mut self) -> Result<u64, Refusal> {
        Ok(self.vint(8)?.0)
    }

    /// Reads `(value, bytes)`, with the length marker removed (RFC 8794, 4).
    fn vint(&mut self, most: u32) -> Result<(u64, u32), Refusal> {
        let mut first = [0];
        self.fill(&mut first)?;
        let n = first[0].leading_zeros() + 1;
        if n > most {
            return Err(damaged("one of its parts has an invalid ID or length"));
        }
        let mut rest = [0; 8];
        let rest = &mut rest[..n as usize - 1];
        self.fill(rest)?;
        let first = u64::from(first[0]) & ((1 << (8 - n)) - 1);
        let value = rest.iter().fold(first, |v, byte| v << 8 | u64::from(*byte));
        Ok((value, n))
    }

    /// Returns an error if an element extends beyond the file.
    pub(super) fn check_inside(&self, header: &Header) -> Result<(), Refusal> {
        match header.n_bytes {
            Some(n) if n > self.end - self.at => Err(damaged(format_args!(
                "{} bytes are missing at its end",
                n - (self.end - self.at)
            ))),
            _ => Ok(()),
        }
    }

    pub(super) fn fill(&mut self, out: &mut [u8]) -> Result<(), Refusal> {
        if out.len() as u64 > self.end - self.at {
            return Err(damaged("it ends in the middle of one of its parts"));
        }
        self.input
            .read_exact(out)
            .map_err(|e| Refusal::of_read(&e))?;
        self.at += out.len() as u64;
        Ok(())
    }

    /// Reads the next `n` bytes; the caller has bounded `n`.
    pub(super) fn take(&mut self, n: u64) -> Result<Vec<u8>, Refusal> {
        if n > self.end - self.at {
            return Err(damaged("it ends in the middle of one of its parts"));
        }
        let mut out = vec![0; n as usize];
        self.fill(&mut out)?;
        Ok(out)
    }

    pub(super) fn skip(&mut self, n: u64) -> Result<(), Refusal> {
        if n > self.end - self.at {
            return Err(damaged("it ends in the middle of one of its parts"));
        }
        self.at += n;
        self.input
            .seek_relative(n as i64)
            .map_err(|e| Refusal::of_read(&e))
    }
}

/// Returns the elements inside `data`, as `(ID, body)`.
pub(super) fn elements(data: &[u8]) -> impl Iterator<Item = Result<(u32, &[u8]), Refusal>> {
    let mut rest = data;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let split = split_element(rest);
        rest = split.map_or(&[], |(_, _, after)| after);
        Some(
            split
                .map(|(id, body, _)| (id, body))
                .ok_or_else(|| damaged("the description of its tracks is inconsistent")),
        )
    })
}

fn split_element(data: &[u8]) -> Option<(u32, &[u8], &[u8])> {
    let (id, n, data) = split_vint(data, 4)?;
    let (size, _, data) = split_vint(data, 8)?;
    let (body, rest) = data.split_at_checked(usize::try_from(size).ok()?)?;
    Some((id as u32 | 1 << (7 * n), body, rest))
}

fn split_vint(data: &[u8], most: u32) -> Option<(u64, u32, &[u8])> {
    let first = *data.first()?;
    let n = first.leading_zeros() + 1;
    if n > most {
        return None;
    }
    let (bytes, rest) = data.split_at_checked(n as usize)?;
    let first = u64::from(first) & ((1 << (8 - n)) - 1);
    let value = bytes[1..]
        .iter()
        .fold(first, |v, byte| v << 8 | u64::from(*byte));
    Some((value, n, rest))
}

/// Reads an unsigned integer of up to 8 bytes.
pub(super) fn unsigned(body: &[u8]) -> Result<u64, Refusal> {
    if body.len() > 8 {
        return Err(damaged("a number in it has more than 8 bytes"));
    }
    Ok(body.iter().fold(0, |v, byte| v << 8 | u64::from(*byte)))
}

/// Reads a float of 4 or 8 bytes; an empty body is 0.
pub(super) fn float(body: &[u8]) -> Result<f64, Refusal> {
    match body {
        [] => Ok(0.0),
        [a, b, c, d] => Ok(f64::from(f32::from_be_bytes([*a, *b, *c, *d]))),
        _ => match body.try_into() {
            Ok(bytes) => Ok(f64::from_be_bytes(bytes)),
            Err(_) => Err(damaged("a number in it has an invalid length")),
        },
    }
}
