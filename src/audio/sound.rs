//! A sound file as a stream of 48 kHz stereo samples.

use std::io;

use super::resample::Resampler;
use super::source::Source;
use crate::error::{Error, ErrorKind, Result};
use crate::media::Assets;
use crate::scene::mix::Track;

/// One file, decoded and resampled as it is read.
#[derive(Debug)]
pub(crate) struct Sound {
    decoder: Source,
    resampler: Resampler,
    decoded: Vec<f32>,
    resampled: Vec<f32>,
    is_at_end: bool,
}

impl Sound {
    /// Opens the file of a track.
    pub(crate) fn open(track: &Track, assets: &dyn Assets) -> Result<Sound> {
        Source::open(&track.asset, assets)
            .map(Sound::from_decoder)
            .map_err(|e| failed(track, &e))
    }

    fn from_decoder(decoder: Source) -> Sound {
        Sound {
            resampler: Resampler::new(decoder.facts().rate_hz, decoder.n_out()),
            decoder,
            decoded: Vec::new(),
            resampled: Vec::new(),
            is_at_end: false,
        }
    }

    /// Appends the next interleaved stereo samples to `out`, possibly none; returns `false` at the end.
    pub(crate) fn read(&mut self, out: &mut Vec<f32>) -> io::Result<bool> {
        if self.is_at_end {
            return Ok(false);
        }
        self.decoded.clear();
        self.resampled.clear();
        let is_stereo = self.decoder.n_out() == 2;
        let target = if is_stereo {
            &mut *out
        } else {
            &mut self.resampled
        };
        if self.decoder.read(&mut self.decoded)? {
            self.resampler.push(&self.decoded, target);
        } else {
            self.is_at_end = true;
            self.resampler.finish(target);
        }
        if !is_stereo {
            out.extend(self.resampled.iter().flat_map(|s| [*s, *s]));
        }
        Ok(true)
    }
}

/// Creates the error for a track whose file cannot be read: its path in the document, the file, the problem.
pub(crate) fn failed(track: &Track, e: &io::Error) -> Error {
    let Track { path, asset, .. } = track;
    let message = match e.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::Unsupported => format!("{path}: `{asset}` {e}"),
        _ => format!("{path}: `{asset}` cannot be read: {e}"),
    };
    Error::new(ErrorKind::Media, message)
}
