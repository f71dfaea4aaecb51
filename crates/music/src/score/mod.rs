//! Descriptions become notes in time.
//!
//! Takes the JSON of a track; gives an [`arrange::Arrangement`]; never makes a sound.

pub(crate) mod arrange;
pub(crate) mod chance;
pub(crate) mod description;
mod form;
mod notation;
mod play;
pub(crate) mod theory;
