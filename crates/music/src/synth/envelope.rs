//! The level of a note over time: attack, decay, sustain, release.

use serde::Deserialize;

/// Times in seconds. Decay and release are exponential; their times are to -40 dB.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Envelope {
    pub(crate) attack: f32,
    #[serde(default = "long")]
    pub(crate) decay: f32,
    /// Level after the decay, 0 to 1.
    #[serde(default = "full")]
    pub(crate) sustain: f32,
    pub(crate) release: f32,
}

fn long() -> f32 {
    1.0
}
fn full() -> f32 {
    1.0
}

/// ln(100): an exponential falls by 40 dB in its time.
const FALL: f32 = 4.605;

impl Envelope {
    /// Returns the level `secs` after the start of a note that is held for `held` seconds.
    pub(crate) fn level(&self, secs: f32, held: f32) -> f32 {
        let down = (-FALL * (secs - held).max(0.0) / self.release.max(1e-3)).exp();
        self.held_level(secs.min(held)) * down
    }

    fn held_level(&self, secs: f32) -> f32 {
        if secs < self.attack {
            let x = secs / self.attack;
            return x * x * (3.0 - 2.0 * x);
        }
        let fall = (-FALL * (secs - self.attack) / self.decay.max(1e-3)).exp();
        self.sustain + (1.0 - self.sustain) * fall
    }

    /// Returns when the note is inaudible: the release continues to -58 dB, where the rest of a mix hides it.
    pub(crate) fn end(&self, held: f32) -> f32 {
        let faded = self.attack + 1.45 * self.decay;
        match self.sustain > 0.0 {
            true => held + 1.45 * self.release,
            false => faded.min(held + 1.45 * self.release),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise_fall_and_end() {
        let envelope = Envelope {
            attack: 0.1,
            decay: 0.5,
            sustain: 0.5,
            release: 0.4,
        };
        assert_eq!(envelope.level(0.0, 2.0), 0.0);
        assert!((envelope.level(0.1, 2.0) - 1.0).abs() < 1e-3);
        assert!((envelope.level(2.0, 2.0) - 0.5).abs() < 1e-3);
        assert!((envelope.level(2.4, 2.0) - 0.005).abs() < 1e-4);
        assert!(envelope.level(envelope.end(2.0), 2.0) < 2e-3);
    }
}
