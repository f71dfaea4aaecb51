//! The mixer: tracks summed block by block, limited, faded out.

use std::f64::consts::FRAC_PI_2;

use super::limit::Limiter;
use super::loudness::amplitudes;
use super::track::Player;
use crate::error::Result;
use crate::frame::AudioBlock;
use crate::media::Assets;
use crate::plan::mix::MixPlan;

/// Frames of one block: 20 ms.
const BLOCK: u64 = 960;

/// Mixes a plan block by block, in memory that does not depend on its length.
#[derive(Debug)]
pub struct Mixer {
    players: Vec<Player>,
    limiter: Limiter,
    n_samples: u64,
    fade_out: u64,
    /// Frames given to the limiter.
    n_mixed: u64,
    /// Frames handed out.
    n_out: u64,
    block: Vec<f32>,
    limited: Vec<f32>,
}

impl Mixer {
    /// Opens every track and measures what the levels need (one streaming pass over each sound whose loudness matters).
    ///
    /// # Errors
    /// [`Media`](crate::error::ErrorKind::Media), with the path in the document and the asset's name, when a sound cannot be read or decoded.
    pub fn new(plan: &MixPlan, assets: &dyn Assets) -> Result<Mixer> {
        let amplitudes = amplitudes(plan, assets)?;
        let players = plan
            .tracks
            .iter()
            .zip(amplitudes)
            .map(|(track, amplitude)| Player::new(track, amplitude, plan.n_samples, assets))
            .collect::<Result<Vec<_>>>()?;
        Ok(Mixer {
            players,
            limiter: Limiter::new(),
            n_samples: plan.n_samples,
            fade_out: plan.fade_out.min(plan.n_samples),
            n_mixed: 0,
            n_out: 0,
            block: Vec::new(),
            limited: Vec::new(),
        })
    }

    /// The next block (20 ms, the last one shorter); `None` after the last sample of the plan.
    ///
    /// # Errors
    /// As [`Mixer::new`], for damage found further on in a file. The mix cannot go on then.
    pub fn next_block(&mut self) -> Result<Option<AudioBlock>> {
        let wanted = (self.n_samples - self.n_out).min(BLOCK);
        if wanted == 0 {
            return Ok(None);
        }
        while self.limited.len() < 2 * wanted as usize {
            self.mix_block()?;
        }
        let mut samples: Vec<f32> = self.limited.drain(..2 * wanted as usize).collect();
        self.fade(&mut samples);
        let start = self.n_out;
        self.n_out += wanted;
        Ok(Some(AudioBlock { start, samples }))
    }

    fn mix_block(&mut self) -> Result<()> {
        let n = (self.n_samples - self.n_mixed).min(BLOCK);
        self.block.clear();
        self.block.resize(2 * n as usize, 0.0);
        for player in &mut self.players {
            player.add_to(self.n_mixed, &mut self.block)?;
        }
        self.limiter.push(&self.block, &mut self.limited);
        self.n_mixed += n;
        if self.n_mixed == self.n_samples {
            self.limiter.finish(&mut self.limited);
        }
        Ok(())
    }

    /// The quarter of a cosine that ends at zero with the last sample.
    fn fade(&self, samples: &mut [f32]) {
        let begin = self.n_samples - self.fade_out;
        if self.n_out + BLOCK <= begin {
            return;
        }
        for (i, frame) in samples.chunks_exact_mut(2).enumerate() {
            let at = self.n_out + i as u64;
            if at >= begin {
                let left = (self.n_samples - 1 - at) as f64 / self.fade_out as f64;
                let gain = (left * FRAC_PI_2).sin() as f32;
                frame[0] *= gain;
                frame[1] *= gain;
            }
        }
    }
}
