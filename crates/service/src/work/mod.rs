//! The workers: they claim runs, make their videos, publish them, and send messages when runs end.
//!
//! Takes jobs from the queue and ends runs. It never writes about a run without its attempt's lease.
//!
//! ```text
//! job ─ claim ─┬─ brief ─ studio ─ render ─ check ─ publish ─ complete
//!              └─ lease: renewed in parallel; its loss stops the work
//! ```
//!
//! The queue only signals that there may be work. A run's row says who owns it; a worker that loses its run stops and writes nothing.

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
