//! H.264 by openh264, built in: High profile, CABAC, one quantizer for all frames, no reordering.
//!
//! The library is driven through its raw interface because the safe one can set neither the quantizer nor CABAC. It runs on one thread: more
//! would cut pictures into slices, and the bytes would depend on their number.

mod handle;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use handle::{Handle, Row};
use openh264_sys2::{self as sys, API};

use crate::encode::sequence::{Sequence, encoder_error};
use crate::encode::{VideoConfig, VideoEncoder, VideoSettings};
use crate::error::Result;
use crate::frame::{Frame, Packet};
use crate::plan::draw::DrawList;
use crate::units::Size;

/// Longer and shorter side that the library takes.
const MAX_SIDES: (u32, u32) = (3840, 2160);

/// `nal_unit_type` values (ITU-T H.264, table 7-1).
const NAL_IDR: u8 = 5;
const NAL_SPS: u8 = 7;
const NAL_PPS: u8 = 8;

/// Low, medium, high.
const ROWS: [Row; 3] = [
    Row {
        qp: 29,
        complexity: sys::LOW_COMPLEXITY,
    },
    Row {
        qp: 24,
        complexity: sys::LOW_COMPLEXITY,
    },
    Row {
        qp: 20,
        complexity: sys::MEDIUM_COMPLEXITY,
    },
];

/// Version of the library.
pub(super) fn version() -> String {
    // SAFETY: takes nothing and returns a plain structure.
    let v = unsafe { sys::DynamicAPI::from_source().WelsGetCodecVersion() };
    format!("{}.{}.{}", v.uMajor, v.uMinor, v.uRevision)
}

/// The encoder.
pub(super) struct OpenH264 {
    handle: Handle,
    sequence: Sequence,
    parameter_sets: Option<(Vec<u8>, Vec<u8>)>,
    row: Row,
}

impl OpenH264 {
    /// Fails on a size beyond the library's limit or settings that it refuses.
    pub(super) fn new(settings: &VideoSettings) -> Result<OpenH264> {
        let Size { width, height } = settings.size;
        if width.max(height) > MAX_SIDES.0 || width.min(height) > MAX_SIDES.1 {
            return Err(encoder_error(format!(
                "openh264 takes no picture of {}: at most {}x{}, upright or not",
                settings.size, MAX_SIDES.0, MAX_SIDES.1
            )));
        }
        let sequence = Sequence::new(settings)?;
        let row = ROWS[settings.quality.row()];
        Ok(OpenH264 {
            handle: Handle::open(settings, row)?,
            sequence,
            parameter_sets: None,
            row,
        })
    }

    /// The access unit with its parameter sets taken out, and whether it is an instantaneous refresh.
    fn take_apart(&mut self, nals: &[Vec<u8>]) -> Result<(Vec<u8>, bool)> {
        let mut data = Vec::with_capacity(nals.iter().map(|nal| nal.len() + 4).sum());
        let (mut sps, mut pps, mut is_sync) = (None, None, false);
        for nal in nals {
            match nal.first().map(|header| header & 31) {
                Some(NAL_SPS) => sps = Some(nal),
                Some(NAL_PPS) => pps = Some(nal),
                kind => {
                    is_sync |= kind == Some(NAL_IDR);
                    let n_bytes = u32::try_from(nal.len())
                        .map_err(|_| encoder_error("openh264 gave a unit of more than 4 GiB"))?;
                    data.extend_from_slice(&n_bytes.to_be_bytes());
                    data.extend_from_slice(nal);
                }
            }
        }
        if let (Some(sps), Some(pps)) = (sps, pps) {
            let sets = (sps.clone(), pps.clone());
            if *self.parameter_sets.get_or_insert_with(|| sets.clone()) != sets {
                return Err(encoder_error("openh264 changed its parameter sets midway"));
            }
        }
        Ok((data, is_sync))
    }
}

impl VideoEncoder for OpenH264 {
    fn encode(&mut self, frame: &Frame, _known: &DrawList, out: &mut Vec<Packet>) -> Result<()> {
        let is_key = self.sequence.admit(frame)?;
        let nals = self.handle.encode(frame, is_key)?;
        let (data, is_sync) = self.take_apart(&nals)?;
        if data.is_empty() {
            return Err(encoder_error(format!(
                "openh264 gave nothing for frame {}",
                frame.index
            )));
        }
        out.push(self.sequence.stamp(data, is_sync)?);
        Ok(())
    }

    fn finish(&mut self, _out: &mut Vec<Packet>) -> Result<()> {
        self.sequence.check_not_empty()?;
        self.sequence.check_complete()
    }

    fn config(&self) -> Result<VideoConfig> {
        let (sps, pps) = self
            .parameter_sets
            .clone()
            .ok_or_else(|| encoder_error("the parameter sets come with the first packet"))?;
        Ok(VideoConfig::Avc { sps, pps })
    }

    fn name(&self) -> String {
        format!("openh264 {}, qp {}", version(), self.row.qp)
    }

    fn pulse(&self) -> Arc<AtomicU64> {
        self.sequence.pulse()
    }
}
