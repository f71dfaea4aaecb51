//! Facts from VP9 packets before decoding: a key frame's size and color, the frames of a superframe.

use super::bits::Bits;

/// The start of a VP9 key frame's `uncompressed_header()` (VP9 6.2).
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyHeader {
    /// `color_space` (7.2.2).
    pub(crate) color_space: u32,
    pub(crate) full_range: bool,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl KeyHeader {
    /// Parses a key frame's header; returns `None` for other frames.
    pub(crate) fn read(frame: &[u8]) -> Option<KeyHeader> {
        const SYNC_CODE: u32 = 0x49_8342;
        const RGB: u32 = 7;
        let mut bits = Bits::new(frame);
        let profile = vp9_profile(&mut bits)?;
        let is_shown_again = bits.flag()?;
        let is_inter = bits.flag()?;
        bits.skip(2)?;
        if is_shown_again || is_inter || bits.get(24)? != SYNC_CODE {
            return None;
        }
        if profile >= 2 {
            bits.skip(1)?;
        }
        let color_space = bits.get(3)?;
        let full_range = color_space == RGB || bits.flag()?;
        if profile == 1 || profile == 3 {
            bits.skip(if color_space == RGB { 1 } else { 3 })?;
        }
        Some(KeyHeader {
            color_space,
            full_range,
            width: bits.get(16)? + 1,
            height: bits.get(16)? + 1,
        })
    }
}

/// Reads `frame_marker` and profile.
fn vp9_profile(bits: &mut Bits<'_>) -> Option<u32> {
    if bits.get(2)? != 2 {
        return None;
    }
    let profile = bits.get(1)? | bits.get(1)? << 1;
    if profile == 3 {
        bits.skip(1)?;
    }
    Some(profile)
}

/// The frames of a VP9 packet (VP9, annex B); one when it is no superframe, `None` when the sizes do not add up.
pub(crate) fn superframe(packet: &[u8]) -> Option<Vec<&[u8]>> {
    let Some((sizes, mut rest, n_bytes)) = superframe_index(packet) else {
        return Some(vec![packet]);
    };
    let sizes = sizes.chunks_exact(n_bytes).map(|size| {
        let bytes = size.iter().rev();
        bytes.fold(0usize, |n, byte| n << 8 | usize::from(*byte))
    });
    sizes
        .map(|size| {
            let (frame, after) = rest.split_at_checked(size).filter(|_| size > 0)?;
            rest = after;
            Some(frame)
        })
        .collect()
}

/// Returns `(sizes, frames, bytes per size)` of a superframe.
fn superframe_index(packet: &[u8]) -> Option<(&[u8], &[u8], usize)> {
    let marker = *packet.last()?;
    if marker & 0xe0 != 0xc0 {
        return None;
    }
    let (n_frames, n_bytes) = (
        usize::from(marker & 7) + 1,
        usize::from(marker >> 3 & 3) + 1,
    );
    let at = packet.len().checked_sub(2 + n_frames * n_bytes)?;
    let (frames, index) = packet.split_at(at);
    (index[0] == marker).then(|| (&index[1..index.len() - 1], frames, n_bytes))
}
