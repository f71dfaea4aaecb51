//! Why a run could not continue: the stage, the provider, and what can be done about it.

use std::fmt;

/// A stage of a run, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The request is checked.
    Request,
    /// The script is written or read.
    Script,
    /// The script is split into scenes.
    Scenes,
    /// The voice is spoken and its words are timed.
    Voice,
    /// The pictures are made.
    Pictures,
    /// The pictures are animated.
    Clips,
    /// Everything is put on the timeline.
    Timeline,
    /// The video is rendered.
    Render,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Request => "request",
            Stage::Script => "script",
            Stage::Scenes => "scenes",
            Stage::Voice => "voice",
            Stage::Pictures => "pictures",
            Stage::Clips => "clips",
            Stage::Timeline => "timeline",
            Stage::Render => "render",
        })
    }
}

/// The class of a failure, stable for callers to match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The request cannot be fulfilled as stated.
    BadInput,
    /// Nothing that could do it is configured or installed.
    NotConfigured,
    /// A provider did not accept its key (401, 403).
    Unauthorized,
    /// A provider refused the content.
    Refused,
    /// A provider rate-limited the call (429), also on retries.
    RateLimited,
    /// A provider could not be reached or answered 5xx.
    Unavailable,
    /// A provider did not answer within its time limit.
    TimedOut,
    /// A provider's answer did not match its documented interface.
    BadAnswer,
    /// The run was cancelled.
    Cancelled,
    /// The work folder cannot be read or written.
    Storage,
    /// The work folder's disk or quota is full.
    StorageFull,
    /// The engine refused or failed.
    Engine,
}

/// Why a stage of a run failed. Its text never contains a key or a provider's own words.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Failure {
    /// The stage that failed.
    pub stage: Stage,
    /// Its class.
    pub kind: FailureKind,
    /// The provider, if one was called.
    pub provider: Option<String>,
    /// The provider's HTTP status, if it answered.
    pub status: Option<u16>,
    /// The scene, counted from 0.
    pub scene: Option<usize>,
    /// What was wrong and what to do.
    pub message: String,
}

impl FailureKind {
    /// Returns the kind of an I/O error in the work folder.
    pub fn of_io(e: &std::io::Error) -> FailureKind {
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        match e.kind() {
            StorageFull | QuotaExceeded => FailureKind::StorageFull,
            _ => FailureKind::Storage,
        }
    }

    /// Returns the kind of an engine error. The engine's files are ours, so an unreadable one is a fault of the work folder.
    pub fn of_engine(e: &kinora::Error) -> FailureKind {
        use kinora::ErrorKind::{Cancelled, Document, Io};
        let mut problems = e.problems().iter();
        match e.kind() {
            Cancelled => FailureKind::Cancelled,
            Io => io_below(e).map_or(FailureKind::Storage, FailureKind::of_io),
            Document if problems.all(|problem| problem.code == "unreadable") => {
                FailureKind::Storage
            }
            _ => FailureKind::Engine,
        }
    }
}

impl Failure {
    /// Creates a failure of a stage as a whole.
    pub fn new(stage: Stage, kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure {
            stage,
            kind,
            provider: None,
            status: None,
            scene: None,
            message: message.into(),
        }
    }

    /// Adds the provider that reported it.
    #[must_use]
    pub fn by(mut self, provider: impl Into<String>, status: Option<u16>) -> Failure {
        self.provider = Some(provider.into());
        self.status = status;
        self
    }

    /// Adds the scene.
    #[must_use]
    pub fn in_scene(mut self, scene: usize) -> Failure {
        self.scene = Some(scene);
        self
    }

    /// Returns whether the same run may succeed later without a change.
    pub fn is_retryable(&self) -> bool {
        use FailureKind::{RateLimited, Storage, StorageFull, TimedOut, Unavailable};
        matches!(
            self.kind,
            RateLimited | Storage | StorageFull | TimedOut | Unavailable
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.stage)?;
        if let Some(scene) = self.scene {
            write!(f, ", scene {}", scene + 1)?;
        }
        if let Some(provider) = &self.provider {
            write!(f, ", {provider}")?;
        }
        if let Some(status) = self.status {
            write!(f, " (HTTP {status})")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for Failure {}

/// Returns the system error at the bottom of an error chain.
fn io_below(error: &kinora::Error) -> Option<&std::io::Error> {
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref() {
            return Some(error);
        }
        source = error.source();
    }
    None
}
