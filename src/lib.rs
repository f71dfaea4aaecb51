//! kinora: a timeline of shots, transitions, motion and captions becomes an MP4.

pub mod audio;
pub mod compose;
pub mod encode;
pub mod error;
pub mod frame;
mod job;
pub mod media;
pub mod mux;
mod outfile;
pub mod plan;
mod render;
pub mod text;
pub mod timeline;
pub mod units;

pub use error::{Error, ErrorKind, Result};
pub use job::{CancelToken, Control, Frames, Job, OnProgress, Progress, Render, Report, Stage};
pub use outfile::render_to_file;
