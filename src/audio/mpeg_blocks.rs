//! Mixed blocks of MPEG layer III: long windows for low frequencies, short ones for the rest. Hardly any encoder uses them, and symphonia decodes them to
//! full-scale noise.

/// Which of a packet's blocks are mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mixed {
    None,
    /// Some, as in damaged packets.
    Some,
    All,
}

/// Reads the side information of a frame (ISO/IEC 11172-3, 2.4.1.7; 13818-3, 2.4.1.7).
pub(super) fn mixed_blocks(frame: &[u8]) -> Mixed {
    let [_, b, _, d, ..] = frame else {
        return Mixed::None;
    };
    let is_first = b >> 3 & 3 == 3;
    let start = if b & 1 == 0 { 6 } else { 4 };
    let n_channels = if d >> 6 == 3 { 1 } else { 2 };
    // Bits before the blocks, bits per block, offset of its window bits, blocks per channel.
    let (before, length, window, n_granules) = match (is_first, n_channels) {
        (true, 1) => (9 + 5 + 4, 59, 33, 2),
        (true, _) => (9 + 3 + 8, 59, 33, 2),
        (false, 1) => (8 + 1, 63, 38, 1),
        (false, _) => (8 + 2, 63, 38, 1),
    };
    let bit = |at: usize| {
        let byte = frame.get(start + at / 8).copied().unwrap_or(0);
        byte >> (7 - at % 8) & 1
    };
    let n_blocks = n_channels * n_granules;
    let is_mixed = |block: &usize| {
        let at = before + block * length + window;
        [0, 1, 2, 3].map(|i| bit(at + i)) == [1, 1, 0, 1]
    };
    match (0..n_blocks).filter(is_mixed).count() {
        0 => Mixed::None,
        n if n == n_blocks => Mixed::All,
        _ => Mixed::Some,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a mono frame of MPEG-1 with these windows of four bits: switched, two of the type, mixed.
    fn frame(windows: [u8; 2]) -> Vec<u8> {
        let mut bytes = vec![0; 100];
        bytes[..4].copy_from_slice(&[0xff, 0xfb, 0x50, 0xc0]);
        for (i, window) in windows.into_iter().enumerate() {
            for bit in 0..4 {
                let at = 8 * 4 + 18 + 59 * i + 33 + bit;
                bytes[at / 8] |= (window >> (3 - bit) & 1) << (7 - at % 8);
            }
        }
        bytes
    }

    #[test]
    fn mixed_blocks_are_told_from_long_and_short_ones() {
        for (windows, expected) in [
            ([0b0000, 0b0000], Mixed::None),
            ([0b1100, 0b1100], Mixed::None),
            ([0b1011, 0b1111], Mixed::None),
            ([0b1101, 0b0000], Mixed::Some),
            ([0b0000, 0b1101], Mixed::Some),
            ([0b1101, 0b1101], Mixed::All),
        ] {
            assert_eq!(mixed_blocks(&frame(windows)), expected);
        }
        assert_eq!(mixed_blocks(&[0xff]), Mixed::None);
    }
}
