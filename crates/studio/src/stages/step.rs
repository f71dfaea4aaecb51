//! A step of a run: made once, stored, and reused whenever it is requested again.

use serde::Serialize;
use std::time::Instant;

use super::store::{self, Step, StepFile, StepKey};
use super::{Studio, Watch};
use crate::failure::{Failure, FailureKind};
use crate::providers::Call;

/// The result of a step: its value, and the name and bytes of its file, if it has one.
pub(super) struct Made<T> {
    pub(super) value: T,
    pub(super) file: Option<(String, Vec<u8>)>,
    /// The substitute for the first provider, if there was one.
    pub(super) substitute: Option<String>,
}

impl<T> Made<T> {
    /// Creates a result without a file.
    pub(super) fn bare(value: T) -> Made<T> {
        Made {
            value,
            file: None,
            substitute: None,
        }
    }
}

impl Studio {
    /// Returns the result of a step: stored before, or made and stored now. In a new run, a substitute's result is reused only if the substituted providers
    /// still fail.
    pub(super) fn step<T: Serialize + serde::de::DeserializeOwned>(
        &self,
        key: &StepKey,
        (watch, scene): (&Watch, Option<usize>),
        make: impl FnOnce(&Call) -> Result<Made<T>, Failure>,
    ) -> Result<(Step<T>, bool), Failure> {
        let again = key.again();
        let kept = self.store.newest::<T>(key)?;
        let before = kept.as_ref().and_then(|step| self.store.stood_in(step));
        let key = match (&kept, &before) {
            (Some(_), Some(_)) => &again,
            _ => key,
        };
        let kept = match (kept, &before) {
            (Some(step), None) => return Ok((step, true)),
            (kept, _) => kept,
        };
        store::crash_point();
        let call = Call {
            before,
            ..self.call(key, watch, scene)
        };
        let made = match (make(&call), kept) {
            (Err(failure), Some(step)) if failure.kind != FailureKind::Cancelled => {
                return Ok((step, true));
            }
            (made, _) => made?,
        };
        store::crash_point();
        let stood_in = made.substitute.map(|name| self.store.stand_in(&name));
        let files = made
            .file
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        let beside = stood_in
            .iter()
            .map(|(name, bytes)| (*name, bytes.as_slice()));
        let files: Vec<StepFile<'_>> = files.chain(beside).collect();
        let step = self.store.put(key, made.value, &files)?;
        Ok((step, false))
    }

    pub(super) fn call(&self, key: &StepKey, watch: &Watch, scene: Option<usize>) -> Call {
        Call {
            deadline: Instant::now() + self.call_time,
            cancel: watch.cancel.clone(),
            key: key.hash().to_owned(),
            before: None,
            scene,
        }
    }
}
