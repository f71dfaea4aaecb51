//! What is to be seen and heard, as plain data: the plan makes it, compositor, loader and mixer read it.
//!
//! Takes: nothing. Gives: [`draw::DrawList`] (a frame), [`mix::MixPlan`] (the sound), [`PictureUse`] and [`ClipUse`] (what to load). Never: decides anything.

pub mod draw;
pub mod mix;
mod pictures;

pub use pictures::{ClipUse, MAX_PIXELS, MAX_SIDE_PX, PictureUse, Played};
