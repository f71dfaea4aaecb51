//! Opus packets from samples and back: by the machine's libopus, or by ropus, which is built in, where there is none.
//!
//! Takes: stereo samples at 48 kHz, or packets. Gives: packets, or samples at 48 kHz. Never: knows containers.

mod built_in;
mod library;
#[cfg(test)]
mod tests;

use library::Library;

/// What every stream is coded from and decoded to, Hz.
pub(crate) const RATE_HZ: u32 = 48_000;
/// Longest packet, in frames: 120 ms (RFC 6716, 3.2.5).
pub(crate) const MAX_FRAMES: usize = 5_760;

/// What an encoder is asked for: stereo at a really variable bitrate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Bits per second, on average over ordinary sound.
    pub(crate) bitrate: i32,
    /// 0 (fast) to 10 (best).
    pub(crate) complexity: i32,
}

/// How the channels of a packet lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Streams in each packet.
    pub(crate) n_streams: u8,
    /// The first of them that are stereo; the others are mono.
    pub(crate) n_coupled: u8,
    /// For each channel of the result the decoded channel it takes; 255: silence.
    pub(crate) mapping: Vec<u8>,
}

/// Encodes stereo sound, 20 ms at a time.
pub(crate) trait Encode: Send {
    /// Encodes 960 interleaved stereo samples into `out`; gives the packet's length.
    fn encode(&mut self, frame: &[f32], out: &mut [u8]) -> Result<usize, String>;

    /// Samples that come out before the sound.
    fn lookahead(&self) -> u16;
}

/// Decodes the packets of one track.
pub(crate) trait Decode: Send {
    /// Decodes a packet into `out`, interleaved as the layout says, which has room for [`MAX_FRAMES`]; gives the number of frames. After an error
    /// the next packet may be good again.
    fn decode(&mut self, packet: &[u8], out: &mut [f32]) -> Result<usize, &'static str>;
}

/// Who codes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Codec {
    /// The machine's libopus.
    Library(&'static Library),
    /// ropus.
    BuiltIn,
}

impl Codec {
    /// The better one of this machine: libopus, where it is.
    pub(crate) fn best() -> Codec {
        Library::get().map_or(Codec::BuiltIn, Codec::Library)
    }

    /// Name and version.
    pub(crate) fn name(self) -> String {
        match self {
            Codec::Library(library) => library.version.clone(),
            Codec::BuiltIn => format!("ropus {}", built_in::VERSION),
        }
    }

    /// An encoder.
    pub(crate) fn encoder(self, settings: Settings) -> Result<Box<dyn Encode>, String> {
        Ok(match self {
            Codec::Library(library) => Box::new(library.encoder(settings)?),
            Codec::BuiltIn => Box::new(built_in::Encoder::new(settings)?),
        })
    }

    /// A decoder.
    pub(crate) fn decoder(self, layout: &Layout) -> Result<Box<dyn Decode>, String> {
        Ok(match self {
            Codec::Library(library) => Box::new(library.decoder(layout)?),
            Codec::BuiltIn => Box::new(built_in::Decoder::new(layout)?),
        })
    }
}

/// Name and version of the machine's libopus, or why there is none.
pub(crate) fn library_version() -> Result<String, String> {
    Library::get().map(|library| library.version.clone())
}
