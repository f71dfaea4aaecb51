//! The parts of an H.264 bitstream that a container needs: NAL units and the sequence parameter set.
//!
//! Section numbers are those of ITU-T H.264 (08/2021).

use super::ColorFacts;
use super::bits::Bits;

/// `nal_unit_type` of a slice of an IDR picture (table 7-1).
pub(crate) const NAL_IDR: u8 = 5;
/// `nal_unit_type` of a sequence parameter set.
pub(crate) const NAL_SPS: u8 = 7;
/// `nal_unit_type` of a picture parameter set.
pub(crate) const NAL_PPS: u8 = 8;
/// `nal_unit_type` of a slice of a non-IDR picture.
pub(crate) const NAL_SLICE: u8 = 1;
/// `nal_unit_type` of supplemental enhancement information.
pub(crate) const NAL_SEI: u8 = 6;
/// Slices of all pictures and data partitions.
pub(crate) const NAL_SLICES: std::ops::RangeInclusive<u8> = NAL_SLICE..=NAL_IDR;

/// Contents of a sample (one access unit).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AccessUnit {
    /// Whether it is an IDR picture: decoding can start here.
    pub(crate) is_idr: bool,
    /// Number of slices.
    pub(crate) n_slices: u32,
}

/// Reads the headers of length-prefixed NAL units; returns `None` when the lengths do not add up.
pub(crate) fn parse_access_unit(mut data: &[u8], length_size: usize) -> Option<AccessUnit> {
    let mut unit = AccessUnit::default();
    while !data.is_empty() {
        let (length, rest) = data.split_at_checked(length_size)?;
        let length = length
            .iter()
            .fold(0usize, |n, byte| n << 8 | usize::from(*byte));
        let (nal, rest) = rest.split_at_checked(length)?;
        let kind = nal.first()? & 31;
        unit.n_slices += u32::from(NAL_SLICES.contains(&kind));
        unit.is_idr |= kind == NAL_IDR;
        data = rest;
    }
    Some(unit)
}

/// Fields of a sequence parameter set (7.3.2.1.1) that `avcC`, the check and the clip reader need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sps {
    /// `seq_parameter_set_id`.
    pub(crate) id: u32,
    pub(crate) profile: u8,
    pub(crate) compatibility: u8,
    pub(crate) level: u8,
    /// Whether the profile's parameter sets contain chroma format and depth, so that `avcC` ends with them.
    pub(crate) has_chroma_info: bool,
    pub(crate) chroma_format: u8,
    pub(crate) luma_depth: u8,
    pub(crate) chroma_depth: u8,
    /// `max_num_ref_frames`.
    pub(crate) n_references: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Luma columns cropped on the left and luma rows cropped at the top.
    pub(crate) crop_origin: (u32, u32),
    /// Columns and rows before cropping.
    pub(crate) coded_size: (u32, u32),
    /// Whether pictures may be coded as fields.
    pub(crate) has_fields: bool,
    /// Whether macroblocks may be coded as fields (MBAFF).
    pub(crate) is_mbaff: bool,
    /// `qpprime_y_zero_transform_bypass_flag`: macroblocks may be lossless.
    pub(crate) is_lossless: bool,
    /// Length of `frame_num` in bits.
    pub(crate) frame_num_bits: u32,
    pub(crate) order: OrderCount,
    /// `None` if the stream does not specify it.
    pub(crate) color: Option<ColorFacts>,
    /// `video_full_range_flag`, which may be present without the color.
    pub(crate) full_range: Option<bool>,
    /// Ratio of width to height of a pixel; `None` if the stream does not specify it.
    pub(crate) pixel_aspect: Option<(u32, u32)>,
    /// `chroma_sample_loc_type_top_field`; 0 (left) if the stream does not specify it.
    pub(crate) chroma_location: u32,
}

/// Fields in slices that give the order of pictures (7.4.2.1.1, `pic_order_cnt_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderCount {
    /// A value of this many bits, plus a difference if the picture parameter set enables it.
    Bits(u32),
    /// One or two differences.
    Differences,
    Nothing,
}

/// Sample aspect ratios by `aspect_ratio_idc` (table E-1), from 1 on.
const PIXEL_ASPECTS: [(u32, u32); 16] = [
    (1, 1),
    (12, 11),
    (10, 11),
    (16, 11),
    (40, 33),
    (24, 11),
    (20, 11),
    (32, 11),
    (80, 33),
    (18, 11),
    (15, 11),
    (64, 33),
    (160, 99),
    (4, 3),
    (3, 2),
    (2, 1),
];

