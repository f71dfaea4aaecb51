//! Decodes AV1 with libdav1d, one temporal unit at a time on the caller's thread.

use super::{check_same_size, not_decoded};
use crate::media::av1::{self, Av1Error, Chroma};
use crate::media::clip::ClipLimits;
use crate::media::clip::codec::Description;
use crate::media::clip::frame::{Depth, Picture, Plane, Subsampling};
use crate::media::clip::refuse::{damaged, too_large, unsupported};
use crate::media::refusal::Refusal;

pub(in crate::media::clip) struct Av1 {
    decoder: av1::Decoder,
    /// Sent before the first unit.
    config_obus: Option<Vec<u8>>,
    about: Description,
}

impl Av1 {
    pub(super) fn new(
        config_obus: &[u8],
        about: &Description,
        limits: &ClipLimits,
    ) -> Result<Av1, Refusal> {
        let settings = av1::Settings {
            n_pixels: limits.n_pixels,
            n_threads: 1,
            operating_point: 0,
        };
        Ok(Av1 {
            decoder: av1::Decoder::open(&settings).map_err(refusal)?,
            config_obus: Some(config_obus.to_vec()),
            about: *about,
        })
    }

    pub(super) fn decode(&mut self, sample: &[u8]) -> Result<Option<Picture>, Refusal> {
        if let Some(obus) = self.config_obus.take() {
            self.decoder.decode(&obus).map_err(refusal)?;
        }
        let shown = self.decoder.decode(sample).map_err(refusal)?;
        shown.map(|shown| self.picture(&shown)).transpose()
    }

    fn picture(&self, decoded: &av1::Picture) -> Result<Picture, Refusal> {
        let size = (decoded.width(), decoded.height());
        check_same_size(&self.about, size.0, size.1)?;
        let subsampling = match decoded.chroma() {
            Chroma::Monochrome => Subsampling::Gray,
            Chroma::Yuv420 => Subsampling::Yuv420,
            Chroma::Yuv422 => Subsampling::Yuv422,
            Chroma::Yuv444 => Subsampling::Yuv444,
        };
        let depth = Depth {
            bits: decoded.bits(),
            range: self.about.color.range,
        };
        let plane = |i: usize| {
            if i > 0 && subsampling == Subsampling::Gray {
                return Ok(Plane::default());
            }
            let size = if i == 0 {
                size
            } else {
                subsampling.chroma_size(size)
            };
            let (rows, stride) = decoded.plane(i);
            Plane::from_rows(rows, stride, size, depth)
                .ok_or_else(|| damaged("a decoded frame is smaller than its header says"))
        };
        Ok(Picture {
            planes: [plane(0)?, plane(1)?, plane(2)?],
            subsampling,
        })
    }
}

/// Returns an error if the AV1 library is missing.
pub(super) fn check_there() -> Result<(), Refusal> {
    match av1::version() {
        Ok(_) => Ok(()),
        Err(why) => Err(refusal(Av1Error::Absent(why))),
    }
}

fn refusal(e: Av1Error) -> Refusal {
    match e {
        Av1Error::Absent(why) => Refusal::new(
            "missing_library",
            format!("is AV1, and the library that decodes it is missing: {why}"),
        ),
        Av1Error::Unsupported => unsupported("uses a part of AV1 that is not supported"),
        Av1Error::TooLarge => too_large("contains AV1 pictures larger than its header says"),
        e => not_decoded(e),
    }
}
