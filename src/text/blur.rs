//! Gaussian blur of a mask by three extended box filters in each direction.
//!
//! After Gwosdek, Grewenig, Bruhn, Weickert, "Theoretical Foundations of Gaussian Convolution by Extended Box Filtering" (2011): a box with fractional
//! weights on its two end samples can have any variance, so small blurs are as exact as large ones at the same cost.

/// Passes of the box filter; three are within 3 % of a Gaussian everywhere.
const N_PASSES: u32 = 3;

/// Returns the number of pixels by which a blur of this standard deviation grows a mask on each side.
pub(super) fn margin(sigma: f32) -> usize {
    if sigma <= 0.0 {
        return 0;
    }
    let (radius, _) = extended_box(sigma);
    N_PASSES as usize * (radius + 1)
}

/// Returns the whole radius of the box and the weight of the sample beyond it.
fn extended_box(sigma: f32) -> (usize, f32) {
    let variance = sigma * sigma / N_PASSES as f32;
    // A box of 2r+1 samples has the variance r(r+1)/3.
    let radius = (0.5 * ((1.0 + 12.0 * variance).sqrt() - 1.0)).floor();
    let wide = 2.0 * radius + 1.0;
    let edge = wide * (radius * (radius + 1.0) - 3.0 * variance)
        / (6.0 * (variance - (radius + 1.0) * (radius + 1.0)));
    (radius as usize, edge.clamp(0.0, 1.0))
}

/// Blurs coverage of `width` columns in place; the outside is empty.
pub(super) fn blur(data: &mut [u8], width: usize, sigma: f32) {
    if sigma <= 0.0 || width == 0 {
        return;
    }
    let (radius, edge) = extended_box(sigma);
    let height = data.len() / width;
    let mut plane: Vec<f32> = data.iter().map(|v| f32::from(*v)).collect();
    let mut line = vec![0.0; width.max(height) + 2 * radius + 2];
    for row in plane.chunks_exact_mut(width) {
        for _ in 0..N_PASSES {
            box_line(row, &mut line, radius, edge);
        }
    }
    // Columns go through a transposed copy: contiguous lines are several times faster than strided ones.
    let mut turned = transpose(&plane, width);
    for column in turned.chunks_exact_mut(height) {
        for _ in 0..N_PASSES {
            box_line(column, &mut line, radius, edge);
        }
    }
    for (out, value) in data.iter_mut().zip(transpose(&turned, height)) {
        *out = (value + 0.5) as u8;
    }
}

fn box_line(values: &mut [f32], padded: &mut [f32], radius: usize, edge: f32) {
    let pad = radius + 1;
    let n = values.len();
    padded[..pad].fill(0.0);
    padded[pad..pad + n].copy_from_slice(values);
    padded[pad + n..n + 2 * pad].fill(0.0);
    let norm = 1.0 / (2.0 * radius as f32 + 1.0 + 2.0 * edge);
    // Sum of the whole samples of the box around value 0, without the last one at its right end.
    let mut sum: f32 = padded[1..=2 * radius].iter().sum();
    for (i, out) in values.iter_mut().enumerate() {
        sum += padded[i + 2 * radius + 1];
        let ends = padded[i] + padded[i + 2 * radius + 2];
        *out = (sum + edge * ends) * norm;
        sum -= padded[i + 1];
    }
}

fn transpose(plane: &[f32], width: usize) -> Vec<f32> {
    const TILE: usize = 16;
    let height = plane.len() / width;
    let mut out = vec![0.0; plane.len()];
    for top in (0..height).step_by(TILE) {
        for left in (0..width).step_by(TILE) {
            for y in top..(top + TILE).min(height) {
                for x in left..(left + TILE).min(width) {
                    out[x * height + y] = plane[y * width + x];
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_becomes_a_round_gaussian_of_the_same_sum() {
        for sigma in [0.6_f32, 1.3, 3.0, 6.0, 11.7] {
            let margin = margin(sigma);
            let side = 2 * margin + 9;
            let mut data = vec![0_u8; side * side];
            // A 9x9 block, so that 8-bit rounding errors are small relative to the sum.
            for y in 0..9 {
                data[(margin + y) * side + margin..][..9].fill(255);
            }
            blur(&mut data, side, sigma);
            let center = (side - 1) as f64 / 2.0;
            let (mut sum, mut variance) = (0.0, 0.0);
            for (i, value) in data.iter().enumerate() {
                let dx = (i % side) as f64 - center;
                sum += f64::from(*value);
                variance += f64::from(*value) * dx * dx;
            }
            let block_variance = (81.0 - 1.0) / 12.0;
            let measured = (variance / sum - block_variance).sqrt();
            assert!((sum / (255.0 * 81.0) - 1.0).abs() < 0.02, "{sigma}: {sum}");
            assert!(
                (measured / f64::from(sigma) - 1.0).abs() < 0.04,
                "{sigma}: {measured}"
            );
            let at = |x: usize, y: usize| i32::from(data[y * side + x]);
            for i in 0..side {
                assert!((at(i, side / 2) - at(side / 2, i)).abs() <= 1);
                assert!((at(i, side / 2) - at(side - 1 - i, side / 2)).abs() <= 1);
            }
        }
    }
}
