//! Why an attempt failed, and whether another may succeed.

use std::error::Error as _;
use std::io;
use std::path::Path;

use kinora_studio::failure::{Failure, FailureKind, Stage};
use serde_json::Value;

use crate::db::RunFailure;
use crate::media::MediaError;

/// Why an attempt failed.
#[derive(Debug)]
pub(super) struct Trouble {
    pub failure: RunFailure,
    /// Whether the next attempt may succeed without intervention.
    pub passes: bool,
}

impl Trouble {
    /// Creates a failure of kinora itself, or of the whole run.
    pub fn new(reason: &str, message: impl Into<String>) -> Trouble {
        Trouble {
            failure: RunFailure {
                message: message.into(),
                reason: reason.to_owned(),
                stage: None,
                provider: None,
                provider_status: None,
                retryable: false,
            },
            passes: false,
        }
    }

    /// Sets the stage.
    pub fn at(mut self, stage: impl ToString) -> Trouble {
        self.failure.stage.get_or_insert(stage.to_string());
        self
    }

    /// Marks it as temporary.
    pub fn passing(mut self) -> Trouble {
        self.failure.retryable = true;
        self.passes = true;
        self
    }

    /// Marks it as one that the owner may retry.
    pub fn retryable(mut self) -> Trouble {
        self.failure.retryable = true;
        self
    }

    /// Removes the names of our folders.
    pub fn without(mut self, folder: &Path) -> Trouble {
        let folder = format!("{}/", folder.display());
        self.failure.message = self.failure.message.replace(&folder, "");
        self
    }

    fn storage(is_full: bool) -> Trouble {
        let (reason, message) = match is_full {
            true => (
                "storage_full",
                "the service has no space left for this video; its operator must free some",
            ),
            false => ("storage", "the service could not read or write its storage"),
        };
        Trouble::new(reason, message).passing()
    }

    /// The run's owner cancelled it.
    pub fn cancelled() -> Trouble {
        Trouble::new("cancelled", "the run was cancelled by its owner").retryable()
    }

    /// The run took too long.
    pub fn late(secs: u64) -> Trouble {
        let message = format!("the video was not made within {secs} s");
        Trouble::new("deadline", message).retryable()
    }

    /// An internal error; the log has its cause.
    pub fn internal() -> Trouble {
        Trouble::new("internal", "an unexpected error of the service")
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Trouble {
        let stage = failure.stage;
        let mut trouble = match failure.kind {
            // Their texts name our folders.
            FailureKind::Storage | FailureKind::StorageFull => {
                tracing::error!(%failure, "work folder");
                Trouble::storage(failure.kind == FailureKind::StorageFull)
            }
            kind => Trouble::new(&name_of(kind), failure.message.clone()),
        };
        trouble.passes = failure.is_retryable();
        trouble.failure.retryable = trouble.passes;
        trouble.failure.provider = failure.provider;
        trouble.failure.provider_status = failure.status;
        trouble.at(stage)
    }
}

impl From<kinora::Error> for Trouble {
    fn from(error: kinora::Error) -> Trouble {
        let trouble = match FailureKind::of_engine(&error) {
            kind @ (FailureKind::Storage | FailureKind::StorageFull) => {
                Trouble::storage(kind == FailureKind::StorageFull)
            }
            FailureKind::Cancelled => Trouble::cancelled(),
            _ => Trouble::new("engine", "the engine could not render this video"),
        };
        tracing::error!(%error, source = error.source().map(tracing::field::display), "render");
        trouble.at(Stage::Render)
    }
}

impl From<MediaError> for Trouble {
    fn from(error: MediaError) -> Trouble {
        tracing::error!(%error, "media");
        Trouble::storage(matches!(error, MediaError::Full))
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        tracing::error!(%error, "work folder");
        Trouble::storage(FailureKind::of_io(&error) == FailureKind::StorageFull)
    }
}

/// Returns the kind's name in the API.
fn name_of(kind: FailureKind) -> String {
    match serde_json::to_value(kind) {
        Ok(Value::String(name)) => name,
        _ => "internal".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_as_such_wherever_it_was_met() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let engine = kinora::Error::new(kinora::ErrorKind::Io, "cannot write").with_source(full());
        let studio = Failure::new(Stage::Voice, FailureKind::of_io(&full()), "no space");
        for trouble in [
            Trouble::from(full()),
            Trouble::from(engine),
            Trouble::from(studio),
            Trouble::from(MediaError::from(full())),
        ] {
            assert_eq!(trouble.failure.reason, "storage_full");
            assert!(trouble.passes && trouble.failure.retryable);
        }
    }

    #[test]
    fn files_of_ours_that_cannot_be_read_are_no_fault_of_the_video() {
        let many = io::Error::from_raw_os_error(24);
        let render =
            kinora::Error::new(kinora::ErrorKind::Io, "cannot be opened").with_source(many);
        let unread = |code| kinora::error::Problem {
            code,
            path: "shots[0].picture".into(),
            message: "cannot be opened".into(),
            hint: None,
        };
        let before = kinora::Error::document(vec![unread("unreadable")]);
        for error in [render, before] {
            let Trouble { failure, passes } = error.into();
            assert_eq!(failure.reason, "storage");
            assert!(passes && failure.retryable);
        }
        let both = vec![unread("unreadable"), unread("damaged_picture")];
        let trouble = Trouble::from(kinora::Error::document(both));
        assert_eq!(trouble.failure.reason, "engine");
        assert!(!trouble.passes);
    }

    #[test]
    fn failures_of_the_studio_keep_their_kind_and_place() {
        let failure =
            Failure::new(Stage::Pictures, FailureKind::Refused, "no").by("fal", Some(422));
        let Trouble { failure, passes } = failure.into();
        assert_eq!(failure.reason, "refused");
        assert_eq!(failure.stage.as_deref(), Some("pictures"));
        assert_eq!(failure.provider.as_deref(), Some("fal"));
        assert_eq!(failure.provider_status, Some(422));
        assert!(!passes && !failure.retryable);
        let failure = Failure::new(Stage::Script, FailureKind::RateLimited, "slow down");
        assert!(Trouble::from(failure).passes);
    }

    #[test]
    fn folders_of_ours_are_not_told() {
        let failure = Failure::new(
            Stage::Voice,
            FailureKind::BadInput,
            "the recording /srv/x/recording.wav contains no sound",
        );
        let trouble = Trouble::from(failure).without(Path::new("/srv/x"));
        assert_eq!(
            trouble.failure.message,
            "the recording recording.wav contains no sound"
        );
    }
}
