//! What every video encoder checks on the way in and stamps on the way out: order and size of frames, key frames, times.

use crate::encode::grouped::Sample;
use crate::encode::{Quality, VideoSettings};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::{Frame, Packet};
use crate::units::{FrameRate, Size, Time};

/// An error of an encoder, for people.
pub(super) fn encoder_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Encoder, message)
}

impl Quality {
    /// Row of an encoder's table of settings, from small to good.
    pub(super) fn row(self) -> usize {
        match self {
            Quality::Low => 0,
            Quality::Medium => 1,
            Quality::High => 2,
        }
    }
}

/// The frames that went in so far and when the packets that come out are shown.
#[derive(Debug)]
pub(super) struct Sequence {
    size: Size,
    rate: FrameRate,
    keyframes: Vec<u64>,
    n_in: u64,
    n_out: u64,
}

impl Sequence {
    /// Fails when the list of key frames does not start at 0 or does not rise.
    pub(super) fn new(settings: &VideoSettings) -> Result<Sequence> {
        let keyframes = settings.keyframes.clone();
        if keyframes.first() != Some(&0) || !keyframes.is_sorted_by(|a, b| a < b) {
            return Err(encoder_error(
                "the list of key frames must start with frame 0 and rise",
            ));
        }
        Ok(Sequence {
            size: settings.size,
            rate: settings.rate,
            keyframes,
            n_in: 0,
            n_out: 0,
        })
    }

    /// Counts `frame` in and tells whether it must be a key frame. Fails on a frame of another size or out of order.
    pub(super) fn admit(&mut self, frame: &Frame) -> Result<bool> {
        if frame.size != self.size {
            return Err(encoder_error(format!(
                "frame {} is {}, but the video is {}: every frame must have the size of the settings",
                frame.index, frame.size, self.size
            )));
        }
        if frame.index != self.n_in {
            return Err(encoder_error(format!(
                "frame {} came where frame {} was due: frames must come in order, from 0, without a gap",
                frame.index, self.n_in
            )));
        }
        self.n_in += 1;
        Ok(self.is_keyframe(frame.index))
    }

    /// Fails when no frame came in: there is no video of no frames.
    pub(super) fn check_not_empty(&self) -> Result<()> {
        if self.n_in == 0 {
            return Err(encoder_error(
                "no frame was given: a video needs at least one",
            ));
        }
        Ok(())
    }

    /// Dates the next packet in order of decoding: it holds frame `shown`, and decoding runs `lead` frames ahead of showing. Fails when that is too late to
    /// show the frame in time, or when the encoder did not make a key frame where one was asked for.
    pub(super) fn stamp(&mut self, sample: Sample, (shown, lead): (u64, u32)) -> Result<Packet> {
        let n_before = self.n_out;
        self.n_out += 1;
        if shown >= self.n_in || shown + u64::from(lead) < n_before {
            return Err(encoder_error(format!(
                "the encoder gave frame {shown} as packet {n_before}, where it cannot be"
            )));
        }
        if self.is_keyframe(shown) && !sample.is_sync {
            return Err(encoder_error(format!(
                "the encoder made no key frame of frame {shown}, where one was asked for"
            )));
        }
        let duration = self.rate.frame_duration();
        Ok(Packet {
            data: sample.data,
            pts: self.rate.time_of(shown),
            dts: self.rate.time_of(n_before) - Time(duration.0 * i64::from(lead)),
            duration,
            is_sync: sample.is_sync,
        })
    }

    /// Fails when frames went in for which no packet came out.
    pub(super) fn check_complete(&self) -> Result<()> {
        if self.n_out != self.n_in {
            return Err(encoder_error(format!(
                "the encoder gave {} packets for {} frames",
                self.n_out, self.n_in
            )));
        }
        Ok(())
    }

    fn is_keyframe(&self, index: u64) -> bool {
        self.keyframes.binary_search(&index).is_ok()
    }
}
