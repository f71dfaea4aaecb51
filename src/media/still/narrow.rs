//! Converts samples of 16 bits, 32 bits and floats to 8 bits in place, without a copy.

use image::ColorType;

/// Type of the samples in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Samples {
    /// 8 bits.
    Bytes,
    /// 16 bits, native byte order.
    Words,
    /// Floats from 0 to 1.
    Floats,
    /// 32 bits, native byte order.
    Integers,
}

impl Samples {
    /// Returns the sample type of a color type of `image`.
    pub(super) fn of(color: ColorType) -> Samples {
        match color.bytes_per_pixel() / color.channel_count() {
            1 => Samples::Bytes,
            2 => Samples::Words,
            _ => Samples::Floats,
        }
    }
}

/// Rounds each sample to 8 bits.
pub(super) fn to_8_bits(mut bytes: Vec<u8>, samples: Samples) -> Vec<u8> {
    let (size, narrow): (usize, fn(&[u8]) -> u8) = match samples {
        Samples::Bytes => return bytes,
        Samples::Words => (2, |b| {
            let word = u16::from_ne_bytes([b[0], b[1]]);
            ((u32::from(word) + 128) / 257) as u8
        }),
        Samples::Floats => (4, |b| {
            let float = f32::from_ne_bytes([b[0], b[1], b[2], b[3]]);
            // `as` converts NaN to 0.
            (float.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
        }),
        Samples::Integers => (4, |b| {
            let integer = u32::from_ne_bytes([b[0], b[1], b[2], b[3]]);
            ((u64::from(integer) * 255 + (1 << 31)) >> 32) as u8
        }),
    };
    let n = bytes.len() / size;
    for i in 0..n {
        bytes[i] = narrow(&bytes[i * size..(i + 1) * size]);
    }
    bytes.truncate(n);
    bytes.shrink_to_fit();
    bytes
}

/// Converts gray with alpha to RGBA.
pub(super) fn gray_alpha_to_rgba(bytes: &[u8]) -> Vec<u8> {
    let pixels = bytes.chunks_exact(2);
    pixels.flat_map(|p| [p[0], p[0], p[0], p[1]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_middles_are_kept() {
        let words: Vec<u8> = [0, 128, 129, 0x8080, 0xffff_u16]
            .iter()
            .flat_map(|v| v.to_ne_bytes())
            .collect();
        assert_eq!(to_8_bits(words, Samples::Words), [0, 0, 1, 128, 255]);
        let floats: Vec<u8> = [-1.0, 0.0, 0.5, 1.0, 7.0, f32::NAN]
            .iter()
            .flat_map(|v: &f32| v.to_ne_bytes())
            .collect();
        assert_eq!(to_8_bits(floats, Samples::Floats), [0, 0, 128, 255, 255, 0]);
        let integers: Vec<u8> = [0, 0x8080_8080, u32::MAX]
            .iter()
            .flat_map(|v: &u32| v.to_ne_bytes())
            .collect();
        assert_eq!(to_8_bits(integers, Samples::Integers), [0, 128, 255]);
    }
}
