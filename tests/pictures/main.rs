//! Picture files to pixels: formats, orientation, color, limits, hostile files, loading ahead.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod color;
mod folder;
mod formats;
mod hostile;
mod kinds;
mod loader;
mod odd;
mod samples;
