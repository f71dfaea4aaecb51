//! The parts of an AV1 bitstream that a container needs: OBUs, the sequence header and the type of a frame.
//!
//! Section numbers are those of the AV1 Bitstream & Decoding Process Specification, version 1.0.0 with errata 1.

use super::ColorFacts;
use super::bits::Bits;

pub(crate) const OBU_SEQUENCE_HEADER: u8 = 1;
pub(crate) const OBU_TEMPORAL_DELIMITER: u8 = 2;
pub(crate) const OBU_FRAME_HEADER: u8 = 3;
pub(crate) const OBU_TILE_GROUP: u8 = 4;
pub(crate) const OBU_FRAME: u8 = 6;
pub(crate) const OBU_REDUNDANT_FRAME_HEADER: u8 = 7;

/// One open bitstream unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Obu<'a> {
    /// `obu_type` (6.2.2).
    pub(crate) kind: u8,
    /// Bytes after the header and the size.
    pub(crate) payload: &'a [u8],
    /// All bytes, header and size included.
    pub(crate) whole: &'a [u8],
    /// The header is followed by a size field.
    pub(crate) has_size: bool,
}

/// Splits the first OBU off `data`. An OBU without a size field extends to the end, which the ISOBMFF binding allows for the last one of a sample.
pub(crate) fn split_obu(data: &[u8]) -> Option<(Obu<'_>, &[u8])> {
    let (&header, mut rest) = data.split_first()?;
    let (forbidden, has_extension, has_size) =
        (header & 0x80 != 0, header & 4 != 0, header & 2 != 0);
    if forbidden {
        return None;
    }
    if has_extension {
        rest = rest.get(1..)?;
    }
    let size = if has_size {
        let (size, after) = split_leb128(rest)?;
        rest = after;
        size
    } else {
        rest.len()
    };
    let (payload, rest) = rest.split_at_checked(size)?;
    let obu = Obu {
        kind: header >> 3 & 15,
        payload,
        whole: &data[..data.len() - rest.len()],
        has_size,
    };
    Some((obu, rest))
}

/// Splits off a `leb128()` (4.10.5), limited to 32 bits as 6.2.1 requires.
fn split_leb128(data: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0u64;
    for (i, byte) in data.iter().take(8).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            let value = u32::try_from(value).ok()?;
            return Some((value as usize, &data[i + 1..]));
        }
    }
    None
}

/// Fields of a sequence header (5.5) that `av1C` and the check need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SequenceHeader {
    pub(crate) profile: u8,
    pub(crate) level: u8,
    pub(crate) high_tier: bool,
    pub(crate) max_width: u32,
    pub(crate) max_height: u32,
    pub(crate) bit_depth: u8,
    pub(crate) monochrome: bool,
    pub(crate) subsampling_x: bool,
    pub(crate) subsampling_y: bool,
    pub(crate) chroma_sample_position: u8,
    /// `None` if the stream does not specify it.
    pub(crate) color: Option<ColorFacts>,
    /// Whether luma uses the full range of codes.
    pub(crate) full_range: bool,
    reduced: bool,
}

impl SequenceHeader {
    /// Parses the payload of a sequence header OBU; returns `None` when it ends early or is malformed.
    pub(crate) fn parse(payload: &[u8]) -> Option<SequenceHeader> {
        let mut bits = Bits::new(payload);
        let profile = bits.get(3)? as u8;
        let _still_picture = bits.flag()?;
        let reduced = bits.flag()?;
        let (level, high_tier) = if reduced {
            (bits.get(5)? as u8, false)
        } else {
            operating_points(&mut bits)?
        };
        let (width_bits, height_bits) = (bits.get(4)? + 1, bits.get(4)? + 1);
        let (max_width, max_height) = (bits.get(width_bits)? + 1, bits.get(height_bits)? + 1);
        skip_tools(&mut bits, reduced)?;
        let mut header = SequenceHeader {
            profile,
            level,
            high_tier,
            max_width,
            max_height,
            bit_depth: 8,
            monochrome: false,
            subsampling_x: true,
            subsampling_y: true,
            chroma_sample_position: 0,
            color: None,
            full_range: false,
            reduced,
        };
        header.color_config(&mut bits)?;
        let _film_grain = bits.flag()?;
        (profile <= 2).then_some(header)
    }

