//! What is not canonical: the position, the reason, and what to write instead.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// The class of a diagnostic, stable for callers to match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiagnosticCode {
    /// There is no scene heading at all.
    RawProse,
    /// Text before the first scene, between a scene's heading and its first shot, or among the elements.
    Misplaced,
    /// A heading that is neither a scene, a shot nor the elements, or has a wrong form.
    Heading,
    /// A heading without a length.
    MissingLength,
    /// A length that is not a number of seconds, is zero, or over ten minutes.
    BadLength,
    /// A scene or shot out of sequence.
    Numbering,
    /// A scene without shots.
    EmptyScene,
    /// A shot without description and speech.
    EmptyShot,
    /// A list, a bracket, a label or a play's heading: a visual beat.
    Beat,
    /// Markdown that scripts do not support.
    Markup,
    /// Speech without a handle, without quotes, or with more than the quotation on its line.
    Speech,
    /// An `@` without a handle, or a handle of more than 100 characters.
    BadHandle,
    /// A handle missing in the elements.
    UnlistedHandle,
    /// A handle that could mean one of two.
    AmbiguousHandle,
    /// A handle shared by two elements.
    HandleCollision,
    /// A speaker that is a location or an object.
    Speaker,
    /// The elements, or one of their lines, are missing, duplicated, or not at the end of the script.
    Elements,
    /// All shots together are longer than ten minutes.
    TooLong,
    /// A scene's length differs from that of its shots (a warning).
    LengthsDiffer,
    /// There are more of the same kind, which are not listed.
    Unlisted,
}

/// One thing in a script that is not canonical.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Diagnostic {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// Its class.
    pub code: DiagnosticCode,
    /// What is wrong, why, and what to write instead.
    pub message: String,
}

impl Diagnostic {
    /// Returns whether the script cannot be used as it is.
    pub fn is_error(&self) -> bool {
        !matches!(
            self.code,
            DiagnosticCode::LengthsDiffer | DiagnosticCode::Unlisted
        )
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}, column {}: {}",
            self.line, self.column, self.message
        )
    }
}

/// A position in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// From 1.
    pub(super) line: usize,
    /// From 1.
    pub(super) column: usize,
}

/// Diagnostics found so far. For a malicious text, only the first errors and the first warnings are kept.
#[derive(Default)]
pub(super) struct Diagnostics {
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    n_more: usize,
}

const MAX_LISTED: usize = 100;

impl Diagnostics {
    /// Adds a diagnostic. Its message is only created if it will be listed.
    pub(super) fn add(
        &mut self,
        code: DiagnosticCode,
        place: Place,
        message: impl FnOnce() -> String,
    ) {
        let is_warning = code == DiagnosticCode::LengthsDiffer;
        let list = if is_warning {
            &mut self.warnings
        } else {
            &mut self.errors
        };
        if list.len() < MAX_LISTED {
            list.push(Diagnostic {
                line: place.line,
                column: place.column,
                code,
                message: message(),
            });
        } else {
            self.n_more += 1;
        }
    }

    /// Returns the diagnostics in the order of the text.
    pub(super) fn end(self) -> Vec<Diagnostic> {
        let mut listed = self.errors;
        listed.extend(self.warnings);
        listed.sort_by_key(|d| (d.line, d.column));
        if self.n_more > 0
            && let Some(last) = listed.last().cloned()
        {
            listed.push(Diagnostic {
                code: DiagnosticCode::Unlisted,
                message: format!("{} more diagnostics are not listed", self.n_more),
                ..last
            });
        }
        listed
    }
}