impl Sps {
    /// Parses a NAL unit (with its header byte); returns `None` when it ends early or is malformed.
    pub(crate) fn parse(nal: &[u8]) -> Option<Sps> {
        let (&header, body) = nal.split_first()?;
        if header & 0x9f != NAL_SPS {
            return None;
        }
        let body = without_emulation_prevention(body);
        let mut bits = Bits::new(&body);
        let (profile, compatibility, level) =
            (bits.get(8)? as u8, bits.get(8)? as u8, bits.get(8)? as u8);
        let id = bits.exp_golomb()?;
        let has_chroma_info = matches!(
            profile,
            100 | 110 | 122 | 244 | 44 | 83 | 86 | 118 | 128 | 138 | 139 | 134 | 135
        );
        let chroma = match has_chroma_info {
            true => chroma_info(&mut bits)?,
            false => ChromaInfo::USUAL,
        };
        let frame_num_bits = bits.exp_golomb().filter(|n| *n <= 12)? + 4;
        let order = order_count(&mut bits)?;
        let n_references = bits.exp_golomb()?;
        bits.skip(1)?;
        let mut sps = Sps {
            id,
            profile,
            compatibility,
            level,
            has_chroma_info,
            chroma_format: chroma.format,
            luma_depth: chroma.luma_depth,
            chroma_depth: chroma.depth,
            n_references,
            width: 0,
            height: 0,
            crop_origin: (0, 0),
            coded_size: (0, 0),
            has_fields: false,
            is_mbaff: false,
            is_lossless: chroma.is_lossless,
            frame_num_bits,
            order,
            color: None,
            full_range: None,
            pixel_aspect: None,
            chroma_location: 0,
        };
        sps.cropped_size(&mut bits)?;
        if bits.flag()? {
            sps.vui(&mut bits)?;
        }
        Some(sps)
    }

    /// Parses the picture size after cropping (7.4.2.1.1, equations 7-18 to 7-22).
    fn cropped_size(&mut self, bits: &mut Bits<'_>) -> Option<()> {
        let columns = bits.exp_golomb().filter(|n| *n < 4096)? + 1;
        let rows = bits.exp_golomb().filter(|n| *n < 4096)? + 1;
        let frames_only = bits.flag()?;
        self.has_fields = !frames_only;
        self.is_mbaff = self.has_fields && bits.flag()?;
        bits.skip(1)?;
        let field = if frames_only { 1 } else { 2 };
        self.coded_size = (columns * 16, rows * 16 * field);
        (self.width, self.height) = self.coded_size;
        if !bits.flag()? {
            return Some(());
        }
        let mut crop = [0; 4];
        for side in &mut crop {
            *side = bits.exp_golomb().filter(|n| *n < 65_536)?;
        }
        let (unit_x, unit_y) = match self.chroma_format {
            1 => (2, 2 * field),
            2 => (2, field),
            _ => (1, field),
        };
        self.crop_origin = (crop[0] * unit_x, crop[2] * unit_y);
        self.width = self.width.checked_sub((crop[0] + crop[1]) * unit_x)?;
        self.height = self.height.checked_sub((crop[2] + crop[3]) * unit_y)?;
        Some(())
    }

    /// Parses the first part of `vui_parameters()` (E.1.1): the shape of pixels, color, chroma location.
    fn vui(&mut self, bits: &mut Bits<'_>) -> Option<()> {
        const EXTENDED_SAR: u32 = 255;
        if bits.flag()? {
            self.pixel_aspect = match bits.get(8)? {
                0 => None,
                EXTENDED_SAR => Some((bits.get(16)?, bits.get(16)?)),
                n => PIXEL_ASPECTS.get(n as usize - 1).copied(),
            };
        }
        if bits.flag()? {
            bits.skip(1)?;
        }
        if bits.flag()? {
            bits.skip(3)?;
            let full_range = bits.flag()?;
            self.full_range = Some(full_range);
            if bits.flag()? {
                self.color = Some(ColorFacts {
                    primaries: bits.get(8)? as u16,
                    transfer: bits.get(8)? as u16,
                    matrix: bits.get(8)? as u16,
                    full_range,
                });
            }
        }
        if bits.flag()? {
            self.chroma_location = bits.exp_golomb()?;
        }
        Some(())
    }

    /// Returns the `codecs` parameter (RFC 6381, 3.3).
    pub(crate) fn codec_string(&self) -> String {
        format!(
            "avc1.{:02X}{:02X}{:02X}",
            self.profile, self.compatibility, self.level
        )
    }
}

