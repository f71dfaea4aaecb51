//! AAC-LC by syom: 48 kHz stereo, average bitrate, 1024 samples a packet.

use syom::{EncodeOptions, EncodedFrame, Encoder};

use crate::encode::samples::{Samples, last_duration};
use crate::encode::sequence::encoder_error;
use crate::encode::{AudioConfig, AudioEncoder, Quality};
use crate::error::Result;
use crate::frame::{AudioBlock, Packet};
use crate::units::{MIX_RATE_HZ, Time};

/// Samples per packet (ISO/IEC 14496-3, frameLength).
const PACKET: u32 = 1024;

/// Samples that come out before the sound: the first half of the first window.
const PRIMING: u32 = 1024;

/// Bits per second: low, medium, high.
const BITRATES: [u32; 3] = [128_000, 160_000, 192_000];

/// The encoder.
pub(super) struct Aac {
    encoder: Encoder,
    samples: Samples,
    bitrate: u32,
    n_packets: u64,
}

impl Aac {
    pub(super) fn new(quality: Quality) -> Result<Aac> {
        let bitrate = BITRATES[quality.row()];
        // One frame of look-ahead lets the encoder switch to short windows before an attack, not after it.
        let options = EncodeOptions::raw()
            .with_bitrate_bps(bitrate)
            .with_lookahead(true);
        let encoder = Encoder::new(MIX_RATE_HZ, 2, &options)
            .map_err(|e| encoder_error("the AAC encoder refused its settings").with_source(e))?;
        Ok(Aac {
            encoder,
            samples: Samples::new(),
            bitrate,
            n_packets: 0,
        })
    }
}

/// Adds a packet at the end of those before.
fn push(n_packets: &mut u64, out: &mut Vec<Packet>, frame: &EncodedFrame<'_>) {
    let pts = Time::from_samples((*n_packets * u64::from(PACKET)) as i64);
    *n_packets += 1;
    out.push(Packet {
        data: frame.payload.to_vec(),
        pts,
        dts: pts,
        duration: Time::from_samples(PACKET.into()),
        is_sync: true,
    });
}

impl AudioEncoder for Aac {
    fn encode(&mut self, block: &AudioBlock, out: &mut Vec<Packet>) -> Result<()> {
        self.samples.admit(block)?;
        let planes = [0, 1].map(|channel| {
            let of_channel = block.samples.iter().skip(channel).step_by(2);
            // The encoder rejects samples beyond full scale.
            of_channel.map(|x| x.clamp(-1.0, 1.0)).collect::<Vec<f32>>()
        });
        self.encoder
            .feed(&[&planes[0], &planes[1]], |frame| {
                push(&mut self.n_packets, out, &frame);
                Ok(())
            })
            .map_err(|e| encoder_error("the AAC encoder failed").with_source(e))?;
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<Packet>) -> Result<()> {
        let n_samples = self.samples.n_in();
        if n_samples == 0 {
            return Ok(());
        }
        self.encoder
            .finish(|frame| {
                push(&mut self.n_packets, out, &frame);
                Ok(())
            })
            .map_err(|e| encoder_error("the AAC encoder failed to finish").with_source(e))?;
        if let Some(last) = out.last_mut() {
            last.duration = last_duration(PRIMING, n_samples, PACKET);
        }
        Ok(())
    }

    fn config(&self) -> AudioConfig {
        AudioConfig::Aac {
            config: self.encoder.asc().to_vec(),
            priming: PRIMING,
            bitrate: self.bitrate,
        }
    }

    fn packet_samples(&self) -> u32 {
        PACKET
    }

    fn name(&self) -> String {
        format!("AAC-LC (syom), {} kbit/s", self.bitrate / 1000)
    }
}
