//! Input checks that all audio encoders share, and the duration of the last packet.

use crate::encode::sequence::encoder_error;
use crate::error::Result;
use crate::frame::AudioBlock;
use crate::units::Time;

/// Number of samples (per channel) received so far.
#[derive(Debug, Default)]
pub(super) struct Samples {
    n_in: u64,
}

impl Samples {
    pub(super) fn new() -> Samples {
        Samples::default()
    }

    /// Counts a block. Returns an error if it does not follow the one before, is not stereo or contains NaN or infinity.
    pub(super) fn admit(&mut self, block: &AudioBlock) -> Result<()> {
        if block.start != self.n_in {
            return Err(encoder_error(format!(
                "sound from sample {} arrived where sample {} was expected: blocks must come in order, from 0, without gaps",
                block.start, self.n_in
            )));
        }
        if !block.samples.len().is_multiple_of(2) {
            return Err(encoder_error(format!(
                "the block of sound at sample {} ends in half a stereo sample",
                block.start
            )));
        }
        if let Some(at) = block.samples.iter().position(|x| !x.is_finite()) {
            return Err(encoder_error(format!(
                "sample {} of the sound is not a finite number",
                block.start + at as u64 / 2
            )));
        }
        self.n_in += block.samples.len() as u64 / 2;
        Ok(())
    }

    /// Returns the number of samples per channel received.
    pub(super) fn n_in(&self) -> u64 {
        self.n_in
    }
}

/// Returns the duration of the last packet, so that all packets together last as long as priming and sound: padding at the end is not played.
pub(super) fn last_duration(priming: u32, n_samples: u64, packet: u32) -> Time {
    let packet = u64::from(packet);
    let n_coded = u64::from(priming) + n_samples;
    Time::from_samples(((n_coded - 1) % packet + 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_packet_ends_with_the_sound() {
        assert_eq!(last_duration(1024, 1, 1024), Time::from_samples(1));
        assert_eq!(last_duration(1024, 1024, 1024), Time::from_samples(1024));
        assert_eq!(last_duration(312, 648, 960), Time::from_samples(960));
        assert_eq!(last_duration(312, 649, 960), Time::from_samples(1));
    }
}
