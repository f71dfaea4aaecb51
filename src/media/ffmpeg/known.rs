//! A cache of facts about files, so that a render that opens a clip several times reads its facts once.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::input::Identity;

/// Maximum number of cached files.
const MAX_FILES: usize = 64;

/// Facts by file, the latest last. Clones share the cache.
pub(super) struct Known<T>(Arc<Mutex<VecDeque<(Identity, T)>>>);

impl<T> Clone for Known<T> {
    fn clone(&self) -> Known<T> {
        Known(Arc::clone(&self.0))
    }
}

impl<T> Default for Known<T> {
    fn default() -> Known<T> {
        Known(Arc::default())
    }
}

impl<T> fmt::Debug for Known<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").finish_non_exhaustive()
    }
}

impl<T: Clone> Known<T> {
    /// Returns the facts of a file, cached if they are still valid, else from `find`. An asset that is not a file has no identity and is not cached.
    pub(super) fn of<E>(
        &self,
        file: Option<Identity>,
        is_good: impl Fn(&T) -> bool,
        find: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(known) = file.and_then(|file| self.get(file)).filter(is_good) {
            return Ok(known);
        }
        let found = find()?;
        if let Some(file) = file {
            self.insert(file, found.clone());
        }
        Ok(found)
    }

    fn get(&self, file: Identity) -> Option<T> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().find(|(of, _)| *of == file);
        found.map(|(_, facts)| facts.clone())
    }

    fn insert(&self, file: Identity, facts: T) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(of, _)| *of != file);
        if known.len() >= MAX_FILES {
            known.pop_front();
        }
        known.push_back((file, facts));
    }
}
