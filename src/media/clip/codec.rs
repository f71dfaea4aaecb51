//! Facts from bitstreams before decoding: configuration records, where decoding can start, size and color.

use super::animation::{Animation, Kind};
use super::bytes::Fields;
use super::frame::{ChromaSiting, ClipColor, ColorMatrix, ColorRange};
use super::refuse::{check_size, damaged, unsupported};
use super::track::Coding;
use super::{ClipCodec, ClipLimits};
use crate::bitstream::ColorFacts;
use crate::bitstream::av1::{OBU_SEQUENCE_HEADER, SequenceHeader, parse_unit, split_obu};
use crate::bitstream::avc::{NAL_IDR, NAL_SPS, Sps};
use crate::bitstream::vp9::KeyHeader;
use crate::media::refusal::Refusal;

/// Maximum pixels that a stream may keep for reference: twice what H.264 level 5.2 and AV1 level 5.3 allow.
const MAX_REFERENCE_PIXELS: u64 = 2 * 184_320 * 256;

/// Parses `avcC` (ISO/IEC 14496-15, 5.3.3.1), in MP4 and Matroska.
pub(super) fn avc_configuration(record: &[u8]) -> Result<Coding, Refusal> {
    let mut fields = Fields(record);
    fields.take(4)?;
    let length_size = usize::from(fields.u8()? & 3) + 1;
    let mut parameter_sets = Vec::new();
    for mask in [31, 255] {
        for _ in 0..fields.u8()? & mask {
            let n = fields.u16()?;
            parameter_sets.extend([0, 0, 0, 1]);
            parameter_sets.extend(fields.take(usize::from(n))?);
        }
    }
    Ok(Coding::H264 {
        length_size,
        parameter_sets,
    })
}

/// Parses `av1C` (AV1 in ISOBMFF, 2.3.3), in MP4 and Matroska.
pub(super) fn av1_configuration(record: &[u8]) -> Result<Coding, Refusal> {
    let mut fields = Fields(record);
    fields.take(4)?;
    Ok(Coding::Av1 {
        config_obus: fields.0.to_vec(),
    })
}

/// Returns the NAL units of a sample, each preceded by its length.
pub(super) fn nal_units(
    mut sample: &[u8],
    length_size: usize,
) -> impl Iterator<Item = Result<&[u8], Refusal>> {
    std::iter::from_fn(move || {
        if sample.is_empty() {
            return None;
        }
        let split = sample.split_at_checked(length_size).and_then(|(n, rest)| {
            let n = n.iter().fold(0usize, |n, byte| n << 8 | usize::from(*byte));
            rest.split_at_checked(n)
        });
        sample = split.map_or(&[], |(_, rest)| rest);
        Some(
            split
                .map(|(nal, _)| nal)
                .ok_or_else(|| damaged("the parts of a frame do not match its size")),
        )
    })
}

/// Splits an Annex B stream (H.264, annex B) into NAL units where a decoder does: also at a start code hidden inside a unit.
pub(super) fn annex_b_units(stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    const START: [u8; 3] = [0, 0, 1];
    let next = |from: usize| {
        let found = stream[from..].windows(3).position(|w| w == START);
        found.map(|at| from + at)
    };
    let mut start = next(0);
    std::iter::from_fn(move || {
        let from = start? + START.len();
        start = next(from);
        Some(&stream[from..start.unwrap_or(stream.len())])
    })
}

/// Returns whether a NAL unit is a sequence parameter set.
pub(super) fn is_sps(nal: &[u8]) -> bool {
    nal.first().is_some_and(|header| header & 31 == NAL_SPS)
}

/// Facts common to all pictures of a clip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Description {
    pub(super) codec: ClipCodec,
    /// Size of every shown picture, before rotation.
    pub(super) width: u32,
    /// See `width`.
    pub(super) height: u32,
    /// Origin of the visible part in the H.264 decoder's output.
    pub(super) crop_origin: (u32, u32),
    pub(super) color: ClipColor,
    /// Ratio of width to height of a pixel, from the bitstream.
    pub(super) pixel_aspect: Option<(u32, u32)>,
}