    /// Parses `color_config()` (5.5.2).
    fn color_config(&mut self, bits: &mut Bits<'_>) -> Option<()> {
        let high = bits.flag()?;
        let twelve = self.profile == 2 && high && bits.flag()?;
        self.bit_depth = match (high, twelve) {
            (_, true) => 12,
            (true, false) => 10,
            (false, false) => 8,
        };
        self.monochrome = self.profile != 1 && bits.flag()?;
        let described = bits.flag()?;
        let (primaries, transfer, matrix) = if described {
            (
                bits.get(8)? as u16,
                bits.get(8)? as u16,
                bits.get(8)? as u16,
            )
        } else {
            (2, 2, 2)
        };
        let full_range;
        if self.monochrome {
            full_range = bits.flag()?;
        } else if (primaries, transfer, matrix) == (1, 13, 0) {
            full_range = true;
            (self.subsampling_x, self.subsampling_y) = (false, false);
            bits.flag()?;
        } else {
            full_range = bits.flag()?;
            self.chroma(bits)?;
        }
        self.full_range = full_range;
        self.color = described.then_some(ColorFacts {
            primaries,
            transfer,
            matrix,
            full_range,
        });
        Some(())
    }

    fn chroma(&mut self, bits: &mut Bits<'_>) -> Option<()> {
        (self.subsampling_x, self.subsampling_y) = match (self.profile, self.bit_depth) {
            (0, _) => (true, true),
            (1, _) => (false, false),
            (_, 12) => {
                let x = bits.flag()?;
                (x, x && bits.flag()?)
            }
            _ => (true, false),
        };
        if self.subsampling_x && self.subsampling_y {
            self.chroma_sample_position = bits.get(2)? as u8;
        }
        let _separate_uv_delta_q = bits.flag()?;
        Some(())
    }

    /// Returns the `codecs` parameter of the ISOBMFF binding (section 5), short form.
    pub(crate) fn codec_string(&self) -> String {
        let tier = if self.high_tier { 'H' } else { 'M' };
        format!(
            "av01.{}.{:02}{tier}.{:02}",
            self.profile, self.level, self.bit_depth
        )
    }
}

/// Skips timing and operating points (5.5.1); returns level and tier of the first point.
fn operating_points(bits: &mut Bits<'_>) -> Option<(u8, bool)> {
    let mut delay_bits = None;
    if bits.flag()? {
        bits.skip(64)?;
        if bits.flag()? {
            bits.exp_golomb()?;
        }
        if bits.flag()? {
            delay_bits = Some(bits.get(5)? + 1);
            bits.skip(32 + 5 + 5)?;
        }
    }
    let has_display_delay = bits.flag()?;
    let n_points = bits.get(5)? + 1;
    let mut first = None;
    for _ in 0..n_points {
        bits.skip(12)?;
        let level = bits.get(5)? as u8;
        let high_tier = level > 7 && bits.flag()?;
        first.get_or_insert((level, high_tier));
        if let Some(n) = delay_bits
            && bits.flag()?
        {
            bits.skip(2 * n + 1)?;
        }
        if has_display_delay && bits.flag()? {
            bits.skip(4)?;
        }
    }
    first
}

/// Skips the coding tools between the frame size and `color_config()` (5.5.1).
fn skip_tools(bits: &mut Bits<'_>, reduced: bool) -> Option<()> {
    if !reduced && bits.flag()? {
        bits.skip(7)?;
    }
    bits.skip(3)?;
    if !reduced {
        bits.skip(4)?;
        let order_hint = bits.flag()?;
        if order_hint {
            bits.skip(2)?;
        }
        let screen_content = bits.flag()? || bits.flag()?;
        if screen_content && !bits.flag()? {
            bits.skip(1)?;
        }
        if order_hint {
            bits.skip(3)?;
        }
    }
    bits.skip(3)
}

