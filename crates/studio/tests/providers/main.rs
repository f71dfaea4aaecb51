//! Providers against scripted servers: what is sent, what becomes of every fault, where nothing is ever fetched from, and that no key is shown.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
#![allow(
    clippy::too_many_lines,
    reason = "tables: a row for each fault, and requests as they are documented"
)]

mod config;
mod fal;
mod faults;
mod faults_of_media;
mod faults_on_the_wire;
mod files;
mod makers;
mod secrets;
mod setup;
mod shapes;
mod ssrf;
mod storms;
mod stub;
mod table;
mod tls;
