//! Struck instruments: a bank of decaying partials, as in a piano, marimba, bell or glass.

use serde::Deserialize;

use super::{SAMPLE_RATE, Strike, samples};
use crate::score::chance::Chance;

/// A bank of modes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bank {
    /// Ratio to the pitch, amplitude, seconds to -60 dB at c4.
    #[serde(default)]
    pub(crate) modes: Vec<[f32; 3]>,
    /// A stiff string, used instead of modes.
    #[serde(default)]
    pub(crate) string: Option<StiffString>,
    /// How the decay shortens with the pitch: 0 not at all, 1 in proportion.
    #[serde(default = "half")]
    pub(crate) shortening: f32,
    /// How much duller soft notes are: dB per octave of partials, at velocity 0.
    #[serde(default = "six")]
    pub(crate) softness_db: f32,
    /// Seconds to -60 dB after the note's end; `None` rings on.
    #[serde(default)]
    pub(crate) damp: Option<f32>,
    /// Distance between two sets of partials, one to each side; 0 is a single set.
    #[serde(default)]
    pub(crate) pair_cents: f32,
    /// Noise of the strike: amplitude, seconds to -60 dB, lowpass in Hz.
    #[serde(default)]
    pub(crate) knock: [f32; 3],
    /// Seconds of the attack.
    #[serde(default)]
    pub(crate) attack: f32,
}

/// Partials of a stiff string under a hammer (Fletcher and Rossing, The Physics of Musical Instruments, 2.18 and 12.2).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StiffString {
    pub(crate) n: usize,
    /// Inharmonicity at c4.
    pub(crate) stiffness: f32,
    /// Amplitudes fall with the partial's number to this power.
    pub(crate) slope: f32,
    /// Seconds to -60 dB of the first partial at c4.
    pub(crate) decay: f32,
    /// Where the hammer strikes, as a share of the length.
    pub(crate) strike_at: f32,
}

fn half() -> f32 {
    0.5
}
fn six() -> f32 {
    6.0
}

/// Partials that are computed together.
const LANES: usize = 8;

/// ln(1000): 60 dB.
const FALL: f32 = 6.908;

/// Partials above this are left out.
const HIGHEST_HZ: f32 = 14_000.0;

/// Eight partials, as complex numbers that rotate and shrink.
#[derive(Clone, Default)]
struct Lanes {
    re: [f32; LANES],
    im: [f32; LANES],
    turn_re: [f32; LANES],
    turn_im: [f32; LANES],
    /// Samples until all are below -60 dB.
    n: usize,
}

impl Bank {
    /// Plays a note.
    pub(crate) fn sound(&self, strike: &Strike, out: &mut Vec<[f32; 2]>) {
        let mut chance = Chance::new(strike.seed, "bank");
        let modes = self.modes_at(strike);
        let is_paired = self.pair_cents > 0.0;
        let first = out.len();
        let n_max = self.length(&modes, strike);
        out.resize(first + n_max, [0.0; 2]);
        let sets = if is_paired {
            &[(-0.5, [0.85, 0.5]), (0.5, [0.5, 0.85])][..]
        } else {
            &[(0.0, [1.0, 1.0])][..]
        };
        for (place, sides) in sets {
            let bend = (place * self.pair_cents / 1200.0).exp2();
            for group in modes.chunks(LANES) {
                Lanes::new(group, bend, &mut chance).add(&mut out[first..], *sides);
            }
        }
        self.knock(strike, &mut chance, &mut out[first..]);
        self.shape(strike, &mut out[first..]);
    }

    /// Returns frequency, amplitude and decay of each partial of a note.
    fn modes_at(&self, strike: &Strike) -> Vec<[f32; 3]> {
        let octaves = (strike.hz / 261.63).log2();
        let shorter = (-octaves * self.shortening).exp2();
        let softness = self.softness_db * (1.0 - strike.velocity);
        let plain: Vec<[f32; 3]> = match &self.string {
            Some(string) => string.modes(octaves),
            None => self.modes.clone(),
        };
        plain
            .into_iter()
            .map(|[ratio, gain, decay]| {
                let duller = 10_f32.powf(-softness * ratio.max(1.0).log2() / 20.0);
                [ratio * strike.hz, gain * duller, decay * shorter]
            })
            .filter(|[hz, gain, _]| *hz < HIGHEST_HZ && *gain > 1e-4)
            .collect()
    }

