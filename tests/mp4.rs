//! MP4 files: written, checked, read back by other parsers, damaged in every way.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "mp4/damage.rs"]
mod damage;
#[path = "mp4/fragments.rs"]
mod fragments;
#[path = "mp4/outputs.rs"]
mod outputs;
#[path = "mp4/read_back.rs"]
mod read_back;
#[path = "mp4/streams.rs"]
mod streams;
#[path = "mp4/writing.rs"]
mod writing;