impl Coding {
    /// Returns whether decoding can start with this sample, according to its own headers.
    pub(super) fn can_start(&self, sample: &[u8]) -> bool {
        match self {
            Coding::H264 { length_size, .. } => nal_units(sample, *length_size)
                .map_while(Result::ok)
                .any(|nal| nal.first().is_some_and(|header| header & 31 == NAL_IDR)),
            Coding::Av1 { config_obus } => sequence_header(sample)
                .or_else(|| sequence_header(config_obus))
                .and_then(|header| parse_unit(sample, &header).map(|unit| unit.is_key))
                .unwrap_or(false),
            Coding::Vp9 => KeyHeader::read(sample).is_some(),
            // Only the first frame is marked.
            Coding::Animation(_) => true,
        }
    }

    /// Returns whether other pictures may refer to this sample's picture.
    pub(super) fn is_reference(&self, sample: &[u8]) -> bool {
        match self {
            // `nal_ref_idc` of a slice; a unit that cannot be split may have been anything.
            Coding::H264 { length_size, .. } => nal_units(sample, *length_size).any(|nal| {
                nal.map_or(true, |nal| {
                    nal.first()
                        .is_some_and(|header| matches!(header & 31, 1..=5) && header & 0x60 != 0)
                })
            }),
            Coding::Av1 { .. } | Coding::Vp9 | Coding::Animation(_) => true,
        }
    }

    /// Reads and checks the facts common to all pictures. `first` is the sample at which decoding starts.
    pub(super) fn describe(
        &self,
        first: &[u8],
        told: Option<ColorFacts>,
        limits: &ClipLimits,
    ) -> Result<Description, Refusal> {
        match self {
            Coding::H264 {
                length_size,
                parameter_sets,
            } => {
                let inside = nal_units(first, *length_size).map_while(Result::ok);
                let all = annex_b_units(parameter_sets).chain(inside);
                let all: Result<Vec<Sps>, Refusal> = all
                    .filter(|nal| is_sps(nal))
                    .map(|nal| checked_sps(nal, limits))
                    .collect();
                let sps = all?
                    .into_iter()
                    .next()
                    .ok_or_else(|| damaged("it has no H.264 parameter set"))?;
                describe_h264(&sps, told)
            }
            Coding::Av1 { config_obus } => {
                let header = sequence_header(first)
                    .or_else(|| sequence_header(config_obus))
                    .ok_or_else(|| damaged("it has no AV1 sequence header"))?;
                check_size(header.max_width, header.max_height, limits)?;
                describe_av1(&header, told)
            }
            Coding::Vp9 => {
                let header = KeyHeader::read(first)
                    .ok_or_else(|| damaged("its first VP9 frame has no header"))?;
                check_size(header.width, header.height, limits)?;
                describe_vp9(&header, told)
            }
            Coding::Animation(animation) => Ok(describe_animation(animation)),
        }
    }
}

/// Parses a parameter set and checks that its pictures can be decoded within the limits.
pub(super) fn checked_sps(nal: &[u8], limits: &ClipLimits) -> Result<Sps, Refusal> {
    let sps = Sps::parse(nal).ok_or_else(|| damaged("its H.264 parameter set cannot be read"))?;
    let chroma = ["gray (4:0:0)", "4:2:0", "4:2:2", "4:4:4"];
    if sps.luma_depth != 8 || sps.chroma_depth != 8 {
        let depth = sps.luma_depth.max(sps.chroma_depth);
        return Err(unsupported(format!(
            "is H.264 with {depth} bits, which is not supported"
        )));
    }
    if sps.chroma_format != 1 {
        let format = chroma[usize::from(sps.chroma_format & 3)];
        return Err(unsupported(format!(
            "is H.264 with {format} color, which is not supported"
        )));
    }
    if sps.is_mbaff {
        return Err(interlaced());
    }
    let (width, height) = sps.coded_size;
    check_size(sps.width, sps.height, limits)?;
    // Padding to whole macroblocks does not count against the limits.
    check_size(
        width.saturating_sub(15),
        height.saturating_sub(31).max(1),
        limits,
    )?;
    let held = u64::from(sps.n_references) * u64::from(width) * u64::from(height);
    if sps.n_references > 16 || held > MAX_REFERENCE_PIXELS {
        return Err(damaged(format_args!(
            "it refers to {} pictures at once",
            sps.n_references
        )));
    }
    Ok(sps)
}

