//! Instruments: notes become sound.
//!
//! Takes a note's frequency, length and velocity; gives stereo samples at 48 kHz; never knows where in a track they go.
//! Wavetables, filters and noise are fundsp's; strings, banks of modes and frequency modulation are loops of our own, as one node
//! per sample would be slow.

mod bank;
mod drum;
mod envelope;
mod fm;
mod instrument;
mod pluck;
mod table;
mod wave;

pub(crate) use instrument::{Instrument, Orchestra, TABLE};

/// Samples per second of all that is made here.
pub(crate) const SAMPLE_RATE: f32 = 48_000.0;

/// Samples between two looks at envelopes and filters: 0.7 ms.
const BLOCK: usize = 32;

/// A note as an instrument sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strike {
    pub(crate) hz: f32,
    /// How long it is held.
    pub(crate) secs: f32,
    /// 0 to 1.
    pub(crate) velocity: f32,
    /// For noise and phases, so that no two notes are the same.
    pub(crate) seed: u64,
}

/// Number of samples in a time.
fn samples(secs: f32) -> usize {
    (secs * SAMPLE_RATE).max(0.0).round() as usize
}

/// Amplitudes of the sides for a place from -1 (left) to 1, of constant power.
pub(crate) fn sides(pan: f32) -> [f32; 2] {
    let angle = (pan.clamp(-1.0, 1.0) + 1.0) * std::f32::consts::FRAC_PI_4;
    [angle.cos(), angle.sin()]
}
