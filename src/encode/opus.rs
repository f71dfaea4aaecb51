//! Opus by opus-rs: 48 kHz stereo, variable bitrate, 20 ms a packet.

use opus_rs::{Application, OpusEncoder};

use crate::encode::samples::{Samples, last_duration};
use crate::encode::sequence::encoder_error;
use crate::encode::{AudioConfig, AudioEncoder, Quality};
use crate::error::Result;
use crate::frame::{AudioBlock, Packet};
use crate::units::{MIX_RATE_HZ, Time};

/// Samples of a packet: 20 ms.
const PACKET: u32 = 960;

/// Samples that come out before the sound: 4 ms of delay compensation and 2.5 ms of overlap (libopus, `OPUS_GET_LOOKAHEAD`).
const PRE_SKIP: u16 = 312;

/// Longest packet of one frame (RFC 6716, section 3.2.1) and its first byte.
const MAX_PACKET_BYTES: usize = 1276;

/// Bits per second: low, medium, high.
const BITRATES: [i32; 3] = [96_000, 128_000, 160_000];

/// From 8 on, opus-rs 0.1.40 looks at a second transform of frames with transients, and single frames come out up to 4 dB too loud;
/// libopus does not, nor does it below 8.
const COMPLEXITY: i32 = 7;

/// Rise of true peaks at those bitrates in dB: what was measured on limited speech, music and drums, and a little more.
const OVERSHOOTS_DB: [f64; 3] = [1.9, 1.4, 1.4];

/// The encoder.
pub(super) struct Opus {
    encoder: OpusEncoder,
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
        let mut encoder = OpusEncoder::new(MIX_RATE_HZ as i32, 2, Application::Audio)
            .map_err(|e| encoder_error(format!("the Opus encoder refused its settings: {e}")))?;
        encoder.bitrate_bps = bitrate;
        encoder.complexity = COMPLEXITY;
        Ok(Opus {
            encoder,
            samples: Samples::new(),
            bitrate,
            overshoot_db: OVERSHOOTS_DB[quality.row()],
            pending: Vec::new(),
            n_packets: 0,
        })
    }

    /// Encodes whole packets of what is pending.
    fn drain(&mut self, out: &mut Vec<Packet>) -> Result<()> {
        let n_values = 2 * PACKET as usize;
        let n_whole = self.pending.len() / n_values * n_values;
        let mut buffer = [0u8; MAX_PACKET_BYTES];
        for frame in self.pending[..n_whole].chunks_exact(n_values) {
            let n_bytes = self
                .encoder
                .encode(frame, PACKET as usize, &mut buffer)
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
        // The last sound leaves the encoder `PRE_SKIP` samples late: silence pushes it out.
        let n_coded = (n_samples + u64::from(PRE_SKIP)).next_multiple_of(PACKET.into());
        let n_missing = n_coded - self.n_packets * u64::from(PACKET);
        self.pending.resize(2 * n_missing as usize, 0.0);
        self.drain(out)?;
        if let Some(last) = out.last_mut() {
            last.duration = last_duration(PRE_SKIP.into(), n_samples, PACKET);
        }
        Ok(())
    }

    fn config(&self) -> AudioConfig {
        AudioConfig::Opus { pre_skip: PRE_SKIP }
    }

    fn packet_samples(&self) -> u32 {
        PACKET
    }

    fn overshoot_db(&self) -> f64 {
        self.overshoot_db
    }

    fn name(&self) -> String {
        format!("Opus (opus-rs), {} kbit/s", self.bitrate / 1000)
    }
}
