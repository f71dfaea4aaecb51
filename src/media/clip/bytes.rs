//! Bytes of a clip: pieces of the file by position, and big-endian fields inside a piece. A read can fail but never panic.

use std::io::{Read, Seek, SeekFrom};

use super::ClipLimits;
use super::refuse::{damaged, too_large};
use crate::media::AssetRead;
use crate::media::refusal::Refusal;

/// A stream of known length, read in pieces.
pub(super) struct Source {
    pub(super) stream: Box<dyn AssetRead>,
    pub(super) n_bytes: u64,
}

impl Source {
    /// Opens a stream; returns an error if it is longer than allowed.
    pub(super) fn open(
        mut stream: Box<dyn AssetRead>,
        limits: &ClipLimits,
    ) -> Result<Source, Refusal> {
        let n_bytes = stream
            .seek(SeekFrom::End(0))
            .map_err(|e| Refusal::of_read(&e))?;
        if n_bytes > limits.file_bytes {
            return Err(too_large(format!(
                "has {n_bytes} bytes; at most {} are allowed",
                limits.file_bytes
            )));
        }
        Ok(Source { stream, n_bytes })
    }

    /// Replaces `out` with the `n` bytes starting at `at`.
    pub(super) fn read_into(&mut self, at: u64, n: u64, out: &mut Vec<u8>) -> Result<(), Refusal> {
        out.clear();
        let is_inside = at.checked_add(n).is_some_and(|end| end <= self.n_bytes);
        if !is_inside {
            return Err(damaged("a part lies beyond its end"));
        }
        self.stream
            .seek(SeekFrom::Start(at))
            .map_err(|e| Refusal::of_read(&e))?;
        let n_read = (&mut self.stream)
            .take(n)
            .read_to_end(out)
            .map_err(|e| Refusal::of_read(&e))?;
        if (n_read as u64) < n {
            return Err(damaged("it ended while it was being read"));
        }
        Ok(())
    }

    /// Returns the first `n` bytes, or fewer if the file ends before.
    pub(super) fn head(&mut self, n: u64) -> Result<Vec<u8>, Refusal> {
        let mut out = Vec::new();
        self.read_into(0, n.min(self.n_bytes), &mut out)?;
        Ok(out)
    }
}

/// A cursor over big-endian fields.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    /// Takes the next `n` bytes.
    pub(super) fn take(&mut self, n: usize) -> Result<&'a [u8], Refusal> {
        let (taken, rest) = self
            .0
            .split_at_checked(n)
            .ok_or_else(|| damaged("a table ends early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        self.take(N)
            .map(|bytes| bytes.try_into().expect("take gives as many as asked"))
    }

    pub(super) fn u8(&mut self) -> Result<u8, Refusal> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Refusal> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Refusal> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32, Refusal> {
        self.array().map(i32::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Refusal> {
        self.array().map(u64::from_be_bytes)
    }

    /// Reads 64 bits in version 1 of a box, 32 otherwise.
    pub(super) fn wide(&mut self, version: u8) -> Result<u64, Refusal> {
        match version {
            1 => self.u64(),
            _ => self.u32().map(u64::from),
        }
    }

    /// Reads version and flags of a full box.
    pub(super) fn version(&mut self) -> Result<(u8, u32), Refusal> {
        let word = self.u32()?;
        Ok(((word >> 24) as u8, word & 0xff_ffff))
    }

    /// Reads a count, then that many entries of `N` bytes.
    pub(super) fn entries<const N: usize>(&mut self) -> Result<&'a [[u8; N]], Refusal> {
        let n = self.u32()? as usize;
        let bytes = n
            .checked_mul(N)
            .ok_or_else(|| damaged("a table is impossibly long"))?;
        Ok(self.take(bytes)?.as_chunks().0)
    }
}

/// Reads two big-endian words.
pub(super) fn words(entry: &[u8; 8]) -> (u32, u32) {
    let [a, b, c, d, e, f, g, h] = *entry;
    (
        u32::from_be_bytes([a, b, c, d]),
        u32::from_be_bytes([e, f, g, h]),
    )
}