/// Contents of a sample (one temporal unit).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unit<'a> {
    /// Payload of its first sequence header.
    pub(crate) sequence_header: Option<&'a [u8]>,
    /// Whether the sequence header is the first OBU.
    pub(crate) starts_with_sequence_header: bool,
    /// Whether it has a temporal delimiter, which the binding says to drop.
    pub(crate) has_delimiter: bool,
    /// Whether a key frame is shown: decoding can start here.
    pub(crate) is_key: bool,
    /// Number of frames shown.
    pub(crate) n_shown: u32,
}

/// Reads the OBU headers of a temporal unit; returns `None` when they do not add up.
pub(crate) fn parse_unit<'a>(mut data: &'a [u8], header: &SequenceHeader) -> Option<Unit<'a>> {
    let mut unit = Unit::default();
    let mut is_first = true;
    while !data.is_empty() {
        let (obu, rest) = split_obu(data)?;
        match obu.kind {
            OBU_SEQUENCE_HEADER => {
                unit.starts_with_sequence_header |= is_first;
                unit.sequence_header.get_or_insert(obu.payload);
            }
            OBU_TEMPORAL_DELIMITER => unit.has_delimiter = true,
            OBU_FRAME | OBU_FRAME_HEADER => {
                let (is_key, is_shown) = frame_kind(obu.payload, header)?;
                unit.is_key |= is_key;
                unit.n_shown += u32::from(is_shown);
            }
            _ => {}
        }
        is_first = false;
        data = rest;
    }
    (!is_first).then_some(unit)
}

/// Reads (a key frame is shown, a frame is shown) from the start of `uncompressed_header()` (5.9.2).
fn frame_kind(payload: &[u8], header: &SequenceHeader) -> Option<(bool, bool)> {
    if header.reduced {
        return Some((true, true));
    }
    let mut bits = Bits::new(payload);
    if bits.flag()? {
        return Some((false, true));
    }
    let frame_type = bits.get(2)?;
    let is_shown = bits.flag()?;
    Some((frame_type == 0 && is_shown, is_shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn obus_split_and_bad_sizes_are_refused() {
        let data = [0x0a, 2, 9, 8, 0x12, 0, 0x30, 7];
        let (first, rest) = split_obu(&data).expect("a sequence header");
        assert_eq!((first.kind, first.payload), (1, &[9u8, 8][..]));
        let (second, rest) = split_obu(rest).expect("a delimiter");
        assert_eq!((second.kind, second.payload.len()), (2, 0));
        let (last, rest) = split_obu(rest).expect("a frame without a size");
        assert_eq!((last.kind, last.payload, rest.len()), (6, &[7u8][..], 0));
        for bad in [&[0x0a, 3, 1][..], &[0x8a, 0], &[0x0a], &[0x0a, 0xff], &[]] {
            assert_eq!(split_obu(bad), None, "{bad:?}");
        }
        assert_eq!(split_obu(&[[0x0a].as_slice(), &[0xff; 9]].concat()), None);
    }

    #[test]
    fn a_sequence_header_is_read_and_cut_anywhere_is_refused() {
        // Written by SVT-AV1 1.4.1 for 128x96; its av1C has 81 00 0c 00.
        let payload = [0x00, 0x00, 0x00, 0x03, 0x37, 0xfb, 0xe0, 0x17, 0xc0, 0x02];
        let header = SequenceHeader::parse(&payload).expect("a sequence header");
        assert_eq!((header.max_width, header.max_height), (128, 96));
        assert_eq!((header.subsampling_x, header.subsampling_y), (true, true));
        assert_eq!((header.bit_depth, header.color), (8, None));
        assert_eq!(header.codec_string(), "av01.0.00M.08");
        for n in 0..payload.len() - 1 {
            assert_eq!(SequenceHeader::parse(&payload[..n]), None, "{n}");
        }
        assert_eq!(SequenceHeader::parse(&[0xff; 40]), None);
    }
}
