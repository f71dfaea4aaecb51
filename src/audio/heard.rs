//! The audible part of a track: after the silence before it and the encoder's delay, up to the encoder's padding.

use symphonia::core::formats::FormatReader;
use symphonia::core::packet::Packet;

use super::codec::Codec;
use super::container::has_video;
use super::edit_list::Boxes;

/// Maximum silence before a sound that begins late, in seconds.
const MAX_DELAY_SECS: u64 = 3600;

/// Numbers of frames, at the rate of the decoded sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Heard {
    /// Silent frames that come first.
    pub(super) delay: u64,
    /// Decoded frames to drop after that.
    pub(super) skip: u64,
    /// Frames to play, if the file states it.
    pub(super) left: Option<u64>,
}

impl Heard {
    /// Combines the facts of container and codec once the first packet has been read. A late start counts only with a video track, to keep the two in
    /// sync; a sound alone begins with its first sample.
    pub(super) fn new(
        format: &dyn FormatReader,
        codec: &Codec,
        boxes: &Boxes,
        (first, rate_hz): (&Packet, u32),
    ) -> Heard {
        let with_video = has_video(format);
        let late = |frames: u64| match with_video {
            true => frames.min(MAX_DELAY_SECS * u64::from(rate_hz)),
            false => 0,
        };
        if let Some(edit) = boxes.edits.iter().find(|e| e.track == first.track_id) {
            return Heard {
                delay: late(edit.delay_frames(rate_hz)),
                skip: edit.start_frames(rate_hz),
                left: edit.length_frames(rate_hz),
            };
        }
        if let Some((delay, length)) = boxes.itunes_gap {
            return Heard {
                delay: 0,
                skip: delay,
                left: Some(length),
            };
        }
        let start = start_frames(format, first, rate_hz).unwrap_or(0);
        let pre_skip = codec.pre_skip();
        let early = match codec.trims() {
            true => 0,
            false => start.min(0).unsigned_abs().min(u64::from(rate_hz)),
        };
        Heard {
            // The dropped frames would have played before the first one kept.
            delay: match start > 0 {
                true => late(start.unsigned_abs() + pre_skip),
                false => 0,
            },
            // If a codec states its delay exactly, the container repeats it in coarser units.
            skip: if pre_skip > 0 { pre_skip } else { early },
            left: None,
        }
    }

    /// Returns the number of frames played from a track of `n` frames.
    pub(super) fn length(&self, n: u64) -> u64 {
        let heard = n.saturating_sub(self.skip);
        let heard = self.left.map_or(heard, |left| heard.min(left));
        heard.saturating_add(self.delay)
    }
}

/// Returns the start of the first packet.
fn start_frames(format: &dyn FormatReader, first: &Packet, rate_hz: u32) -> Option<i64> {
    let track = format.tracks().iter().find(|t| t.id == first.track_id)?;
    let base = track.time_base?;
    let ticks = i128::from(first.pts.get()) * i128::from(base.numer.get());
    i64::try_from(ticks * i128::from(rate_hz) / i128::from(base.denom.get())).ok()
}
