//! One error type, problems of a document as a list, and warnings that come back with a result.

use std::fmt;

use crate::units::Time;

/// The result of every fallible function of the engine.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a call failed. Use [`Error::kind`] to react, and display it to users.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    problems: Vec<Problem>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Classes of failure that a caller can act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The document has problems: see [`Error::problems`]. Nothing was rendered.
    Document,
    /// A picture, sound or font cannot be found or decoded.
    Media,
    /// The graphics device, its driver or the compositor failed.
    Device,
    /// An encoder is missing, refused its settings or failed.
    Encoder,
    /// Reading or writing failed (disk full, no permission, closed pipe).
    Io,
    /// The caller cancelled.
    Cancelled,
    /// A bug of this engine; for example, the finished file failed its own check.
    Internal,
}

impl Error {
    /// Creates an error of `kind` with a message for users.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error {
            kind,
            message: message.into(),
            problems: Vec::new(),
            source: None,
        }
    }

    /// Combines the document's problems into one error.
    pub fn document(problems: Vec<Problem>) -> Error {
        let message = format!(
            "the timeline has {} problem{}",
            problems.len(),
            if problems.len() == 1 { "" } else { "s" }
        );
        Error {
            kind: ErrorKind::Document,
            message,
            problems,
            source: None,
        }
    }

    /// Adds the cause.
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        self.source = Some(source.into());
        self
    }

    /// Prefixes the message with `place` (`frame 12, shot 3 (a.jpg)`).
    pub fn at(mut self, place: impl fmt::Display) -> Error {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// Returns the class of failure.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns every problem of the document; empty unless the kind is [`ErrorKind::Document`].
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        if let Some(source) = &self.source {
            write!(f, ": {source}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}

impl From<std::io::Error> for Error {
    fn from(e: std::io::Error) -> Error {
        Error::new(ErrorKind::Io, "input or output failed").with_source(e)
    }
}

/// One problem in a document: where, what, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Stable identifier for programs, such as `out_of_range`.
    pub code: &'static str,
    /// Document path, such as `shots[3].picture`; empty for the whole document.
    pub path: String,
    /// What is wrong, with the actual value and the allowed ones.
    pub message: String,
    /// How to fix it, if the message does not make that obvious.
    pub hint: Option<String>,
}

impl Problem {
    /// Creates a problem without a hint.
    pub fn new(code: &'static str, path: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem {
            code,
            path: path.into(),
            message: message.into(),
            hint: None,
        }
    }

    /// Adds how to fix it.
    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    /// Returns whether it concerns the value at `path` or something inside it.
    pub(crate) fn is_within(&self, path: &str) -> bool {
        let rest = self.path.strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() {
            "document"
        } else {
            &self.path
        };
        write!(f, "{path}: {} [{}]", self.message, self.code)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

/// Something that did not stop the work but that the document's author should know.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// Stable identifier for programs, such as `missing_glyph`.
    pub code: &'static str,
    /// Document path; empty for the whole document.
    pub path: String,
    /// What happened instead and what would help.
    pub message: String,
    /// The instant concerned, if any.
    pub at: Option<Time>,
}

impl Warning {
    /// Creates a warning about a path in the document.
    pub fn new(code: &'static str, path: impl Into<String>, message: impl Into<String>) -> Warning {
        Warning {
            code,
            path: path.into(),
            message: message.into(),
            at: None,
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() {
            "document"
        } else {
            &self.path
        };
        write!(f, "{path}: {} [{}]", self.message, self.code)
    }
}
