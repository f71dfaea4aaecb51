//! What goes wrong with a model's files or its work, and the guard that turns a panic of the libraries below into an error.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Why a model could not be loaded or did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LocalError {
    /// The kind, for a program.
    pub kind: LocalErrorKind,
    /// What was wrong, where and what to do, for a person.
    pub message: String,
}

/// The kinds of [`LocalError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalErrorKind {
    /// A file is not in the folder; the message says which, and what a model's folder must hold.
    Missing,
    /// A file is not what its name says: bad JSON, a truncated tensor, a tensor that is absent or has another shape, weights that give no numbers.
    Unreadable,
    /// A model of a kind, or with a setting, that this crate does not know; the message names those it does.
    Unsupported,
    /// The request is longer than the model can hold; the message gives both numbers.
    TooLong,
    /// The caller's `stop` said so.
    Stopped,
}

impl LocalError {
    /// An error of a kind.
    pub(crate) fn new(kind: LocalErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    pub(crate) fn unreadable(message: impl Into<String>) -> Self {
        Self::new(LocalErrorKind::Unreadable, message)
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(LocalErrorKind::Unsupported, message)
    }

    pub(crate) fn too_long(message: impl Into<String>) -> Self {
        Self::new(LocalErrorKind::TooLong, message)
    }

    pub(crate) fn stopped() -> Self {
        Self::new(LocalErrorKind::Stopped, "stopped by the caller")
    }

    /// A file that could not be read, and why.
    pub(crate) fn file(path: &Path, why: impl std::fmt::Display) -> Self {
        Self::unreadable(format!("{} cannot be read: {why}", path.display()))
    }
}

/// Arithmetic that failed in the middle of a model: its weights do not fit together in a way that loading did not see.
impl From<candle_core::Error> for LocalError {
    fn from(error: candle_core::Error) -> Self {
        Self::unreadable(format!(
            "the model cannot be computed: {}; get its files again",
            first_line(&error.to_string())
        ))
    }
}

/// The first line of a text: candle's errors carry a backtrace after it.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Runs `work`; a panic below (candle, tokenizers and minijinja assert in places that a hostile file can reach) becomes an error of kind
/// `Unreadable` that names `what`. The panic's own message still goes to the hook of the program. An abort (a build with `panic = "abort"`,
/// no memory) cannot be caught: sizes are therefore checked before anything is allocated.
pub(crate) fn guard<T>(
    what: &str,
    work: impl FnOnce() -> Result<T, LocalError>,
) -> Result<T, LocalError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let said = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("no reason given");
        Err(LocalError::unreadable(format!(
            "{what} made the library beneath fail: {}; get the model's files again",
            first_line(said)
        )))
    })
}
