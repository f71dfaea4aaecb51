//! Likelihood of a frame for each kind of sound: at first from statistics of all voices, then from what was learned about this voice.

use std::io;

use super::frames::{Frame, N_DIMS};
use crate::cancel::CancelToken;

/// A kind of sound, as far as letters reveal it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sound {
    Silence,
    Vowel,
    /// Liquids, nasals, glides.
    Sonorant,
    /// Hissing sounds.
    Sibilant,
    /// Soft sounds: f, h, th.
    Fricative,
    Stop,
    VoicedStop,
}

impl Sound {
    pub(super) const ALL: [Sound; 7] = [
        Sound::Silence,
        Sound::Vowel,
        Sound::Sonorant,
        Sound::Sibilant,
        Sound::Fricative,
        Sound::Stop,
        Sound::VoicedStop,
    ];

    /// Returns mean and deviation of loudness and of the balance of high and low, over all voices.
    fn prior(self) -> [(f32, f32); 2] {
        match self {
            Sound::Silence => [(0.05, 0.12), (0.3, 1.5)],
            Sound::Vowel => [(0.88, 0.14), (-0.5, 0.6)],
            Sound::Sonorant => [(0.74, 0.16), (-0.6, 0.6)],
            Sound::Sibilant => [(0.62, 0.18), (1.8, 0.7)],
            Sound::Fricative => [(0.5, 0.2), (0.9, 0.9)],
            Sound::Stop => [(0.42, 0.25), (0.5, 1.0)],
            Sound::VoicedStop => [(0.58, 0.2), (0.0, 0.8)],
        }
    }

    /// Returns the typical length relative to a vowel.
    pub(super) fn length(self) -> f32 {
        match self {
            Sound::Vowel => 1.0,
            Sound::Sonorant => 0.65,
            Sound::Sibilant => 0.95,
            Sound::Fricative => 0.75,
            Sound::Stop => 0.8,
            Sound::VoicedStop => 0.65,
            Sound::Silence => 0.0,
        }
    }
}

/// A normal distribution with independent dimensions.
#[derive(Clone, Copy, Debug)]
struct Normal {
    mean: Frame,
    deviation: Frame,
}

impl Normal {
    fn log_likelihood(&self, frame: &Frame, n_dims: usize) -> f32 {
        let dims = frame.iter().zip(&self.mean).zip(&self.deviation);
        dims.take(n_dims)
            .map(|((value, mean), deviation)| {
                let z = (value - mean) / deviation;
                -0.5 * z * z - deviation.ln()
            })
            .sum()
    }
}

/// Sums over the frames of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    n: f32,
    sum: Frame,
    squares: Frame,
}

impl Sums {
    fn add(&mut self, frame: &Frame) {
        self.n += 1.0;
        let sums = self.sum.iter_mut().zip(&mut self.squares);
        for ((sum, square), value) in sums.zip(frame) {
            *sum += value;
            *square += value * value;
        }
    }

    /// Combines these frames with the earlier distribution, which counts as `weight` frames.
    fn blended(&self, before: &Normal, weight: f32) -> Normal {
        let mut normal = *before;
        let n = self.n + weight;
        for dim in 0..N_DIMS {
            let mean = (self.sum[dim] + weight * before.mean[dim]) / n;
            let spread = before.deviation[dim].powi(2) + (before.mean[dim] - mean).powi(2);
            let own = self.squares[dim] - 2.0 * mean * self.sum[dim] + self.n * mean * mean;
            normal.mean[dim] = mean;
            normal.deviation[dim] = ((own + weight * spread) / n).max(0.0).sqrt().max(0.1);
        }
        normal
    }
}

/// The distributions of all letters in the text.
pub(super) struct Model {
    normals: Vec<Normal>,
    n_dims: usize,
    /// Weight of a frame; less than 1 because neighboring frames are similar.
    weight: f32,
}

impl Model {
    /// Creates the model for an unknown voice: loudness and balance only.
    pub(super) fn of_any_voice(letters: &[Sound]) -> Model {
        Model {
            normals: letters.iter().map(|sound| any_voice(*sound)).collect(),
            n_dims: 2,
            weight: 0.5,
        }
    }

    /// Learns from frames and the letter found at each: every kind of sound from all its letters, every letter from its own frames as far as there
    /// are enough.
    pub(super) fn of_this_voice(letters: &[Sound], frames: &[Frame], found: &[usize]) -> Model {
        const WEIGHT_OF_PRIOR: f32 = 10.0;
        const WEIGHT_OF_KIND: f32 = 25.0;
        let mut of_letter = vec![Sums::default(); letters.len()];
        let mut of_kind = [Sums::default(); Sound::ALL.len()];
        for (frame, letter) in frames.iter().zip(found) {
            of_letter[*letter].add(frame);
            of_kind[letters[*letter] as usize].add(frame);
        }
        let kinds: Vec<Normal> = Sound::ALL
            .iter()
            .zip(&of_kind)
            .map(|(sound, sums)| sums.blended(&any_voice(*sound), WEIGHT_OF_PRIOR))
            .collect();
        Model {
            normals: letters
                .iter()
                .zip(&of_letter)
                .map(|(sound, sums)| sums.blended(&kinds[*sound as usize], WEIGHT_OF_KIND))
                .collect(),
            n_dims: N_DIMS,
            weight: 0.3,
        }
    }

    /// Returns for each letter the cumulative log likelihood: `sums[letter][t]` covers the frames before `t`.
    ///
    /// # Errors
    /// `Interrupted` when it was cancelled.
    pub(super) fn running_sums(
        &self,
        frames: &[Frame],
        cancel: &CancelToken,
    ) -> io::Result<Vec<Vec<f32>>> {
        self.normals
            .iter()
            .map(|normal| {
                cancel.check_io()?;
                let mut sum = 0.0_f64;
                let mut sums = Vec::with_capacity(frames.len() + 1);
                sums.push(0.0);
                for frame in frames {
                    let score = normal.log_likelihood(frame, self.n_dims).max(-25.0);
                    sum += f64::from(self.weight * score);
                    sums.push(sum as f32);
                }
                Ok(sums)
            })
            .collect()
    }
}

fn any_voice(sound: Sound) -> Normal {
    let mut normal = Normal {
        mean: [0.0; N_DIMS],
        deviation: [1.0; N_DIMS],
    };
    for (dim, (mean, deviation)) in sound.prior().into_iter().enumerate() {
        normal.mean[dim] = mean;
        normal.deviation[dim] = deviation;
    }
    normal
}