/// Creates the error for a clip coded as fields instead of whole pictures.
pub(super) fn interlaced() -> Refusal {
    unsupported("is interlaced H.264, which is not supported")
        .hint("deinterlace it first, for example: ffmpeg -i INPUT -vf bwdif -c:v libx264 -pix_fmt yuv420p OUTPUT.mp4")
}

fn describe_h264(sps: &Sps, told: Option<ColorFacts>) -> Result<Description, Refusal> {
    let siting = match sps.chroma_location {
        1 | 3 => ChromaSiting::Center,
        2 => ChromaSiting::TopLeft,
        _ => ChromaSiting::Left,
    };
    Ok(Description {
        codec: ClipCodec::H264,
        width: sps.width,
        height: sps.height,
        crop_origin: sps.crop_origin,
        color: color(sps.color, sps.full_range, told, (sps.height, siting))?,
        pixel_aspect: sps.pixel_aspect,
    })
}

fn describe_av1(header: &SequenceHeader, told: Option<ColorFacts>) -> Result<Description, Refusal> {
    let siting = match header.chroma_sample_position {
        2 => ChromaSiting::TopLeft,
        _ => ChromaSiting::Left,
    };
    let place = (header.max_height, siting);
    Ok(Description {
        codec: ClipCodec::Av1,
        width: header.max_width,
        height: header.max_height,
        crop_origin: (0, 0),
        color: color(header.color, Some(header.full_range), told, place)?,
        pixel_aspect: None,
    })
}

fn describe_vp9(header: &KeyHeader, told: Option<ColorFacts>) -> Result<Description, Refusal> {
    // `color_space` (VP9 7.2.2) as matrix coefficients of ITU-T H.273.
    let matrix = match header.color_space {
        1 | 3 => 6,
        2 => 1,
        4 => 7,
        5 => 9,
        7 => 0,
        _ => 2,
    };
    let inside = ColorFacts {
        primaries: 2,
        transfer: 2,
        matrix,
        full_range: header.full_range,
    };
    let place = (header.height, ChromaSiting::Left);
    Ok(Description {
        codec: ClipCodec::Vp9,
        width: header.width,
        height: header.height,
        crop_origin: (0, 0),
        color: color(Some(inside), Some(header.full_range), told, place)?,
        pixel_aspect: None,
    })
}

fn describe_animation(animation: &Animation) -> Description {
    Description {
        codec: match animation.kind {
            Kind::Gif => ClipCodec::Gif,
            Kind::WebP => ClipCodec::WebP,
            Kind::Png => ClipCodec::Png,
        },
        width: animation.width,
        height: animation.height,
        crop_origin: (0, 0),
        color: ClipColor {
            matrix: ColorMatrix::Identity,
            range: ColorRange::Full,
            siting: ChromaSiting::Center,
        },
        pixel_aspect: None,
    }
}

/// Returns the first sequence header of a temporal unit or of a configuration.
fn sequence_header(mut data: &[u8]) -> Option<SequenceHeader> {
    while let Some((obu, rest)) = split_obu(data) {
        if obu.kind == OBU_SEQUENCE_HEADER {
            return SequenceHeader::parse(obu.payload);
        }
        data = rest;
    }
    None
}

