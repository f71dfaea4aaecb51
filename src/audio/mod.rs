//! The mix plan to sound: decode, resample, gain, loudness, limit.
//!
//! Takes: a [`MixPlan`] and the assets. Gives: [`AudioBlock`]s at 48 kHz stereo, one after the other, in all exactly `n_samples`.
//! Never: holds a whole sound in memory, knows words or codecs.

use std::io;

use crate::error::Result;
use crate::frame::AudioBlock;
use crate::media::{AssetRead, Assets, SoundFacts};
use crate::plan::mix::MixPlan;

/// Reads a sound's facts from its headers and first packet.
pub fn sound_facts(stream: Box<dyn AssetRead>, name: &str) -> io::Result<SoundFacts> {
    let _ = (stream, name);
    Err(io::ErrorKind::Unsupported.into())
}

/// Mixes a plan block by block.
#[derive(Debug)]
pub struct Mixer {}

impl Mixer {
    /// Opens every track and measures what the levels need (one streaming pass over each sound whose loudness matters).
    pub fn new(plan: &MixPlan, assets: &dyn Assets) -> Result<Mixer> {
        let _ = (plan, assets);
        Ok(Mixer {})
    }

    /// The next block (about 20 ms); `None` after the last sample of the plan.
    pub fn next_block(&mut self) -> Result<Option<AudioBlock>> {
        Ok(None)
    }
}