    fn length(&self, modes: &[[f32; 3]], strike: &Strike) -> usize {
        let longest = modes
            .iter()
            .fold(0.05_f32, |longest, mode| longest.max(mode[2]));
        let end = self
            .damp
            .map_or(longest, |damp| longest.min(strike.secs + damp));
        samples(end)
    }

    fn knock(&self, strike: &Strike, chance: &mut Chance, out: &mut [[f32; 2]]) {
        let [gain, secs, cutoff] = self.knock;
        if gain <= 0.0 {
            return;
        }
        let smooth = 1.0 - (-std::f32::consts::TAU * cutoff / SAMPLE_RATE).exp();
        let shrink = (-FALL / (secs * SAMPLE_RATE)).exp();
        let (mut level, mut low) = (gain * strike.velocity, 0.0);
        for sample in out.iter_mut().take(samples(secs)) {
            low += smooth * (chance.signed() as f32 - low);
            sample[0] += low * level;
            sample[1] += low * level;
            level *= shrink;
        }
    }

    /// Applies the attack, the damper, and a fade at the end against clicks.
    fn shape(&self, strike: &Strike, out: &mut [[f32; 2]]) {
        let n_attack = samples(self.attack.max(0.0008));
        for (i, sample) in out.iter_mut().take(n_attack).enumerate() {
            let level = i as f32 / n_attack as f32;
            *sample = sample.map(|side| side * level);
        }
        if let Some(damp) = self.damp {
            let shrink = (-FALL / (damp * SAMPLE_RATE)).exp();
            let mut level = 1.0;
            for sample in out.iter_mut().skip(samples(strike.secs)) {
                level *= shrink;
                *sample = sample.map(|side| side * level);
            }
        }
        let n_end = samples(0.01).min(out.len());
        for (i, sample) in out.iter_mut().rev().take(n_end).enumerate() {
            let level = i as f32 / n_end as f32;
            *sample = sample.map(|side| side * level);
        }
    }
}

impl StiffString {
    fn modes(&self, octaves: f32) -> Vec<[f32; 3]> {
        // Treble strings are stiffer.
        let stiffness = self.stiffness * (octaves * 1.2).exp2();
        let limit = self.n.min(48);
        (1..=limit)
            .map(|i| {
                let number = i as f32;
                let ratio =
                    number * ((1.0 + stiffness * number * number) / (1.0 + stiffness)).sqrt();
                let hammer = (std::f32::consts::PI * number * self.strike_at)
                    .sin()
                    .abs()
                    .max(0.05);
                let decay = self.decay / (1.0 + 0.18 * (number - 1.0));
                [ratio, hammer * number.powf(-self.slope), decay]
            })
            .collect()
    }
}

impl Lanes {
    fn new(modes: &[[f32; 3]], bend: f32, chance: &mut Chance) -> Lanes {
        let mut lanes = Lanes::default();
        for (lane, [hz, gain, decay]) in modes.iter().enumerate() {
            let phase = std::f32::consts::TAU * chance.unit() as f32 * 0.15;
            let angle = std::f32::consts::TAU * hz * bend / SAMPLE_RATE;
            let shrink = (-FALL / (decay.max(0.01) * SAMPLE_RATE)).exp();
            (lanes.re[lane], lanes.im[lane]) = (gain * phase.cos(), gain * phase.sin());
            (lanes.turn_re[lane], lanes.turn_im[lane]) =
                (shrink * angle.cos(), shrink * angle.sin());
            lanes.n = lanes.n.max(samples(*decay));
        }
        lanes
    }

    fn add(mut self, out: &mut [[f32; 2]], sides: [f32; 2]) {
        for sample in out.iter_mut().take(self.n) {
            let mut sum = [0.0_f32; LANES];
            for (lane, value) in sum.iter_mut().enumerate() {
                let (re, im) = (self.re[lane], self.im[lane]);
                self.re[lane] = re * self.turn_re[lane] - im * self.turn_im[lane];
                self.im[lane] = re * self.turn_im[lane] + im * self.turn_re[lane];
                *value = self.im[lane];
            }
            let value: f32 = sum.iter().sum();
            sample[0] += value * sides[0];
            sample[1] += value * sides[1];
        }
    }
}
