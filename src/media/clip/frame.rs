//! A decoded frame as the decoder returned it: planes, and everything needed to show it.

/// One plane, rows from top to bottom without padding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plane {
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// `width*height` samples of 8 bits.
    pub data: Vec<u8>,
}

/// Size of the chroma planes relative to the luma plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subsampling {
    /// No chroma planes.
    Gray,
    /// Half as wide and half as high, rounded up.
    Yuv420,
    /// Half as wide, rounded up.
    Yuv422,
    /// Same size.
    Yuv444,
}

/// How R'G'B' became Y'CbCr (ITU-T H.273, table 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorMatrix {
    /// ITU-R BT.601: standard definition.
    Bt601,
    /// ITU-R BT.709: high definition.
    Bt709,
    /// ITU-R BT.2020, non-constant luminance.
    Bt2020,
    /// SMPTE 240M.
    Smpte240m,
    /// The planes are G, B and R.
    Identity,
}

/// Values of black and white.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorRange {
    /// Luma 16 to 235, chroma 16 to 240.
    Limited,
    /// 0 to 255.
    Full,
}

/// Position of a chroma sample among the two columns and rows that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChromaSiting {
    /// On the left column, between the rows (MPEG-2, H.264).
    Left,
    /// Between the columns and rows (JPEG, MPEG-1).
    Center,
    /// On the left column and upper row (BT.2020).
    TopLeft,
}

/// Interpretation of the sample values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClipColor {
    /// Matrix by which R'G'B' became Y'CbCr.
    pub matrix: ColorMatrix,
    /// Values of black and white.
    pub range: ColorRange,
    /// Position of the chroma samples.
    pub siting: ChromaSiting,
}

/// A decoded frame: planes of 8 bits (deeper ones rounded), cropped to the visible part, not yet upright.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipFrame {
    /// Y, Cb, Cr; the latter two empty when gray.
    pub planes: [Plane; 3],
    /// Size of the chroma planes.
    pub subsampling: Subsampling,
    /// Interpretation of the sample values.
    pub color: ClipColor,
    /// Whether it is mirrored left to right before it is turned.
    pub is_mirrored: bool,
    /// Quarter turns clockwise that make it upright, 0 to 3.
    pub quarter_turns: u8,
    /// Ratio of width to height of a pixel before turning, in lowest terms.
    pub pixel_aspect: (u32, u32),
}

impl ClipFrame {
    /// Returns `(width, height)` of [`ClipFrame::to_rgba`]: upright, with the stored pixel aspect ratio.
    pub fn upright_size(&self) -> (u32, u32) {
        let Plane { width, height, .. } = self.planes[0];
        match self.quarter_turns & 1 {
            0 => (width, height),
            _ => (height, width),
        }
    }
}

/// Planes as returned by a decoder.
pub(super) struct Picture {
    pub(super) planes: [Plane; 3],
    pub(super) subsampling: Subsampling,
}

/// Samples of more than 8 bits, rounded to 8: limited range scales by a power of two, full range from its own white to 255.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depth {
    pub(crate) bits: u32,
    pub(crate) range: ColorRange,
}

impl Depth {
    fn to_8_bits(self, code: u16) -> u8 {
        let code = u32::from(code);
        let rounded = match self.range {
            ColorRange::Limited => (code + (1 << (self.bits - 9))) >> (self.bits - 8),
            ColorRange::Full => {
                let white = (1u32 << self.bits) - 1;
                (code * 255 + white / 2) / white
            }
        };
        rounded.min(255) as u8
    }
}

impl Plane {
    /// Copies the upper left `width` x `height` samples from rows of `stride` bytes; samples deeper than 8 bits take two bytes in native order.
    ///
    /// Returns `None` when there are too few rows or they are too short.
    pub(crate) fn from_rows(
        rows: &[u8],
        stride: usize,
        (width, height): (u32, u32),
        depth: Depth,
    ) -> Option<Plane> {
        let n = width as usize * if depth.bits > 8 { 2 } else { 1 };
        let mut data = Vec::with_capacity(width as usize * height as usize);
        for y in 0..height as usize {
            let row = rows.get(y * stride..)?.get(..n)?;
            if depth.bits > 8 {
                let codes = row.as_chunks().0.iter();
                data.extend(codes.map(|code| depth.to_8_bits(u16::from_ne_bytes(*code))));
            } else {
                data.extend_from_slice(row);
            }
        }
        Some(Plane {
            width,
            height,
            data,
        })
    }
}

impl Subsampling {
    /// Returns the size of a chroma plane for a luma plane of `(width, height)`.
    pub(crate) fn chroma_size(self, (width, height): (u32, u32)) -> (u32, u32) {
        match self {
            Subsampling::Gray => (0, 0),
            Subsampling::Yuv420 => (width.div_ceil(2), height.div_ceil(2)),
            Subsampling::Yuv422 => (width.div_ceil(2), height),
            Subsampling::Yuv444 => (width, height),
        }
    }
}
