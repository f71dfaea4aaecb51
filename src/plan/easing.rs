//! Curves from 0..1 to 0..1 (R. Penner's names).

use std::f64::consts::PI;

/// Slow, fast, slow: half a cosine.
pub(crate) fn in_out_sine(p: f64) -> f64 {
    0.5 - 0.5 * (PI * p).cos()
}
