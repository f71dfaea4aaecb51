//! Vorbis packets of more than two channels to samples: symphonia mixes up their residues, lewton does not.

use std::io;

use lewton::audio::{PreviousWindowRight, read_audio_packet_generic};
use lewton::header::{IdentHeader, SetupHeader, read_header_ident, read_header_setup};
use lewton::samples::InterleavedSamples;

use super::container::invalid;
use super::opus_head::vorbis_order;

/// Length of the identification header (Vorbis I, 4.2.2, with the packet's type and name).
const IDENT_BYTES: usize = 30;

/// Decodes the packets of one Vorbis track.
pub(crate) struct VorbisCodec {
    ident: IdentHeader,
    setup: SetupHeader,
    window: PreviousWindowRight,
    order: Vec<usize>,
}

impl VorbisCodec {
    /// From the headers as the demuxer hands them out: one after the other for Ogg, laced for Matroska.
    pub(super) fn new(headers: &[u8]) -> io::Result<VorbisCodec> {
        let damaged = |what: &str| invalid(format!("is damaged: its Vorbis {what}"));
        let (ident, setup) = match headers {
            [2, ..] => laced(headers),
            _ => headers.split_at_checked(IDENT_BYTES),
        }
        .ok_or_else(|| damaged("headers are cut off"))?;
        let ident = read_header_ident(ident).map_err(|e| damaged(&format!("header: {e}")))?;
        let blocks = (ident.blocksize_0, ident.blocksize_1);
        let setup = read_header_setup(setup, ident.audio_channels, blocks)
            .map_err(|e| damaged(&format!("setup: {e}")))?;
        let order = vorbis_order(usize::from(ident.audio_channels));
        Ok(VorbisCodec {
            ident,
            setup,
            window: PreviousWindowRight::new(),
            order,
        })
    }

    /// Samples per second and channels.
    pub(super) fn format(&self) -> (u32, u8) {
        (self.ident.audio_sample_rate, self.ident.audio_channels)
    }

    /// Appends a packet's samples, interleaved in the order of WAVE. `Err` says what is wrong with it; the next may be good again.
    pub(super) fn decode(&mut self, packet: &[u8], out: &mut Vec<f32>) -> Result<(), String> {
        let decoded: InterleavedSamples<f32> =
            read_audio_packet_generic(&self.ident, &self.setup, packet, &mut self.window)
                .map_err(|e| e.to_string())?;
        for frame in decoded.samples.chunks_exact(self.order.len().max(1)) {
            out.extend(self.order.iter().map(|from| frame[*from]));
        }
        Ok(())
    }
}

/// The first and the third of three packets in Xiph's lacing: their number less one, the lengths of all but the last, the packets.
fn laced(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = bytes.get(1..)?;
    let mut lengths = [0; 2];
    for length in &mut lengths {
        loop {
            let (byte, more) = rest.split_first()?;
            rest = more;
            *length += usize::from(*byte);
            if *byte < 255 {
                break;
            }
        }
    }
    let (ident, rest) = rest.split_at_checked(lengths[0])?;
    let (_comment, setup) = rest.split_at_checked(lengths[1])?;
    Some((ident, setup))
}
