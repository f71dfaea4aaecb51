//! Preflight: warnings that follow from a plan and the facts about its assets, without any frames or samples.

mod captions;
mod foreign;
mod pictures;
pub(crate) mod silence;

use crate::error::Warning;
use crate::facts::Facts;
use crate::plan::Plan;
use crate::probe::Named;

/// Returns all of these warnings.
pub(crate) fn check(plan: &Plan, named: &Named, facts: &Facts) -> Vec<Warning> {
    let mut warnings = captions::check(plan);
    warnings.extend(pictures::check(plan));
    warnings.extend(silence::flaws(plan, facts));
    warnings.extend(silence::from_facts(plan, facts));
    warnings.extend(foreign::check(named, facts));
    warnings
}
