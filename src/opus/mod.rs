//! Encodes samples to Opus packets and decodes them: with the machine's libopus, or with the built-in ropus if libopus is missing.
//!
//! Takes: stereo samples at 48 kHz, or packets. Gives: packets, or samples at 48 kHz. Never: handles containers.

mod built_in;
mod library;
#[cfg(test)]
mod tests;

use library::Library;

/// Sample rate of every encoder's input and every decoder's output, Hz.
pub(crate) const RATE_HZ: u32 = 48_000;
/// Longest packet, in frames: 120 ms (RFC 6716, 3.2.5).
pub(crate) const MAX_FRAMES: usize = 5_760;

/// Settings of an encoder: stereo at a truly variable bitrate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Bits per second, on average over ordinary sound.
    pub(crate) bitrate: i32,
    /// 0 (fast) to 10 (best).
    pub(crate) complexity: i32,
}

/// Channel layout of the packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Streams in each packet.
    pub(crate) n_streams: u8,
    /// Number of streams that are stereo; they come first, the others are mono.
    pub(crate) n_coupled: u8,
    /// Index of the decoded channel for each output channel; 255 is silence.
    pub(crate) mapping: Vec<u8>,
}

/// Encodes stereo sound, 20 ms at a time.
pub(crate) trait Encode: Send {
    /// Encodes 960 interleaved stereo samples into `out`; returns the packet's length.
    fn encode(&mut self, frame: &[f32], out: &mut [u8]) -> Result<usize, String>;

    /// Returns the number of priming samples that precede the sound.
    fn lookahead(&self) -> u16;
}

/// Decodes the packets of one track.
pub(crate) trait Decode: Send {
    /// Decodes a packet into `out`, interleaved in the order of the layout; returns the number of frames. `out` must have room for [`MAX_FRAMES`]. After an
    /// error the next packet may be good again.
    fn decode(&mut self, packet: &[u8], out: &mut [f32]) -> Result<usize, &'static str>;
}

/// Implementation that encodes and decodes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Codec {
    /// The machine's libopus.
    Library(&'static Library),
    /// ropus.
    BuiltIn,
}

impl Codec {
    /// Returns the better codec of this machine: libopus if it is installed.
    pub(crate) fn best() -> Codec {
        Library::get().map_or(Codec::BuiltIn, Codec::Library)
    }

    /// Returns the name and version.
    pub(crate) fn name(self) -> String {
        match self {
            Codec::Library(library) => library.version.clone(),
            Codec::BuiltIn => format!("ropus {}", built_in::VERSION),
        }
    }

    /// Opens an encoder.
    pub(crate) fn encoder(self, settings: Settings) -> Result<Box<dyn Encode>, String> {
        Ok(match self {
            Codec::Library(library) => Box::new(library.encoder(settings)?),
            Codec::BuiltIn => Box::new(built_in::Encoder::new(settings)?),
        })
    }

    /// Opens a decoder.
    pub(crate) fn decoder(self, layout: &Layout) -> Result<Box<dyn Decode>, String> {
        Ok(match self {
            Codec::Library(library) => Box::new(library.decoder(layout)?),
            Codec::BuiltIn => Box::new(built_in::Decoder::new(layout)?),
        })
    }
}

/// Returns the name and version of the machine's libopus, or the reason why it is missing.
pub(crate) fn library_version() -> Result<String, String> {
    Library::get().map(|library| library.version.clone())
}
