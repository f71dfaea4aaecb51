//! Instruments: they turn notes into sound.
//!
//! Takes a note's frequency, length and velocity and gives stereo samples at 48 kHz. It does not know where in a track they go. Wavetables, filters and noise
//! are fundsp's; strings, banks of modes and frequency modulation are loops of our own, as one node per sample would be slow.

mod bank;
mod drum;
mod envelope;
mod fm;
mod instrument;
mod pluck;
mod table;
mod wave;

pub(crate) use instrument::{Instrument, Orchestra, TABLE};

/// Sample rate of everything made here, in Hz.
pub(crate) const SAMPLE_RATE: f32 = 48_000.0;

/// Samples between two updates of envelopes and filters: 0.7 ms.
const BLOCK: usize = 32;

/// A note as an instrument sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strike {
    pub(crate) hz: f32,
    /// How long it is held.
    pub(crate) secs: f32,
    /// 0 to 1.
    pub(crate) velocity: f32,
    /// Seed of noise and phases, so that no two notes are the same.
    pub(crate) seed: u64,
}

/// Returns the number of samples in a time.
fn samples(secs: f32) -> usize {
    (secs * SAMPLE_RATE).max(0.0).round() as usize
}

/// Returns the amplitudes of the sides for a position from -1 (left) to 1, at constant power.
pub(crate) fn sides(pan: f32) -> [f32; 2] {
    let angle = (pan.clamp(-1.0, 1.0) + 1.0) * std::f32::consts::FRAC_PI_4;
    [angle.cos(), angle.sin()]
}
