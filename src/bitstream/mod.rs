//! Coded streams as bytes: AV1's open bitstream units, H.264's NAL units, VP9's headers, and what a container says of them.
//!
//! Takes: bytes that may be hostile. Gives: headers and boundaries. Never: decodes a picture, knows a container's boxes.

pub(crate) mod av1;
pub(crate) mod avc;
pub(crate) mod bits;
mod color;
mod stream_config;
pub(crate) mod temporal_unit;
pub(crate) mod vp9;

pub use color::ColorFacts;
pub use stream_config::{AudioConfig, VideoConfig};
