//! Several servers on one database, each a process of its own, as a stranger meets them: over HTTP, and with signals.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "../small_disk/mod.rs"]
mod small_disk;
#[path = "../support/mod.rs"]
#[macro_use]
mod support;
#[path = "../worked/mod.rs"]
mod worked;

mod buckets;
mod clocks;
mod fleet;
mod kills;
mod limits;
mod scarce;
mod stops;

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn child() {
    worked::child::work();
}

/// How often something is tried: a few times, or as often as `KINORA_TEST_TRIALS` says.
fn n_trials(few: usize) -> usize {
    let told = std::env::var("KINORA_TEST_TRIALS").ok();
    told.map_or(few, |n| n.parse().unwrap())
}
