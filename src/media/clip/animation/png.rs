//! The frames of an animated PNG (PNG, third edition, 11.3.6).

use super::{Found, Frame, shown_for};

pub(super) const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Finds the frames that are announced and present, at most one more than `most`; returns `None` when the file is not animated.
pub(super) fn walk(file: &[u8], most: usize) -> Option<Found> {
    let number = |body: &[u8], at: usize| body.get(at..)?.first_chunk().copied();
    let (header, mut at) = chunk(file, SIGNATURE.len())?;
    let side = |at| number(header.body, at).map(u32::from_be_bytes);
    let mut found = Found {
        width: side(0)?,
        height: side(4)?,
        frames: Vec::new(),
    };
    let mut announced = None;
    while let Some((chunk, next)) = chunk(file, at) {
        match chunk.kind {
            b"acTL" => announced = number(chunk.body, 0).map(u32::from_be_bytes),
            b"IDAT" if announced.is_none() => return None,
            b"fcTL" if found.frames.len() <= most => {
                let (over, under) = chunk.body.get(20..24)?.split_at(2);
                let [over, under] = [over, under].map(|n| u32::from(n[0]) << 8 | u32::from(n[1]));
                let under = if under == 0 { 100 } else { under };
                found.frames.push(Frame {
                    offset: at,
                    n_bytes: next - at,
                    duration: shown_for(over, under),
                });
            }
            b"IEND" => break,
            _ => {}
        }
        at = next;
    }
    found.frames.truncate(announced? as usize);
    Some(found)
}

struct Chunk<'a> {
    kind: &'a [u8; 4],
    body: &'a [u8],
}

/// Returns the chunk at `at`, and the start of the next one.
fn chunk(file: &[u8], at: usize) -> Option<(Chunk<'_>, usize)> {
    let (n, rest) = file.get(at..)?.split_first_chunk::<4>()?;
    let (kind, rest) = rest.split_first_chunk::<4>()?;
    let n = u32::from_be_bytes(*n) as usize;
    let body = rest.get(..n)?;
    Some((Chunk { kind, body }, at + 12 + n))
}
