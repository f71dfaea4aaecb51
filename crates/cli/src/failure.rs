//! Failures of commands: their messages and exit codes.

use kinora::error::{Error, ErrorKind};
use kinora_studio::failure::{Failure as StudioFailure, FailureKind};
use serde_json::{Value, json};

use crate::console;

/// The result of every command.
pub(crate) type Done = Result<(), Failure>;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line is invalid.
    Usage(String),
    /// A problem of the machine: a folder is missing, a file cannot be written.
    Io(String),
    /// The library refused or failed.
    Engine(Error),
    /// A stage of the studio failed.
    Studio(StudioFailure),
    /// A bug: something panicked.
    Internal(String),
}

impl From<StudioFailure> for Failure {
    fn from(e: StudioFailure) -> Failure {
        Failure::Studio(e)
    }
}

impl From<Error> for Failure {
    fn from(e: Error) -> Failure {
        Failure::Engine(e)
    }
}

impl Failure {
    /// Returns 2 for bad usage or a document with problems, else 1.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Engine(e) if e.kind() == ErrorKind::Document => 2,
            Failure::Studio(e) if e.kind == FailureKind::BadInput => 2,
            _ => 1,
        }
    }

    /// Prints it on stderr, or as a JSON line on stdout.
    pub(crate) fn print(&self, json: bool) {
        if json {
            console::json_line(&self.to_json());
        } else if self.is_cancelled() {
            console::say("cancelled");
        } else {
            console::say(&format!("error: {}", self.message()));
        }
    }

    fn is_cancelled(&self) -> bool {
        match self {
            Failure::Engine(e) => e.kind() == ErrorKind::Cancelled,
            Failure::Studio(e) => e.kind == FailureKind::Cancelled,
            _ => false,
        }
    }

    fn message(&self) -> String {
        match self {
            Failure::Usage(message) | Failure::Io(message) => message.clone(),
            Failure::Engine(e) => e.to_string(),
            Failure::Studio(e) => e.to_string(),
            Failure::Internal(what) => format!(
                "a bug in kinora: {what}\nPlease report it with the timeline that caused it."
            ),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Failure::Usage(_) => "usage",
            Failure::Io(_) => "io",
            Failure::Internal(_) => "internal",
            Failure::Studio(e) if e.kind == FailureKind::Cancelled => "cancelled",
            Failure::Studio(_) => "studio",
            Failure::Engine(e) => match e.kind() {
                ErrorKind::Document => "document",
                ErrorKind::Media => "media",
                ErrorKind::Device => "device",
                ErrorKind::Encoder => "encoder",
                ErrorKind::Io => "io",
                ErrorKind::Cancelled => "cancelled",
                _ => "internal",
            },
        }
    }

    fn to_json(&self) -> Value {
        let problems: Vec<Value> = match self {
            Failure::Engine(e) => e
                .problems()
                .iter()
                .map(|p| json!({ "code": p.code, "path": p.path, "message": p.message, "hint": p.hint }))
                .collect(),
            _ => Vec::new(),
        };
        let mut line = json!({ "event": "error", "code": self.exit_code(), "kind": self.kind(), "message": self.message(), "problems": problems });
        if let Failure::Studio(e) = self {
            line["failure"] = json!(e);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinora::error::Problem;

    #[test]
    fn a_document_with_problems_exits_with_2_and_lists_them() {
        let problem = Problem::new("out_of_range", "output.width", "1081 is odd").hint("use 1080");
        let failure = Failure::Engine(Error::document(vec![problem]));
        assert_eq!(failure.exit_code(), 2);
        let json = failure.to_json();
        assert_eq!(json["kind"], "document");
        assert_eq!(json["problems"][0]["path"], "output.width");
        assert_eq!(json["problems"][0]["hint"], "use 1080");
    }

    #[test]
    fn other_failures_exit_with_1() {
        let cancelled = Failure::Engine(Error::new(ErrorKind::Cancelled, "cancelled"));
        assert_eq!(cancelled.exit_code(), 1);
        assert_eq!(cancelled.to_json()["kind"], "cancelled");
        assert_eq!(Failure::Io("no".into()).exit_code(), 1);
        assert_eq!(Failure::Usage("no".into()).exit_code(), 2);
    }
}
