//! Derives from `ffprobe`'s description of a first picture how to request pictures and how to interpret their samples.

use super::probe::{Frame, SideData, Stream};
use crate::media::clip::{ChromaSiting, ClipColor, ColorMatrix, ColorRange, Subsampling};

/// Transfer function of HDR, which is brighter than SDR white.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hdr {
    /// SMPTE ST 2084.
    Pq,
    /// ARIB STD-B67.
    Hlg,
}

/// Properties of a clip's pictures, as output by the child.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Look {
    /// Columns and rows as stored.
    pub(super) size: (u32, u32),
    /// Planes of the output; 8 bits.
    pub(super) subsampling: Subsampling,
    /// Interpretation of the output's samples.
    pub(super) color: ClipColor,
    /// Whether pictures are interlaced.
    pub(super) is_interlaced: bool,
    pub(super) hdr: Option<Hdr>,
    /// Whether it is stored as R, G and B or with a palette.
    pub(super) is_rgb: bool,
    /// Quarter turns clockwise, after mirroring.
    pub(super) quarter_turns: u8,
    pub(super) is_mirrored: bool,
    pub(super) pixel_aspect: (u32, u32),
}

impl Look {
    /// Determines the properties of a clip; returns an error for pictures that cannot be shown correctly.
    pub(super) fn of(stream: &Stream, frame: &Frame) -> Result<Look, String> {
        if let Some(profile) = without_base(&stream.side_data_list) {
            return Err(format!(
                "is Dolby Vision profile {profile}, whose colors ffmpeg does not support (profiles 7 and 8 have a base layer that it can read)"
            ));
        }
        let said = |word: &Option<String>| word.clone().unwrap_or_default();
        let hdr = match said(&frame.color_transfer).as_str() {
            "smpte2084" => Some(Hdr::Pq),
            "arib-std-b67" => Some(Hdr::Hlg),
            _ => None,
        };
        let is_rgb = ["gbr", "rgb", "bgr", "0rgb", "argb", "abgr", "pal8", "xyz"]
            .iter()
            .any(|start| frame.pix_fmt.starts_with(start));
        let (quarter_turns, is_mirrored) = turned(&stream.side_data_list);
        let field_order = said(&stream.field_order);
        Ok(Look {
            size: (frame.width, frame.height),
            subsampling: subsampling(&frame.pix_fmt, is_rgb),
            color: match hdr.is_some() || is_rgb {
                true => ClipColor {
                    matrix: ColorMatrix::Bt709,
                    range: ColorRange::Limited,
                    siting: ChromaSiting::Left,
                },
                false => color(frame),
            },
            is_interlaced: frame.interlaced_frame != 0
                || matches!(field_order.as_str(), "tt" | "bb" | "tb" | "bt"),
            hdr,
            is_rgb,
            quarter_turns,
            is_mirrored,
            pixel_aspect: stream
                .sample_aspect_ratio
                .as_deref()
                .and_then(|ratio| ratio.split_once(':'))
                .and_then(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)))
                .unwrap_or((1, 1)),
        })
    }
}

/// Returns the Dolby Vision profile if its pictures are meaningless without its own decoder.
fn without_base(side: &[SideData]) -> Option<u32> {
    let found = side.iter().find(|data| data.dv_profile.is_some())?;
    (found.dv_bl_signal_compatibility_id == Some(0))
        .then_some(found.dv_profile)
        .flatten()
        // Profiles 4 and 7 have two layers; the lower one is HDR10 or SDR.
        .filter(|profile| !matches!(profile, 4 | 7))
}

fn subsampling(pix_fmt: &str, is_rgb: bool) -> Subsampling {
    let has = |parts: &[&str]| parts.iter().any(|part| pix_fmt.contains(part));
    if is_rgb || has(&["444", "nv24", "p410", "p416", "ayuv", "vuy", "xv30", "xv36"]) {
        Subsampling::Yuv444
    } else if has(&[
        "422", "nv16", "nv20", "p210", "p212", "p216", "y210", "y212",
    ]) {
        Subsampling::Yuv422
    } else {
        Subsampling::Yuv420
    }
}

