//! The metadata blocks before the sound of a FLAC file: only the first one matters (RFC 9639, 8.1).

use std::io::{self, Read, Seek};

use super::{Patch, bytes_at};

/// Maximum number of blocks to read.
const MAX_BLOCKS: usize = 10_000;
/// Block type that readers skip.
const PADDING: u8 = 1;

/// Turns all blocks after the first into padding.
pub(super) fn patches(stream: &mut (impl Read + Seek)) -> io::Result<Vec<Patch>> {
    let (mut patches, mut at) = (Vec::new(), 4);
    for i in 0..MAX_BLOCKS {
        let [kind, length @ ..] = bytes_at::<4>(stream, at)?;
        let is_last = kind & 0x80;
        if i > 0 && kind & 0x7f != PADDING {
            patches.push((at, vec![is_last | PADDING]));
        }
        if is_last != 0 {
            break;
        }
        let [a, b, c] = length;
        at += 4 + u64::from(u32::from_be_bytes([0, a, b, c]));
    }
    Ok(patches)
}
