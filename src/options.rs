//! Options of a render, the caller's control over a running one, and the report of a finished one.

use std::time::{Duration, Instant};

use crate::cancel::CancelToken;
use crate::compose::Backend;
use crate::encode::{AudioCodec, Quality, VideoCodec, VideoEncoderName};
use crate::error::{Error, ErrorKind, Result, Warning};

/// Options for rendering a job. They do not affect the picture, except for the back end's rounding and the encoder's loss.
#[derive(Clone, Debug, Default)]
pub struct Render {
    /// Compositor back end.
    pub backend: Backend,
    /// Video codec; `None` for the chosen encoder's codec, else the document's ([`crate::Job::codec`]), else AV1.
    pub codec: Option<VideoCodec>,
    /// Video encoder.
    pub encoder: VideoEncoderName,
    /// Audio codec; `None` for Opus with AV1, AAC with H.264.
    pub audio_codec: Option<AudioCodec>,
    /// Quality row of encoder settings.
    pub quality: Quality,
    /// Worker threads; 0 uses every core. The file's bytes do not depend on it.
    pub threads: usize,
    /// Time the video encoder may take without finishing a packet before it is considered stuck; `None` for 30 s.
    pub encoder_timeout: Option<Duration>,
}

impl Render {
    pub(crate) fn n_threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        }
    }

    /// Creates the compositing workers: a separate pool per render, so that renders in one process share nothing.
    pub(crate) fn pool(&self) -> Result<rayon::ThreadPool> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.n_threads())
            .thread_name(|i| format!("kinora-tile-{i}"));
        pool.build().map_err(|e| {
            Error::new(ErrorKind::Internal, "worker threads could not be started").with_source(e)
        })
    }
}

/// Current activity of a render.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Opening encoders and sounds, measuring loudness.
    Prepare,
    /// Composing, encoding and muxing frames.
    Render,
    /// Completing and checking the file.
    Finish,
}

/// Progress of a render.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Current stage.
    pub stage: Stage,
    /// Frames in the file so far.
    pub frame: u64,
    /// Total number of frames.
    pub n_frames: u64,
    /// Frames per second so far; 0 before the first.
    pub fps: f64,
    /// Time since the start.
    pub elapsed: Duration,
    /// Time left at this pace; `None` before the first frame.
    pub remaining: Option<Duration>,
}

/// Callback after every frame, on the thread that called the render. It should return quickly.
pub type OnProgress = Box<dyn Fn(&Progress) + Send + Sync>;

/// The caller's control over a running render.
#[derive(Default)]
pub struct Control {
    /// Stops the render.
    pub cancel: CancelToken,
    /// Receives its progress.
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
    /// Returns an error once the caller has cancelled.
    pub(crate) fn check(&self) -> Result<()> {
        self.cancel.check()
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
            // Unknown until there is a pace.
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

/// Report of a finished render.
#[derive(Clone, Debug)]
pub struct Report {
    /// Frames in the file.
    pub n_frames: u64,
    /// Encoder, version and settings.
    pub video_encoder: String,
    /// Encoder and bitrate.
    pub audio_encoder: String,
    /// Name of the compositor.
    pub compositor: String,
    /// Wall time.
    pub elapsed: Duration,
    /// Each stage's name and its thread's working time.
    pub stages: Vec<(&'static str, Duration)>,
    /// The document's warnings, and those of the render.
    pub warnings: Vec<Warning>,
}