/// Returns the color given by the file, or else BT.601 below 720 rows and BT.709 from there on, as everywhere in kinora.
fn color(frame: &Frame) -> ClipColor {
    let guess = if frame.height < 720 {
        ColorMatrix::Bt601
    } else {
        ColorMatrix::Bt709
    };
    let matrix = match frame.color_space.as_deref() {
        Some("bt709") => ColorMatrix::Bt709,
        Some("bt470bg" | "smpte170m" | "fcc") => ColorMatrix::Bt601,
        Some("smpte240m") => ColorMatrix::Smpte240m,
        Some("bt2020nc" | "bt2020c") => ColorMatrix::Bt2020,
        _ => match frame.color_primaries.as_deref() {
            Some("bt709") => ColorMatrix::Bt709,
            Some("bt470bg" | "smpte170m") => ColorMatrix::Bt601,
            Some("bt2020") => ColorMatrix::Bt2020,
            _ => guess,
        },
    };
    let is_full = frame.color_range.as_deref() == Some("pc") || frame.pix_fmt.starts_with("yuvj");
    ClipColor {
        matrix,
        range: if is_full {
            ColorRange::Full
        } else {
            ColorRange::Limited
        },
        siting: match frame.chroma_location.as_deref() {
            Some("center" | "top" | "bottom") => ChromaSiting::Center,
            Some("topleft") => ChromaSiting::TopLeft,
            _ => ChromaSiting::Left,
        },
    }
}

/// Parses the display matrix that `ffprobe` prints: a line of three numbers per row, each after a hexadecimal offset.
fn turned(side: &[SideData]) -> (u8, bool) {
    let Some(matrix) = side.iter().find_map(|data| data.displaymatrix.as_deref()) else {
        return (0, false);
    };
    let rows: Vec<Vec<i32>> = matrix
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(_, row)| row.split_whitespace().flat_map(str::parse).collect())
        .collect();
    match rows.as_slice() {
        [first, second, ..] if first.len() == 3 && second.len() == 3 => {
            crate::media::clip::orientation([first[0], first[1], second[0], second[1]])
        }
        _ => (0, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(pix_fmt: &str) -> Frame {
        Frame {
            width: 1920,
            height: 1080,
            pix_fmt: pix_fmt.into(),
            ..Frame::default()
        }
    }

    #[test]
    fn formats_keep_their_color_and_lose_their_depth() {
        use Subsampling::{Yuv420, Yuv422, Yuv444};
        for (format, kept) in [
            ("yuv420p10le", Yuv420),
            ("p010le", Yuv420),
            ("gray", Yuv420),
            ("yuyv422", Yuv422),
            ("yuv422p10le", Yuv422),
            ("yuva444p12le", Yuv444),
            ("gbrp10le", Yuv444),
            ("rgb24", Yuv444),
        ] {
            let look = Look::of(&Stream::default(), &frame(format)).unwrap();
            assert_eq!(look.subsampling, kept, "{format}");
        }
    }

    #[test]
    fn phones_are_upright() {
        let side = |matrix: &str| SideData {
            displaymatrix: Some(matrix.into()),
            ..SideData::default()
        };
        let quarter = "\n00000000:            0       65536           0\n00000001:       -65536           0           0\n00000002:            0           0  1073741824\n";
        assert_eq!(turned(&[side(quarter)]), (1, false));
        assert_eq!(turned(&[side("nonsense")]), (0, false));
        assert_eq!(turned(&[]), (0, false));
    }

    #[test]
    fn dolby_vision_without_a_base_is_refused() {
        let stream = |profile, base| Stream {
            side_data_list: vec![SideData {
                dv_profile: Some(profile),
                dv_bl_signal_compatibility_id: Some(base),
                ..SideData::default()
            }],
            ..Stream::default()
        };
        let frame = frame("yuv420p10le");
        assert!(Look::of(&stream(5, 0), &frame).is_err());
        assert!(Look::of(&stream(8, 4), &frame).is_ok());
        assert!(Look::of(&stream(7, 0), &frame).is_ok());
    }
}
