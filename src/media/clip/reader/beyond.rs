//! Detects parts of a clip that its decoder cannot handle, from headers before decoding.

use super::ClipReader;
use crate::media::clip::avc_parts::{Part, Parts};
use crate::media::clip::codec::interlaced;
use crate::media::clip::refuse::unsupported;
use crate::media::clip::track::Coding;
use crate::media::refusal::Refusal;

/// Maximum number of samples whose headers are checked.
const MAX_SAMPLES: usize = 3000;
/// Bytes at the start of a sample that usually contain its headers.
const HEAD_BYTES: u32 = 1024;

impl ClipReader {
    /// Returns why the decoder cannot show the clip, judged by its first samples, and whether most of it is shown anyway. With `is_strict`, parts that
    /// leave most of the clip intact count too, and later ones become errors of their frames.
    pub(crate) fn beyond_decoder(
        &mut self,
        is_strict: bool,
    ) -> Result<Option<(Refusal, bool)>, Refusal> {
        let Coding::H264 {
            length_size,
            parameter_sets,
        } = &self.track.coding
        else {
            return Ok(None);
        };
        let mut parts = Parts::new(*length_size, parameter_sets);
        let samples = self.first..self.track.samples.len();
        for i in samples.take(MAX_SAMPLES) {
            self.read_start(i, HEAD_BYTES)?;
            let (mut part, has_slice) = parts.look(&self.bytes);
            if !has_slice && self.track.samples[i].n_bytes > HEAD_BYTES {
                self.read(i)?;
                part = parts.look(&self.bytes).0;
            }
            if let Some(part) = part.filter(|part| is_strict || !part.is_bearable()) {
                return Ok(Some((refusal(part), part.is_bearable())));
            }
        }
        self.watched = is_strict.then_some(parts);
        Ok(None)
    }

    /// Returns whether it leaves frames to another decoder.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched.is_some()
    }

    /// Shows as much as possible, because no other decoder does better.
    pub(crate) fn make_do(&mut self) {
        self.watched = None;
    }

    /// Returns an error when the decoder cannot handle the sample just read.
    pub(super) fn check_parts(&mut self) -> Result<(), Refusal> {
        let parts = self.watched.as_mut();
        match parts.and_then(|parts| parts.look(&self.bytes).0) {
            Some(part) => {
                self.decoder = None;
                Err(refusal(part))
            }
            None => Ok(()),
        }
    }
}

fn refusal(part: Part) -> Refusal {
    match part {
        Part::Fields => interlaced(),
        part => unsupported(format!(
            "is H.264 with {}, which is not supported",
            part.name()
        )),
    }
}
