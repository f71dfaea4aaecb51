//! Wrong lengths in the headers of a WAV, put right while it is read: zero or endless ones of streams that were never closed, lengths beyond the
//! end of a cut-off file, too short ones of a file that went on, and RF64, whose lengths stand elsewhere (EBU Tech 3306).

use std::io::{self, SeekFrom};

use crate::media::AssetRead;

/// Chunks looked at before giving up.
const MAX_CHUNKS: usize = 1000;

/// Four bytes of a file, and where, that are read in place of those that stand there.
pub(super) type Patch = (u64, [u8; 4]);

/// What is to be read instead so that every length is right; nothing for other files. Leaves the stream anywhere.
pub(super) fn patches(stream: &mut dyn AssetRead, n_bytes: u64) -> Vec<Patch> {
    find(stream, n_bytes).unwrap_or_default()
}

fn find(stream: &mut dyn AssetRead, n_bytes: u64) -> io::Result<Vec<Patch>> {
    let (riff, wave) = (head(stream, 0)?.0, fourcc(stream, 8)?);
    if !matches!(&riff, b"RIFF" | b"RF64" | b"BW64") || wave != *b"WAVE" {
        return Ok(Vec::new());
    }
    let mut patches = vec![(0, *b"RIFF"), (4, length(n_bytes - 8))];
    let mut at = 12;
    for _ in 0..MAX_CHUNKS {
        let (id, len) = head(stream, at)?;
        let (body, room) = (at + 8, n_bytes - (at + 8));
        let len = u64::from(len);
        if id == *b"data" {
            if len > room || !ends_well(stream, body + len, n_bytes)? {
                patches.push((at + 4, length(room)));
            }
            return Ok(patches);
        }
        if len > room {
            return Ok(patches);
        }
        at = body + len + len % 2;
    }
    Ok(patches)
}

/// Whether a chunk may end here: at the end of the file, or before another chunk that fits.
fn ends_well(stream: &mut dyn AssetRead, end: u64, n_bytes: u64) -> io::Result<bool> {
    let next = end + end % 2;
    if n_bytes.saturating_sub(next) < 8 {
        return Ok(true);
    }
    let (id, len) = head(stream, next)?;
    let is_name = id.iter().all(|c| c.is_ascii_graphic() || *c == b' ');
    Ok(is_name && u64::from(len) <= n_bytes - next - 8)
}

/// Name and length of the chunk at `at`.
fn head(stream: &mut dyn AssetRead, at: u64) -> io::Result<([u8; 4], u32)> {
    let id = fourcc(stream, at)?;
    let mut len = [0; 4];
    stream.read_exact(&mut len)?;
    Ok((id, u32::from_le_bytes(len)))
}

fn fourcc(stream: &mut dyn AssetRead, at: u64) -> io::Result<[u8; 4]> {
    let mut id = [0; 4];
    stream.seek(SeekFrom::Start(at))?;
    stream.read_exact(&mut id)?;
    Ok(id)
}

/// A length as it is written; longer ones than fit are cut.
fn length(n_bytes: u64) -> [u8; 4] {
    u32::try_from(n_bytes).unwrap_or(u32::MAX - 1).to_le_bytes()
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
        for (at, patch) in patches(&mut Cursor::new(bytes.clone()), n_bytes) {
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
    fn cut_files_are_read_no_further_and_others_left_alone() {
        let bytes = wav(136, 100, &[1; 100], &[]);
        for n in 0..28 {
            let cut = bytes[..n].to_vec();
            for (at, _) in patches(&mut Cursor::new(cut), n as u64) {
                assert!(at + 4 <= n as u64, "{n}");
            }
        }
        assert!(patches(&mut Cursor::new(vec![7; 500]), 500).is_empty());
    }
}
