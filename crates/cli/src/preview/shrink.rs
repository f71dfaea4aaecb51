//! Shrinks frames, averaging in linear light so that fine bright detail keeps its brightness.

use fast_image_resize::images::TypedImage;
use fast_image_resize::pixels::U16x3;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use kinora::error::{Error, ErrorKind, Result};
use kinora::frame::Frame;

/// Shrinks frames to a fixed size.
pub(crate) struct Shrinker {
    size: (u32, u32),
    resizer: Resizer,
    /// Linear light of an 8-bit code, in 0..=65535.
    light: Vec<u16>,
    /// 8-bit code of linear light, by its upper 14 bits.
    codes: Vec<u8>,
}

/// Bits of linear light needed to identify an 8-bit code: the darkest two codes are 5 steps apart.
const CODE_BITS: u32 = 14;

impl Shrinker {
    pub(crate) fn new(size: (u32, u32)) -> Shrinker {
        let most = f64::from(u16::MAX);
        let light = (0..=255u8).map(|code| (linear(f64::from(code) / 255.0) * most).round() as u16);
        let n_codes = 1u32 << CODE_BITS;
        let codes = (0..n_codes).map(|step| {
            let light = f64::from(step) / f64::from(n_codes - 1);
            (encoded(light) * 255.0).round() as u8
        });
        Shrinker {
            size,
            resizer: Resizer::new(),
            light: light.collect(),
            codes: codes.collect(),
        }
    }

    /// Shrinks a frame to 8-bit RGB, row by row.
    ///
    /// # Errors
    /// `Internal` if the sizes are invalid.
    pub(crate) fn shrink(&mut self, frame: &Frame) -> Result<Vec<u8>> {
        let rgb = frame.to_rgb();
        let (width, height) = (frame.size.width, frame.size.height);
        if (width, height) == self.size {
            return Ok(rgb);
        }
        let mut source = TypedImage::<U16x3>::new(width, height);
        let (pixels, _) = rgb.as_chunks::<3>();
        for (pixel, codes) in source.pixels_mut().iter_mut().zip(pixels) {
            pixel.0 = codes.map(|code| self.light[usize::from(code)]);
        }
        let mut small = TypedImage::<U16x3>::new(self.size.0, self.size.1);
        let filter =
            ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
        self.resizer
            .resize_typed(&source, &mut small, &filter)
            .map_err(|e| {
                let message = "a frame cannot be scaled down";
                Error::new(ErrorKind::Internal, message).with_source(e)
            })?;
        let values = small.pixels().iter().flat_map(|pixel| pixel.0);
        let codes = values.map(|light| self.codes[usize::from(light >> (16 - CODE_BITS))]);
        Ok(codes.collect())
    }
}

/// Returns the linear light of an sRGB value, both 0..=1 (IEC 61966-2-1).
fn linear(value: f64) -> f64 {
    if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}

/// The inverse of [`linear`].
fn encoded(light: f64) -> f64 {
    if light <= 0.003_130_8 {
        light * 12.92
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinora::units::Size;

    fn gray(size: Size, luma: impl Fn(usize) -> u8) -> Frame {
        let mut frame = Frame::black(size);
        let [y, ..] = frame.planes_mut();
        for (i, value) in y.iter_mut().enumerate() {
            *value = luma(i);
        }
        frame
    }

    #[test]
    fn a_fine_checkerboard_keeps_its_light() {
        let size = Size::new(64, 64).unwrap();
        let board = gray(size, |i| if (i % 64 + i / 64) % 2 == 0 { 235 } else { 16 });
        let small = Shrinker::new((16, 16)).shrink(&board).unwrap();
        assert_eq!(small.len(), 16 * 16 * 3);
        // Half of the light is code 188; averaging the codes would give 128.
        let center = small[(8 * 16 + 8) * 3];
        assert!(center.abs_diff(188) <= 2, "{center}");
    }

    #[test]
    fn every_code_comes_back() {
        let size = Size::new(32, 32).unwrap();
        for luma in 16..=235 {
            let frame = gray(size, |_| luma);
            let small = Shrinker::new((16, 16)).shrink(&frame).unwrap();
            let due = frame.to_rgb()[0];
            assert!(
                small.iter().all(|code| code.abs_diff(due) <= 1),
                "{luma}: {due} {}",
                small[0]
            );
        }
    }
}
