//! The chunks of a WAV. Metadata is hidden and wrong lengths are corrected: zero or endless lengths of unfinished streams, lengths beyond the end of a
//! truncated file, too short lengths of a file that was continued, and RF64, which stores its lengths elsewhere (EBU Tech 3306).

use std::io::{self, Read, Seek};

use super::{Patch, bytes_at};

/// Maximum number of chunks to read.
const MAX_CHUNKS: usize = 1000;
/// Sample formats (RFC 2361).
const A_LAW: u16 = 6;
const MU_LAW: u16 = 7;
const MP2: u16 = 0x50;
const MP3: u16 = 0x55;
const EXTENSIBLE: u16 = 0xfffe;
/// Length of `fmt ` in an extensible file.
const EXTENSIBLE_BYTES: u64 = 40;

/// Facts collected on the way to the samples.
#[derive(Debug, Default)]
pub(super) struct Walk {
    pub(super) patches: Vec<Patch>,
    /// Offset and length of MPEG audio inside the file.
    pub(super) inner: Option<(u64, u64)>,
    /// Whether samples are missing at the end.
    pub(super) is_cut: bool,
    format: u16,
}

/// Parses the chunks up to the samples, as far as possible in broken files. The final stream position is unspecified.
pub(super) fn walk(stream: &mut (impl Read + Seek), n_bytes: u64) -> Walk {
    let mut walk = Walk::default();
    // Unreadable data counts as the end of the file.
    let _ = walk.run(stream, n_bytes);
    walk
}

impl Walk {
    fn run(&mut self, stream: &mut (impl Read + Seek), n_bytes: u64) -> io::Result<()> {
        self.patches.push((0, b"RIFF".to_vec()));
        self.patches.push((4, length(n_bytes - 8)));
        let mut at = 12;
        for _ in 0..MAX_CHUNKS {
            let (id, len) = head(stream, at)?;
            let (body, room) = (at + 8, n_bytes - (at + 8));
            let len = u64::from(len);
            if id == *b"data" {
                return self.samples(stream, at, len, n_bytes);
            }
            if len > room {
                return Ok(());
            }
            match &id {
                b"fmt " => self.format(stream, body, len)?,
                b"fact" if len == 4 => {}
                _ => self.patches.push((at, b"JUNK".to_vec())),
            }
            at = body + len + len % 2;
        }
        Ok(())
    }

    fn samples(
        &mut self,
        stream: &mut (impl Read + Seek),
        at: u64,
        len: u64,
        n_bytes: u64,
    ) -> io::Result<()> {
        let room = n_bytes - (at + 8);
        let is_right = len <= room && ends_well(stream, at + 8 + len, n_bytes)?;
        if !is_right {
            self.patches.push((at + 4, length(room)));
        }
        // Writers of streams do not know the length and write none or a huge one; the lengths of file and samples then disagree.
        let (_, riff) = head(stream, 0)?;
        self.is_cut = len > room && len < 0x7fff_0000 && u64::from(riff) >= at + len;
        if matches!(self.format, MP2 | MP3) {
            self.inner = Some((at + 8, if is_right { len } else { room }));
        }
        Ok(())
    }

    /// Converts companded samples from the extensible description to the short one, which the demuxer supports.
    fn format(&mut self, stream: &mut (impl Read + Seek), body: u64, len: u64) -> io::Result<()> {
        self.format = u16::from_le_bytes(bytes_at(stream, body)?);
        if self.format != EXTENSIBLE || len < EXTENSIBLE_BYTES {
            return Ok(());
        }
        self.format = u16::from_le_bytes(bytes_at(stream, body + 24)?);
        if matches!(self.format, A_LAW | MU_LAW) && len == EXTENSIBLE_BYTES {
            self.patches.push((body - 4, 18_u32.to_le_bytes().to_vec()));
            self.patches
                .push((body, self.format.to_le_bytes().to_vec()));
            self.patches.push((body + 16, vec![0, 0]));
            let rest = [&b"JUNK"[..], &14_u32.to_le_bytes()].concat();
            self.patches.push((body + 18, rest));
        }
        Ok(())
    }
}

/// Returns whether a chunk may end here: at the end of the file, or before another chunk that fits.
fn ends_well(stream: &mut (impl Read + Seek), end: u64, n_bytes: u64) -> io::Result<bool> {
    let next = end + end % 2;
    if n_bytes.saturating_sub(next) < 8 {
        return Ok(true);
    }
    let (id, len) = head(stream, next)?;
    let is_name = id.iter().all(|c| c.is_ascii_graphic() || *c == b' ');
    Ok(is_name && u64::from(len) <= n_bytes - next - 8)
}

/// Reads the name and length of the chunk at `at`.
fn head(stream: &mut (impl Read + Seek), at: u64) -> io::Result<([u8; 4], u32)> {
    let [a, b, c, d, len @ ..] = bytes_at::<8>(stream, at)?;
    Ok(([a, b, c, d], u32::from_le_bytes(len)))
}

/// Encodes a length; one that does not fit is clamped.
fn length(n_bytes: u64) -> Vec<u8> {
    let n = u32::try_from(n_bytes).unwrap_or(u32::MAX - 1);
    n.to_le_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn wav(riff: u32, data: u32, samples: &[u8], tail: &[u8]) -> Vec<u8> {
        let mut bytes = b"RIFF".to_vec();
        bytes.extend(riff.to_le_bytes());
        bytes.extend(b"WAVEfmt \x04\0\0\0abcddata");
        bytes.extend(data.to_le_bytes());
        bytes.extend(samples);
        bytes.extend(tail);
        bytes
    }

    fn mended(bytes: &[u8]) -> (u32, u32) {
        let mut bytes = bytes.to_vec();
        let n_bytes = bytes.len() as u64;
        for (at, patch) in walk(&mut Cursor::new(bytes.clone()), n_bytes).patches {
            bytes[at as usize..at as usize + 4].copy_from_slice(&patch);
        }
        let u32_at = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[at + i]));
        (u32_at(4), u32_at(28))
    }

    #[test]
    fn lengths_are_put_right() {
        let samples = [200; 100];
        for wrong in [0, 40, 300, u32::MAX] {
            let bytes = wav(wrong, wrong, &samples, &[]);
            assert_eq!(mended(&bytes), (124, 100), "{wrong}");
        }
        let tail = b"LIST\x04\0\0\0abcd";
        let right = wav(136, 100, &samples, tail);
        assert_eq!(mended(&right), (136, 100));
        let mut long = right;
        long[..4].copy_from_slice(b"RF64");
        assert_eq!(mended(&long), (136, 100));
    }

    #[test]
    fn cut_files_are_read_no_further_and_no_patch_lies_beyond() {
        let bytes = wav(136, 100, &[1; 100], &[]);
        for n in 12..28 {
            let cut = bytes[..n].to_vec();
            for (at, _) in walk(&mut Cursor::new(cut), n as u64)
                .patches
                .into_iter()
                .skip(2)
            {
                assert!(at + 4 <= n as u64, "{n}");
            }
        }
    }
}
