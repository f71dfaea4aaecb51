//! Captions in every script and against every text, as whole documents: planned, laid out and drawn.
//!
//! Scripts whose fonts this machine lacks are skipped with a printed line.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod fixture;
mod fonts;
mod hostile;
mod installed;
