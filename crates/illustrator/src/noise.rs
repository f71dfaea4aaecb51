//! Reproducible randomness: a small generator, noise as tiles, and curves without the platform's math library.

use std::sync::OnceLock;

/// `SplitMix64` (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

fn scramble(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(scramble(seed ^ 0x5851_f42d_4c95_7f2d))
    }

    /// Creates an independent stream: what one part of a picture draws never shifts another part's numbers.
    pub fn fork(&self, salt: &str) -> Rng {
        Rng::new(self.0 ^ hash(salt))
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        scramble(self.0)
    }

    /// Returns a number from 0 to below 1.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    pub fn range(&mut self, from: f32, to: f32) -> f32 {
        from + (to - from) * self.unit()
    }

    /// Returns a number from 0 to below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f32) as usize).min(n.saturating_sub(1))
    }

    pub fn chance(&mut self, p: f32) -> bool {
        self.unit() < p
    }

    /// Returns -1 or 1.
    pub fn sign(&mut self) -> f32 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }

    /// Picks one element; `None` for an empty list.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        let i = self.below(of.len());
        of.get(i).copied()
    }
}

/// Returns the FNV-1a hash of a text.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn lattice(x: i32, y: i32, seed: u32) -> f32 {
    let mut h = (x as u32).wrapping_mul(0x85eb_ca6b)
        ^ (y as u32).wrapping_mul(0xc2b2_ae35)
        ^ seed.wrapping_mul(0x27d4_eb2f);
    h = (h ^ (h >> 15)).wrapping_mul(0x2c1b_3c6d);
    h = (h ^ (h >> 12)).wrapping_mul(0x297a_2d39);
    (h ^ (h >> 15)) as f32 / u32::MAX as f32
}

/// Returns 0 below `from`, 1 above `to`, and a smooth step between; the edges may be in either order.
pub(crate) fn smooth(from: f32, to: f32, x: f32) -> f32 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Returns the sine of an angle in turns, within 0.001.
pub(crate) fn sin_turns(turns: f32) -> f32 {
    let x = turns - (turns + 0.5).floor();
    let y = 8.0 * x - 16.0 * x * x.abs();
    0.225 * (y * y.abs() - y) + y
}

/// Returns the cosine of an angle in turns, within 0.001.
pub(crate) fn cos_turns(turns: f32) -> f32 {
    sin_turns(turns + 0.25)
}

/// Returns smooth noise on a line, 0 to 1, one bump per unit.
pub(crate) fn wave(x: f32, seed: u32) -> f32 {
    let i = x.floor();
    let a = lattice(i as i32, 17, seed);
    let b = lattice(i as i32 + 1, 17, seed);
    a + (b - a) * smooth(0.0, 1.0, x - i)
}

/// A square of repeating noise.
pub(crate) struct Tile(Vec<f32>);

const SIDE: i32 = 512;

impl Tile {
    fn build(at: impl Fn(i32, i32) -> f32) -> Tile {
        Tile((0..SIDE * SIDE).map(|i| at(i % SIDE, i / SIDE)).collect())
    }

    /// Returns the nearest value.
    pub fn at(&self, x: i32, y: i32) -> f32 {
        let i = (y & (SIDE - 1)) * SIDE + (x & (SIDE - 1));
        self.0[i as usize]
    }

    /// Interpolates between values; `x` and `y` are in the tile's pixels (it repeats every 512).
    pub fn sample(&self, x: f32, y: f32) -> f32 {
        let (fx, fy) = (x.floor(), y.floor());
        let (ix, iy) = (fx as i32, fy as i32);
        let (tx, ty) = (x - fx, y - fy);
        let top = self.at(ix, iy) + (self.at(ix + 1, iy) - self.at(ix, iy)) * tx;
        let low = self.at(ix, iy + 1) + (self.at(ix + 1, iy + 1) - self.at(ix, iy + 1)) * tx;
        top + (low - top) * ty
    }
}

/// Returns one octave that repeats every 512 px, with bumps `step` px apart.
fn octave(x: i32, y: i32, step: i32, seed: u32) -> f32 {
    let period = SIDE / step;
    let (cx, cy) = (x / step, y / step);
    let tx = smooth(0.0, 1.0, (x % step) as f32 / step as f32);
    let ty = smooth(0.0, 1.0, (y % step) as f32 / step as f32);
    let corner = |dx: i32, dy: i32| lattice((cx + dx) % period, (cy + dy) % period, seed);
    let top = corner(0, 0) + (corner(1, 0) - corner(0, 0)) * tx;
    let low = corner(0, 1) + (corner(1, 1) - corner(0, 1)) * tx;
    top + (low - top) * ty
}

/// Returns clouds of five octaves, 0 to 1 around 0.5, the largest 64 px.
pub(crate) fn cloudy() -> &'static Tile {
    static TILE: OnceLock<Tile> = OnceLock::new();
    TILE.get_or_init(|| {
        Tile::build(|x, y| {
            let (mut sum, mut weight, mut step) = (0.0, 0.5, 64);
            for seed in 0..5 {
                sum += weight * octave(x, y, step, seed);
                weight *= 0.5;
                step /= 2;
            }
            ((sum / 0.96875 - 0.5) * 1.5 + 0.5).clamp(0.0, 1.0)
        })
    })
}

/// Returns white noise, -1 to 1, dense around 0.
pub(crate) fn grain() -> &'static Tile {
    static TILE: OnceLock<Tile> = OnceLock::new();
    TILE.get_or_init(|| Tile::build(|x, y| lattice(x, y, 91) + lattice(x, y, 92) - 1.0))
}

/// Returns paper: crossing fibers and pits, 0 to 1 around 0.5.
pub(crate) fn paper() -> &'static Tile {
    static TILE: OnceLock<Tile> = OnceLock::new();
    TILE.get_or_init(|| {
        Tile::build(|x, y| {
            let pits = octave(x, y, 4, 31) * 0.5 + octave(x, y, 2, 32) * 0.3;
            pits + octave(x, y, 16, 33) * 0.2
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_is_a_sine() {
        for i in -200..200 {
            let t = i as f32 / 60.0;
            assert!((sin_turns(t) - (t * std::f32::consts::TAU).sin()).abs() < 2e-3);
        }
    }

    #[test]
    fn tiles_repeat_without_a_seam_and_fill_their_range() {
        let tile = cloudy();
        for i in 0..SIDE {
            assert!((tile.at(i, SIDE - 1) - tile.at(i, SIDE)).abs() < 0.2);
        }
        let (low, high) = tile
            .0
            .iter()
            .fold((1.0f32, 0.0f32), |(l, h), v| (l.min(*v), h.max(*v)));
        assert!(low < 0.15 && high > 0.85, "{low} {high}");
    }
}
