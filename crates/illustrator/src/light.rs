//! Where the light comes from, and how the air changes colors.

use crate::color::Color;
use crate::palette::Palette;

/// The light of a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Light {
    pub palette: Palette,
    /// Position of the sun or moon, frame px.
    pub sun: (f32, f32),
    /// -1: from the left, 1: from the right.
    pub side: f32,
    /// How thick the air is: 0 clear, 1 fog.
    pub haze: f32,
    /// Whether lamps are lit.
    pub night: bool,
}

impl Light {
    /// Returns a color in the light (`k` 1) or in the shade (0).
    pub fn lit(&self, local: Color, k: f32) -> Color {
        let filter = self.palette.shade.mix(self.palette.light, k);
        let dim = if self.night { 0.62 } else { 1.0 };
        local.times(filter).scale(dim)
    }

    /// Returns a color seen through the air: `depth` 0 is the horizon, 1 is near.
    pub fn air(&self, color: Color, depth: f32) -> Color {
        let near = depth.clamp(0.0, 1.0);
        let clear = near * (1.75 - 0.75 * near);
        let thick = (1.0 - clear) * 0.88;
        let fog = self.haze * (1.0 - near) * 0.75;
        color.mix(self.palette.haze, (thick + fog).min(0.96))
    }

    /// Returns a color in half light at a depth.
    pub fn at(&self, local: Color, depth: f32) -> Color {
        self.air(self.lit(local, 0.6), depth)
    }

    /// Returns the color of a window or a flame: itself at night, paler by day.
    pub fn lamp(&self, local: Color) -> Color {
        if self.night {
            local.mix(Color::hex(0xfff1c8), 0.25)
        } else {
            self.lit(local, 0.9)
        }
    }
}
