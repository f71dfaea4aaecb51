//! The HTTP adapter: parse, call, map. Keys, credits, runs, universes, characters, uploads, webhooks, the queue and the dashboard.
//!
//! ```text
//! socket ─ edge ─ routes ─┬─ studio::request ─ estimate ─ db (run, job, hold: one transaction) ─ queue
//!                  web ───┘                                                                       │
//!                            media (object store) ◄─ work: studio::Brief ─ produce ─ kinora::render
//! ```
//!
//! Video logic lives in the engine and the studio. The same code runs on one machine with SQLite and a folder, or on many with PostgreSQL and an object store,
//! as [`config::Config`] says.

pub mod admin;
pub mod app;
pub mod config;
pub mod db;
mod documentation;
pub mod edge;
pub mod error;
mod heavy;
pub mod ids;
pub mod media;
pub mod observe;
pub mod openapi;
pub mod order;
pub mod password;
mod request_id;
pub mod routes;
pub mod scratch;
pub mod serve;
pub mod state;
pub mod studios;
pub mod web;
pub mod work;
