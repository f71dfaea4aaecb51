//! Why a run could not go on: in which stage, at which provider, and what may be done about it.

use std::fmt;

/// A stage of a run, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The request is checked.
    Request,
    /// The script is written or read.
    Script,
    /// The script is cut into scenes.
    Scenes,
    /// The voice is spoken and its words are timed.
    Voice,
    /// The pictures are made.
    Pictures,
    /// The pictures are brought to life.
    Clips,
    /// Everything is laid on the timeline.
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
    /// What was asked for cannot be done as asked.
    BadInput,
    /// Nothing is configured or installed that could do it.
    NotConfigured,
    /// A provider did not accept its key (401, 403).
    Unauthorized,
    /// A provider refused the content.
    Refused,
    /// A provider asked to slow down (429) and went on asking.
    RateLimited,
    /// A provider could not be reached or answered 5xx.
    Unavailable,
    /// A provider did not answer within its time.
    TimedOut,
    /// A provider's answer was not what its interface promises.
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

/// Why a stage of a run failed. Its text never holds a key, nor what a provider said word for word.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Failure {
    /// Where.
    pub stage: Stage,
    /// Its class.
    pub kind: FailureKind,
    /// Which provider, if one was asked.
    pub provider: Option<String>,
    /// The provider's HTTP status, if it answered.
    pub status: Option<u16>,
    /// Which scene, from 0.
    pub scene: Option<usize>,
    /// What was wrong and what to do.
    pub message: String,
}

impl FailureKind {
    /// Of what was read or written in the work folder.
    pub fn of_io(e: &std::io::Error) -> FailureKind {
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        match e.kind() {
            StorageFull | QuotaExceeded => FailureKind::StorageFull,
            _ => FailureKind::Storage,
        }
    }

    /// Of what the engine could not do: its files are ours, so that one which cannot be read is the work folder's fault.
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
    /// Of a stage as a whole.
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

    /// The same, told by a provider.
    #[must_use]
    pub fn by(mut self, provider: impl Into<String>, status: Option<u16>) -> Failure {
        self.provider = Some(provider.into());
        self.status = status;
        self
    }

    /// The same, of one scene.
    #[must_use]
    pub fn in_scene(mut self, scene: usize) -> Failure {
        self.scene = Some(scene);
        self
    }

    /// Whether the same run may succeed later without a change.
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

/// What the system said, at the bottom of an error.
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