/// Returns the color of the bitstream, else of the container, else the usual guess: BT.601 below 720 rows, BT.709 from there on.
///
/// Code points are those of ITU-T H.273.
fn color(
    inside: Option<ColorFacts>,
    full_range: Option<bool>,
    told: Option<ColorFacts>,
    (height, siting): (u32, ChromaSiting),
) -> Result<ClipColor, Refusal> {
    const UNSPECIFIED: u16 = 2;
    let sources = [inside, told];
    let mut known = sources.iter().flatten();
    if let Some(hdr) = known.clone().find(|c| matches!(c.transfer, 16 | 18)) {
        let kind = if hdr.transfer == 16 { "PQ" } else { "HLG" };
        return Err(
            unsupported(format!("is an HDR clip ({kind}), which is not supported"))
                .hint("convert it to SDR (BT.709) first"),
        );
    }
    let primaries = known
        .clone()
        .map(|c| c.primaries)
        .find(|p| *p != UNSPECIFIED);
    let matrix = known.clone().map(|c| c.matrix).find(|m| *m != UNSPECIFIED);
    let guess = if height < 720 {
        ColorMatrix::Bt601
    } else {
        ColorMatrix::Bt709
    };
    let matrix = match matrix {
        Some(0) => ColorMatrix::Identity,
        Some(1) => ColorMatrix::Bt709,
        Some(4..=6) => ColorMatrix::Bt601,
        Some(7) => ColorMatrix::Smpte240m,
        Some(9 | 10) => ColorMatrix::Bt2020,
        Some(n @ (8 | 11..)) => {
            return Err(unsupported(format!(
                "uses color matrix {n} (ITU-T H.273), which is not supported"
            )));
        }
        Some(_) | None => match primaries {
            Some(1) => ColorMatrix::Bt709,
            Some(5 | 6) => ColorMatrix::Bt601,
            Some(9) => ColorMatrix::Bt2020,
            _ => guess,
        },
    };
    let full_range = full_range.or(known.next().map(|c| c.full_range));
    Ok(ClipColor {
        matrix,
        range: if full_range == Some(true) {
            ColorRange::Full
        } else {
            ColorRange::Limited
        },
        siting,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_parameter_sets_are_found() {
        let stream = [0, 0, 0, 1, 0x68, 9, 0, 0, 1, 0x67, 7, 7, 0, 0, 1];
        let units: Vec<&[u8]> = annex_b_units(&stream).collect();
        assert_eq!(units, [&[0x68, 9][..], &[0x67, 7, 7], &[]]);
        assert_eq!(units.iter().filter(|nal| is_sps(nal)).count(), 1);
        assert_eq!(annex_b_units(&[0, 0]).count(), 0);
    }

    #[test]
    fn color_comes_from_the_bitstream_then_the_container_then_the_size() {
        let facts = |primaries, transfer, matrix, full_range| {
            Some(ColorFacts {
                primaries,
                transfer,
                matrix,
                full_range,
            })
        };
        let place = (1080, ChromaSiting::Left);
        let found = |inside, range, told| {
            color(inside, range, told, place).map(|color| (color.matrix, color.range))
        };
        use ColorMatrix::{Bt601, Bt709, Bt2020};
        use ColorRange::{Full, Limited};
        for (inside, range, told, expected) in [
            (None, None, None, (Bt709, Limited)),
            (None, None, facts(6, 6, 6, true), (Bt601, Full)),
            (
                facts(1, 1, 1, false),
                Some(false),
                facts(6, 6, 6, true),
                (Bt709, Limited),
            ),
            (
                facts(2, 2, 2, true),
                Some(true),
                facts(9, 14, 9, false),
                (Bt2020, Full),
            ),
            (facts(6, 2, 2, false), None, None, (Bt601, Limited)),
        ] {
            assert_eq!(found(inside, range, told).expect("a known color"), expected);
        }
        let refused = |inside, told| found(inside, None, told).expect_err("refused").reason;
        assert!(refused(facts(9, 16, 9, false), None).contains("HDR clip (PQ)"));
        assert!(refused(facts(2, 2, 2, false), facts(9, 18, 9, false)).contains("HDR clip (HLG)"));
        assert!(refused(facts(1, 1, 8, false), None).contains("matrix 8"));
        let small = color(None, None, None, (576, ChromaSiting::Left)).expect("a guess");
        assert_eq!(small.matrix, Bt601);
    }
}
