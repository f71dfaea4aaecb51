//! Background music from data: named tracks, composed as descriptions and synthesized on first use.
//!
//! ```text
//! tracks/SLUG.json ─ score ─ Arrangement ─ mixdown ─ samples ─ WAV ─ cache
//!                            instruments.json ─ synth ┘
//! ```
//!
//! `score` turns a description (key, harmony, motifs, form) into notes, `synth` turns a note into sound, `mixdown` places the sounds on a loop. A [`Library`]
//! renders a track once and keeps it; an operator's own files replace tracks by slug. The same description gives the same samples on every machine: randomness
//! comes from seeds only.

mod cache;
mod catalog;
mod error;
mod library;
mod manifest;
mod mixdown;
mod score;
mod synth;

pub use catalog::TrackInfo;
pub use error::Error;
pub use library::{Library, Sound};
