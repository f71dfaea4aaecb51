//! Color as streams and containers describe it.

use serde::Serialize;

/// Color by the code points of ITU-T H.273.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ColorFacts {
    /// Color primaries; 1 is BT.709.
    pub primaries: u16,
    /// Transfer characteristics; 1 is BT.709.
    pub transfer: u16,
    /// Matrix coefficients; 1 is BT.709.
    pub matrix: u16,
    /// Whether luma spans 0..=255 instead of 16..=235.
    pub full_range: bool,
}

impl ColorFacts {
    /// The color that this engine writes.
    pub const BT709_LIMITED: ColorFacts = ColorFacts {
        primaries: 1,
        transfer: 1,
        matrix: 1,
        full_range: false,
    };
}
