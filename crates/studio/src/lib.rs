//! The director: a brief (prompt, script, recorded voice) becomes scenes, voice with word times, pictures, clips, a timeline, and a finished MP4.
//!
//! ```text
//! request ─ script | writer ─ scenes ─┬─ voice ─ words ─┐
//!                                     └─ pictures ─ clips ─┴─ timeline ─ kinora::Job
//! ```
//!
//! Everything that costs money or time is behind traits ([`providers`]). Every result is stored under the hash of its request (`stages`), so that nothing is
//! made twice. The engine knows nothing of this crate.

pub mod estimate;
pub mod failure;
mod limits;
pub mod makers;
pub mod offers;
pub mod offline;
pub mod providers;
pub mod request;
pub mod scene;
pub mod script;
pub mod stages;
mod text_problem;
pub mod video;
pub mod voice;
pub mod writer;
