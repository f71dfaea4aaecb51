//! kinora: a timeline of shots, transitions, motion, captions, voice and music becomes an MP4.
//!
//! A [`timeline::Timeline`] is written in Rust or read from JSON. [`Job::new`] checks it against its assets, reports all problems together, and resolves it
//! into a [`plan::Plan`]. [`Job::render`] composes on the GPU or the CPU, encodes, mixes and muxes; [`Job::still`] and [`Job::frames`] return
//! pictures for callers with their own encoder:
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
//! There is no global state: every job has its own assets, fonts, workers and caches, and many may run in one process. The one exception is a panic hook
//! in front of the process's own: it records panics of guarded work, which become errors, and passes all others on.
//! Time is counted in [`units::Time`]; frames are planar YUV 4:2:0, BT.709, limited range ([`frame::Frame`]).

// A build that leaves parts out still has the code that only they use.
#![cfg_attr(
    not(all(
        feature = "gpu",
        feature = "openh264",
        feature = "clips",
        feature = "svg"
    )),
    allow(dead_code, unused_imports)
)]

pub mod audio;
mod bitstream;
mod cancel;
mod caught;
pub mod compose;
pub mod encode;
mod engine;
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

pub use cancel::CancelToken;
pub use engine::{EncoderFactory, Engine, EngineBuilder};
pub use error::{Error, ErrorKind, Result};
pub use job::{Frames, Job};
pub use options::{Control, OnProgress, Progress, Render, Report, Stage};
pub use outfile::{remove_unfinished_files, render_sound_to_file, render_to_file};
pub use probe::{Named, probe};
pub use soundtrack::{SoundFormat, SoundReport};
pub use subtitles::SubtitleFormat;

/// Compiles and runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
