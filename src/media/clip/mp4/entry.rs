//! The sample entry: its codec, configuration, pixel aspect ratio and color.

use super::{boxes, split_box};
use crate::bitstream::ColorFacts;
use crate::media::clip::bytes::Fields;
use crate::media::clip::codec::{av1_configuration, avc_configuration};
use crate::media::clip::refuse::{damaged, encrypted, unsupported};
use crate::media::clip::track::Coding;
use crate::media::refusal::Refusal;

/// Bytes of a visual sample entry before its boxes (ISO/IEC 14496-12, 12.1.3).
const N_FIXED: usize = 78;

/// Codecs that are not supported, by the first letters of their sample entries.
const OTHER_CODECS: &[(&str, &str)] = &[
    ("hvc1", "HEVC (H.265)"),
    ("hev1", "HEVC (H.265)"),
    ("hvt", "HEVC (H.265)"),
    ("dvh", "Dolby Vision"),
    ("dva", "Dolby Vision"),
    ("dav1", "Dolby Vision"),
    ("vvc1", "VVC (H.266)"),
    ("vvi1", "VVC (H.266)"),
    ("vp08", "VP8"),
    ("mp4v", "MPEG-4 Part 2"),
    ("s263", "H.263"),
    ("h263", "H.263"),
    ("ap", "Apple ProRes"),
    ("jpeg", "Motion JPEG"),
    ("mjp", "Motion JPEG"),
    ("mjpg", "Motion JPEG"),
    ("AVdn", "DNxHD"),
    ("AVdh", "DNxHR"),
    ("CFHD", "CineForm"),
    ("dv", "DV"),
    ("xd", "XDCAM (MPEG-2)"),
    ("hdv", "HDV (MPEG-2)"),
    ("mx", "MPEG-2"),
    ("m2v1", "MPEG-2"),
    ("SVQ", "Sorenson Video"),
    ("cvid", "Cinepak"),
    ("rle ", "QuickTime Animation"),
    ("png ", "PNG"),
    ("raw ", "uncompressed video"),
    ("2vuy", "uncompressed video"),
    ("v210", "uncompressed video"),
    ("Hap", "Hap"),
    ("avs3", "AVS3"),
];

/// The first entry of `stsd`; samples that use another one are rejected when the sample table is read.
pub(super) struct Entry {
    pub(super) coding: Coding,
    pub(super) pixel_aspect: Option<(u32, u32)>,
    pub(super) color: Option<ColorFacts>,
}

impl Entry {
    pub(super) fn read(stsd: &[u8]) -> Result<Entry, Refusal> {
        let mut fields = Fields(stsd);
        fields.version()?;
        if fields.u32()? == 0 {
            return Err(damaged("its video track does not name a codec"));
        }
        let (kind, body, _) = split_box(fields.0)?;
        if &kind == b"encv" {
            return Err(encrypted());
        }
        let inner = body
            .get(N_FIXED..)
            .ok_or_else(|| damaged("its video track's description ends early"))?;
        let (mut configuration, mut pixel_aspect, mut color) = (None, None, None);
        for found in boxes(inner) {
            let (kind, body) = found?;
            match &kind {
                b"avcC" | b"av1C" | b"vpcC" => configuration = Some(body),
                b"pasp" => {
                    let mut fields = Fields(body);
                    pixel_aspect = Some((fields.u32()?, fields.u32()?));
                }
                b"colr" => color = color_of(body)?.or(color),
                b"sinf" => return Err(encrypted()),
                _ => {}
            }
        }
        let configuration =
            || configuration.ok_or_else(|| damaged("its codec's settings are missing"));
        let coding = match &kind {
            b"avc1" | b"avc3" => avc_configuration(configuration()?)?,
            b"av01" => av1_configuration(configuration()?)?,
            b"vp09" => Coding::Vp9,
            other => {
                return Err(unsupported(format!(
                    "contains {}, which is not supported",
                    named(*other)
                )));
            }
        };
        Ok(Entry {
            coding,
            pixel_aspect,
            color,
        })
    }
}

fn named(kind: [u8; 4]) -> String {
    let code = kind.escape_ascii().to_string();
    let known = OTHER_CODECS
        .iter()
        .find(|(start, _)| code.starts_with(start));
    match known {
        Some((_, name)) => format!("{name} video"),
        None => format!("video of type `{code}`"),
    }
}

/// Parses `nclx`, and QuickTime's `nclc`, which has no range; some files also omit it in `nclx`. Profiles are ignored.
fn color_of(body: &[u8]) -> Result<Option<ColorFacts>, Refusal> {
    let mut fields = Fields(body);
    let kind = fields.take(4)?;
    if kind != b"nclx" && kind != b"nclc" {
        return Ok(None);
    }
    let [primaries, transfer, matrix] = [fields.u16()?, fields.u16()?, fields.u16()?];
    Ok(Some(ColorFacts {
        primaries,
        transfer,
        matrix,
        full_range: kind == b"nclx" && fields.u8().is_ok_and(|flags| flags & 0x80 != 0),
    }))
}
