//! Sustained instruments: bandlimited wavetables in unison, a filter that follows the level, vibrato and breath.

use std::sync::Arc;

use fundsp::prelude32::{AudioNode, FixedSvf, Frame, LowpassMode, Noise, SvfParams};
use serde::Deserialize;

use super::envelope::Envelope;
use super::table::{Table, fixed, look};
use super::{BLOCK, SAMPLE_RATE, Strike, samples, sides};
use crate::score::chance::Chance;

/// Strings, winds, brass, voices, organs, pads, synthesizers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wave {
    /// Partials fall with their number to this power: 1 is a saw, 2 is mellow.
    pub(crate) slope: f32,
    /// Level of even partials against odd ones; 0 is hollow like a clarinet.
    #[serde(default = "one")]
    pub(crate) even: f32,
    /// Amplitudes of the first partials; further ones follow the slope from the last. If empty, all follow the slope.
    #[serde(default)]
    pub(crate) partials: Vec<f32>,
    /// Resonances of a body or a vowel: center in Hz, width in Hz, gain in dB.
    #[serde(default)]
    pub(crate) formants: Vec<[f32; 3]>,
    pub(crate) envelope: Envelope,
    /// Players in unison, 1 to 8.
    #[serde(default = "single")]
    pub(crate) unison: usize,
    /// How far the players are out of tune.
    #[serde(default)]
    pub(crate) detune_cents: f32,
    /// How far they are spread between the sides, 0 to 1.
    #[serde(default)]
    pub(crate) width: f32,
    /// Lowpass at full level, for c4.
    pub(crate) cutoff_hz: f32,
    /// How much the lowpass follows the pitch, 0 to 1.
    #[serde(default = "half")]
    pub(crate) tracking: f32,
    /// Octaves that the lowpass opens with the level, and with the velocity.
    #[serde(default)]
    pub(crate) opening: [f32; 2],
    #[serde(default = "flat")]
    pub(crate) q: f32,
    /// Rate in Hz, depth in cents, and seconds until full depth.
    #[serde(default)]
    pub(crate) vibrato: [f32; 3],
    /// Rate in Hz and depth (0 to 1) of a tremble in level.
    #[serde(default)]
    pub(crate) tremolo: [f32; 2],
    /// Level of noise against the tone.
    #[serde(default)]
    pub(crate) breath: f32,
    /// Interval in cents from which a note slides up to its pitch.
    #[serde(default)]
    pub(crate) scoop_cents: f32,
}

fn one() -> f32 {
    1.0
}
fn half() -> f32 {
    0.5
}
fn flat() -> f32 {
    0.7
}
fn single() -> usize {
    1
}

/// Largest number of players in unison: one for each lane.
const LANES: usize = 8;

/// The players of a unison, side by side.
struct Unison {
    n: usize,
    phase: [u32; LANES],
    /// Phase per sample without vibrato.
    increment: [f32; LANES],
    /// Amplitudes on the left and on the right.
    sides: [[f32; LANES]; 2],
    vibrato_phase: [f32; LANES],
    vibrato_hz: [f32; LANES],
}

type Lowpass = FixedSvf<f32, LowpassMode<f32>>;

impl Wave {
    /// Returns the partials as tables, one for every third of an octave.
    pub(crate) fn table(&self) -> Arc<Table> {
        // Phases by the golden ratio spread the energy over the cycle, so that pads have no clicks. They are the same in every build.
        let phase = |i: u32| f64::from(i) * f64::from(i) * 0.618_034 % 1.0;
        let amplitude = |hz: f64, i: u32| f64::from(self.partial(hz as f32, i));
        Arc::new(Table::new(5000.0, phase, amplitude))
    }

    fn partial(&self, hz: f32, i: u32) -> f32 {
        let listed = self.partials.get(i as usize - 1).copied();
        let last = self.partials.last().copied().unwrap_or(1.0);
        let first_free = self.partials.len().max(1) as f32;
        let own = listed.unwrap_or_else(|| last * (i as f32 / first_free).powf(-self.slope));
        let parity = if i.is_multiple_of(2) { self.even } else { 1.0 };
        own * parity * self.resonance(hz * i as f32)
    }

    fn resonance(&self, hz: f32) -> f32 {
        if self.formants.is_empty() {
            return 1.0;
        }
        let peaks = self.formants.iter().map(|[center, width, db]| {
            let away = (hz - center) / (0.5 * width);
            10_f32.powf(db / 20.0) / (1.0 + away * away)
        });
        0.02 + peaks.sum::<f32>()
    }

