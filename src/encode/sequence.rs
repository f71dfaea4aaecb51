//! Checks that all video encoders share on the way in, and times on the way out: order and size of frames, key frames, timestamps.

use crate::encode::grouped::Sample;
use crate::encode::{Quality, VideoSettings};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::{Frame, Packet};
use crate::units::{FrameRate, Size, Time};

/// Creates an encoder error for people to read.
pub(super) fn encoder_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Encoder, message)
}

impl Quality {
    /// Returns the row in an encoder's table of settings, from small to good.
    pub(super) fn row(self) -> usize {
        match self {
            Quality::Low => 0,
            Quality::Medium => 1,
            Quality::High => 2,
        }
    }
}

/// The frames received so far, and when their packets are shown.
#[derive(Debug)]
pub(super) struct Sequence {
    size: Size,
    rate: FrameRate,
    keyframes: Vec<u64>,
    n_in: u64,
    n_out: u64,
}

impl Sequence {
    /// Creates the sequence; returns an error if the list of key frames does not start at 0 or is not ascending.
    pub(super) fn new(settings: &VideoSettings) -> Result<Sequence> {
        let keyframes = settings.keyframes.clone();
        if keyframes.first() != Some(&0) || !keyframes.is_sorted_by(|a, b| a < b) {
            return Err(encoder_error(
                "the list of key frames must start with frame 0 and be in ascending order",
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

    /// Counts `frame` and returns whether it must be a key frame. Returns an error if a frame has another size or is out of order.
    pub(super) fn admit(&mut self, frame: &Frame) -> Result<bool> {
        if frame.size != self.size {
            return Err(encoder_error(format!(
                "frame {} is {}, but the video is {}: every frame must have the size of the settings",
                frame.index, frame.size, self.size
            )));
        }
        if frame.index != self.n_in {
            return Err(encoder_error(format!(
                "frame {} arrived where frame {} was expected: frames must come in order, from 0, without gaps",
                frame.index, self.n_in
            )));
        }
        self.n_in += 1;
        Ok(self.is_keyframe(frame.index))
    }

    /// Returns an error if no frame was received: a video has at least one.
    pub(super) fn check_not_empty(&self) -> Result<()> {
        if self.n_in == 0 {
            return Err(encoder_error(
                "no frame was given: a video needs at least one",
            ));
        }
        Ok(())
    }

    /// Timestamps the next packet in decoding order: it holds frame `shown`, and decoding runs `lead` frames ahead of presentation. Returns an error if that
    /// is too late to show the frame in time, or if the encoder did not make a requested key frame.
    pub(super) fn stamp(&mut self, sample: Sample, (shown, lead): (u64, u32)) -> Result<Packet> {
        let n_before = self.n_out;
        self.n_out += 1;
        if shown >= self.n_in || shown + u64::from(lead) < n_before {
            return Err(encoder_error(format!(
                "the encoder returned frame {shown} as packet {n_before}, where it cannot belong"
            )));
        }
        if self.is_keyframe(shown) && !sample.is_sync {
            return Err(encoder_error(format!(
                "the encoder did not make frame {shown} a key frame, although it was requested"
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

    /// Returns an error if packets are missing for some of the frames.
    pub(super) fn check_complete(&self) -> Result<()> {
        if self.n_out != self.n_in {
            return Err(encoder_error(format!(
                "the encoder returned {} packets for {} frames",
                self.n_out, self.n_in
            )));
        }
        Ok(())
    }

    fn is_keyframe(&self, index: u64) -> bool {
        self.keyframes.binary_search(&index).is_ok()
    }
}
