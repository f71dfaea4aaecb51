//! Frequency modulation (Chowning, The Synthesis of Complex Audio Spectra, 1973): electric pianos, bells, music boxes.

use serde::Deserialize;

use super::envelope::Envelope;
use super::{BLOCK, SAMPLE_RATE, Strike, samples, sides};

/// Pairs of a carrier and its modulator, heard together.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fm {
    pub(crate) pairs: Vec<Pair>,
    /// Rate in Hz and depth (0 to 1) of a sway between the sides.
    #[serde(default)]
    pub(crate) sway: [f32; 2],
}

/// A carrier and its modulator.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pair {
    /// The carrier's frequency, relative to the pitch.
    pub(crate) ratio: f32,
    /// The modulator's frequency, relative to the pitch.
    pub(crate) modulator: f32,
    /// Depth of modulation in radians at full velocity, and seconds until it has fallen by 40 dB.
    pub(crate) index: [f32; 2],
    pub(crate) gain: f32,
    pub(crate) envelope: Envelope,
}

impl Fm {
    /// Plays a note.
    pub(crate) fn sound(&self, strike: &Strike, out: &mut Vec<[f32; 2]>) {
        let first = out.len();
        for pair in &self.pairs {
            let n = samples(pair.envelope.end(strike.secs));
            if out.len() < first + n {
                out.resize(first + n, [0.0; 2]);
            }
            pair.add(strike, &mut out[first..first + n]);
        }
        let [hz, depth] = self.sway;
        if depth > 0.0 {
            for (i, sample) in out[first..].iter_mut().enumerate() {
                let turn = std::f32::consts::TAU * hz * i as f32 / SAMPLE_RATE;
                let [left, right] = sides(depth * turn.sin());
                *sample = [sample[0] * left * 1.414, sample[1] * right * 1.414];
            }
        }
    }
}

impl Pair {
    fn add(&self, strike: &Strike, out: &mut [[f32; 2]]) {
        let per_sample = std::f32::consts::TAU * strike.hz / SAMPLE_RATE;
        // Limits the depth so that no partials alias.
        let room = (0.42 * SAMPLE_RATE / strike.hz - self.ratio) / self.modulator.max(0.1);
        let deepest = (room - 1.0).clamp(0.0, 12.0);
        let depth = (self.index[0] * (0.25 + 0.75 * strike.velocity)).min(deepest);
        let (mut carrier, mut modulator) = (0.0_f32, 0.0_f32);
        let mut level = 0.0;
        for (block, chunk) in out.chunks_mut(BLOCK).enumerate() {
            let secs = ((block + 1) * BLOCK) as f32 / SAMPLE_RATE;
            let next = self.gain * self.envelope.level(secs, strike.secs);
            let index = depth * (-4.605 * secs / self.index[1].max(1e-3)).exp();
            for (i, sample) in chunk.iter_mut().enumerate() {
                let level = level + (next - level) * i as f32 / BLOCK as f32;
                let value = level * (carrier + index * modulator.sin()).sin();
                carrier = wrapped(carrier + per_sample * self.ratio);
                modulator = wrapped(modulator + per_sample * self.modulator);
                sample[0] += value;
                sample[1] += value;
            }
            level = next;
        }
    }
}

fn wrapped(phase: f32) -> f32 {
    if phase >= std::f32::consts::TAU {
        phase - std::f32::consts::TAU
    } else {
        phase
    }
}
