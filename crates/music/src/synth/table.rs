//! Wavetables read with a fixed-point phase. A value and its slope lie side by side, so that a sample costs one lookup.

use std::sync::OnceLock;

use fundsp::prelude32::Wavetable;

/// Bits of the phase that choose an entry: 8192 entries, enough for linear interpolation.
const BITS: u32 = 13;
/// Bits left for the position between two entries.
const REST_BITS: u32 = 32 - BITS;
const REST: u32 = (1 << REST_BITS) - 1;

/// One cycle: each value, and its slope per unit of the phase's low bits.
pub(super) type Cycle = Vec<[f32; 2]>;

/// Bandlimited cycles, one for every third of an octave, created on first use.
pub(crate) struct Table {
    source: Wavetable,
    cycles: Vec<OnceLock<Cycle>>,
}

impl Table {
    /// Creates a table with partials from 20 Hz to `highest_hz`: their phases in cycles, and their amplitudes for a pitch.
    pub(super) fn new(
        highest_hz: f64,
        phase: impl Fn(u32) -> f64,
        amplitude: impl Fn(f64, u32) -> f64,
    ) -> Table {
        let source = Wavetable::new(20.0, highest_hz, 3.0, &phase, &amplitude);
        let n = source.table_index(0, f32::MAX) + 2;
        Table {
            source,
            cycles: (0..n).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Returns the cycle for a pitch.
    pub(super) fn cycle(&self, hz: f32) -> &Cycle {
        let at = (self.source.table_index(0, hz) + 1).min(self.cycles.len() - 1);
        self.cycles[at].get_or_init(|| {
            let n = 1_usize << BITS;
            let value = |i: usize| self.source.at(at, (i % n) as f32 / n as f32);
            let scale = 1.0 / (REST as f32 + 1.0);
            (0..n)
                .map(|i| [value(i), (value(i + 1) - value(i)) * scale])
                .collect()
        })
    }
}

/// Converts a phase of 0..1, or an increment below 1, to a fixed-point number.
pub(super) fn fixed(cycles: f32) -> u32 {
    (f64::from(cycles) * 4_294_967_296.0) as u32
}

/// Returns the value of a cycle at a phase.
#[inline]
pub(super) fn look(cycle: &[[f32; 2]], phase: u32) -> f32 {
    let [value, slope] = cycle[(phase >> REST_BITS) as usize];
    value + slope * (phase & REST) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sine_is_a_sine() {
        let table = Table::new(5000.0, |_| 0.0, |_, i| f64::from(u32::from(i == 1)));
        let cycle = table.cycle(440.0);
        for i in 0..1000 {
            let phase = i as f32 / 1000.0;
            let wanted = (std::f32::consts::TAU * phase).sin();
            let got = look(cycle, fixed(phase));
            assert!((got.abs() - wanted.abs()).abs() < 2e-3, "{phase}: {got}");
        }
    }
}
