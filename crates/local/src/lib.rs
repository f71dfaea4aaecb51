//! Language models and speech recognition on this machine: the user's own weights, no network.
//!
//! ```text
//! folder ─ settings, words (tokenizer), weights ─┬─ writer: prompt ─ chat template ─ decoder ─ text
//!                                                └─ listener: samples ─ mel ─ encoder ─ decoder ─ segments
//! ```
//!
//! Weights come from a folder that the user filled; nothing here opens a connection. All arithmetic is candle's, on the CPU.
//! A broken or hostile file gives a [`LocalError`], never a panic: where a library beneath may panic, the panic is caught
//! (so the program must not be built with `panic = "abort"`).

mod chance;
mod error;
mod folder;
mod listener;
mod settings;
mod weights;
mod words;
mod writer;

pub use error::{LocalError, LocalErrorKind};
pub use listener::{Heard, Listener, Segment};
pub use writer::{Generated, Limits, Prompt, Writer};
