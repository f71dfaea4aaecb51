//! What a plan has to say about a document: every problem, and every warning.

use std::fmt::Display;

use crate::error::{Problem, Warning};

/// Problems and warnings, gathered while a document is resolved.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Report {
    /// What must be mended before anything is rendered.
    pub(crate) problems: Vec<Problem>,
    /// What was mended or left out.
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

    /// Adds the problem `out_of_range` unless `value` is a number from `least` to `most`; gives whether it is.
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
                format!("{value} is outside {least} to {most}"),
            ));
        }
        good
    }
}
