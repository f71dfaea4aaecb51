//! Collects everything wrong and everything remarkable about a document while it is resolved.

use std::ops::RangeInclusive;

use crate::error::{Problem, Warning};
use crate::timeline::nearest;
use crate::units::{Color, Time};

/// Problems and warnings in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Report {
    /// What stops the render.
    pub problems: Vec<Problem>,
    /// What does not.
    pub warnings: Vec<Warning>,
}

impl Report {
    /// Notes a problem.
    pub fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Notes a warning.
    pub fn warn(
        &mut self,
        code: &'static str,
        path: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.warnings.push(Warning::new(code, path, message));
    }

    /// `value` when it lies in `range`, else a problem and the nearest allowed value.
    pub fn in_range(
        &mut self,
        path: &str,
        value: f64,
        range: RangeInclusive<f64>,
        unit: &str,
    ) -> f64 {
        if range.contains(&value) {
            return value;
        }
        let message = format!(
            "{value}{unit} is outside {} to {}{unit}",
            range.start(),
            range.end()
        );
        self.problem(Problem::new("out_of_range", path, message));
        if value.is_finite() {
            value.clamp(*range.start(), *range.end())
        } else {
            *range.start()
        }
    }

    /// A length or instant in seconds, checked against `range`.
    pub fn time(&mut self, path: &str, secs: f64, range: RangeInclusive<f64>) -> Time {
        let secs = self.in_range(path, secs, range, " s");
        Time::from_secs(secs).unwrap_or(Time::ZERO)
    }

    /// A color, else a problem and white.
    pub fn color(&mut self, path: &str, text: &str) -> Color {
        Color::parse(text).unwrap_or_else(|| {
            let problem = Problem::new("bad_color", path, format!("`{text}` is no color"));
            self.problem(problem.hint("write #rgb, #rrggbb or #rrggbbaa"));
            Color::WHITE
        })
    }

    /// A problem about a name that is none of `known`, with the nearest match.
    pub fn unknown_name(&mut self, path: &str, what: &str, name: &str, known: &[&str]) {
        let message = format!("`{name}` is no known {what}; known: {}", known.join(", "));
        let problem = Problem::new("unknown_name", path, message);
        self.problem(match nearest(name, known.iter().copied()) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem,
        });
    }
}
