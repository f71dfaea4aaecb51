//! Data passed between modules: planar frames, blocks of sound and encoded packets.

use crate::units::{Size, Time};

/// One picture, planar YUV 4:2:0, 8 bits, BT.709 limited range, chroma averaged over 2x2 luma pixels.
///
/// Planes are contiguous, without row padding: `width*height` luma bytes, then two planes of a quarter of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Index on the timeline; the presentation time is the index times the frame's duration.
    pub index: u64,
    /// Size of the luma plane.
    pub size: Size,
    data: Vec<u8>,
}

impl Frame {
    /// Creates a black frame.
    pub fn black(size: Size) -> Frame {
        let mut data = vec![16; size.area()];
        data.resize(size.area() * 3 / 2, 128);
        Frame {
            index: 0,
            size,
            data,
        }
    }

    /// Returns the planes `[Y, U, V]`.
    pub fn planes(&self) -> [&[u8]; 3] {
        let (y, uv) = self.data.split_at(self.size.area());
        let (u, v) = uv.split_at(self.size.area() / 4);
        [y, u, v]
    }

    /// Returns the planes `[Y, U, V]` for writing.
    pub fn planes_mut(&mut self) -> [&mut [u8]; 3] {
        let (y, uv) = self.data.split_at_mut(self.size.area());
        let (u, v) = uv.split_at_mut(self.size.area() / 4);
        [y, u, v]
    }

    /// Returns all planes in memory order (I420).
    pub fn as_bytes(&self) -> &[u8] {
        &self.data
    }

    /// Returns all planes in memory order (I420) for writing.
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        &mut self.data
    }

    /// Converts to 8-bit RGB, row by row (ITU-R BT.709-6, 3.4 and 3.5); chroma is interpolated from the centers of its 2x2 blocks.
    pub fn to_rgb(&self) -> Vec<u8> {
        let (width, height) = (self.size.width as usize, self.size.height as usize);
        let [luma, cb, cr] = self.planes();
        let mut rgb = Vec::with_capacity(width * height * 3);
        for row in 0..height {
            for column in 0..width {
                let y = (f32::from(luma[row * width + column]) - 16.0) / 219.0;
                let u = (chroma_at(cb, [width / 2, height / 2], [column, row]) - 128.0) / 224.0;
                let v = (chroma_at(cr, [width / 2, height / 2], [column, row]) - 128.0) / 224.0;
                let r = y + 1.5748 * v;
                let g = y - 0.1873 * u - 0.4681 * v;
                let b = y + 1.8556 * u;
                rgb.extend([r, g, b].map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8));
            }
        }
        rgb
    }
}

/// Interpolates chroma at a luma pixel: on each axis, the nearer block has weight 3/4, its neighbor 1/4.
fn chroma_at(plane: &[u8], [width, height]: [usize; 2], [column, row]: [usize; 2]) -> f32 {
    let taps = |at: usize, n: usize| {
        let near = at / 2;
        let far = if at.is_multiple_of(2) {
            near.saturating_sub(1)
        } else {
            (near + 1).min(n - 1)
        };
        [(near, 0.75), (far, 0.25)]
    };
    let mut sum = 0.0;
    for (y, weight_y) in taps(row, height) {
        for (x, weight_x) in taps(column, width) {
            sum += f32::from(plane[y * width + x]) * weight_x * weight_y;
        }
    }
    sum
}

/// A block of the mix: interleaved stereo `[l, r, l, r, ...]` at 48 kHz, full scale ±1.
#[derive(Clone, Debug, PartialEq)]
pub struct AudioBlock {
    /// Index of the first sample (per channel) on the timeline.
    pub start: u64,
    /// Interleaved samples, always an even count.
    pub samples: Vec<f32>,
}

/// One access unit (AV1: one temporal unit; AVC: one picture in 4-byte length-prefixed NAL units; sound: one frame).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Bytes as stored in the container.
    pub data: Vec<u8>,
    /// Presentation time. For sound, before the priming is cut (the first packet is at 0).
    pub pts: Time,
    /// Decoding time.
    pub dts: Time,
    /// How long it lasts.
    pub duration: Time,
    /// Whether decoding can start here.
    pub is_sync: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_come_back() {
        let size = Size::new(16, 16).unwrap();
        for (yuv, rgb) in [
            ([16, 128, 128], [0, 0, 0]),
            ([235, 128, 128], [255, 255, 255]),
            ([63, 102, 240], [255, 0, 0]),
            ([173, 42, 26], [0, 255, 0]),
            ([32, 240, 118], [0, 0, 255]),
        ] {
            let mut frame = Frame::black(size);
            for (plane, value) in frame.planes_mut().into_iter().zip(yuv) {
                plane.fill(value);
            }
            for (got, wanted) in frame.to_rgb().chunks(3).flatten().zip(rgb.iter().cycle()) {
                assert!(
                    got.abs_diff(*wanted) <= 2,
                    "{yuv:?} gives {got} where {wanted} is wanted"
                );
            }
        }
    }

    #[test]
    fn chroma_is_interpolated_between_blocks() {
        let plane = [0, 100];
        let row: Vec<f32> = (0..4).map(|x| chroma_at(&plane, [2, 1], [x, 0])).collect();
        assert_eq!(row, [0.0, 25.0, 75.0, 100.0]);
    }
}
