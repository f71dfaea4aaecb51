//! Every problem and warning found in a document during planning.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::easing;
use crate::error::{Problem, Warning};
use crate::timeline::nearest;
use crate::units::{Color, Time, within};

/// Problems and warnings collected while a document is resolved.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Report {
    /// What must be fixed before rendering.
    pub(crate) problems: Vec<Problem>,
    /// What was corrected or left out.
    pub(crate) warnings: Vec<Warning>,
}

impl Report {
    /// Adds a problem.
    pub(crate) fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Adds a warning.
    pub(crate) fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }

    /// Adds the problem `out_of_range` unless `value` lies between `least` and `most`; returns whether it does.
    pub(crate) fn in_range<N: PartialOrd + Display>(
        &mut self,
        path: &str,
        value: N,
        [least, most]: [N; 2],
    ) -> bool {
        let good = value >= least && value <= most;
        if !good {
            self.problem(Problem::new(
                "out_of_range",
                path,
                format!("must be between {least} and {most}, not {value}"),
            ));
        }
        good
    }

    /// Returns `value` if it lies in `range`; else adds a problem and returns the nearest allowed value.
    pub(crate) fn number(
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
            "must be between {} and {}{unit}, not {value}{unit}",
            range.start(),
            range.end()
        );
        self.problem(Problem::new("out_of_range", path, message));
        if value.is_finite() {
            within(value, *range.start(), *range.end())
        } else {
            *range.start()
        }
    }

    /// Converts a length or instant in seconds, checked against `range`.
    pub(crate) fn time(&mut self, path: &str, secs: f64, range: RangeInclusive<f64>) -> Time {
        let secs = self.number(path, secs, range, " s");
        Time::from_secs(secs).unwrap_or(Time::ZERO)
    }

    /// Parses a color; on failure adds a problem and returns white.
    pub(crate) fn color(&mut self, path: &str, text: &str) -> Color {
        Color::parse(text).unwrap_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            let problem = Problem::new("bad_color", path, format!("`{shown}` is not a color"));
            self.problem(problem.hint("write #rgb, #rrggbb or #rrggbbaa"));
            Color::WHITE
        })
    }

    /// Adds a problem about a name missing from `known`, with the nearest match.
    pub(crate) fn unknown_name(&mut self, path: &str, what: &str, name: &str, known: &[&str]) {
        let shown: String = name.chars().take(60).collect();
        let message = format!(
            "`{shown}` is not a known {what}; known: {}",
            known.join(", ")
        );
        let problem = Problem::new("unknown_name", path, message);
        self.problem(match nearest(name, known.iter().copied()) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem,
        });
    }

    /// Adds a problem about two fields of which exactly one must be given.
    pub(crate) fn one_of(&mut self, path: &str, this: &str, that: &str) {
        let message = format!("exactly one of `{this}` and `{that}` must be given");
        self.problem(Problem::new("one_of", path, message));
    }

    /// Adds a problem if there are more than `most` of something.
    pub(crate) fn at_most(&mut self, path: &str, what: &str, n: usize, most: usize) {
        if n > most {
            let message = format!("{n} {what}; at most {most} are allowed");
            self.problem(Problem::new("too_many", path, message));
        }
    }

    /// Returns the checked time of the keyframe at `path`: 0 to 1, and after the previous one.
    pub(crate) fn key_time(&mut self, path: &str, at: f64, before: Option<f64>) -> f64 {
        let path = format!("{path}.at");
        let at = self.number(&path, at, 0.0..=1.0, "");
        if let Some(before) = before.filter(|before| *before >= at) {
            let message = format!("{at} is not after {before}, the time of the previous keyframe");
            self.problem(Problem::new("out_of_order", path, message));
        }
        at
    }

    /// Returns the curve named by the keyframe at `path`.
    pub(crate) fn curve(&mut self, path: &str, name: &str) -> easing::Curve {
        easing::curve(name).unwrap_or_else(|| {
            let known: Vec<&str> = easing::CURVES.iter().map(|(name, _)| *name).collect();
            self.unknown_name(&format!("{path}.ease"), "curve", name, &known);
            easing::in_out_sine
        })
    }
}
