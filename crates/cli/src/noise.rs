//! Fixed noise for drawn pictures: the same on every machine.

/// Returns fractal value noise in 0..=1: `octaves` of smooth noise, each twice as fine and half as strong.
pub(crate) fn clouds([x, y]: [f64; 2], seed: u32, octaves: u32) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for octave in 0..octaves {
        let (scale, weight) = (f64::from(1 << octave), 1.0 / f64::from(1 << octave));
        sum += weight * smooth(x * scale, y * scale, seed + octave * 7);
        total += weight;
    }
    sum / total
}

fn smooth(x: f64, y: f64, seed: u32) -> f64 {
    let ease = |t: f64| t * t * (3.0 - 2.0 * t);
    let (column, row) = (x.floor() as i64, y.floor() as i64);
    let (s, t) = (ease(x - x.floor()), ease(y - y.floor()));
    let along =
        |row: i64| lattice(column, row, seed) * (1.0 - s) + lattice(column + 1, row, seed) * s;
    along(row) * (1.0 - t) + along(row + 1) * t
}

/// Returns a fixed random number in 0..1 for each lattice point (mixing steps of the `SplitMix64` generator).
pub(crate) fn lattice(x: i64, y: i64, seed: u32) -> f64 {
    let mut bits = (x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (y as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
        ^ u64::from(seed);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_fixed_and_in_range() {
        let values: Vec<f64> = (0..500)
            .map(|i| clouds([f64::from(i) * 0.37, 1.5], 3, 5))
            .collect();
        assert!(values.iter().all(|v| (0.0..=1.0).contains(v)));
        assert!(values.iter().any(|v| *v < 0.4) && values.iter().any(|v| *v > 0.6));
        assert_eq!(values[7], clouds([7.0 * 0.37, 1.5], 3, 5));
    }
}
