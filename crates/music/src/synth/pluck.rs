//! Plucked strings (Karplus and Strong, Digital Synthesis of Plucked-String and Drum Timbres, 1983; Jaffe and Smith, Extensions, 1983).

use fundsp::prelude32::{AudioNode, BellMode, FixedSvf, Frame, SvfParams};
use serde::Deserialize;

use super::{SAMPLE_RATE, Strike, samples};
use crate::score::chance::Chance;

/// Guitars, harps, lutes, zithers, plucked basses.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pluck {
    /// Seconds to -60 dB at c4.
    pub(crate) decay: f32,
    /// How much faster high partials decay: 0 (steel) to 0.5 (gut).
    pub(crate) damping: f32,
    /// Where the string is plucked, as a share of its length.
    pub(crate) pick_at: f32,
    /// Brightness of the pick at full velocity, in Hz.
    pub(crate) bright_hz: f32,
    /// Resonances of the body: Hz, q, gain in dB.
    #[serde(default)]
    pub(crate) body: Vec<[f32; 3]>,
    /// Seconds to -60 dB after the note's end; `None` rings on.
    #[serde(default)]
    pub(crate) damp: Option<f32>,
    /// Detuning of a second string on the other side; 0 is one string.
    #[serde(default)]
    pub(crate) pair_cents: f32,
    /// Rate in Hz and depth (0 to 1) of a tremble in level.
    #[serde(default)]
    pub(crate) tremolo: [f32; 2],
}

/// ln(1000): 60 dB.
const FALL: f32 = 6.908;

impl Pluck {
    /// Plays a note.
    pub(crate) fn sound(&self, strike: &Strike, out: &mut Vec<[f32; 2]>) {
        let mut chance = Chance::new(strike.seed, "pluck");
        let octaves = (strike.hz / 261.63).log2();
        let decay = self.decay * (-0.6 * octaves).exp2();
        let end = self
            .damp
            .map_or(decay, |damp| decay.min(strike.secs + damp));
        let n = samples(end.max(0.05));
        let first = out.len();
        let single = self.string(strike, 0.0, n, &mut chance);
        if self.pair_cents > 0.0 {
            let other = self.string(strike, self.pair_cents, n, &mut chance);
            out.extend(
                single
                    .iter()
                    .zip(&other)
                    .map(|(a, b)| [0.8 * a + 0.35 * b, 0.35 * a + 0.8 * b]),
            );
        } else {
            out.extend(single.iter().map(|value| [*value; 2]));
        }
        self.shape(strike, &mut out[first..]);
    }

    fn string(&self, strike: &Strike, cents: f32, n: usize, chance: &mut Chance) -> Vec<f32> {
        let period = SAMPLE_RATE / (strike.hz * (cents / 1200.0).exp2());
        let damping = self.damping.clamp(0.0, 0.5);
        // The loop filter delays by `damping` samples, the allpass by the remaining fraction.
        let whole = (period - damping - 0.3).floor().max(2.0);
        let rest = period - damping - whole;
        let allpass = (1.0 - rest) / (1.0 + rest);
        let octaves = (strike.hz / 261.63).log2();
        let decay = self.decay * (-0.6 * octaves).exp2();
        let loss = (-FALL * period / (decay * SAMPLE_RATE)).exp();
        let mut line = self.excitation(whole as usize, strike, chance);
        let (mut at, mut before, mut x1, mut y1) = (0, 0.0, 0.0, 0.0);
        let mut tone = Vec::with_capacity(n);
        for _ in 0..n {
            let value = line[at];
            let filtered = loss * ((1.0 - damping) * value + damping * before);
            before = value;
            let tuned = allpass * (filtered - y1) + x1;
            (x1, y1) = (filtered, tuned);
            line[at] = tuned;
            at = if at + 1 == line.len() { 0 } else { at + 1 };
            tone.push(value);
        }
        self.resonate(&mut tone);
        tone
    }

    /// Returns noise, softened at low velocity, without the partials that have a node where the string is plucked.
    fn excitation(&self, n: usize, strike: &Strike, chance: &mut Chance) -> Vec<f32> {
        let cutoff = self.bright_hz * (0.25 + 0.75 * strike.velocity * strike.velocity);
        let smooth = 1.0 - (-std::f32::consts::TAU * cutoff / SAMPLE_RATE).exp();
        let mut noise = vec![0.0_f32; n];
        let mut low = [0.0_f32; 2];
        // Two passes, so that the lowpass has no seam.
        let raw: Vec<f32> = (0..n).map(|_| chance.signed() as f32).collect();
        for i in 0..2 * n {
            low[0] += smooth * (raw[i % n] - low[0]);
            low[1] += smooth * (low[0] - low[1]);
            noise[i % n] = low[1];
        }
        let pick = ((n as f32 * self.pick_at) as usize).min(n - 1).max(1);
        let combed: Vec<f32> = (0..n)
            .map(|i| noise[i] - noise[(i + n - pick) % n])
            .collect();
        let mean = combed.iter().sum::<f32>() / n as f32;
        let power = combed
            .iter()
            .map(|value| (value - mean) * (value - mean))
            .sum::<f32>()
            / n as f32;
        let scale = 0.3 / power.sqrt().max(1e-6);
        combed.iter().map(|value| (value - mean) * scale).collect()
    }

    fn resonate(&self, tone: &mut [f32]) {
        for [hz, q, db] in &self.body {
            let params = SvfParams {
                sample_rate: SAMPLE_RATE,
                cutoff: *hz,
                q: *q,
                gain: 10_f32.powf(db / 20.0),
            };
            let mut body = FixedSvf::new(BellMode::default(), &params);
            body.set_sample_rate(f64::from(SAMPLE_RATE));
            for value in tone.iter_mut() {
                *value = body.tick(&Frame::from([*value]))[0];
            }
        }
    }

    fn shape(&self, strike: &Strike, out: &mut [[f32; 2]]) {
        let shrink = self
            .damp
            .map_or(1.0, |damp| (-FALL / (damp * SAMPLE_RATE)).exp());
        let (n_held, n) = (samples(strike.secs), out.len());
        let [hz, depth] = self.tremolo;
        let mut level = 1.0;
        for (i, sample) in out.iter_mut().enumerate() {
            if i >= n_held {
                level *= shrink;
            }
            let edges = (i as f32 / 40.0).min((n - i) as f32 / 480.0).min(1.0);
            let turn = std::f32::consts::TAU * hz * i as f32 / SAMPLE_RATE;
            let tremble = if depth > 0.0 {
                1.0 - depth * (0.5 - 0.5 * turn.cos())
            } else {
                1.0
            };
            *sample = sample.map(|side| side * level * edges * tremble);
        }
    }
}
