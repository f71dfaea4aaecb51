//! Decodes H.264 with `rusty_h264-decoder`, one access unit at a time.

use rusty_h264_common::YuvFrame;
use rusty_h264_decoder::DecodeError;

use super::{check_same_size, not_decoded};
use crate::bitstream::avc::{NAL_IDR, NAL_PPS, NAL_SLICE, NAL_SPS};
use crate::media::clip::ClipLimits;
use crate::media::clip::codec::{
    Description, annex_b_units, checked_sps, interlaced, is_sps, nal_units,
};
use crate::media::clip::frame::{Picture, Plane, Subsampling};
use crate::media::clip::refuse::{damaged, unsupported};
use crate::media::refusal::Refusal;

pub(in crate::media::clip) struct H264 {
    decoder: rusty_h264_decoder::Decoder,
    length_size: usize,
    about: Description,
    limits: ClipLimits,
    /// The sample with start codes instead of lengths.
    annex_b: Vec<u8>,
    /// Whether the decoder still holds part of a picture that failed.
    is_spoiled: bool,
}

impl H264 {
    pub(super) fn new(
        length_size: usize,
        parameter_sets: &[u8],
        about: &Description,
        limits: &ClipLimits,
    ) -> Result<H264, Refusal> {
        let mut decoder = rusty_h264_decoder::Decoder::new();
        decoder.decode(parameter_sets).map_err(refusal)?;
        Ok(H264 {
            decoder,
            length_size,
            about: *about,
            limits: *limits,
            annex_b: Vec::new(),
            is_spoiled: false,
        })
    }

    pub(super) fn decode(&mut self, sample: &[u8]) -> Result<Option<Picture>, Refusal> {
        self.annex_b.clear();
        for nal in nal_units(sample, self.length_size) {
            let nal = nal?;
            let kind = nal.first().map_or(0, |header| header & 31);
            // Supplemental information and filler units do not change pictures.
            if matches!(kind, NAL_SLICE | NAL_IDR | NAL_SPS | NAL_PPS) {
                self.annex_b.extend([0, 0, 0, 1]);
                self.annex_b.extend(nal);
            }
        }
        for nal in annex_b_units(&self.annex_b).filter(|nal| is_sps(nal)) {
            let sps = checked_sps(nal, &self.limits)?;
            check_same_size(&self.about, sps.width, sps.height)?;
        }
        let mut decoded = self.decoder.decode(&self.annex_b);
        if decoded.is_err() && self.is_spoiled {
            // The first attempt only discarded the leftover part.
            decoded = self.decoder.decode(&self.annex_b);
        }
        self.is_spoiled = decoded.is_err();
        let frame = decoded.map_err(refusal)?;
        frame.map(|frame| self.picture(frame)).transpose()
    }

    /// Crops left and top, which the decoder leaves in place.
    fn picture(&self, frame: YuvFrame) -> Result<Picture, Refusal> {
        let size = (self.about.width, self.about.height);
        let (left, top) = self.about.crop_origin;
        let decoded = (frame.width as u32, frame.height as u32);
        let (width, height) = (
            decoded.0.saturating_sub(left),
            decoded.1.saturating_sub(top),
        );
        check_same_size(&self.about, width, height)?;
        let half = (size.0 / 2, size.1 / 2);
        let chroma_stride = frame.width / 2;
        let plane = |data, stride, origin, size| {
            cropped(data, stride, origin, size)
                .ok_or_else(|| damaged("a decoded frame is smaller than its header says"))
        };
        let origin = (left as usize, top as usize);
        let half_origin = (origin.0 / 2, origin.1 / 2);
        Ok(Picture {
            planes: [
                plane(frame.y, frame.width, origin, size)?,
                plane(frame.u, chroma_stride, half_origin, half)?,
                plane(frame.v, chroma_stride, half_origin, half)?,
            ],
            subsampling: Subsampling::Yuv420,
        })
    }
}

fn cropped(
    data: Vec<u8>,
    stride: usize,
    (left, top): (usize, usize),
    (width, height): (u32, u32),
) -> Option<Plane> {
    let (columns, rows) = (width as usize, height as usize);
    let data = if stride == columns && top == 0 && data.len() == columns * rows {
        data
    } else {
        let mut part = Vec::with_capacity(columns * rows);
        for y in top..top + rows {
            part.extend_from_slice(data.get(y * stride + left..)?.get(..columns)?);
        }
        part
    };
    Some(Plane {
        width,
        height,
        data,
    })
}

/// Features that the decoder lacks, by its names for them. Anything else that it calls unsupported is a value that no valid stream contains.
const PARTS: &[&str] = &[
    "SP/SI",
    "explicit B",
    "slice groups",
    "non-4:2:0",
    "bit depth",
    "frame too large",
    "CABAC",
    "transform-bypass",
];

fn refusal(e: DecodeError) -> Refusal {
    match e {
        DecodeError::Unsupported(what) if what.contains("interlace") => interlaced(),
        DecodeError::Unsupported(what) if PARTS.iter().any(|part| what.starts_with(part)) => {
            unsupported(format!(
                "uses a part of H.264 that is not supported ({what})"
            ))
        }
        e => not_decoded(e),
    }
}
