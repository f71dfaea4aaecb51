//! How far a run is, told to whoever started it, and its cancellation.

use kinora::CancelToken;

use crate::failure::{Failure, FailureKind, Stage};

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Parts of this stage that are done.
    pub n_done: usize,
    /// Parts of this stage in all.
    pub n_all: usize,
    /// Whether the part that was finished last had been made by an earlier run.
    pub is_kept: bool,
}

/// Hears of progress, on the thread that finished something. Return soon.
pub type OnProgress = Box<dyn Fn(&Progress) + Send + Sync>;

/// The caller's hold on a run.
#[derive(Default)]
pub struct Watch {
    /// Stops it.
    pub cancel: CancelToken,
    /// Hears of its progress.
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
    /// A failure once the run was cancelled.
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
