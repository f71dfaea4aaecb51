//! The use cases, for the interface and for the dashboard alike: making and finding runs, universes, characters, uploads, webhooks; what a client sees of them.
//!
//! Takes: accounts, bodies, forms. Gives: what was made or found, as the interface shows it. Never: knows a route or a page.

pub mod asker;
mod audio;
mod cast;
pub mod characters;
pub mod create;
mod extras;
pub mod form;
mod in_use;
pub(crate) mod languages;
mod picture;
pub mod rewrite;
pub mod runs;
pub(crate) mod schemas;
pub(crate) mod substitutions;
mod title;
pub mod universes;
pub mod uploads;
pub(crate) mod webhook_url;
pub mod webhooks;
