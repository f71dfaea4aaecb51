//! Opus packets to samples at 48 kHz, of one stream or of several for surround (RFC 6716; RFC 7845, 5.1.1).

use std::io;

use opus_rs::multistream::split_self_delimited;
use ropus::OpusDecoder;

use super::container::invalid;
use super::opus_head::OpusHead;

/// What every Opus stream is decoded to, Hz.
pub(super) const RATE_HZ: u32 = 48_000;
/// Longest packet, in frames: 120 ms (RFC 6716, 3.2.5).
const MAX_FRAMES: usize = 5_760;

/// Decodes the packets of one Opus track.
pub(crate) struct OpusCodec {
    head: OpusHead,
    streams: Vec<OpusDecoder>,
    /// A stream's samples, one after the other.
    decoded: Vec<f32>,
    /// A packet of one of several streams, as it would stand alone.
    alone: Vec<u8>,
    /// Channels of all streams for one packet, each `MAX_FRAMES` long.
    planes: Vec<f32>,
}

impl OpusCodec {
    /// From the identification header; see [`OpusHead::read`].
    pub(super) fn new(head: &[u8]) -> io::Result<OpusCodec> {
        let head = OpusHead::read(head)?;
        let streams = (0..head.n_streams)
            .map(|i| OpusDecoder::new(RATE_HZ as i32, if i < head.n_coupled { 2 } else { 1 }))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|code| invalid(format!("cannot be decoded as Opus (error {code})")))?;
        let n_decoded = head.n_streams + head.n_coupled;
        Ok(OpusCodec {
            head,
            streams,
            decoded: vec![0.0; 2 * MAX_FRAMES],
            alone: Vec::new(),
            planes: vec![0.0; n_decoded * MAX_FRAMES],
        })
    }

    /// Frames to be dropped at the start of the track.
    pub(super) fn pre_skip(&self) -> u64 {
        u64::from(self.head.pre_skip)
    }

    /// Channels of the samples.
    pub(super) fn n_channels(&self) -> usize {
        self.head.sources.len()
    }

    /// Appends a packet's samples, interleaved in the order of WAVE. `Err` says what is wrong with the packet; the next may be good again.
    pub(super) fn decode(&mut self, packet: &[u8], out: &mut Vec<f32>) -> Result<(), &'static str> {
        let n_frames = self.decode_streams(packet)?;
        let OpusHead {
            sources, amplitude, ..
        } = &self.head;
        out.reserve(n_frames * sources.len());
        for i in 0..n_frames {
            out.extend(
                sources.iter().map(|source| {
                    source.map_or(0.0, |s| self.planes[s * MAX_FRAMES + i] * amplitude)
                }),
            );
        }
        Ok(())
    }

    /// Decodes every stream of a packet into `planes`; gives the number of frames, the same for all.
    fn decode_streams(&mut self, packet: &[u8]) -> Result<usize, &'static str> {
        let n_streams = self.streams.len();
        let (mut rest, mut plane, mut n_frames) = (packet, 0, None);
        for (i, stream) in self.streams.iter_mut().enumerate() {
            let own = if i + 1 < n_streams {
                let (own, n_bytes) = split_self_delimited(rest, &mut self.alone)?;
                rest = &rest[n_bytes..];
                own
            } else {
                rest
            };
            if own.is_empty() {
                return Err("an Opus packet is empty");
            }
            let wanted = n_frames_of(own).ok_or("an Opus packet is longer than 120 ms")?;
            let n_channels = if i < self.head.n_coupled { 2 } else { 1 };
            let decoded = &mut self.decoded[..wanted * n_channels];
            let n = stream
                .decode_float(Some(own), decoded, wanted as i32, false)
                .map_err(|_| "an Opus packet is damaged")?;
            let n = usize::try_from(n).unwrap_or(0).min(wanted);
            if n_frames.is_some_and(|before| before != n) {
                return Err("the streams of an Opus packet differ in length");
            }
            n_frames = Some(n);
            for frame in 0..n {
                for channel in 0..n_channels {
                    self.planes[(plane + channel) * MAX_FRAMES + frame] =
                        decoded[frame * n_channels + channel];
                }
            }
            plane += n_channels;
        }
        Ok(n_frames.unwrap_or(0))
    }
}

/// Frames at 48 kHz in a packet, from its first bytes (RFC 6716, 3.1 and 3.2); `None` when that is nothing or more than 120 ms.
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
