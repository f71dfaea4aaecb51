//! A run's progress, reported to the caller, and its cancellation.

use kinora::CancelToken;

use crate::failure::{Failure, FailureKind, Stage};

/// The progress of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// Finished parts of this stage.
    pub n_done: usize,
    /// All parts of this stage.
    pub n_all: usize,
    /// Whether the last finished part came from an earlier run.
    pub is_kept: bool,
}

/// Receives progress on the thread that finished something. It must return quickly.
pub type OnProgress = Box<dyn Fn(&Progress) + Send + Sync>;

/// The caller's control over a run.
#[derive(Default)]
pub struct Watch {
    /// Cancels it.
    pub cancel: CancelToken,
    /// Receives its progress.
    pub progress: Option<OnProgress>,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch")
            .field("cancel", &self.cancel)
            .finish_non_exhaustive()
    }
}

impl Watch {
    /// Returns a failure if the run was cancelled.
    pub(crate) fn check(&self, stage: Stage) -> Result<(), Failure> {
        if self.cancel.is_cancelled() {
            let message = "the run was cancelled; what was made is kept";
            return Err(Failure::new(stage, FailureKind::Cancelled, message));
        }
        Ok(())
    }

    pub(crate) fn report(&self, stage: Stage, (n_done, n_all): (usize, usize), is_kept: bool) {
        if let Some(progress) = &self.progress {
            progress(&Progress {
                stage,
                n_done,
                n_all,
                is_kept,
            });
        }
    }
}
