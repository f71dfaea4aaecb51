//! Multiply-add that is fused if the instruction set supports it.
//!
//! Hot loops are generic over `FMA` and called from functions that the `multiversion` crate compiles once per instruction set. Whether a product is fused
//! depends only on the CPU, not on the number of threads, so frames are byte-identical on any pool of one machine.

/// Returns `a*b + c`, rounded once if `FMA`.
#[inline(always)]
pub(super) fn madd<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// Returns `round(v)` (half up) limited to `low..=high`, which must lie in 0..=255; NaN gives `low`.
#[inline(always)]
pub(super) fn code(v: f32, low: f32, high: f32) -> u8 {
    // Adding 2^23 moves the integer into the low bits of the float: one vector instruction, where a saturating cast takes a dozen.
    let whole = (v + 0.5).floor().max(low).min(high);
    (whole + 8_388_608.0).to_bits() as u8
}

/// Calls a function generic over `FMA` as the selected target supports. Only for use inside a function marked `#[multiversion]`.
macro_rules! fused {
    ($name:ident $(::<$ty:ty>)? ($($arg:expr),* $(,)?)) => {
        if multiversion::target::target_cfg_f!(any(target_feature = "fma", target_feature = "neon")) {
            $name::<$($ty,)? true>($($arg),*)
        } else {
            $name::<$($ty,)? false>($($arg),*)
        }
    };
}
pub(super) use fused;
