//! kinora: a timeline of shots, transitions, motion, captions, voice and music becomes an MP4.
//!
//! A [`timeline::Timeline`] is written in Rust or read from JSON. [`Job::new`] checks it against its assets and resolves it into a [`plan::Plan`], reporting
//! everything that is wrong at once. [`Job::render`] composes on the GPU or the CPU, encodes, mixes and muxes; [`Job::still`] and [`Job::frames`] give
//! pictures to those who bring an encoder of their own:
//!
//! ```
//! use std::sync::Arc;
//! use kinora::{Job, Render, media::FolderAssets, text::Fonts};
//!
//! # fn main() -> kinora::Result<()> {
//! let document = r#"{"version": 1, "output": {"width": 320, "height": 180}, "shots": [{"picture": "1-sea.jpg", "duration": 0.5}]}"#;
//! let assets = Arc::new(FolderAssets::new("examples/first-light"));
//! let job = Job::from_json(document, assets, Fonts::default())?;
//! for frame in job.frames(&Render::default())? {
//!     let [y, u, v] = frame?.planes().map(<[u8]>::len);
//!     assert_eq!([y, u, v], [320 * 180, 160 * 90, 160 * 90]);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! There is no global state: every job has its own assets, fonts, workers and caches, and many may run in one process. Only the process's panic hook gets
//! one before it, which keeps what guarded work says for the error that it becomes, and hands all other panics on.
//! Time is counted in [`units::Time`]; frames are planar YUV 4:2:0, BT.709, limited range ([`frame::Frame`]).

pub mod audio;
mod bitstream;
mod caught;
pub mod compose;
pub mod encode;
pub mod error;
pub mod facts;
mod foreign;
pub mod frame;
mod job;
mod lint;
pub mod media;
pub mod mux;
mod named;
mod options;
mod opus;
mod outfile;
pub mod plan;
mod preflight;
mod probe;
mod render;
pub mod scene;
mod soundtrack;
mod spoken;
mod stream;
mod subtitles;
pub mod text;
pub mod timeline;
pub mod units;

pub use error::{Error, ErrorKind, Result};
pub use job::{Frames, Job};
pub use options::{CancelToken, Control, OnProgress, Progress, Render, Report, Stage};
pub use outfile::{remove_unfinished_files, render_sound_to_file, render_to_file};
pub use probe::{Named, probe};
pub use soundtrack::{SoundFormat, SoundReport};
pub use subtitles::SubtitleFormat;

/// The README's example is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