    /// Plays a note.
    pub(crate) fn sound(&self, table: &Table, strike: &Strike, out: &mut Vec<[f32; 2]>) {
        let n = samples(self.envelope.end(strike.secs));
        let mut chance = Chance::new(strike.seed, "wave");
        let mut unison = self.unison(strike, &mut chance);
        let mut filters: [Lowpass; 2] = std::array::from_fn(|_| lowpass());
        let mut noise = Noise::new();
        noise.set_hash(strike.seed);
        let cycle = table.cycle(strike.hz);
        let mut level = 0.0;
        let is_mono = self.width == 0.0 || unison.n == 1;
        let loudness = 1.0 / (unison.n as f32).sqrt();
        for start in (0..n).step_by(BLOCK) {
            let secs = start as f32 / SAMPLE_RATE;
            let next = self.level(secs + BLOCK as f32 / SAMPLE_RATE, strike);
            let cutoff = self.cutoff(next, strike);
            filters
                .iter_mut()
                .for_each(|filter| filter.set_cutoff_q(cutoff, self.q));
            let mut block = [[0.0_f32; 2]; BLOCK];
            let increment =
                std::array::from_fn(|lane| self.bend(&unison, lane, secs) * unison.increment[lane]);
            unison.play(cycle, increment, &mut block);
            for (i, sample) in block.iter_mut().enumerate() {
                let level = level + (next - level) * i as f32 / BLOCK as f32;
                let breath = if self.breath > 0.0 {
                    noise.tick(&Frame::default())[0] * self.breath
                } else {
                    0.0
                };
                let left = filters[0].tick(&Frame::from([sample[0] + breath]))[0];
                let right = if is_mono {
                    left
                } else {
                    filters[1].tick(&Frame::from([sample[1] + breath]))[0]
                };
                out.push([left * level * loudness, right * level * loudness]);
            }
            level = next;
        }
    }

    fn unison(&self, strike: &Strike, chance: &mut Chance) -> Unison {
        let n = self.unison.clamp(1, LANES);
        let mut unison = Unison {
            n,
            phase: [0; LANES],
            increment: [0.0; LANES],
            sides: [[0.0; LANES]; 2],
            vibrato_phase: [0.0; LANES],
            vibrato_hz: [0.0; LANES],
        };
        for i in 0..n {
            let place = if n == 1 {
                0.0
            } else {
                2.0 * i as f32 / (n - 1) as f32 - 1.0
            };
            let cents =
                place * self.detune_cents + 0.25 * self.detune_cents * chance.signed() as f32;
            // Neighbors in pitch are on opposite sides.
            let pan = self.width * place.abs() * if i % 2 == 0 { 1.0 } else { -1.0 };
            let [left, right] = if self.width == 0.0 {
                [1.0, 0.0]
            } else {
                sides(pan)
            };
            unison.phase[i] = fixed(chance.unit() as f32);
            unison.increment[i] = strike.hz * (cents / 1200.0).exp2() / SAMPLE_RATE;
            (unison.sides[0][i], unison.sides[1][i]) = (left, right);
            unison.vibrato_phase[i] = chance.unit() as f32;
            unison.vibrato_hz[i] = self.vibrato[0] * (1.0 + 0.08 * chance.signed() as f32);
        }
        unison
    }

    fn level(&self, secs: f32, strike: &Strike) -> f32 {
        let [hz, depth] = self.tremolo;
        let tremolo = 1.0 - depth * (0.5 - 0.5 * (std::f32::consts::TAU * hz * secs).cos());
        self.envelope.level(secs, strike.secs) * tremolo
    }

    fn cutoff(&self, level: f32, strike: &Strike) -> f32 {
        let pitch = (strike.hz / 261.63).log2() * self.tracking;
        let octaves =
            pitch + self.opening[0] * (level - 1.0) + self.opening[1] * (strike.velocity - 0.8);
        (self.cutoff_hz * octaves.exp2()).clamp(60.0, 18_000.0)
    }

    fn bend(&self, unison: &Unison, lane: usize, secs: f32) -> f32 {
        let [_, cents, onset] = self.vibrato;
        if lane >= unison.n || (cents == 0.0 && self.scoop_cents == 0.0) {
            return 1.0;
        }
        let turn =
            std::f32::consts::TAU * (unison.vibrato_phase[lane] + unison.vibrato_hz[lane] * secs);
        let grown = if onset > 0.0 {
            (secs / onset).min(1.0)
        } else {
            1.0
        };
        let scoop = -self.scoop_cents * (-secs * 25.0).exp();
        ((cents * grown * turn.sin() + scoop) / 1200.0).exp2()
    }
}

impl Unison {
    /// Adds the players to a block; their phases advance by `increment` cycles a sample.
    fn play(&mut self, cycle: &[[f32; 2]], increment: [f32; LANES], block: &mut [[f32; 2]; BLOCK]) {
        for (lane, step) in increment.iter().enumerate().take(self.n) {
            let step = fixed(*step);
            let [left, right] = [self.sides[0][lane], self.sides[1][lane]];
            let mut phase = self.phase[lane];
            for sample in block.iter_mut() {
                let value = look(cycle, phase);
                sample[0] += value * left;
                sample[1] += value * right;
                phase = phase.wrapping_add(step);
            }
            self.phase[lane] = phase;
        }
    }
}

fn lowpass() -> Lowpass {
    let params = SvfParams {
        sample_rate: SAMPLE_RATE,
        cutoff: 1000.0,
        q: 0.7,
        gain: 1.0,
    };
    let mut filter = FixedSvf::new(LowpassMode::default(), &params);
    filter.set_sample_rate(f64::from(SAMPLE_RATE));
    filter
}
