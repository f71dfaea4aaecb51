//! The interface over HTTP, without a port: rules, keys, tenants, uploads, media, idempotency, the documents.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "../../../studio/tests/requests/expanded.rs"]
mod expanded;

mod cast;
mod client;
mod documents;
mod files;
mod idempotency;
mod keys;
mod retries;
mod rules;
mod served;
mod tenants;
