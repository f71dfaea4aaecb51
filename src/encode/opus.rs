//! Opus: 48 kHz stereo, variable bitrate, 20 ms per packet.

use crate::encode::samples::{Samples, last_duration};
use crate::encode::sequence::encoder_error;
use crate::encode::{AudioConfig, AudioEncoder, Quality};
use crate::error::Result;
use crate::frame::{AudioBlock, Packet};
use crate::opus::{self, Codec, Encode};
use crate::units::Time;

/// Samples per packet: 20 ms.
const PACKET: u32 = 960;

/// Maximum size of a packet of one frame (RFC 6716, section 3.2.1) plus its first byte.
const MAX_PACKET_BYTES: usize = 1276;

/// Requested bits per second: low, medium, high. The bitrate truly varies: loud speech and dense music take half as much again, pauses a tenth.
const BITRATES: [i32; 3] = [64_000, 96_000, 128_000];

/// The highest complexity: ten minutes of sound take a few seconds of CPU.
const COMPLEXITY: i32 = 10;

/// Rise of true peaks at those bitrates in dB: measured on limited speech, music and drums with both encoders (at 6 dB of limiting at most 1.6, 1.0
/// and 1.0), plus a small margin.
const OVERSHOOTS_DB: [f64; 3] = [1.9, 1.1, 1.1];

/// The encoder.
pub(super) struct Opus {
    encoder: Box<dyn Encode>,
    codec: Codec,
    samples: Samples,
    bitrate: i32,
    overshoot_db: f64,
    /// Interleaved samples that do not fill a packet yet.
    pending: Vec<f32>,
    n_packets: u64,
}

impl Opus {
    pub(super) fn new(quality: Quality) -> Result<Opus> {
        let bitrate = BITRATES[quality.row()];
        let codec = Codec::best();
        let settings = opus::Settings {
            bitrate,
            complexity: COMPLEXITY,
        };
        let encoder = codec
            .encoder(settings)
            .map_err(|e| encoder_error(format!("the Opus encoder refused its settings: {e}")))?;
        Ok(Opus {
            encoder,
            codec,
            samples: Samples::new(),
            bitrate,
            overshoot_db: OVERSHOOTS_DB[quality.row()],
            pending: Vec::new(),
            n_packets: 0,
        })
    }

    /// Encodes the pending samples that fill whole packets.
    fn drain(&mut self, out: &mut Vec<Packet>) -> Result<()> {
        let n_values = 2 * PACKET as usize;
        let n_whole = self.pending.len() / n_values * n_values;
        let mut buffer = [0u8; MAX_PACKET_BYTES];
        for frame in self.pending[..n_whole].chunks_exact(n_values) {
            let n_bytes = self
                .encoder
                .encode(frame, &mut buffer)
                .map_err(|e| encoder_error(format!("the Opus encoder failed: {e}")))?;
            let pts = Time::from_samples((self.n_packets * u64::from(PACKET)) as i64);
            self.n_packets += 1;
            out.push(Packet {
                data: buffer[..n_bytes].to_vec(),
                pts,
                dts: pts,
                duration: Time::from_samples(PACKET.into()),
                is_sync: true,
            });
        }
        self.pending.drain(..n_whole);
        Ok(())
    }
}

impl AudioEncoder for Opus {
    fn encode(&mut self, block: &AudioBlock, out: &mut Vec<Packet>) -> Result<()> {
        self.samples.admit(block)?;
        self.pending.extend_from_slice(&block.samples);
        self.drain(out)
    }

    fn finish(&mut self, out: &mut Vec<Packet>) -> Result<()> {
        let n_samples = self.samples.n_in();
        if n_samples == 0 {
            return Ok(());
        }
        // The sound leaves the encoder this many samples late: silence pushes the end out.
        let pre_skip = self.encoder.lookahead();
        let n_coded = (n_samples + u64::from(pre_skip)).next_multiple_of(PACKET.into());
        let n_missing = n_coded - self.n_packets * u64::from(PACKET);
        self.pending.resize(2 * n_missing as usize, 0.0);
        self.drain(out)?;
        if let Some(last) = out.last_mut() {
            last.duration = last_duration(pre_skip.into(), n_samples, PACKET);
        }
        Ok(())
    }

    fn config(&self) -> AudioConfig {
        AudioConfig::Opus {
            pre_skip: self.encoder.lookahead(),
        }
    }

    fn packet_samples(&self) -> u32 {
        PACKET
    }

    fn overshoot_db(&self) -> f64 {
        self.overshoot_db
    }

    fn name(&self) -> String {
        format!(
            "Opus ({}), about {} kbit/s",
            self.codec.name(),
            self.bitrate / 1000
        )
    }
}
