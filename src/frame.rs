//! The currency between rooms: planar frames, blocks of sound and encoded packets.

use crate::units::{Size, Time};

/// One picture, planar YUV 4:2:0, 8 bits, BT.709 limited range, chroma averaged over 2x2 luma pixels.
///
/// Planes lie one after the other without row padding: `width*height` luma, then two of a quarter of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Index on the timeline; the presentation time is the index times the frame's duration.
    pub index: u64,
    /// Size of the luma plane.
    pub size: Size,
    data: Vec<u8>,
}

impl Frame {
    /// A black frame.
    pub fn black(size: Size) -> Frame {
        let mut data = vec![16; size.area()];
        data.resize(size.area() * 3 / 2, 128);
        Frame {
            index: 0,
            size,
            data,
        }
    }

    /// The planes `[Y, U, V]`.
    pub fn planes(&self) -> [&[u8]; 3] {
        let (y, uv) = self.data.split_at(self.size.area());
        let (u, v) = uv.split_at(self.size.area() / 4);
        [y, u, v]
    }

    /// The planes `[Y, U, V]`, to be written.
    pub fn planes_mut(&mut self) -> [&mut [u8]; 3] {
        let (y, uv) = self.data.split_at_mut(self.size.area());
        let (u, v) = uv.split_at_mut(self.size.area() / 4);
        [y, u, v]
    }

    /// All planes as they lie in memory (I420).
    pub fn as_bytes(&self) -> &[u8] {
        &self.data
    }

    /// All planes as they lie in memory (I420), to be written.
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        &mut self.data
    }
}

/// A stretch of the mix: interleaved stereo `[l, r, l, r, ...]` at 48 kHz, full scale ±1.
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
    /// Bytes as they go into the container.
    pub data: Vec<u8>,
    /// When it is shown or heard. For sound, before the priming is cut (the first packet is at 0).
    pub pts: Time,
    /// When it is decoded.
    pub dts: Time,
    /// How long it lasts.
    pub duration: Time,
    /// Decoding can start here.
    pub is_sync: bool,
}
