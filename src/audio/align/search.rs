//! Finds the best path through the sound: the sounds of the text in order, each with a plausible length, with pauses where words may be separated.

use std::io;

use super::frames::{FRAMES_PER_CHECK, FRAMES_PER_SEC};
use crate::cancel::CancelToken;

/// Maximum length of a speech sound, in frames: drawn-out vowels.
const MAX_FRAMES: usize = 45;
/// Score of an impossible path.
const NEVER: f32 = -1e30;

/// One step of the path.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A speech sound: its letter and its typical length in frames.
    Sound { letter: usize, frames: f32 },
    /// An optional silence: its score if taken and if skipped.
    Pause { taken: f32, skipped: f32 },
}

/// The steps that may end at each point in time: a band around their expected positions.
pub(super) struct Band {
    /// For `t` elapsed frames, the first step and one past the last.
    pub(super) of: Vec<(usize, usize)>,
}

impl Band {
    /// Builds the band from `expected[i]`, the frames where step `i` should begin and end, with `slack` frames on either side. Both ascend.
    pub(super) fn around(expected: &[(usize, usize)], n_frames: usize, slack: usize) -> Band {
        let (mut first, mut behind) = (0, 0);
        let of = (0..=n_frames)
            .map(|t| {
                while first < expected.len() && expected[first].1 + slack < t {
                    first += 1;
                }
                while behind < expected.len() && expected[behind].0 <= t + slack {
                    behind += 1;
                }
                (first, behind.max(first))
            })
            .collect();
        Band { of }
    }
}

/// Returns for each step the frames it spans, `(from, to)`, or `None` when no path fits in the band. `sums` are the model's cumulative sums, whose
/// first letter is silence.
///
/// # Errors
/// `Interrupted` when it was cancelled.
pub(super) fn search(
    steps: &[Step],
    sums: &[Vec<f32>],
    band: &Band,
    cancel: &CancelToken,
) -> io::Result<Option<Vec<(usize, usize)>>> {
    let Some(n_frames) = sums.first().map(|sums| sums.len() - 1) else {
        return Ok(None);
    };
    let lengths: Vec<Vec<f32>> = steps.iter().map(log_lengths).collect();
    let mut table = Table::new(band);
    // Ongoing silence: its score and its start.
    let mut open: Vec<(f32, usize)> = vec![(NEVER, 0); steps.len()];
    for t in 0..=n_frames {
        if t % FRAMES_PER_CHECK == 0 {
            cancel.check_io()?;
        }
        let (first, behind) = band.of[t];
        table.scores[t % (MAX_FRAMES + 1)].clear();
        for i in first..behind {
            let before = |at: usize| match i {
                0 if at == 0 => 0.0,
                0 => NEVER,
                _ => table.score(at, i - 1),
            };
            let (score, from) = match steps[i] {
                Step::Sound { letter, .. } => sound(t, before, &lengths[i], &sums[letter]),
                Step::Pause { taken, skipped } => {
                    if t > 0 {
                        let entered = before(t - 1) + taken;
                        if entered > open[i].0 {
                            open[i] = (entered, t - 1);
                        }
                        open[i].0 += sums[0][t] - sums[0][t - 1];
                    }
                    let skipping = before(t) + skipped;
                    match skipping >= open[i].0 {
                        true => (skipping, t),
                        false => open[i],
                    }
                }
            };
            table.set(t, i, score, from);
        }
    }
    Ok(table.way_back(steps.len(), n_frames))
}

/// Returns the best score of a sound that ends at `t`, and its start.
fn sound(t: usize, before: impl Fn(usize) -> f32, lengths: &[f32], run: &[f32]) -> (f32, usize) {
    let mut best = (NEVER, t);
    for d in 1..=MAX_FRAMES.min(t) {
        let score = before(t - d) + lengths[d] + run[t] - run[t - d];
        if score > best.0 {
            best = (score, t - d);
        }
    }
    best
}

/// Start of each step, for the band only, and the scores of the last frames.
struct Table<'a> {
    band: &'a Band,
    starts: Vec<usize>,
    froms: Vec<u32>,
    /// Scores of the last frames: those for `t` are at index `t % (MAX_FRAMES + 1)`.
    scores: Vec<Vec<f32>>,
}

impl<'a> Table<'a> {
    fn new(band: &'a Band) -> Table<'a> {
        let mut starts = Vec::with_capacity(band.of.len());
        let mut n = 0;
        for (first, behind) in &band.of {
            starts.push(n);
            n += behind - first;
        }
        Table {
            band,
            starts,
            froms: vec![0; n],
            scores: vec![Vec::new(); MAX_FRAMES + 1],
        }
    }

    /// Returns the index of a step among those that may end at `t`.
    fn place(&self, t: usize, step: usize) -> Option<usize> {
        let (first, behind) = self.band.of[t];
        (first..behind).contains(&step).then(|| step - first)
    }

    /// Returns the best score of a path on which `step` ends at `t`, one of the last frames.
    fn score(&self, t: usize, step: usize) -> f32 {
        let row = &self.scores[t % (MAX_FRAMES + 1)];
        let place = self.place(t, step);
        place.and_then(|i| row.get(i)).copied().unwrap_or(NEVER)
    }

    fn set(&mut self, t: usize, step: usize, score: f32, from: usize) {
        if let Some(i) = self.place(t, step) {
            self.froms[self.starts[t] + i] = from as u32;
            self.scores[t % (MAX_FRAMES + 1)].push(score);
        }
    }

    fn way_back(&self, n_steps: usize, n_frames: usize) -> Option<Vec<(usize, usize)>> {
        if self.score(n_frames, n_steps.checked_sub(1)?) <= NEVER / 2.0 {
            return None;
        }
        let mut spans = vec![(0, 0); n_steps];
        let mut t = n_frames;
        for step in (0..n_steps).rev() {
            let from = self.froms[self.starts[t] + self.place(t, step)?] as usize;
            spans[step] = (from, t);
            t = from;
        }
        (t == 0).then_some(spans)
    }
}

/// Returns the log likelihood of each length of a sound in frames, from 0: a log-normal distribution, bounded because letters may be silent and vowels
/// drawn out.
fn log_lengths(step: &Step) -> Vec<f32> {
    const DEVIATION: f32 = 0.5;
    const WORST: f32 = -4.0;
    let Step::Sound { frames, .. } = step else {
        return Vec::new();
    };
    let usual = frames.clamp(1.0, FRAMES_PER_SEC as f32);
    (0..=MAX_FRAMES)
        .map(|d| {
            let off = (d.max(1) as f32 / usual).ln() / DEVIATION;
            (-0.5 * off * off).max(WORST)
        })
        .collect()
}
