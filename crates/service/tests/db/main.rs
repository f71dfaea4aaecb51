//! What is written down, on SQLite and on a real PostgreSQL.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "../support/mod.rs"]
#[macro_use]
mod support;

mod away;
mod cancel;
mod ends;
mod keys;
mod money;
mod open;
mod rates;
mod runs;
mod sweep;
mod tenants;
