//! The frames of an animated WebP (RFC 9649).

use super::{Found, Frame, shown_for};

/// Durations are in milliseconds.
const UNITS: u32 = 1000;
/// Animation bit in the flags of `VP8X`.
const ANIMATED: u8 = 0x02;

/// Finds the complete frames, at most one more than `most`; returns `None` when the file is not animated.
pub(super) fn walk(file: &[u8], most: usize) -> Option<Found> {
    let header = chunk(file, 12).filter(|chunk| chunk.kind == b"VP8X")?;
    let side = |at: usize| number(header.body.get(at..)?).map(|n| n + 1);
    if header.body.first()? & ANIMATED == 0 {
        return None;
    }
    let mut found = Found {
        width: side(4)?,
        height: side(7)?,
        frames: Vec::new(),
    };
    let mut at = header.end;
    while let Some(chunk) = chunk(file, at) {
        if found.frames.len() > most {
            break;
        }
        let duration = chunk.body.get(12..).and_then(number);
        if let (b"ANMF", Some(duration)) = (chunk.kind, duration) {
            found.frames.push(Frame {
                offset: at,
                n_bytes: chunk.body.len() + 8,
                duration: shown_for(duration, UNITS),
            });
        }
        at = chunk.end;
    }
    Some(found)
}

struct Chunk<'a> {
    kind: &'a [u8; 4],
    body: &'a [u8],
    /// Start of the next chunk.
    end: usize,
}

fn chunk(file: &[u8], at: usize) -> Option<Chunk<'_>> {
    let (kind, rest) = file.get(at..)?.split_first_chunk::<4>()?;
    let (n, rest) = rest.split_first_chunk::<4>()?;
    let n = u32::from_le_bytes(*n) as usize;
    Some(Chunk {
        kind,
        body: rest.get(..n)?,
        end: at + 8 + n + n % 2,
    })
}

/// Reads a number of three bytes.
fn number(bytes: &[u8]) -> Option<u32> {
    let &[a, b, c] = bytes.first_chunk::<3>()?;
    Some(u32::from_le_bytes([a, b, c, 0]))
}
