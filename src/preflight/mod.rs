//! Preflight: warnings that follow from a plan and the facts of its assets, without a frame or a sample.

mod captions;
mod foreign;
mod pictures;
pub(crate) mod silence;

use crate::error::Warning;
use crate::facts::Facts;
use crate::plan::Plan;
use crate::probe::Named;

/// All of them.
pub(crate) fn check(plan: &Plan, named: &Named, facts: &Facts) -> Vec<Warning> {
    let mut warnings = captions::check(plan);
    warnings.extend(pictures::check(plan));
    warnings.extend(silence::flaws(plan, facts));
    warnings.extend(silence::from_facts(plan, facts));
    warnings.extend(foreign::check(named, facts));
    warnings
}
