//! Particles that fall over a moving picture: sheets that repeat downward without a seam.

use image::{Rgba, RgbaImage};
use kinora::units::within;

/// What falls or drifts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drift {
    Rain,
    Snow,
    /// Motes of dust, embers, fireflies.
    Motes,
}

/// The appearance and the motion of a kind of particle.
pub(super) struct Look {
    /// Particles on a canvas.
    n: u32,
    /// Largest radius as a fraction of the width.
    radius: f32,
    /// Length over radius.
    stretch: f32,
    color: [u8; 3],
    alpha: f32,
    /// Canvas heights per second.
    pub speed: f64,
}

impl Drift {
    /// Returns whether it is weather, which a still picture shows too.
    pub(super) fn falls(self) -> bool {
        self != Drift::Motes
    }

    pub(super) fn look(self) -> Look {
        match self {
            Drift::Rain => Look {
                n: 170,
                radius: 0.0016,
                stretch: 26.0,
                color: [205, 220, 235],
                alpha: 0.34,
                speed: 1.1,
            },
            Drift::Snow => Look {
                n: 150,
                radius: 0.0055,
                stretch: 1.0,
                color: [250, 252, 255],
                alpha: 0.8,
                speed: 0.09,
            },
            Drift::Motes => Look {
                n: 46,
                radius: 0.0032,
                stretch: 1.0,
                color: [255, 236, 190],
                alpha: 0.55,
                speed: -0.03,
            },
        }
    }
}

/// Paints a sheet as wide as the canvas and twice as high. Its lower half repeats the upper one.
pub(super) fn sheet(look: &Look, (width, height): (u32, u32), seed: u64) -> RgbaImage {
    let mut sheet = RgbaImage::new(width, height * 2);
    let mut chance = Chance(seed | 1);
    for _ in 0..look.n {
        let (x, y) = (chance.next() * width as f32, chance.next() * height as f32);
        let radius = look.radius * width as f32 * (0.45 + 0.55 * chance.next());
        let alpha = look.alpha * (0.4 + 0.6 * chance.next());
        // Each particle is painted in both halves and across the seam between them.
        for copy in -1..=2 {
            mark(
                &mut sheet,
                (x, y + (copy * height as i32) as f32),
                (radius, radius * look.stretch),
                (look.color, alpha),
            );
        }
    }
    sheet
}

/// Paints a soft ellipse.
fn mark(
    sheet: &mut RgbaImage,
    (x, y): (f32, f32),
    (half_w, half_h): (f32, f32),
    (color, alpha): ([u8; 3], f32),
) {
    let reach = |center: f32, half: f32, side: u32| {
        let low = within((center - half - 1.0).floor(), 0.0, side as f32) as u32;
        let high = within((center + half + 2.0).ceil(), 0.0, side as f32) as u32;
        low..high
    };
    let (half_w, half_h) = (half_w.max(0.7), half_h.max(0.7));
    for py in reach(y, half_h, sheet.height()) {
        for px in reach(x, half_w, sheet.width()) {
            let (dx, dy) = (
                (px as f32 + 0.5 - x) / half_w,
                (py as f32 + 0.5 - y) / half_h,
            );
            let cover = (1.0 - (dx * dx + dy * dy)).max(0.0) * alpha;
            let pixel = sheet.get_pixel_mut(px, py);
            let value = (cover * 255.0) as u8;
            if value > pixel.0[3] {
                *pixel = Rgba([color[0], color[1], color[2], value]);
            }
        }
    }
}

/// Numbers from a seed (Marsaglia's xorshift64).
struct Chance(u64);

impl Chance {
    /// Returns a number from 0 to 1.
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_repeat_without_a_seam() {
        for drift in [Drift::Rain, Drift::Snow, Drift::Motes] {
            let sheet = sheet(&drift.look(), (90, 160), 7);
            let mut n_marked = 0;
            for y in 0..160 {
                for x in 0..90 {
                    assert_eq!(
                        sheet.get_pixel(x, y),
                        sheet.get_pixel(x, y + 160),
                        "{drift:?} {x} {y}"
                    );
                    n_marked += usize::from(sheet.get_pixel(x, y).0[3] > 0);
                }
            }
            assert!((20..9000).contains(&n_marked), "{drift:?}: {n_marked}");
        }
    }
}
