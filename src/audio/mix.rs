//! The mixer: sums tracks block by block, brings them to their loudness, limits them.

use std::fmt;
use std::sync::Arc;

use super::limit::Limiter;
use super::loudness::STEP;
use super::master::{Mastered, amplitude, master};
use super::score::Score;
use super::track::Sum;
use crate::error::Result;
use crate::frame::AudioBlock;
use crate::media::Assets;
use crate::scene::mix::MixPlan;

/// Frames per block: 20 ms.
const BLOCK: u64 = STEP;
/// Maximum true peak that players expect, in dBTP.
const PEAK_DBTP: f64 = -1.0;
/// Default margin below that for the overshoot of an unknown encoder, in dB.
const USUAL_OVERSHOOT_DB: f64 = 1.0;

/// Mixes a plan block by block. Memory does not depend on its length: at most 256 MiB of decoded sounds are kept, the rest is decoded again.
pub struct Mixer<'a> {
    sum: Sum<'a>,
    limiter: Limiter,
    mastered: Mastered,
    n_samples: u64,
    /// Frames passed to the limiter.
    n_mixed: u64,
    /// Frames output.
    n_out: u64,
    block: Vec<f32>,
    limited: Vec<f32>,
}

impl fmt::Debug for Mixer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mixer")
            .field("mastered", &self.mastered)
            .field("n_samples", &self.n_samples)
            .field("n_out", &self.n_out)
            .finish_non_exhaustive()
    }
}

impl<'a> Mixer<'a> {
    /// Decodes every sound once to measure its loudness, and plays the mix without output until its gain is found.
    ///
    /// # Errors
    /// [`Media`](crate::error::ErrorKind::Media), with the path in the document and the asset's name, when a sound cannot be read or decoded.
    pub fn new(plan: &'a MixPlan, assets: &'a dyn Assets) -> Result<Mixer<'a>> {
        Mixer::for_encoder(plan, assets, USUAL_OVERSHOOT_DB, &|| Ok(()))
    }

    /// Does what [`Mixer::new`] does, for an encoder whose decoded peaks may rise by `overshoot_db`: they then stay below -1 dBTP. `check` is called often;
    /// its first error stops the work.
    ///
    /// # Errors
    /// Same as [`Mixer::new`], and those of `check`.
    pub fn for_encoder(
        plan: &'a MixPlan,
        assets: &'a dyn Assets,
        overshoot_db: f64,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Mixer<'a>> {
        let ceiling = amplitude(PEAK_DBTP - overshoot_db);
        let score = Arc::new(Score::new(plan, assets, check)?);
        let mastered = master(&score, ceiling, check)?;
        Ok(Mixer {
            sum: Sum::new(score),
            limiter: Limiter::new(ceiling),
            mastered,
            n_samples: plan.n_samples,
            n_mixed: 0,
            n_out: 0,
            block: Vec::new(),
            limited: Vec::new(),
        })
    }

    /// Returns the loudness of the mix, in LUFS (EBU R128); `None` for silence, and when levels are left unchanged.
    pub fn loudness(&self) -> Option<f64> {
        self.mastered.lufs
    }

    /// Returns the next block (20 ms, the last one shorter); `None` after the last sample of the plan.
    ///
    /// # Errors
    /// Same as [`Mixer::new`], for a file that has changed in the meantime. The mix cannot continue then.
    pub fn next_block(&mut self) -> Result<Option<AudioBlock>> {
        let wanted = (self.n_samples - self.n_out).min(BLOCK);
        if wanted == 0 {
            return Ok(None);
        }
        while self.limited.len() < 2 * wanted as usize {
            self.mix_block()?;
        }
        let samples = self.limited.drain(..2 * wanted as usize).collect();
        let start = self.n_out;
        self.n_out += wanted;
        Ok(Some(AudioBlock { start, samples }))
    }

    fn mix_block(&mut self) -> Result<()> {
        let n = (self.n_samples - self.n_mixed).min(BLOCK);
        self.sum.read(n as usize, &mut self.block)?;
        let gain = self.mastered.amplitude;
        self.block.iter_mut().for_each(|s| *s *= gain);
        self.limiter.push(&self.block, &mut self.limited);
        self.n_mixed += n;
        if self.n_mixed == self.n_samples {
            self.limiter.finish(&mut self.limited);
        }
        Ok(())
    }
}
