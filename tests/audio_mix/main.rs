//! The mixer by measurement: lengths, levels, loops, peaks, files of every format and hostile ones. All signals are synthesized.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod ducking;
mod elsewhere;
mod files;
mod levels;
mod loops;
mod loudness;
mod peaks;
mod pieces;
mod placing;
mod signals;
mod speed;
