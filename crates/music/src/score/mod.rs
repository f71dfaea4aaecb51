//! Turns descriptions into notes in time.
//!
//! Takes the JSON of a track and gives an [`arrange::Arrangement`]. It never makes a sound.

pub(crate) mod arrange;
pub(crate) mod chance;
pub(crate) mod description;
mod form;
mod notation;
mod play;
pub(crate) mod theory;
