//! The video encoding stage: frames to packets, on a thread that can be abandoned.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::watch::Calls;
use super::{Composed, Ended, PACKETS_AHEAD};
use crate::caught::caught;
use crate::encode::{VideoConfig, VideoEncoder};
use crate::error::Result;
use crate::frame::{Frame, Packet};

/// The encoder's ends of its output channels.
pub(super) struct VideoOut {
    spare: Sender<Frame>,
    head: Sender<VideoConfig>,
    packets: Sender<Packet>,
}

/// The receiving ends of those channels.
pub(super) struct VideoEnds {
    /// Buffers of encoded frames, for reuse.
    pub(super) spare: Receiver<Frame>,
    /// Arrives before the first packet.
    pub(super) head: Receiver<VideoConfig>,
    pub(super) packets: Receiver<Packet>,
}

impl VideoOut {
    pub(super) fn open() -> (VideoOut, VideoEnds) {
        let (spare_to, spare) = unbounded();
        let (head_to, head) = bounded(1);
        let (packets_to, packets) = bounded(PACKETS_AHEAD);
        let to = VideoOut {
            spare: spare_to,
            head: head_to,
            packets: packets_to,
        };
        (
            to,
            VideoEnds {
                spare,
                head,
                packets,
            },
        )
    }

    /// Sends packets, with the configuration before the first; returns false once the receiver is gone.
    fn send(&self, packets: &mut Vec<Packet>, encoder: &dyn VideoEncoder) -> Result<bool> {
        if packets.first().is_some_and(|packet| packet.is_sync) {
            // Only the first one is read.
            let _ = self.head.try_send(encoder.config()?);
        }
        Ok(!packets
            .drain(..)
            .any(|packet| self.packets.send(packet).is_err()))
    }
}

/// Encodes every frame; returns the encoder too, so that it can be closed after the result is known.
pub(super) fn encode_video(
    (n_frames, calls): (u64, &Calls),
    mut encoder: Box<dyn VideoEncoder>,
    from: Receiver<Composed>,
    to: &VideoOut,
) -> (Result<Ended<VideoConfig>>, Box<dyn VideoEncoder>) {
    let ended = encode_frames((n_frames, calls), &mut *encoder, from, to);
    (ended, encoder)
}

fn encode_frames(
    (n_frames, calls): (u64, &Calls),
    encoder: &mut dyn VideoEncoder,
    from: Receiver<Composed>,
    to: &VideoOut,
) -> Result<Ended<VideoConfig>> {
    let (mut busy, mut n_taken, mut packets) = (Duration::ZERO, 0, Vec::new());
    for Composed { frame, list } in from {
        let clock = Instant::now();
        calls
            .run(|| caught(|| encoder.encode(&frame, &list, &mut packets)))
            .map_err(|e| e.at(format!("frame {}", frame.index)))?;
        busy += clock.elapsed();
        n_taken += 1;
        // The buffer may arrive too late, after composing has ended.
        let _ = to.spare.send(frame);
        if !to.send(&mut packets, encoder)? {
            break;
        }
    }
    if n_taken < n_frames {
        return Ok(Ended { busy, result: None });
    }
    let clock = Instant::now();
    calls.run(|| caught(|| encoder.finish(&mut packets)))?;
    busy += clock.elapsed();
    let config = if to.send(&mut packets, encoder)? {
        Some(encoder.config()?)
    } else {
        None
    };
    Ok(Ended {
        busy,
        result: config,
    })
}
