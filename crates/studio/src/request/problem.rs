//! What is wrong with a request, field by field, and warnings about a valid one.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::names::WireName;
use crate::text_problem::{nearest, quoted_text};

/// The class of a problem; the service maps it to its error codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProblemCode {
    /// A required value is missing (`VAL_MISSING_FIELD`).
    MissingField,
    /// A value has a wrong type, or is outside its range or list, or two fields exclude each other (`VAL_INVALID_FORMAT`).
    InvalidFormat,
    /// `userScript` is not canonical (`needs_canonical_rewrite`).
    NeedsCanonicalRewrite,
}

impl ProblemCode {
    /// Returns its serialized name.
    pub fn as_str(self) -> &'static str {
        match self {
            ProblemCode::MissingField => "missing_field",
            ProblemCode::InvalidFormat => "invalid_format",
            ProblemCode::NeedsCanonicalRewrite => "needs_canonical_rewrite",
        }
    }
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FieldProblem {
    /// Its class.
    pub code: ProblemCode,
    /// A path such as `musicConfig.volume` or `characters[2].name`; `body` for the whole; empty if no single field is missing (a Short without `prompt` and
    /// `script`, whose `details` are empty in the interface).
    pub field: String,
    /// What was given, what is allowed, and what may have been meant.
    pub reason: String,
}

impl FieldProblem {
    /// Creates the problem of an invalid value.
    pub fn invalid(field: impl Into<String>, reason: impl Into<String>) -> FieldProblem {
        FieldProblem {
            code: ProblemCode::InvalidFormat,
            field: field.into(),
            reason: reason.into(),
        }
    }

    /// Creates the problem of a missing value.
    pub fn missing(field: impl Into<String>, reason: impl Into<String>) -> FieldProblem {
        FieldProblem {
            code: ProblemCode::MissingField,
            field: field.into(),
            reason: reason.into(),
        }
    }
}

impl fmt::Display for FieldProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field.as_str() {
            "" => f.write_str(&self.reason),
            field => write!(f, "{field}: {}", self.reason),
        }
    }
}

/// Something in a valid request without effect, or with an unexpected one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FieldWarning {
    /// The path, as in [`FieldProblem::field`].
    pub field: String,
    /// What has no effect, and why.
    pub message: String,
}

/// Problems and warnings found so far. Long lists are cut and end with the number of further entries, so that an answer stays readable for any input.
#[derive(Default)]
pub(super) struct Report {
    problems: Vec<FieldProblem>,
    n_more_problems: usize,
    warnings: Vec<FieldWarning>,
    n_more_warnings: usize,
}

const MAX_LISTED: usize = 100;

/// The start of the warning about an unknown field.
pub(super) const UNKNOWN: &str = "unknown field";

impl Report {
    pub(super) fn problem(&mut self, problem: FieldProblem) {
        if self.problems.len() < MAX_LISTED {
            self.problems.push(problem);
        } else {
            self.n_more_problems += 1;
        }
    }

    pub(super) fn warn(&mut self, field: impl Into<String>, message: impl FnOnce() -> String) {
        if self.warnings.len() < MAX_LISTED {
            self.warnings.push(FieldWarning {
                field: field.into(),
                message: message(),
            });
        } else {
            self.n_more_warnings += 1;
        }
    }

    /// Turns warnings about unknown fields into problems, for data that is stored long.
    pub(super) fn refuse_unknown(&mut self) {
        let is_unknown = |warning: &FieldWarning| warning.message.starts_with(UNKNOWN);
        let (unknown, warnings) = std::mem::take(&mut self.warnings)
            .into_iter()
            .partition(is_unknown);
        self.warnings = warnings;
        let unknown: Vec<FieldWarning> = unknown;
        for warning in unknown {
            let reason = warning.message.replace(", ignored", "");
            self.problem(FieldProblem::invalid(warning.field, reason));
        }
    }

    /// Returns the fields with problems.
    pub(super) fn fields(&self) -> Vec<String> {
        self.problems.iter().map(|p| p.field.clone()).collect()
    }

    /// Returns the request with its warnings, or all problems.
    pub(super) fn end<T>(mut self, request: T) -> Result<super::Parsed<T>, Vec<FieldProblem>> {
        if self.n_more_problems > 0 {
            let reason = format!("{} more problems are not listed", self.n_more_problems);
            self.problems.push(FieldProblem::invalid("body", reason));
        }
        if self.n_more_warnings > 0 {
            self.warnings.push(FieldWarning {
                field: "body".into(),
                message: format!("{} more warnings are not listed", self.n_more_warnings),
            });
        }
        if self.problems.is_empty() {
            Ok(super::Parsed {
                request,
                warnings: self.warnings,
            })
        } else {
            Err(self.problems)
        }
    }
}

/// Formats a value for a reason: short, on one line.
pub(super) fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) => quoted_text(text),
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
        Value::Null => "null".into(),
        Value::Bool(_) | Value::Number(_) => format!("`{value}`"),
    }
}

/// Returns the message that `name` is not in a table, with the table and the most similar name.
pub(crate) fn none_of<T: WireName>(name: &str) -> String {
    let shown = |name: &str| {
        if name.is_empty() {
            "an empty string".into()
        } else {
            name.to_owned()
        }
    };
    let known: Vec<String> = T::names().map(shown).collect();
    let mut reason = format!("{} is not one of: {}", quoted_text(name), known.join(", "));
    if let Some(near) = nearest(name, T::names()) {
        reason += &format!("; did you mean `{near}`?");
    }
    reason
}
