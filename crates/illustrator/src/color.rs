//! Colors as illustrators mix them: sRGB values 0 to 1, mixed without linearizing.

/// sRGB, each 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Color {
    pub r: f32,
    pub g: f32,
    pub b: f32,
}

/// Rec. 709 weights, applied to sRGB values without linearizing.
pub(crate) const LUMA: [f32; 3] = [0.2126, 0.7152, 0.0722];

impl Color {
    /// Creates a color from `0xRRGGBB`.
    pub const fn hex(v: u32) -> Color {
        Color {
            r: ((v >> 16) & 255) as f32 / 255.0,
            g: ((v >> 8) & 255) as f32 / 255.0,
            b: (v & 255) as f32 / 255.0,
        }
    }

    /// Creates a gray.
    pub const fn gray(v: f32) -> Color {
        Color { r: v, g: v, b: v }
    }

    /// Mixes two colors: this one at `t` 0, `other` at 1.
    pub fn mix(self, other: Color, t: f32) -> Color {
        let t = t.clamp(0.0, 1.0);
        Color {
            r: self.r + (other.r - self.r) * t,
            g: self.g + (other.g - self.g) * t,
            b: self.b + (other.b - self.b) * t,
        }
    }

    /// Multiplies the channels, like a filter in front of a lamp.
    pub fn times(self, o: Color) -> Color {
        Color {
            r: self.r * o.r,
            g: self.g * o.g,
            b: self.b * o.b,
        }
    }

    /// Makes the color brighter or darker by a factor.
    pub fn scale(self, k: f32) -> Color {
        Color {
            r: self.r * k,
            g: self.g * k,
            b: self.b * k,
        }
    }

    /// Adds the same to each channel.
    pub fn lift(self, k: f32) -> Color {
        Color {
            r: self.r + k,
            g: self.g + k,
            b: self.b + k,
        }
    }

    /// Returns the perceived lightness, 0 to 1.
    pub fn luma(self) -> f32 {
        self.r * LUMA[0] + self.g * LUMA[1] + self.b * LUMA[2]
    }

    /// Changes the saturation: 0 gives gray, 1 no change, higher values more color.
    pub fn saturate(self, k: f32) -> Color {
        let gray = self.luma();
        Color {
            r: gray + (self.r - gray) * k,
            g: gray + (self.g - gray) * k,
            b: gray + (self.b - gray) * k,
        }
    }

    /// Shifts toward orange (above 0) or blue (below).
    pub fn warm(self, k: f32) -> Color {
        Color {
            r: self.r + k,
            g: self.g + k * 0.25,
            b: self.b - k,
        }
    }

    /// Clamps the channels to 0 to 1.
    pub fn clamp(self) -> Color {
        Color {
            r: self.r.clamp(0.0, 1.0),
            g: self.g.clamp(0.0, 1.0),
            b: self.b.clamp(0.0, 1.0),
        }
    }

    /// Converts to the rasterizer's type.
    pub fn with_alpha(self, alpha: f32) -> tiny_skia::Color {
        let c = self.clamp();
        tiny_skia::Color::from_rgba(c.r, c.g, c.b, alpha.clamp(0.0, 1.0))
            .unwrap_or(tiny_skia::Color::BLACK)
    }
}

/// Returns the color at `t` (0 to 1) along equally spaced stops.
pub(crate) fn ramp(stops: &[Color], t: f32) -> Color {
    let last = stops.len().saturating_sub(1);
    let at = t.clamp(0.0, 1.0) * last as f32;
    let i = (at as usize).min(last.saturating_sub(1));
    let from = stops.get(i).copied().unwrap_or(Color::gray(0.5));
    let to = stops.get(i + 1).copied().unwrap_or(from);
    from.mix(to, at - i as f32)
}
