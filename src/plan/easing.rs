//! Curves from 0 at 0 to 1 at 1 (R. Penner's names). The plain powers continue beyond both ends, for shots visible slightly longer than their easing.

use std::f64::consts::PI;

/// Slow, fast, slow: half a cosine.
pub(crate) fn in_out_sine(p: f64) -> f64 {
    0.5 - 0.5 * (PI * p).cos()
}

/// Slow start: a square.
pub(crate) fn in_quad(p: f64) -> f64 {
    p * p
}

/// Slow start: a cube.
pub(crate) fn in_cubic(p: f64) -> f64 {
    p.powi(3)
}

/// Very slow start: a fourth power.
pub(crate) fn in_quart(p: f64) -> f64 {
    p.powi(4)
}

/// Slow end: a square.
pub(crate) fn out_quad(p: f64) -> f64 {
    1.0 - in_quad(1.0 - p)
}

/// Slow end: a cube.
pub(crate) fn out_cubic(p: f64) -> f64 {
    1.0 - in_cubic(1.0 - p)
}

/// Very slow end: a fourth power.
pub(crate) fn out_quart(p: f64) -> f64 {
    1.0 - in_quart(1.0 - p)
}

/// Slow, fast, slow: a cube and its mirror image.
pub(crate) fn in_out_cubic(p: f64) -> f64 {
    in_out(p, 3)
}

/// Very slow, very fast, very slow: a fifth power and its mirror image.
pub(crate) fn in_out_quint(p: f64) -> f64 {
    in_out(p, 5)
}

fn in_out(p: f64, power: i32) -> f64 {
    if p < 0.5 {
        0.5 * (2.0 * p).powi(power)
    } else {
        1.0 - 0.5 * (2.0 - 2.0 * p).powi(power)
    }
}

/// Covers most of the way immediately, then slows down more and more.
pub(crate) fn out_expo(p: f64) -> f64 {
    (1.0 - (-10.0 * p).exp2()) / (1.0 - (-10.0_f64).exp2())
}

/// Overshoots the end a little and returns; `overshoot` is Penner's `s` (1.70158 overshoots by 10 %).
pub(crate) fn out_back(p: f64, overshoot: f64) -> f64 {
    let q = p - 1.0;
    1.0 + (overshoot + 1.0) * q.powi(3) + overshoot * q.powi(2)
}

/// A released spring: damped swings around 1, at rest at the end.
pub(crate) fn spring(p: f64) -> f64 {
    // Three half swings. The remaining amplitude of e^-6 is removed by the last factor.
    1.0 - (-6.0 * p).exp() * (3.0 * PI * p).cos() * (1.0 - p)
}

/// A curve.
pub(crate) type Curve = fn(f64) -> f64;

/// Every curve a document can name.
pub(crate) const CURVES: &[(&str, Curve)] = &[
    ("linear", |p| p),
    ("in-out-sine", in_out_sine),
    ("in-quad", in_quad),
    ("out-quad", out_quad),
    ("in-cubic", in_cubic),
    ("out-cubic", out_cubic),
    ("in-out-cubic", in_out_cubic),
    ("in-quart", in_quart),
    ("out-quart", out_quart),
    ("in-out-quint", in_out_quint),
    ("out-expo", out_expo),
    ("out-back", |p| out_back(p, 1.70158)),
    ("spring", spring),
];

/// Returns the curve of that name.
pub(crate) fn curve(name: &str) -> Option<Curve> {
    let found = CURVES.iter().find(|(known, _)| *known == name)?;
    Some(found.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_begins_at_0_ends_at_1_and_makes_no_jump() {
        for (name, curve) in CURVES {
            assert!(curve(0.0).abs() < 1e-12, "{name}: {}", curve(0.0));
            assert!((curve(1.0) - 1.0).abs() < 1e-12, "{name}: {}", curve(1.0));
            for step in 0..1000 {
                let p = f64::from(step) / 1000.0;
                let jump = (curve(p + 0.001) - curve(p)).abs();
                assert!(jump < 0.02, "{name} at {p}: {jump}");
            }
        }
    }
}
