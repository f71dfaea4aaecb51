//! Drums, cymbals, claps, and film sound effects: a falling tone and shaped noise.

use fundsp::prelude32::{AudioNode, BandpassMode, FixedSvf, Frame, Noise, SvfParams};
use serde::Deserialize;

use super::{BLOCK, SAMPLE_RATE, Strike, samples};

/// A tone, a noise, or both.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Drum {
    #[serde(default)]
    pub(crate) tones: Vec<Tone>,
    #[serde(default)]
    pub(crate) noises: Vec<Hiss>,
    /// Saturation, 0 to 5.
    #[serde(default)]
    pub(crate) drive: f32,
}

/// A membrane: its pitch falls after the blow.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tone {
    /// Hz at the blow and after it.
    pub(crate) hz: [f32; 2],
    /// Seconds of the fall.
    pub(crate) fall: f32,
    /// Seconds to -60 dB.
    pub(crate) decay: f32,
    pub(crate) gain: f32,
    #[serde(default)]
    pub(crate) attack: f32,
}

/// Noise through a bandpass.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hiss {
    /// Center at the start and at the end, in Hz.
    pub(crate) hz: [f32; 2],
    pub(crate) q: f32,
    /// Seconds of the rise; long rises make swells.
    #[serde(default)]
    pub(crate) attack: f32,
    /// Seconds to -60 dB after the rise.
    pub(crate) decay: f32,
    pub(crate) gain: f32,
    /// Start times in seconds; claps have several.
    #[serde(default = "at_once")]
    pub(crate) at: Vec<f32>,
}

fn at_once() -> Vec<f32> {
    vec![0.0]
}

/// ln(1000): 60 dB.
const FALL: f32 = 6.908;

impl Drum {
    /// Plays a blow. The drum itself sets its length.
    pub(crate) fn sound(&self, strike: &Strike, out: &mut Vec<[f32; 2]>) {
        let first = out.len();
        let tones = self.tones.iter().map(|tone| tone.attack + tone.decay);
        let noises = self
            .noises
            .iter()
            .map(|hiss| hiss.attack + hiss.decay + hiss.at.iter().copied().fold(0.0, f32::max));
        let secs = tones.chain(noises).fold(0.05, f32::max);
        out.resize(first + samples(secs), [0.0; 2]);
        let sound = &mut out[first..];
        for tone in &self.tones {
            tone.add(strike, sound);
        }
        for (i, hiss) in self.noises.iter().enumerate() {
            for (j, at) in hiss.at.iter().enumerate() {
                let seed = strike.seed ^ (i * 16 + j) as u64;
                let from = samples(*at).min(sound.len());
                hiss.add(seed, strike.velocity, &mut sound[from..]);
            }
        }
        if self.drive > 0.0 {
            let gain = 1.0 + self.drive * strike.velocity;
            for sample in sound {
                *sample = sample.map(|side| (side * gain).tanh());
            }
        }
    }
}

impl Tone {
    fn add(&self, strike: &Strike, out: &mut [[f32; 2]]) {
        let mut phase = 0.0_f32;
        let [from, to] = self.hz;
        // A drum has its written pitch at c4.
        let tuning = strike.hz / 261.63;
        let n = samples(self.attack + self.decay).min(out.len());
        let (mut bend, mut faded) = (1.0_f32, 1.0_f32);
        let bends = (-4.6 / (self.fall.max(1e-3) * SAMPLE_RATE)).exp();
        let fades = (-FALL / (self.decay * SAMPLE_RATE)).exp();
        for (i, sample) in out[..n].iter_mut().enumerate() {
            let secs = i as f32 / SAMPLE_RATE;
            let hz = tuning * (to + (from * (0.7 + 0.3 * strike.velocity) - to) * bend);
            bend *= bends;
            phase = (phase + hz / SAMPLE_RATE).fract();
            let rise = (secs / self.attack.max(0.001)).min(1.0);
            let end = ((n - i) as f32 / 240.0).min(1.0);
            let level = self.gain * rise * end * faded;
            if secs > self.attack {
                faded *= fades;
            }
            let value = level * (std::f32::consts::TAU * phase).sin();
            sample[0] += value;
            sample[1] += value;
        }
    }
}

impl Hiss {
    fn add(&self, seed: u64, velocity: f32, out: &mut [[f32; 2]]) {
        let n = samples(self.attack + self.decay).min(out.len());
        let params = SvfParams {
            sample_rate: SAMPLE_RATE,
            cutoff: self.hz[0],
            q: self.q,
            gain: 1.0,
        };
        let mut sides: [_; 2] = std::array::from_fn(|side| {
            let mut noise = Noise::new();
            noise.set_hash(seed.wrapping_mul(2).wrapping_add(side as u64));
            let mut filter = FixedSvf::new(BandpassMode::default(), &params);
            filter.set_sample_rate(f64::from(SAMPLE_RATE));
            (noise, filter)
        });
        let brightness = 0.75 + 0.25 * velocity;
        let mut faded = 1.0_f32;
        let fades = (-FALL / (self.decay * SAMPLE_RATE)).exp();
        for (block, chunk) in out[..n].chunks_mut(BLOCK).enumerate() {
            let start = block * BLOCK;
            let progress = start as f32 / n as f32;
            let hz = self.hz[0] * (self.hz[1] / self.hz[0]).powf(progress) * brightness;
            for (_, filter) in &mut sides {
                filter.set_center_q(hz.clamp(30.0, 16_000.0), self.q);
            }
            for (i, sample) in chunk.iter_mut().enumerate() {
                let secs = (start + i) as f32 / SAMPLE_RATE;
                let rise = (secs / self.attack.max(0.0005)).min(1.0);
                let end = ((n - start - i) as f32 / 240.0).min(1.0);
                let level = self.gain * rise * rise * end * faded;
                if secs > self.attack {
                    faded *= fades;
                }
                for (side, (noise, filter)) in sample.iter_mut().zip(&mut sides) {
                    let white = noise.tick(&Frame::default());
                    *side += level * filter.tick(&white)[0];
                }
            }
        }
    }
}