/// Drops the 3 of each `00 00 03` (7.4.1.1).
pub(crate) fn without_emulation_prevention(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    let mut n_zeros = 0;
    for &byte in data {
        if n_zeros >= 2 && byte == 3 {
            n_zeros = 0;
            continue;
        }
        n_zeros = if byte == 0 { n_zeros + 1 } else { 0 };
        out.push(byte);
    }
    out
}

/// Chroma format, depth and coding flags from the parameter sets of high profiles.
struct ChromaInfo {
    format: u8,
    luma_depth: u8,
    depth: u8,
    is_lossless: bool,
}

impl ChromaInfo {
    /// Values for all other profiles.
    const USUAL: ChromaInfo = ChromaInfo {
        format: 1,
        luma_depth: 8,
        depth: 8,
        is_lossless: false,
    };
}

fn chroma_info(bits: &mut Bits<'_>) -> Option<ChromaInfo> {
    let format = bits.exp_golomb().filter(|f| *f <= 3)?;
    if format == 3 {
        bits.skip(1)?;
    }
    let luma = bits.exp_golomb().filter(|d| *d <= 6)?;
    let chroma = bits.exp_golomb().filter(|d| *d <= 6)?;
    let is_lossless = bits.flag()?;
    if bits.flag()? {
        let n_lists = if format == 3 { 12 } else { 8 };
        for i in 0..n_lists {
            if bits.flag()? {
                skip_scaling_list(bits, if i < 6 { 16 } else { 64 })?;
            }
        }
    }
    Some(ChromaInfo {
        format: format as u8,
        luma_depth: luma as u8 + 8,
        depth: chroma as u8 + 8,
        is_lossless,
    })
}

/// Skips a `scaling_list()` (7.3.2.1.1.1).
pub(crate) fn skip_scaling_list(bits: &mut Bits<'_>, n_entries: u32) -> Option<()> {
    let (mut last, mut next) = (8i64, 8i64);
    for _ in 0..n_entries {
        if next != 0 {
            next = (last + i64::from(bits.signed_exp_golomb()?)).rem_euclid(256);
        }
        if next != 0 {
            last = next;
        }
    }
    Some(())
}

fn order_count(bits: &mut Bits<'_>) -> Option<OrderCount> {
    Some(match bits.exp_golomb()? {
        0 => OrderCount::Bits(bits.exp_golomb().filter(|n| *n <= 12)? + 4),
        1 => {
            let is_always_zero = bits.flag()?;
            bits.signed_exp_golomb()?;
            bits.signed_exp_golomb()?;
            for _ in 0..bits.exp_golomb().filter(|n| *n <= 255)? {
                bits.signed_exp_golomb()?;
            }
            match is_always_zero {
                true => OrderCount::Nothing,
                false => OrderCount::Differences,
            }
        }
        _ => OrderCount::Nothing,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_must_add_up() {
        let good = [0, 0, 0, 2, 0x65, 1, 0, 0, 0, 1, 0x06];
        let unit = parse_access_unit(&good, 4).expect("two NAL units");
        assert_eq!((unit.is_idr, unit.n_slices), (true, 1));
        for n in [1, 3, 5, 7, 10] {
            assert_eq!(parse_access_unit(&good[..n], 4), None, "{n}");
        }
        assert_eq!(
            parse_access_unit(&[0, 0, 0, 0], 4),
            None,
            "an empty NAL unit"
        );
    }

    #[test]
    fn emulation_prevention_goes() {
        assert_eq!(
            without_emulation_prevention(&[0, 0, 3, 1, 0, 0, 3, 0, 0, 3, 3]),
            [0, 0, 1, 0, 0, 0, 0, 3]
        );
    }

    #[test]
    fn a_high_profile_sps_is_read() {
        // Written by x264 164 for 178x98, High, BT.709 limited.
        let sps = [
            0x67, 0x64, 0x00, 0x0b, 0xac, 0xd9, 0x43, 0x0f, 0xe2, 0x22, 0x30, 0x16, 0xa0, 0x20,
            0x20, 0x28, 0x00, 0x00, 0x03, 0x00, 0x08, 0x00, 0x00, 0x03, 0x01, 0xe0, 0x78, 0xa1,
            0x4c, 0xb0,
        ];
        let read = Sps::parse(&sps).expect("a parameter set");
        assert_eq!((read.width, read.height), (178, 98));
        assert_eq!(
            (read.chroma_format, read.luma_depth, read.chroma_depth),
            (1, 8, 8)
        );
        assert_eq!(read.codec_string(), "avc1.64000B");
        assert_eq!(read.color, Some(ColorFacts::BT709_LIMITED));
        for n in 0..6 {
            assert_eq!(Sps::parse(&sps[..n]), None, "{n}");
        }
    }
}
