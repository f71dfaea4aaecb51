//! Decodes VP9 with `rusty_vp9`, one packet (frame or superframe) at a time.

use rusty_vp9::{BitReader, DecodedFrame, Error, Vp9Decoder, parse_uncompressed_header};

use super::{check_same_size, not_decoded};
use crate::bitstream::vp9::superframe;
use crate::media::clip::ClipLimits;
use crate::media::clip::codec::Description;
use crate::media::clip::frame::{Depth, Picture, Plane, Subsampling};
use crate::media::clip::refuse::{check_size, damaged, unsupported};
use crate::media::refusal::Refusal;

/// A superframe holds at most 8 frames (VP9, annex B).
const MAX_FRAMES: usize = 8;

pub(in crate::media::clip) struct Vp9 {
    decoder: Vp9Decoder,
    about: Description,
    limits: ClipLimits,
}

impl Vp9 {
    pub(super) fn new(about: &Description, limits: &ClipLimits) -> Vp9 {
        Vp9 {
            decoder: Vp9Decoder::new(),
            about: *about,
            limits: *limits,
        }
    }

    pub(super) fn decode(&mut self, sample: &[u8]) -> Result<Option<Picture>, Refusal> {
        for frame in superframe(sample)
            .ok_or_else(|| damaged("the parts of a VP9 superframe do not match its size"))?
        {
            self.check_header(frame)?;
        }
        self.decoder.push(sample, None).map_err(refusal)?;
        let mut shown = None;
        for _ in 0..MAX_FRAMES {
            match self.decoder.next_frame() {
                Ok(frame) => shown = Some(frame),
                Err(Error::Again) => {}
                Err(e) => return Err(refusal(e)),
            }
        }
        shown.map(|frame| self.picture(&frame)).transpose()
    }

    /// Rejects sizes beyond the limits, which any frame may introduce, before the decoder allocates memory for them.
    fn check_header(&self, frame: &[u8]) -> Result<(), Refusal> {
        // The size of a reference is not known here; it was checked when the reference arrived, and 0 represents it.
        let header =
            parse_uncompressed_header(&mut BitReader::new(frame), &[(0, 0); 8]).map_err(refusal)?;
        if header.width > 0 || header.height > 0 {
            check_size(header.width, header.height, &self.limits)?;
        }
        Ok(())
    }

    fn picture(&self, frame: &DecodedFrame) -> Result<Picture, Refusal> {
        check_same_size(&self.about, frame.width, frame.height)?;
        let subsampling = match (frame.subsampling_x, frame.subsampling_y) {
            (1, 1) => Subsampling::Yuv420,
            (1, 0) => Subsampling::Yuv422,
            (0, 0) => Subsampling::Yuv444,
            _ => {
                return Err(unsupported(
                    "is VP9 with 4:4:0 color, which is not supported",
                ));
            }
        };
        let depth = Depth {
            bits: frame.bit_depth,
            range: self.about.color.range,
        };
        let size = (frame.width, frame.height);
        let plane = |i: usize| {
            let size = if i == 0 {
                size
            } else {
                subsampling.chroma_size(size)
            };
            let (rows, stride) = (frame.planes.get(i)?, *frame.strides.get(i)?);
            Plane::from_rows(rows, stride, size, depth)
        };
        let planes = [plane(0), plane(1), plane(2)];
        let [Some(y), Some(u), Some(v)] = planes else {
            return Err(damaged("a decoded frame is smaller than its header says"));
        };
        Ok(Picture {
            planes: [y, u, v],
            subsampling,
        })
    }
}

fn refusal(e: Error) -> Refusal {
    match e {
        Error::Unsupported(what) => {
            unsupported(format!("uses a part of VP9 that is not supported ({what})"))
        }
        Error::Unimplemented(what) => {
            unsupported(format!("uses a part of VP9 that is not supported ({what})"))
        }
        e => not_decoded(e),
    }
}
