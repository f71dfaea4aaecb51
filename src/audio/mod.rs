//! Turns the mix plan into sound: decode, resample, gain, loudness, limit.
//!
//! Takes: a [`MixPlan`](crate::scene::mix::MixPlan) and the assets. Gives: [`AudioBlock`](crate::frame::AudioBlock)s at 48 kHz stereo, one after the
//! other, in all exactly `n_samples`. Never: holds more than 256 MiB of sound in memory, knows words or codecs.

mod aac_codec;
mod align;
mod bars;
mod codec;
mod container;
mod decode;
mod downmix;
mod duck;
mod edit_list;
mod heard;
mod kind;
mod library;
mod limit;
mod looped;
mod loudness;
mod master;
mod mend;
mod mix;
mod mpeg_blocks;
mod opus_codec;
mod opus_head;
mod phrases;
mod reader;
mod resample;
mod rhythm;
mod scale;
mod score;
mod seam;
mod sound;
mod source;
mod spoken;
mod stretch;
#[cfg(test)]
mod tests;
mod track;

pub use mix::Mixer;
pub use phrases::{Phrases, phrases, song_phrases};
pub use source::{asset_facts, readable};
pub use spoken::{VoicePiece, spread_words, voice_samples, word_times, words_in};

use std::io;

use crate::facts::SoundFacts;
use crate::media::AssetRead;

/// Reads a sound's facts from its headers and first packet. `name` is included in the error message; the error is `InvalidData` when the
/// bytes are not a sound that can be decoded.
pub fn sound_facts(stream: Box<dyn AssetRead>, name: &str) -> io::Result<SoundFacts> {
    match decode::Decoder::open(stream) {
        Ok(decoder) => Ok(decoder.facts()),
        Err(e) => Err(io::Error::new(e.kind(), format!("{name} {e}"))),
    }
}
