//! AV1 by `re_rav1d` (dav1d in Rust), one temporal unit at a time on the caller's thread.

use re_rav1d::{Decoder, Error, Picture as Decoded, PixelLayout, PlanarImageComponent, Settings};

use super::{check_same_size, not_decoded};
use crate::media::clip::ClipLimits;
use crate::media::clip::codec::Description;
use crate::media::clip::frame::{Depth, Picture, Plane, Subsampling};
use crate::media::clip::refuse::{damaged, unsupported};
use crate::media::refusal::Refusal;

/// Pictures asked for after one temporal unit; a good one gives one.
const MAX_PICTURES: usize = 64;

pub(in crate::media::clip) struct Av1 {
    decoder: Decoder,
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
        let mut settings = Settings::new();
        settings.set_n_threads(1);
        settings.set_max_frame_delay(1);
        settings.set_all_layers(false);
        settings.set_frame_size_limit(limits.n_pixels);
        Ok(Av1 {
            decoder: Decoder::with_settings(&settings).map_err(refusal)?,
            config_obus: Some(config_obus.to_vec()).filter(|obus| !obus.is_empty()),
            about: *about,
        })
    }

    pub(super) fn decode(&mut self, sample: &[u8]) -> Result<Option<Picture>, Refusal> {
        if let Some(obus) = self.config_obus.take() {
            self.send(obus)?;
        }
        let shown = self.send(sample.to_vec())?;
        shown.map(|shown| self.picture(&shown)).transpose()
    }

    /// Sends a unit and gives the last picture that comes back.
    fn send(&mut self, unit: Vec<u8>) -> Result<Option<Decoded>, Refusal> {
        let mut sent = self.decoder.send_data(unit, None, None, None);
        let mut shown = None;
        for _ in 0..MAX_PICTURES {
            let is_sent = match sent {
                Ok(()) => true,
                Err(Error::Again) => false,
                Err(e) => return Err(refusal(e)),
            };
            match self.decoder.get_picture() {
                Ok(picture) => shown = Some(picture),
                Err(Error::Again) if is_sent => return Ok(shown),
                Err(Error::Again) => {}
                Err(e) => return Err(refusal(e)),
            }
            sent = self.decoder.send_pending_data();
        }
        Err(damaged("one of its units holds pictures without end"))
    }

    fn picture(&self, decoded: &Decoded) -> Result<Picture, Refusal> {
        let size = (decoded.width(), decoded.height());
        check_same_size(&self.about, size.0, size.1)?;
        let subsampling = match decoded.pixel_layout() {
            PixelLayout::I400 => Subsampling::Gray,
            PixelLayout::I420 => Subsampling::Yuv420,
            PixelLayout::I422 => Subsampling::Yuv422,
            PixelLayout::I444 => Subsampling::Yuv444,
        };
        let depth = Depth {
            bits: decoded.bit_depth() as u32,
            range: self.about.color.range,
        };
        let plane = |component, size| {
            let rows = decoded.plane(component);
            let stride = decoded.stride(component) as usize;
            Plane::from_rows(&rows, stride, size, depth)
                .ok_or_else(|| damaged("a decoded frame is smaller than its header says"))
        };
        let y = plane(PlanarImageComponent::Y, size)?;
        let [u, v] = if subsampling == Subsampling::Gray {
            [Plane::default(), Plane::default()]
        } else {
            let size = subsampling.chroma_size(size);
            [
                plane(PlanarImageComponent::U, size)?,
                plane(PlanarImageComponent::V, size)?,
            ]
        };
        Ok(Picture {
            planes: [y, u, v],
            subsampling,
        })
    }
}

fn refusal(e: Error) -> Refusal {
    match e {
        Error::UnsupportedBitstream => unsupported("uses a part of AV1 that is not supported"),
        e => not_decoded(e),
    }
}
