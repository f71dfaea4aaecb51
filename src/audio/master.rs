//! The gain that brings a mix to its loudness: the mix is played through the limiter without being handed out, and measured.

use std::sync::Arc;

use super::limit::Limiter;
use super::loudness::{BLOCK_STEPS, Meter, STEP, gated};
use super::score::Score;
use super::track::Sum;
use crate::error::Result;

/// The gain is good when the loudness comes so near, in LU.
const NEAR: f64 = 0.05;
/// A loudness so near needs no further pass: what the limiter takes hardly changes.
const NEAR_ENOUGH: f64 = 0.3;
/// Passes at most.
const MAX_PASSES: usize = 4;
/// Greatest gain of the whole, in dB: beyond it, it is noise that would be lifted.
const MAX_GAIN_DB: f64 = 40.0;
/// No interpolated peak lies so much above the greatest sample, as amplitude.
const BETWEEN: f32 = 1.5;

/// The gain of the whole, and how loud it makes the mix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mastered {
    pub(crate) amplitude: f32,
    /// Integrated loudness after limiting; `None` of silence, and when levels stay as they are.
    pub(crate) lufs: Option<f64>,
}

/// Finds the gain that brings the score to its loudness under a limiter at the amplitude `ceiling`. `check` is asked often whether to go on.
pub(crate) fn master(
    score: &Arc<Score>,
    ceiling: f32,
    check: &dyn Fn() -> Result<()>,
) -> Result<Mastered> {
    let as_it_is = Mastered {
        amplitude: 1.0,
        lufs: None,
    };
    let (Some(target), Some(expected)) = (score.plan.loudness, score.expected_lufs) else {
        return Ok(as_it_is);
    };
    let mut gain_db = (target - expected).clamp(-MAX_GAIN_DB, MAX_GAIN_DB);
    let mut known: Option<Heard> = None;
    let mut before: Option<[f64; 2]> = None;
    let mut reached = target;
    for _ in 0..MAX_PASSES {
        let heard = pass(score, (gain_db, ceiling), known.take(), check)?;
        let Some(lufs) = heard.limited(gain_db) else {
            return Ok(as_it_is);
        };
        let error = target - lufs;
        // What the limiter takes of each dB more, from the two latest passes.
        let slope = before.map_or(1.0, |[gain, had]| (lufs - had) / (gain_db - gain));
        before = Some([gain_db, lufs]);
        let wanted = gain_db + error / slope.clamp(0.25, 1.0);
        let next = wanted.clamp(-MAX_GAIN_DB, MAX_GAIN_DB);
        let is_linear = heard.peak * BETWEEN * amplitude(next.max(gain_db)) < ceiling;
        let is_done = error.abs() <= NEAR_ENOUGH || is_linear;
        let by = next - gain_db;
        reached = if is_done {
            lufs + by * slope.clamp(0.25, 1.0)
        } else {
            lufs
        };
        if error.abs() > NEAR || is_done {
            gain_db = next;
        }
        if is_done || by.abs() < NEAR {
            break;
        }
        known = Some(heard);
    }
    Ok(Mastered {
        amplitude: amplitude(gain_db),
        lufs: Some(reached),
    })
}

/// The factor of a gain.
pub(crate) fn amplitude(db: f64) -> f32 {
    10f64.powf(db / 20.0) as f32
}

/// What a pass heard.
struct Heard {
    /// K-weighted energies of the mix before gain and limiter, by steps.
    steps: Vec<f32>,
    /// What the limiter left of each step's energy, 0 to 1.
    left: Vec<f32>,
    /// Greatest sample before gain and limiter.
    peak: f32,
}

impl Heard {
    /// Integrated loudness after gain and limiter, in LUFS; of less than a gating block as if it were repeated. The limiter moves its gain slowly
    /// within a step, so the loss of plain energy is that of the weighted.
    fn limited(&self, gain_db: f64) -> Option<f64> {
        let power = 10f64.powf(gain_db / 10.0) as f32;
        let left = self.left.iter().chain(std::iter::repeat(&1.0));
        let steps = self.steps.iter().zip(left);
        let mut steps: Vec<f32> = steps.map(|(step, left)| step * left * power).collect();
        let n = steps.len();
        if (1..BLOCK_STEPS).contains(&n) {
            steps = steps.into_iter().cycle().take(BLOCK_STEPS).collect();
        }
        gated(&steps)
    }
}

/// Plays the mix once. What an earlier pass knows of the mix before the limiter is not measured again.
fn pass(
    score: &Arc<Score>,
    (gain_db, ceiling): (f64, f32),
    known: Option<Heard>,
    check: &dyn Fn() -> Result<()>,
) -> Result<Heard> {
    let (gain, n_samples) = (amplitude(gain_db), score.plan.n_samples);
    let (mut sum, mut limiter) = (Sum::new(Arc::clone(score)), Limiter::new(ceiling));
    let mut meter = known.is_none().then(Meter::new);
    let (mut given, mut left): (Vec<f32>, Vec<f32>) = (Vec::new(), Vec::new());
    let (mut block, mut limited, mut peak) = (Vec::new(), Vec::new(), 0f32);
    let mut at = 0;
    while at < n_samples {
        check()?;
        let n = STEP.min(n_samples - at);
        sum.read(n as usize, &mut block)?;
        if let Some(meter) = &mut meter {
            meter.push(&block);
            peak = block.iter().fold(peak, |peak, s| peak.max(s.abs()));
        }
        block.iter_mut().for_each(|s| *s *= gain);
        given.push(energy(&block));
        limiter.push(&block, &mut limited);
        at += n;
        if at == n_samples {
            limiter.finish(&mut limited);
        }
        let n_whole = match at == n_samples {
            true => limited.len(),
            false => limited.len() / (2 * STEP as usize) * 2 * STEP as usize,
        };
        for step in limited[..n_whole].chunks(2 * STEP as usize) {
            let given = given[left.len()];
            left.push(if given > 0.0 {
                energy(step) / given
            } else {
                1.0
            });
        }
        limited.drain(..n_whole);
    }
    Ok(match (known, meter) {
        (Some(known), _) => Heard { left, ..known },
        (None, meter) => Heard {
            steps: meter.map_or(Vec::new(), |meter| meter.finish().steps),
            left,
            peak,
        },
    })
}

/// Sum of the squares, in lanes.
fn energy(samples: &[f32]) -> f32 {
    let mut lanes = [0f32; 16];
    for chunk in samples.chunks(16) {
        for (lane, s) in lanes.iter_mut().zip(chunk) {
            *lane += s * s;
        }
    }
    lanes.iter().sum()
}
