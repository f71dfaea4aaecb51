//! How a job is rendered, the caller's hold on a running render, and what a finished one tells.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::compose::Backend;
use crate::encode::{AudioCodec, Quality, VideoCodec, VideoEncoderName};
use crate::error::{Error, ErrorKind, Result, Warning};

/// How a job is rendered. The picture does not depend on these, but for the back end's rounding and the encoder's loss.
#[derive(Clone, Debug, Default)]
pub struct Render {
    /// What composes.
    pub backend: Backend,
    /// Video codec; `None`: what the chosen encoder makes, else what the document asks for ([`crate::Job::codec`]), else AV1.
    pub codec: Option<VideoCodec>,
    /// Video encoder.
    pub encoder: VideoEncoderName,
    /// Audio codec; `None`: Opus beside AV1, AAC beside H.264.
    pub audio_codec: Option<AudioCodec>,
    /// Row of encoder settings.
    pub quality: Quality,
    /// Worker threads; 0 uses every core. The file's bytes do not depend on it.
    pub threads: usize,
    /// How long the video encoder may take without finishing a packet before it counts as stuck; `None`: 30 s.
    pub encoder_timeout: Option<Duration>,
}

impl Render {
    pub(crate) fn n_threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        }
    }

    /// The workers that compose: a pool of this render's own, so that renders in one process share nothing.
    pub(crate) fn pool(&self) -> Result<rayon::ThreadPool> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.n_threads())
            .thread_name(|i| format!("kinora-tile-{i}"));
        pool.build().map_err(|e| {
            Error::new(ErrorKind::Internal, "worker threads could not be started").with_source(e)
        })
    }
}

/// Stops a render from another thread. Clones stop the same render.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Asks the render to stop; it returns [`ErrorKind::Cancelled`] within a few frames.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`CancelToken::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a render is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Opening encoders and sounds, measuring loudness.
    Prepare,
    /// Frames are being made.
    Render,
    /// The file is completed and checked.
    Finish,
}

/// How far a render is.
#[derive(Clone, Debug)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Frames in the file so far.
    pub frame: u64,
    /// Frames in all.
    pub n_frames: u64,
    /// Frames per second so far; 0 before the first.
    pub fps: f64,
    /// Time since the start.
    pub elapsed: Duration,
    /// Time left at this pace; `None` before the first frame.
    pub remaining: Option<Duration>,
}

/// Called after every frame, on the thread that called the render. Return soon.
pub type OnProgress = Box<dyn Fn(&Progress) + Send + Sync>;

/// The caller's hold on a running render.
#[derive(Default)]
pub struct Control {
    /// Stops it.
    pub cancel: CancelToken,
    /// Hears of its progress.
    pub progress: Option<OnProgress>,
}

impl std::fmt::Debug for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control")
            .field("cancel", &self.cancel)
            .finish_non_exhaustive()
    }
}

impl Control {
    /// An error once the caller has cancelled.
    pub(crate) fn check(&self) -> Result<()> {
        if self.cancel.is_cancelled() {
            Err(Error::new(ErrorKind::Cancelled, "the render was cancelled"))
        } else {
            Ok(())
        }
    }

    pub(crate) fn report(&self, stage: Stage, (frame, n_frames): (u64, u64), start: Instant) {
        if let Some(progress) = &self.progress {
            let elapsed = start.elapsed();
            let fps = if frame > 0 {
                frame as f64 / elapsed.as_secs_f64().max(1e-9)
            } else {
                0.0
            };
            let left = n_frames.saturating_sub(frame) as f64;
            // No time, when there is no pace yet.
            let remaining = Duration::try_from_secs_f64(left / fps).ok();
            let remaining = remaining.filter(|_| fps > 0.0);
            progress(&Progress {
                stage,
                frame,
                n_frames,
                fps,
                elapsed,
                remaining,
            });
        }
    }
}

/// What a finished render tells.
#[derive(Clone, Debug)]
pub struct Report {
    /// Frames in the file.
    pub n_frames: u64,
    /// Encoder, version and settings.
    pub video_encoder: String,
    /// Encoder and bitrate.
    pub audio_encoder: String,
    /// What composed.
    pub compositor: String,
    /// Wall time.
    pub elapsed: Duration,
    /// Each stage's name and the time its thread worked.
    pub stages: Vec<(&'static str, Duration)>,
    /// The document's warnings, and those of the render.
    pub warnings: Vec<Warning>,
}
