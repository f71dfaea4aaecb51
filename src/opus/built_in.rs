//! Opus by ropus: works on any machine, in 16 bits, and is slower than libopus.

use ropus::{OPUS_APPLICATION_AUDIO, OPUS_OK, OpusEncoder, OpusMSDecoder};

use super::{Decode, Encode, Layout, MAX_FRAMES, RATE_HZ, Settings};

/// The version that Cargo.toml pins.
pub(super) const VERSION: &str = "0.12.18";

/// An encoder.
pub(super) struct Encoder(OpusEncoder);

impl Encoder {
    pub(super) fn new(settings: Settings) -> Result<Encoder, String> {
        let mut encoder = OpusEncoder::new(RATE_HZ as i32, 2, OPUS_APPLICATION_AUDIO)
            .map_err(|code| format!("error {code}"))?;
        let codes = [
            encoder.set_bitrate(settings.bitrate),
            encoder.set_vbr(1),
            encoder.set_vbr_constraint(0),
            encoder.set_complexity(settings.complexity),
        ];
        match codes.iter().find(|code| **code != OPUS_OK) {
            Some(code) => Err(format!("error {code}")),
            None => Ok(Encoder(encoder)),
        }
    }
}

impl Encode for Encoder {
    fn encode(&mut self, frame: &[f32], out: &mut [u8]) -> Result<usize, String> {
        let (n_frames, room) = (frame.len() as i32 / 2, out.len() as i32);
        let n = self.0.encode_float(frame, n_frames, out, room);
        n.map(|n| n as usize)
            .map_err(|code| format!("error {code}"))
    }

    fn lookahead(&self) -> u16 {
        self.0.get_lookahead() as u16
    }
}

/// A decoder.
pub(super) struct Decoder {
    decoder: OpusMSDecoder,
    n_channels: usize,
    samples: Vec<i16>,
}

impl Decoder {
    pub(super) fn new(layout: &Layout) -> Result<Decoder, String> {
        let n_channels = layout.mapping.len();
        let decoder = OpusMSDecoder::new(
            RATE_HZ as i32,
            n_channels as i32,
            layout.n_streams.into(),
            layout.n_coupled.into(),
            &layout.mapping,
        );
        Ok(Decoder {
            decoder: decoder.map_err(|code| format!("error {code}"))?,
            n_channels,
            samples: vec![0; n_channels * MAX_FRAMES],
        })
    }
}

impl Decode for Decoder {
    fn decode(&mut self, packet: &[u8], out: &mut [f32]) -> Result<usize, &'static str> {
        let n_bytes = packet.len() as i32;
        let room = MAX_FRAMES as i32;
        let samples = &mut self.samples;
        let n = self
            .decoder
            .decode(Some(packet), n_bytes, samples, room, false)
            .map_err(|_| "an Opus packet is damaged")?;
        let n = usize::try_from(n).unwrap_or(0).min(MAX_FRAMES);
        for (to, sample) in out.iter_mut().zip(&self.samples[..n * self.n_channels]) {
            *to = f32::from(*sample) / 32_768.0;
        }
        Ok(n)
    }
}
