//! kinora: a timeline of shots, transitions, motion and captions becomes an MP4.

pub mod audio;
pub mod compose;
pub mod encode;
pub mod error;
pub mod frame;
pub mod media;
pub mod mux;
pub mod plan;
pub mod text;
pub mod timeline;
pub mod units;
pub mod render;
pub use render::*;
pub use error::{Error,ErrorKind,Result};
