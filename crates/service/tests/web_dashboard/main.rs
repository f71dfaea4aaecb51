//! The dashboard as a browser sees it: in this process for what has to hold, in Chromium for what has to work.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "../support/mod.rs"]
mod support;

mod browser;
mod chromium;
mod client;
mod create;
mod files;
mod film;
mod keys;
mod pages;
mod sessions;
mod shown;
