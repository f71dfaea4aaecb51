//! The frames of a GIF (GIF89a, appendix B).

use super::{Found, Frame, shown_for};

/// Delays are in hundredths of a second.
const UNITS: u32 = 100;

/// Finds the complete frames, at most one more than `most`; returns `None` when there is no header.
pub(super) fn walk(file: &[u8], most: usize) -> Option<Found> {
    let screen = file.get(6..13)?;
    let side = |at: usize| u32::from(u16::from_le_bytes([screen[at], screen[at + 1]]));
    let mut found = Found {
        width: side(0),
        height: side(2),
        frames: Vec::new(),
    };
    let mut at = 13 + table_bytes(screen[4]);
    let mut delay = 0;
    while found.frames.len() <= most {
        let next = match file.get(at) {
            Some(0x21) => {
                // A graphic control extension applies to the frame after it.
                if let Some(&[0xf9, 4, _, low, high]) = file.get(at + 1..at + 6) {
                    delay = u32::from(u16::from_le_bytes([low, high]));
                }
                after_blocks(file, at + 2)
            }
            Some(0x2c) => {
                let end = file
                    .get(at + 9)
                    .and_then(|flags| after_blocks(file, at + 11 + table_bytes(*flags)));
                if let Some(end) = end {
                    found.frames.push(Frame {
                        offset: at,
                        n_bytes: end - at,
                        duration: shown_for(std::mem::take(&mut delay), UNITS),
                    });
                }
                end
            }
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => break,
        }
    }
    Some(found)
}

/// Returns the size in bytes of the color table announced by flags.
fn table_bytes(flags: u8) -> usize {
    if flags & 0x80 == 0 {
        0
    } else {
        3 << ((flags & 7) + 1)
    }
}

/// Returns the position after the data blocks that begin at `at`.
fn after_blocks(file: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *file.get(at)? {
            0 => return Some(at + 1),
            n => at += 1 + usize::from(n),
        }
    }
}
