//! Animated pictures as clips: GIF, WebP and PNG, read once from start to end.
//!
//! A scan of the file's parts finds the frames and their durations, without decoding. The decoders of `image` produce the pictures in order; the
//! file stays in memory, its frames do not. The clip is a single pass: the shot specifies how often it repeats.

mod gif;
mod png;
mod webp;

use std::sync::Arc;

use super::ClipLimits;
use super::bytes::Source;
use super::clock::Clock;
use super::refuse::{check_size, too_large};
use super::track::{Coding, Look, Sample, Track};
use crate::media::refusal::Refusal;
use crate::units::TICKS_PER_SECOND;

/// Maximum size of a file, which is read into memory.
const MAX_FILE_BYTES: u64 = 256 << 20;
/// Frames shorter than this last [`USUAL_MS`], as in browsers: writers that ignore timing leave it at 0.
const LEAST_MS: i64 = 11;
const USUAL_MS: i64 = 100;

/// Format of an animated picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Gif,
    WebP,
    Png,
}

/// A complete animated picture.
#[derive(Clone)]
pub(super) struct Animation {
    pub(super) kind: Kind,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) file: Arc<[u8]>,
}

impl std::fmt::Debug for Animation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Animation")
            .field("kind", &self.kind)
            .field("n_bytes", &self.file.len())
            .finish_non_exhaustive()
    }
}

/// Result of scanning a file.
struct Found {
    width: u32,
    height: u32,
    frames: Vec<Frame>,
}

/// Position of a frame in the file.
struct Frame {
    offset: usize,
    n_bytes: usize,
    /// Duration in ticks: times are used as written, not snapped to a common rate nearby.
    duration: i64,
}

/// Reads an animated picture as a track; returns `None` for any other file, including still pictures.
pub(super) fn read(
    source: &mut Source,
    head: &[u8],
    limits: &ClipLimits,
) -> Result<Option<Track>, Refusal> {
    let Some(kind) = kind_of(head) else {
        return Ok(None);
    };
    if source.n_bytes > MAX_FILE_BYTES {
        return Err(too_large(format!(
            "has {} bytes; an animated picture can have at most {MAX_FILE_BYTES}",
            source.n_bytes
        )));
    }
    let file: Arc<[u8]> = source.head(source.n_bytes)?.into();
    let most = limits.n_frames as usize;
    let found = match kind {
        Kind::Gif => gif::walk(&file, most),
        Kind::WebP => webp::walk(&file, most),
        Kind::Png => png::walk(&file, most),
    };
    let Some(found) = found.filter(|found| found.frames.len() > 1) else {
        return Ok(None);
    };
    if found.frames.len() > most {
        return Err(too_large(format!("has more than {most} frames")));
    }
    check_size(found.width, found.height, limits)?;
    let mut pts = 0;
    let samples = found.frames.iter().enumerate();
    let samples = samples.map(|(i, frame)| {
        let sample = Sample {
            offset: frame.offset as u64,
            n_bytes: u32::try_from(frame.n_bytes).unwrap_or(u32::MAX),
            is_sync: i == 0,
            pts,
            duration: frame.duration,
        };
        pts += frame.duration;
        sample
    });
    Ok(Some(Track {
        samples: samples.collect(),
        coding: Coding::Animation(Animation {
            kind,
            width: found.width,
            height: found.height,
            file,
        }),
        stripped: Vec::new(),
        clock: Clock::per_second(TICKS_PER_SECOND as u32)?,
        edits: Vec::new(),
        look: Look::default(),
        has_sound: false,
    }))
}

fn kind_of(head: &[u8]) -> Option<Kind> {
    if head.starts_with(b"GIF8") {
        Some(Kind::Gif)
    } else if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
        Some(Kind::WebP)
    } else if head.starts_with(png::SIGNATURE) {
        Some(Kind::Png)
    } else {
        None
    }
}

/// Returns how long a frame of `over/under` seconds is shown, in ticks.
fn shown_for(over: u32, under: u32) -> i64 {
    let ticks = i64::from(over) * TICKS_PER_SECOND / i64::from(under.max(1));
    if ticks < LEAST_MS * TICKS_PER_SECOND / 1000 {
        USUAL_MS * TICKS_PER_SECOND / 1000
    } else {
        ticks
    }
}
