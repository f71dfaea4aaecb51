//! A mip level of a picture as three full-size planes of YUV codes, created once.

use multiversion::multiversion;
use rayon::prelude::*;

use crate::compose::cpu::lanes::code;
use crate::compose::cpu::sheet::Px;
use crate::compose::cpu::yuv::{chroma, luma};

/// Luma and chroma of every pixel (4:4:4), 8 bits, limited range. Rounding here and again after the filter keeps a frame within one code of one computed
/// in floats, and needs a quarter of the memory.
#[derive(Debug)]
pub(in crate::compose::cpu) struct Planes {
    /// Columns.
    pub width: usize,
    /// Y, Cb, Cr: `width*height` codes each.
    pub data: [Vec<u8>; 3],
}

impl Planes {
    /// Converts an opaque 8-bit RGBA image.
    pub fn new(rgba: &[u8], width: usize, height: usize) -> Planes {
        let mut data: [Vec<u8>; 3] = std::array::from_fn(|_| vec![0; width * height]);
        let [y, cb, cr] = &mut data;
        y.par_chunks_mut(width)
            .zip(cb.par_chunks_mut(width).zip(cr.par_chunks_mut(width)))
            .zip(rgba.par_chunks(width * 4))
            .for_each(|((y, (cb, cr)), rgba)| convert_row(rgba, y, cb, cr));
        Planes { width, data }
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn convert_row(rgba: &[u8], y: &mut [u8], cb: &mut [u8], cr: &mut [u8]) {
    let chroma_codes = cb.iter_mut().zip(cr.iter_mut());
    for ((rgba, y), (cb, cr)) in rgba.as_chunks::<4>().0.iter().zip(y).zip(chroma_codes) {
        let px: Px = rgba.map(|v| f32::from(v) * (1.0 / 255.0));
        let [blue, red] = chroma(&px);
        *y = code(16.0 + luma(&px), 16.0, 235.0);
        *cb = code(128.0 + blue, 16.0, 240.0);
        *cr = code(128.0 + red, 16.0, 240.0);
    }
}
