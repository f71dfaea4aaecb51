//! Decodes Opus packets to samples at 48 kHz, from one stream, or from several for surround (RFC 6716; RFC 7845, 5.1.1).

use std::io;

use super::container::invalid;
use super::opus_head::OpusHead;
use crate::opus::{Codec, Decode, MAX_FRAMES};

/// Decodes the packets of one Opus track.
pub(crate) struct OpusCodec {
    head: OpusHead,
    decoder: Box<dyn Decode>,
    /// A packet's samples, interleaved.
    decoded: Vec<f32>,
}

impl OpusCodec {
    /// Creates the codec from the identification header; see [`OpusHead::read`].
    pub(super) fn new(head: &[u8], is_mp4: bool) -> io::Result<OpusCodec> {
        let head = OpusHead::read(head, is_mp4)?;
        let decoder = Codec::best()
            .decoder(&head.layout)
            .map_err(|e| invalid(format!("cannot be decoded as Opus: {e}")))?;
        Ok(OpusCodec {
            decoded: vec![0.0; head.layout.mapping.len() * MAX_FRAMES],
            head,
            decoder,
        })
    }

    /// Returns the number of frames to drop at the start of the track.
    pub(super) fn pre_skip(&self) -> u64 {
        u64::from(self.head.pre_skip)
    }

    /// Returns the number of channels.
    pub(super) fn n_channels(&self) -> usize {
        self.head.layout.mapping.len()
    }

    /// Appends a packet's samples, interleaved in WAVE order. After an error the next packet may be good again.
    pub(super) fn decode(&mut self, packet: &[u8], out: &mut Vec<f32>) -> Result<(), &'static str> {
        // The decoders take an empty packet as a lost one.
        if packet.is_empty() {
            return Err("an Opus packet is empty");
        }
        let n = self.decoder.decode(packet, &mut self.decoded)?;
        let samples = &self.decoded[..n * self.n_channels()];
        out.extend(samples.iter().map(|sample| sample * self.head.amplitude));
        Ok(())
    }
}

/// Returns the number of frames at 48 kHz in a packet, from its first bytes (RFC 6716, 3.1 and 3.2); `None` if zero or more than 120 ms.
pub(super) fn n_frames_of(packet: &[u8]) -> Option<usize> {
    let toc = *packet.first()?;
    let config = usize::from(toc >> 3);
    let frame = match config {
        0..12 => [480, 960, 1_920, 2_880][config % 4],
        12..16 => [480, 960][config % 2],
        _ => [120, 240, 480, 960][config % 4],
    };
    let n = match toc & 3 {
        0 => 1,
        1 | 2 => 2,
        _ => usize::from(*packet.get(1)? & 63),
    };
    let total = frame * n;
    (1..=MAX_FRAMES).contains(&total).then_some(total)
}
