//! The top-level boxes of an MP4 and its tags: a file truncated inside its samples is read as far as it goes.

use std::io::{self, Read, Seek};

use super::{Patch, bytes_at};

/// Maximum number of boxes to read.
const MAX_BOXES: usize = 10_000;

/// Hides tags and corrects the length of the last box; also returns whether bytes are missing at the end.
pub(super) fn patches(
    stream: &mut (impl Read + Seek),
    n_bytes: u64,
) -> io::Result<(Vec<Patch>, bool)> {
    let (mut patches, mut is_cut, mut at) = (Vec::new(), false, 0);
    for _ in 0..MAX_BOXES {
        if n_bytes.saturating_sub(at) < 8 {
            break;
        }
        let (kind, header, size) = head(stream, at)?;
        let room = n_bytes - at;
        let size = if size == 0 { room } else { size };
        if size > room && kind == *b"mdat" {
            is_cut = true;
            patches.push(match header {
                16 => (at + 8, room.to_be_bytes().to_vec()),
                _ => (at, (room as u32).to_be_bytes().to_vec()),
            });
        }
        if size < header || size > room {
            break;
        }
        match &kind {
            b"moov" => hide_tags(stream, at + header..at + size, &mut patches)?,
            b"meta" | b"udta" => patches.push((at + 4, b"free".to_vec())),
            _ => {}
        }
        at += size;
    }
    Ok((patches, is_cut))
}

/// Turns the tag boxes in `moov` and in its tracks into free space.
fn hide_tags(
    stream: &mut (impl Read + Seek),
    within: std::ops::Range<u64>,
    patches: &mut Vec<Patch>,
) -> io::Result<()> {
    let mut pending = vec![within];
    let mut n_left = MAX_BOXES;
    while let Some(range) = pending.pop() {
        let mut at = range.start;
        while at + 8 <= range.end && n_left > 0 {
            n_left -= 1;
            let (kind, header, size) = head(stream, at)?;
            if size < header || size > range.end - at {
                break;
            }
            match &kind {
                b"trak" if pending.len() < 100 => pending.push(at + header..at + size),
                b"udta" | b"meta" => patches.push((at + 4, b"free".to_vec())),
                _ => {}
            }
            at += size;
        }
    }
    Ok(())
}

/// Reads the type, the header length and the total length of a box.
fn head(stream: &mut (impl Read + Seek), at: u64) -> io::Result<([u8; 4], u64, u64)> {
    let [a, b, c, d, kind @ ..] = bytes_at::<8>(stream, at)?;
    Ok(match u32::from_be_bytes([a, b, c, d]) {
        1 => (kind, 16, u64::from_be_bytes(bytes_at::<8>(stream, at + 8)?)),
        size => (kind, 8, size.into()),
    })
}
