//! The workers: they take up runs, make their videos, publish them, and send messages about their ends.
//!
//! Takes: jobs of the queue. Gives: ended runs. Never: writes about a run without the lease of its attempt.
//!
//! ```text
//! job ─ claim ─┬─ brief ─ studio ─ render ─ check ─ publish ─ complete
//!              └─ lease: kept alive beside it, heard through it
//! ```
//!
//! The queue only says that there may be something to do. Whose a run is stands in its row; whoever loses it stops, and writes nothing.

mod attempt;
mod brief;
pub mod deliver;
mod lease;
mod make;
mod poster;
mod progress;
mod publish;
mod queue;
mod trouble;
mod upkeep;

pub use queue::{StartError, Workers};
