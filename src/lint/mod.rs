//! Linting: findings for an author before a render. Composes a few stills and analyzes the mix.
//!
//! The number of stills and the length of the analyzed mix are bounded for any document.

mod contrast;
mod sound;
mod stills;

use crate::caught::caught;
use crate::error::{Result, Warning};
use crate::job::Job;
use crate::options::Render;

impl Job {
    /// Returns all findings before a render: the job's own warnings, captions with low contrast to the picture, black spans, and silence.
    /// Composes at most 60 stills and mixes at most 15 minutes of sound; encodes nothing.
    ///
    /// # Errors
    /// The errors of [`Job::still`], and `Media` for a sound that cannot be decoded.
    pub fn lint(&self, options: &Render) -> Result<Vec<Warning>> {
        caught(|| self.linted(options))
    }

    fn linted(&self, options: &Render) -> Result<Vec<Warning>> {
        let heard = sound::heard(self)?;
        // The mix is more accurate than file lengths.
        let mut warnings: Vec<Warning> = self
            .warnings()
            .iter()
            .filter(|warning| !heard.replaces(warning))
            .cloned()
            .collect();
        warnings.extend(heard.warnings);
        warnings.extend(stills::check(self, options)?);
        Ok(warnings)
    }
}

/// Returns at most `n` of `items`, evenly spread, including the first and the last.
fn spread<T: Copy>(items: &[T], n: usize) -> Vec<T> {
    if items.len() <= n {
        return items.to_vec();
    }
    let last = items.len() - 1;
    (0..n).map(|i| items[i * last / (n - 1).max(1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn samples_are_spread_from_the_first_to_the_last() {
        let all: Vec<usize> = (0..100).collect();
        assert_eq!(spread(&all, 4), [0, 33, 66, 99]);
        assert_eq!(spread(&all[..3], 4), [0, 1, 2]);
        assert_eq!(spread(&all, 1), [0]);
        assert!(spread::<usize>(&[], 4).is_empty());
    }
}
