//! The mixer: tracks summed block by block, brought to their loudness, limited.

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

/// Frames of one block: 20 ms.
const BLOCK: u64 = STEP;
/// True peak that players want at most, in dBTP.
const PEAK_DBTP: f64 = -1.0;
/// Room left below that for what an encoder adds, in dB, when nothing is known of it.
const USUAL_OVERSHOOT_DB: f64 = 1.0;

/// Mixes a plan block by block. Memory does not depend on its length: at most 256 MiB of decoded sounds are kept, the rest is decoded again.
pub struct Mixer<'a> {
    sum: Sum<'a>,
    limiter: Limiter,
    mastered: Mastered,
    n_samples: u64,
    /// Frames given to the limiter.
    n_mixed: u64,
    /// Frames handed out.
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
    /// Decodes every sound once to know its loudness, and plays the mix unheard until its gain is found.
    ///
    /// # Errors
    /// [`Media`](crate::error::ErrorKind::Media), with the path in the document and the asset's name, when a sound cannot be read or decoded.
    pub fn new(plan: &'a MixPlan, assets: &'a dyn Assets) -> Result<Mixer<'a>> {
        Mixer::for_encoder(plan, assets, USUAL_OVERSHOOT_DB, &|| Ok(()))
    }

    /// As [`Mixer::new`], for an encoder whose decoded peaks may rise by `overshoot_db`: they then stay below -1 dBTP. Ended by the first error
    /// that `check` gives; it is asked often.
    ///
    /// # Errors
    /// As [`Mixer::new`], and those of `check`.
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

    /// How loud the mix will be, in LUFS (EBU R128); `None` of silence, and when levels are left as they are.
    pub fn loudness(&self) -> Option<f64> {
        self.mastered.lufs
    }

    /// The next block (20 ms, the last one shorter); `None` after the last sample of the plan.
    ///
    /// # Errors
    /// As [`Mixer::new`], for a file that has changed meanwhile. The mix cannot go on then.
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
