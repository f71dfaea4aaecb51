//! What is seen and heard, as plain data: written by the plan; read by compositor, loader and mixer.
//!
//! Output: [`draw::DrawList`] (a frame), [`mix::MixPlan`] (the sound), [`PictureUse`] and [`ClipUse`] (what to load). It decides nothing.

pub mod draw;
pub mod mix;
mod pictures;

pub use pictures::{ClipUse, MAX_PIXELS, MAX_SIDE_PX, PictureUse, Played};
