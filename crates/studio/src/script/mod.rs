//! What is said and seen: sentences and scenes of any text, the words that a voice speaks, canonical scripts.

pub mod canonical;
