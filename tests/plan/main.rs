//! Plans as text and by contract: what a document becomes before a pixel is drawn.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod document;
mod fixture;
mod known;
mod looks;
mod motion;
mod printed;
mod timing;
