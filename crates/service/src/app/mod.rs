//! The use cases of the API and the dashboard: creating and finding runs, universes, characters, uploads, webhooks, and how clients see them.
//!
//! Takes accounts, bodies, forms. Gives results as the API shows them. They know nothing of routes or pages.

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
