//! Blends rows of premultiplied pixels onto the rows below.

use multiversion::multiversion;

use super::sheet::Px;
use crate::scene::draw::Blend;
use crate::scene::draw::Wipe;

/// Blends `over` onto `below`. Formulas of W3C Compositing and Blending Level 1, premultiplied.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub(super) fn blend_row(blend: Blend, below: &mut [Px], over: &[Px]) {
    match blend {
        Blend::Normal => each(below, over, |s, b, sa, _| s + b * (1.0 - sa)),
        Blend::Multiply => each(below, over, |s, b, sa, ba| {
            s * (1.0 - ba) + b * (1.0 - sa) + s * b
        }),
        Blend::Screen => each(below, over, |s, b, _, _| s + b - s * b),
        Blend::Add => {
            for (below, over) in below.iter_mut().zip(over) {
                for c in 0..4 {
                    below[c] += over[c];
                }
                below[3] = below[3].min(1.0);
            }
        }
    }
}

#[inline(always)]
fn each(below: &mut [Px], over: &[Px], color: impl Fn(f32, f32, f32, f32) -> f32) {
    for (below, over) in below.iter_mut().zip(over) {
        let (sa, ba) = (over[3], below[3]);
        for c in 0..3 {
            below[c] = color(over[c], below[c], sa, ba);
        }
        below[3] = sa + ba - sa * ba;
    }
}

/// Applies a wipe to a row that starts at pixel `at`.
pub(super) fn wipe_row(wipe: &Wipe, at: [i32; 2], row: &mut [Px]) {
    let [a, b, c] = wipe.line;
    let start = b * (at[1] as f32 + 0.5) + c;
    for (i, px) in row.iter_mut().enumerate() {
        let distance = a * ((at[0] + i as i32) as f32 + 0.5) + start;
        let rest = if wipe.softness_px > 0.0 {
            let t = (distance / wipe.softness_px).clamp(0.0, 1.0);
            1.0 - t * t * (3.0 - 2.0 * t)
        } else {
            (0.5 - distance).clamp(0.0, 1.0)
        };
        *px = px.map(|v| v * rest);
    }
}

/// Multiplies a row by `factor`.
pub(super) fn scale_row(row: &mut [Px], factor: f32) {
    for v in row.as_flattened_mut() {
        *v *= factor;
    }
}

/// Replaces `backdrop` by `blurred` in proportion to the weights.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub(super) fn mix_row(backdrop: &mut [Px], blurred: &[Px], weights: &[Px]) {
    let values = backdrop.as_flattened_mut().iter_mut();
    let towards = blurred.as_flattened().iter().zip(weights.as_flattened());
    for (v, (blurred, weight)) in values.zip(towards) {
        *v += (blurred - *v) * weight;
    }
}
