//! Rounded boxes, paints and glyph masks as rows of premultiplied pixels.

use multiversion::multiversion;

use super::sheet::Px;
use crate::compose::sampling::{OUTLINE_REACH, outline_blur_px};
use crate::scene::draw::{BoxShape, Paint};
use crate::text::RunMask;
use crate::units::PixelRect;

/// A paint in a form that yields colors quickly.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ink {
    /// One premultiplied color.
    Solid(Px),
    /// Premultiplied stops along an axis: `t = x*axis[0] + y*axis[1] + axis[2]`.
    Linear {
        /// See above.
        axis: [f32; 3],
        /// Offset and color.
        stops: [(f32, Px); 4],
    },
}

impl Ink {
    /// Converts a paint. Colors are interpolated premultiplied; an axis of zero length shows the last stop.
    pub fn new(paint: &Paint) -> Ink {
        match *paint {
            Paint::Solid(color) => Ink::Solid(color.premultiplied()),
            Paint::Linear { from, to, stops } => {
                let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
                let square = dx * dx + dy * dy;
                let axis = if square > 0.0 && square.is_finite() {
                    let (ax, ay) = (dx / square, dy / square);
                    [ax, ay, -(from[0] * ax + from[1] * ay)]
                } else {
                    [0.0, 0.0, 1.0]
                };
                Ink::Linear {
                    axis,
                    stops: stops.map(|(offset, color)| (offset, color.premultiplied())),
                }
            }
        }
    }

    /// Returns the premultiplied color at a point of the canvas.
    #[inline(always)]
    pub fn at(&self, x: f32, y: f32) -> Px {
        match self {
            Ink::Solid(color) => *color,
            Ink::Linear { axis, stops } => {
                let t = axis[0] * x + axis[1] * y + axis[2];
                let mut color = stops[0].1;
                for pair in stops.windows(2) {
                    let ((low, a), (high, b)) = (pair[0], pair[1]);
                    if t >= low {
                        let f = if high > low {
                            ((t - low) / (high - low)).min(1.0)
                        } else {
                            1.0
                        };
                        color = std::array::from_fn(|c| a[c] + (b[c] - a[c]) * f);
                    }
                }
                color
            }
        }
    }
}

/// A rounded box in drawable form.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundedBox {
    center: [f32; 2],
    half: [f32; 2],
    radius: f32,
    cos_sin: [f32; 2],
    ink: Ink,
    border: Option<(f32, Px)>,
    blur_px: f32,
}

impl RoundedBox {
    /// Prepares a box; returns `None` if nothing is visible: no area, or non-finite numbers.
    pub fn new(shape: &BoxShape) -> Option<RoundedBox> {
        let rect = shape.rect;
        let half = [rect.width * 0.5, rect.height * 0.5];
        let center = [rect.x + half[0], rect.y + half[1]];
        let numbers = [center[0], center[1], half[0], half[1], shape.rotate];
        let seen = numbers.iter().all(|v| v.is_finite()) && half[0] > 0.0 && half[1] > 0.0;
        let (sin, cos) = shape.rotate.sin_cos();
        seen.then(|| RoundedBox {
            center,
            half,
            radius: shape.radius.max(0.0).min(half[0]).min(half[1]),
            cos_sin: [cos, sin],
            ink: Ink::new(&shape.paint),
            border: shape
                .border
                .filter(|(width, _)| *width > 0.0)
                .map(|(width, color)| (width, color.premultiplied())),
            blur_px: outline_blur_px(shape),
        })
    }

    /// Pixels that may be covered: left, top, right, bottom (the last two exclusive).
    pub fn reach(&self) -> [i32; 4] {
        let [cos, sin] = self.cos_sin.map(f32::abs);
        let room = 1.0 + OUTLINE_REACH * self.blur_px;
        let w = self.half[0] * cos + self.half[1] * sin + room;
        let h = self.half[0] * sin + self.half[1] * cos + room;
        let [x, y] = self.center;
        [
            (x - w).floor() as i32,
            (y - h).floor() as i32,
            (x + w).ceil() as i32,
            (y + h).ceil() as i32,
        ]
    }

