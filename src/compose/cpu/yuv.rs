//! Converts RGB to planar BT.709 limited range, 4:2:0: the only rounding of a frame.

use multiversion::multiversion;

use super::lanes::code;
use super::sheet::Px;

/// Weights of R', G' and B' in luma (ITU-R BT.709-6, item 3.2).
pub(super) const KR: f32 = 0.2126;
/// See [`KR`].
pub(super) const KG: f32 = 0.7152;
/// See [`KR`].
pub(super) const KB: f32 = 0.0722;
/// Full range of B' - Y' (item 3.3).
pub(super) const CB_SWING: f32 = 1.8556;
/// Full range of R' - Y'.
pub(super) const CR_SWING: f32 = 1.5748;

/// Returns the luma of a color on 0..=219, without the offset of 16.
#[inline(always)]
pub(super) fn luma(px: &Px) -> f32 {
    219.0 * (KR * px[0] + KG * px[1] + KB * px[2])
}

/// Returns the chroma of a color on ±112, without the offset of 128.
#[inline(always)]
pub(super) fn chroma(px: &Px) -> [f32; 2] {
    let y = KR * px[0] + KG * px[1] + KB * px[2];
    [
        (px[2] - y) * (224.0 / CB_SWING),
        (px[0] - y) * (224.0 / CR_SWING),
    ]
}

/// Returns the opaque color of Y, Cb and Cr codes.
#[inline(always)]
pub(super) fn color([y, cb, cr]: [f32; 3]) -> Px {
    let y = (y - 16.0) * (1.0 / 219.0);
    let blue = y + (cb - 128.0) * (CB_SWING / 224.0);
    let red = y + (cr - 128.0) * (CR_SWING / 224.0);
    let green = (y - KR * red - KB * blue) * (1.0 / KG);
    [red, green, blue, 1.0]
}

/// Converts two rows of pixels to two rows of luma and one of each chroma plane.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub(super) fn rows_to_yuv(px: [&[Px]; 2], luma_rows: [&mut [u8]; 2], u: &mut [u8], v: &mut [u8]) {
    for (row, out) in px.iter().zip(luma_rows) {
        for (px, y) in row.iter().zip(out) {
            *y = code(16.0 + luma(px), 16.0, 235.0);
        }
    }
    let pairs = px[0]
        .as_chunks::<2>()
        .0
        .iter()
        .zip(px[1].as_chunks::<2>().0);
    for (([a, b], [c, d]), (u, v)) in pairs.zip(u.iter_mut().zip(v)) {
        let mean: Px = std::array::from_fn(|i| (a[i] + b[i] + c[i] + d[i]) * 0.25);
        let [cb, cr] = chroma(&mean);
        *u = code(128.0 + cb, 16.0, 240.0);
        *v = code(128.0 + cr, 16.0, 240.0);
    }
}
