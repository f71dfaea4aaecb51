//! Decodes one AV1 picture to pixels of 8 bits.

use crate::bitstream::ColorFacts;
use crate::bitstream::av1::{OBU_SEQUENCE_HEADER, SequenceHeader, split_obu};
use crate::media::av1::{self, Av1Error, Chroma};
use crate::media::clip::{
    ChromaSiting, ClipColor, ClipFrame, ColorMatrix, ColorRange, Depth, Plane, Subsampling,
};
use crate::media::refusal::Refusal;
use crate::media::still::size::cut_short;

/// The content of a piece of AV1 in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// RGBA with full alpha.
    Color,
    /// One value per pixel.
    Alpha,
}

impl Wanted {
    /// Returns the bytes per pixel.
    pub(super) fn n_bytes(self) -> usize {
        match self {
            Wanted::Color => 4,
            Wanted::Alpha => 1,
        }
    }
}

/// Decoded pixels.
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    pub(super) color: ColorFacts,
}

/// Decodes `data`, which must have the given `size`. `told` is the container's description of its samples.
pub(super) fn decode(
    data: &[u8],
    size: (u32, u32),
    told: Option<ColorFacts>,
    wanted: Wanted,
) -> Result<Decoded, Refusal> {
    let sequence = sequence_header(data).ok_or_else(cut_short)?;
    if sequence.max_width > size.0.next_multiple_of(8)
        || sequence.max_height > size.1.next_multiple_of(8)
    {
        return Err(other_size());
    }
    let settings = av1::Settings {
        n_pixels: size
            .0
            .saturating_add(8)
            .saturating_mul(size.1.saturating_add(8)),
        n_threads: 1,
        operating_point: 0,
    };
    let mut decoder = av1::Decoder::open(&settings).map_err(|e| of_decoder(&e))?;
    let picture = decoder.decode(data).map_err(|e| of_decoder(&e))?;
    let picture = picture.ok_or_else(cut_short)?;
    if (picture.width(), picture.height()) != size {
        return Err(other_size());
    }
    let color = told.or(sequence.color).unwrap_or(ColorFacts {
        primaries: 1,
        transfer: 13,
        matrix: 6,
        full_range: sequence.full_range,
    });
    let frame = frame(&picture, clip_color(color, &sequence, wanted)?)?;
    let bytes = match wanted {
        Wanted::Color => frame.to_rgba().into_raw(),
        Wanted::Alpha => {
            let [luma, ..] = frame.planes;
            match frame.color.range {
                ColorRange::Full => luma.data,
                ColorRange::Limited => luma.data.into_iter().map(widen).collect(),
            }
        }
    };
    Ok(Decoded { bytes, color })
}

/// Maps 16 to 235 to 0 to 255.
fn widen(code: u8) -> u8 {
    ((u32::from(code.clamp(16, 235)) - 16) * 255 / 219) as u8
}

fn other_size() -> Refusal {
    Refusal::damaged("the AV1 data inside does not have the size that the file says")
}

fn sequence_header(mut data: &[u8]) -> Option<SequenceHeader> {
    while let Some((obu, rest)) = split_obu(data) {
        if obu.kind == OBU_SEQUENCE_HEADER {
            return SequenceHeader::parse(obu.payload);
        }
        data = rest;
    }
    None
}

fn frame(picture: &av1::Picture, color: ClipColor) -> Result<ClipFrame, Refusal> {
    let subsampling = match picture.chroma() {
        Chroma::Monochrome => Subsampling::Gray,
        Chroma::Yuv420 => Subsampling::Yuv420,
        Chroma::Yuv422 => Subsampling::Yuv422,
        Chroma::Yuv444 => Subsampling::Yuv444,
    };
    let depth = Depth {
        bits: picture.bits(),
        range: color.range,
    };
    let size = (picture.width(), picture.height());
    let plane = |i: usize| {
        if i > 0 && subsampling == Subsampling::Gray {
            return Ok(Plane::default());
        }
        let size = match i {
            0 => size,
            _ => subsampling.chroma_size(size),
        };
        let (rows, stride) = picture.plane(i);
        Plane::from_rows(rows, stride, size, depth).ok_or_else(cut_short)
    };
    Ok(ClipFrame {
        planes: [plane(0)?, plane(1)?, plane(2)?],
        subsampling,
        color,
        is_mirrored: false,
        quarter_turns: 0,
        pixel_aspect: (1, 1),
    })
}

/// Interprets the code points (ITU-T H.273, table 4).
fn clip_color(
    color: ColorFacts,
    sequence: &SequenceHeader,
    wanted: Wanted,
) -> Result<ClipColor, Refusal> {
    let matrix = match color.matrix {
        _ if wanted == Wanted::Alpha || sequence.monochrome => ColorMatrix::Bt601,
        0 => ColorMatrix::Identity,
        1 => ColorMatrix::Bt709,
        // Unspecified is treated like JPEG.
        2 | 5 | 6 => ColorMatrix::Bt601,
        7 => ColorMatrix::Smpte240m,
        9 => ColorMatrix::Bt2020,
        // Derived from the primaries.
        12 if color.primaries == 1 => ColorMatrix::Bt709,
        12 if color.primaries == 9 => ColorMatrix::Bt2020,
        other => {
            let reason = format!("uses color matrix {other} (ITU-T H.273), which is not supported");
            return Err(Refusal::new("unsupported_picture", reason).hint("save it as PNG"));
        }
    };
    let is_full = match wanted {
        Wanted::Color => color.full_range,
        Wanted::Alpha => sequence.full_range,
    };
    Ok(ClipColor {
        matrix,
        range: match is_full {
            true => ColorRange::Full,
            false => ColorRange::Limited,
        },
        siting: match sequence.chroma_sample_position {
            1 => ChromaSiting::Left,
            2 => ChromaSiting::TopLeft,
            _ => ChromaSiting::Center,
        },
    })
}

fn of_decoder(e: &Av1Error) -> Refusal {
    match e {
        Av1Error::Absent(why) => refusal(why),
        Av1Error::TooLarge => other_size(),
        Av1Error::OutOfMemory => Refusal::new("too_large", "needs more memory than is available"),
        Av1Error::Unsupported => Refusal::new(
            "unsupported_picture",
            "uses a part of AV1 that is not supported",
        )
        .hint("save it as PNG"),
        Av1Error::Damaged(what) => Refusal::damaged(what),
    }
}

/// Creates the error for a missing library: why, and what to install.
pub(super) fn refusal(why: &str) -> Refusal {
    let reason = format!("is an AVIF picture, and the library that decodes it is missing: {why}");
    Refusal::new("missing_library", reason)
}