    /// Returns the signed distance to the outline in px, negative inside.
    /// Quilez, "2D distance functions" (rounded box).
    #[inline(always)]
    fn distance(&self, x: f32, y: f32) -> f32 {
        let (dx, dy) = (x - self.center[0], y - self.center[1]);
        let [cos, sin] = self.cos_sin;
        let qx = (dx * cos + dy * sin).abs() - self.half[0] + self.radius;
        let qy = (dy * cos - dx * sin).abs() - self.half[1] + self.radius;
        let (ox, oy) = (qx.max(0.0), qy.max(0.0));
        (ox * ox + oy * oy).sqrt() + qx.max(qy).min(0.0) - self.radius
    }

    /// Returns the coverage of the pixel with this center.
    #[inline(always)]
    pub fn cover(&self, x: f32, y: f32) -> f32 {
        self.cover_at(self.distance(x, y))
    }

    /// Returns the coverage of a pixel at this distance from the outline.
    #[inline(always)]
    fn cover_at(&self, distance: f32) -> f32 {
        if self.blur_px > 0.0 {
            let t = (0.5 - distance / (2.0 * OUTLINE_REACH * self.blur_px)).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        } else {
            (0.5 - distance).clamp(0.0, 1.0)
        }
    }

    /// Returns the color of fill and border at a pixel center.
    #[inline(always)]
    fn color(&self, x: f32, y: f32) -> Px {
        let distance = self.distance(x, y);
        let cover = self.cover_at(distance);
        let fill = self.ink.at(x, y).map(|v| v * cover);
        match self.border {
            None => fill,
            Some((width, color)) => {
                let line = cover - self.cover_at(distance + width);
                over(color.map(|v| v * line), fill)
            }
        }
    }

    /// Draws the box into the pixels of row `y` from column `x` on.
    pub fn row(&self, [x, y]: [i32; 2], out: &mut [Px]) {
        if let (Ink::Solid(color), None) = (self.ink, self.border) {
            return plain_row(self, color, [x, y], out);
        }
        let y = y as f32 + 0.5;
        for (i, px) in out.iter_mut().enumerate() {
            *px = self.color((x + i as i32) as f32 + 0.5, y);
        }
    }
}

/// Draws a row of a single-color box without a border.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub(super) fn plain_row(shape: &RoundedBox, color: Px, [x, y]: [i32; 2], out: &mut [Px]) {
    let y = y as f32 + 0.5;
    for (i, px) in out.iter_mut().enumerate() {
        let cover = shape.cover((x + i as i32) as f32 + 0.5, y);
        *px = color.map(|v| v * cover);
    }
}

/// Returns premultiplied `top` over `below`.
#[inline(always)]
pub(super) fn over(top: Px, below: Px) -> Px {
    let rest = 1.0 - top[3];
    std::array::from_fn(|c| top[c] + below[c] * rest)
}

/// Returns the rectangle of a mask.
pub(super) fn mask_rect(mask: &RunMask) -> PixelRect {
    PixelRect {
        x: mask.x,
        y: mask.y,
        width: mask.width,
        height: mask.height,
    }
}

/// Draws painted glyphs into the pixels of row `y` from column `x` on, which must lie inside the mask.
pub(super) fn mask_row(mask: &RunMask, ink: &Ink, [x, y]: [i32; 2], out: &mut [Px]) {
    let first = (y - mask.y) as usize * mask.width as usize + (x - mask.x) as usize;
    let center_y = y as f32 + 0.5;
    for (i, (px, &cover)) in out.iter_mut().zip(&mask.coverage[first..]).enumerate() {
        let cover = f32::from(cover) * (1.0 / 255.0);
        *px = ink
            .at((x + i as i32) as f32 + 0.5, center_y)
            .map(|v| v * cover);
    }
    if let Some(colors) = &mask.color {
        for (px, color) in out.iter_mut().zip(colors[first * 4..].chunks_exact(4)) {
            let color: Px = std::array::from_fn(|c| f32::from(color[c]) * (1.0 / 255.0));
            *px = over(color, *px);
        }
    }
}
