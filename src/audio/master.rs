//! Finds the gain that brings a mix to its target loudness, by playing the mix through the limiter without output and measuring it.

use std::sync::Arc;

use super::limit::Limiter;
use super::loudness::{BLOCK_STEPS, Meter, STEP, gated};
use super::score::Score;
use super::track::Sum;
use crate::error::Result;
use crate::units::within;

/// A change of gain no larger than this needs no further pass, in dB: it hardly changes what the limiter does.
const NEAR: f64 = 0.3;
/// Maximum number of passes.
const MAX_PASSES: usize = 5;
/// Maximum gain of the mix, in dB: more would amplify noise.
const MAX_GAIN_DB: f64 = 40.0;
/// Minimum gain of the mix, in dB. Float sounds may exceed full scale by the range of 32-bit integers, and their own gains add to that.
const MIN_GAIN_DB: f64 = -260.0;
/// Maximum loudness that the limiter may take away, in LU: more would be audible.
const MAX_LOSS_DB: f64 = 6.0;
/// Upper bound of interpolated peaks relative to the greatest sample, as amplitude.
const BETWEEN: f32 = 1.5;

/// The gain of the mix, and its resulting loudness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mastered {
    pub(crate) amplitude: f32,
    /// Integrated loudness after limiting; `None` for silence, and when levels are left unchanged.
    pub(crate) lufs: Option<f64>,
}

/// Finds the gain that brings the score to its loudness under a limiter at the amplitude `ceiling`. `check` is called often; its error stops the search.
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
    let mut search = Search {
        target,
        most: MAX_GAIN_DB,
        below: None,
        above: None,
    };
    let mut gain_db = (target - expected).clamp(MIN_GAIN_DB, MAX_GAIN_DB);
    let (mut known, mut reached) = (None, None);
    for _ in 0..MAX_PASSES {
        let heard = pass(score, (gain_db, ceiling), known.take(), check)?;
        let (Some(lufs), Some(free)) = (heard.limited(gain_db), heard.unlimited()) else {
            return Ok(as_it_is);
        };
        search.most = (target - free + MAX_LOSS_DB).min(MAX_GAIN_DB);
        // If the limiter is inactive both before and after the change, loudness follows the gain exactly.
        let exact = within(gain_db + target - lufs, MIN_GAIN_DB, search.most);
        if heard.peak * BETWEEN * amplitude(exact.max(gain_db)) < ceiling {
            reached = Some(lufs + exact - gain_db);
            gain_db = exact;
            break;
        }
        let (next, expected) = search.next(gain_db, lufs);
        let is_done = (next - gain_db).abs() <= NEAR;
        (gain_db, reached) = (next, Some(expected));
        if is_done {
            break;
        }
        known = Some(heard);
    }
    Ok(Mastered {
        amplitude: amplitude(gain_db),
        lufs: reached,
    })
}

/// Known loudness for each gain. Limiting makes it rise ever more slowly: a concave curve, never steeper than 1.
struct Search {
    target: f64,
    /// Maximum gain.
    most: f64,
    /// The nearest gains that are too soft and too loud, each with its loudness.
    below: Option<[f64; 2]>,
    above: Option<[f64; 2]>,
}

impl Search {
    /// Returns the gain to try after `gain` gave `lufs`, and the loudness expected from it.
    fn next(&mut self, gain: f64, lufs: f64) -> (f64, f64) {
        let other = if lufs < self.target {
            self.below = Some([gain, lufs]);
            self.above
        } else {
            self.above = Some([gain, lufs]);
            self.below
        };
        let slope = match other {
            // The same gain twice, as when it is clamped, does not give a slope.
            Some([far, had]) if gain != far => ((lufs - had) / (gain - far)).clamp(0.05, 1.0),
            _ => 0.9,
        };
        let next = gain + (self.target - lufs) / slope;
        let next = within(next, MIN_GAIN_DB, self.most);
        (next, lufs + (next - gain) * slope)
    }
}

/// Converts a gain in dB to a factor.
pub(crate) fn amplitude(db: f64) -> f32 {
    10f64.powf(db / 20.0) as f32
}

/// Measurements of one pass.
struct Heard {
    /// K-weighted energies of the mix before gain and limiter, by steps.
    steps: Vec<f32>,
    /// Share of each step's energy that the limiter left, 0 to 1.
    left: Vec<f32>,
    /// Greatest sample before gain and limiter.
    peak: f32,
}

impl Heard {
    /// Returns the integrated loudness after gain and limiter, in LUFS; less than a gating block is measured as if it were repeated. The limiter moves its
    /// gain slowly within a step, so plain and weighted energy lose the same share.
    fn limited(&self, gain_db: f64) -> Option<f64> {
        let power = 10f64.powf(gain_db / 10.0) as f32;
        let steps = self.steps.iter().zip(&self.left);
        integrated(steps.map(|(step, left)| step * left * power).collect())
    }

    /// Returns the integrated loudness before gain and limiter.
    fn unlimited(&self) -> Option<f64> {
        integrated(self.steps.clone())
    }
}

fn integrated(mut steps: Vec<f32>) -> Option<f64> {
    if (1..BLOCK_STEPS).contains(&steps.len()) {
        steps = steps.into_iter().cycle().take(BLOCK_STEPS).collect();
    }
    gated(&steps)
}

/// Plays the mix once. Measurements before the limiter are reused from an earlier pass.
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

/// Sums the squares, in lanes.
fn energy(samples: &[f32]) -> f32 {
    let mut lanes = [0f32; 16];
    for chunk in samples.chunks(16) {
        for (lane, s) in lanes.iter_mut().zip(chunk) {
            *lane += s * s;
        }
    }
    lanes.iter().sum()
}
