//! Blending and rounding of rows of float codes.

use multiversion::multiversion;

use crate::compose::cpu::lanes::code;

/// Blends `from + offset` into `row` by `opacity`.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub(super) fn mix_row(row: &mut [f32], from: &[f32], offset: f32, opacity: f32) {
    if opacity == 1.0 {
        for (v, from) in row.iter_mut().zip(from) {
            *v = from + offset;
        }
    } else {
        for (v, from) in row.iter_mut().zip(from) {
            *v += (from + offset - *v) * opacity;
        }
    }
}

/// Blends the means of neighbors in `from`, plus `offset`, into a row of half the length.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub(super) fn mix_pairs(row: &mut [f32], from: &[f32], offset: f32, opacity: f32) {
    let means = from
        .as_chunks::<2>()
        .0
        .iter()
        .map(|[a, b]| (a + b) * 0.5 + offset);
    if opacity == 1.0 {
        for (v, mean) in row.iter_mut().zip(means) {
            *v = mean;
        }
    } else {
        for (v, mean) in row.iter_mut().zip(means) {
            *v += (mean - *v) * opacity;
        }
    }
}

/// Blends one code into a row by `opacity`.
pub(super) fn mix_color(row: &mut [f32], code: f32, opacity: f32) {
    for v in row {
        *v += (code - *v) * opacity;
    }
}

/// Rounds to 8 bits, limited to 16 and `high`.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub(super) fn round_row(row: &[f32], high: f32, out: &mut [u8]) {
    for (out, &v) in out.iter_mut().zip(row) {
        *out = code(v, 16.0, high);
    }
}
