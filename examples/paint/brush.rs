//! What all scenes paint with: colors, soft edges, glows, stars and noise.

/// Non-linear sRGB, each channel 0..1.
pub type Color = [f32; 3];

/// A place in a picture; both axes in picture widths.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub x: f32,
    pub y: f32,
}

impl Point {
    /// Distance to another point.
    pub fn to(self, x: f32, y: f32) -> f32 {
        (self.x - x).hypot(self.y - y)
    }
}

/// A color from `0xRRGGBB`.
pub fn hex(rgb: u32) -> Color {
    [16, 8, 0].map(|shift| ((rgb >> shift) & 255) as f32 / 255.0)
}

/// From `a` to `b` as `t` goes from 0 to 1.
pub fn mix(a: Color, b: Color, t: f32) -> Color {
    let t = t.clamp(0.0, 1.0);
    [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * t)
}

/// `a` with `amount` times `b` added.
pub fn add(a: Color, b: Color, amount: f32) -> Color {
    [0, 1, 2].map(|i| a[i] + b[i] * amount)
}

/// Light over a color: never beyond white.
pub fn light(a: Color, b: Color, amount: f32) -> Color {
    [0, 1, 2].map(|i| 1.0 - (1.0 - a[i]) * (1.0 - (b[i] * amount).clamp(0.0, 1.0)))
}

/// 0 below `from`, 1 above `to`, smooth between; `from` may be the greater.
pub fn ramp(from: f32, to: f32, at: f32) -> f32 {
    let t = ((at - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A color between stops `(place, color)`, places rising.
pub fn gradient(stops: &[(f32, Color)], at: f32) -> Color {
    let mut color = stops[0].1;
    for pair in stops.windows(2) {
        color = mix(color, pair[1].1, ramp(pair[0].0, pair[1].0, at));
    }
    color
}

/// A glow that falls off from 1 at the center; half of it within `radius`.
pub fn glow(distance: f32, radius: f32) -> f32 {
    1.0 / (1.0 + (distance / radius).powi(2))
}

/// Brightness of the stars at a point, 0 nearly everywhere.
pub fn stars(p: Point, seed: i32) -> f32 {
    let cell = 0.021;
    let (column, row) = ((p.x / cell).floor() as i32, (p.y / cell).floor() as i32);
    let pick = |salt: i32| noise::lattice(column, row, seed + salt);
    if pick(0) > 0.34 {
        return 0.0;
    }
    let center = (
        (column as f32 + 0.2 + 0.6 * pick(1)) * cell,
        (row as f32 + 0.2 + 0.6 * pick(2)) * cell,
    );
    let size = 0.0006 + 0.0011 * pick(3).powi(4);
    (-(p.to(center.0, center.1) / size).powi(2)).exp() * (0.35 + 0.65 * pick(4))
}

/// Numbers by chance that are always the same.
pub mod noise {
    /// 0..1 for each lattice point (integer hash by Chris Wellons' lowbias32 constants).
    pub fn lattice(x: i32, y: i32, seed: i32) -> f32 {
        let mut bits = (x as u32).wrapping_mul(0x9E37_79B1)
            ^ (y as u32).wrapping_mul(0x85EB_CA77)
            ^ (seed as u32).wrapping_mul(0xC2B2_AE3D);
        bits = (bits ^ (bits >> 16)).wrapping_mul(0x7FEB_352D);
        bits = (bits ^ (bits >> 15)).wrapping_mul(0x846C_A68B);
        ((bits ^ (bits >> 16)) >> 8) as f32 / (1 << 24) as f32
    }

    /// Smooth noise, 0..1, one bump per unit.
    pub fn smooth(x: f32, y: f32, seed: i32) -> f32 {
        let ease = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
        let (column, row) = (x.floor(), y.floor());
        let (s, t) = (ease(x - column), ease(y - row));
        let along = |row: i32| {
            let (left, right) = (
                lattice(column as i32, row, seed),
                lattice(column as i32 + 1, row, seed),
            );
            left + (right - left) * s
        };
        let (top, bottom) = (along(row as i32), along(row as i32 + 1));
        top + (bottom - top) * t
    }

    /// Fractal noise around 0, about -0.5..0.5: each octave twice as fine and half as strong.
    pub fn fractal(x: f32, y: f32, seed: i32, octaves: i32) -> f32 {
        let (mut sum, mut total, mut scale, mut weight) = (0.0, 0.0, 1.0, 1.0);
        for octave in 0..octaves {
            // A shift per octave, so that lattice lines never coincide.
            let shift = octave as f32 * 17.3;
            sum += (smooth(x * scale + shift, y * scale - shift, seed + octave) - 0.5) * weight;
            total += weight;
            scale *= 2.0;
            weight *= 0.5;
        }
        sum / total
    }
}
