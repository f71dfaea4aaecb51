//! The progress of an attempt: stages of the studio and of the render as one percentage that never falls.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use kinora_studio::failure::Stage;

use crate::db::Progress;
use crate::observe;

/// Stages in order, and the percentage at which each ends.
const ENDS: &[(&str, u8)] = &[
    ("request", 0),
    ("script", 2),
    ("scenes", 2),
    ("voice", 10),
    ("pictures", 25),
    ("clips", 45),
    ("timeline", 46),
    ("render", 97),
    (PUBLISH, 99),
];
/// The stage after the render.
pub(super) const PUBLISH: &str = "publish";

/// The progress of an attempt, updated by its threads and read by the heartbeat.
#[derive(Debug)]
pub(super) struct Shown(Mutex<State>);

#[derive(Debug)]
struct State {
    progress: Progress,
    since: Instant,
}

impl Shown {
    pub fn new() -> Shown {
        Shown(Mutex::new(State {
            progress: Progress {
                percent: 0,
                stage: Stage::Request.to_string(),
                scene_done: 0,
                scene_total: 0,
            },
            since: Instant::now(),
        }))
    }

    /// Returns the current progress.
    pub fn now(&self) -> Progress {
        self.state().progress.clone()
    }

    /// Reports finished parts of a studio stage.
    pub fn scenes(&self, stage: Stage, (n_done, n_all): (usize, usize)) {
        let done = n_done as f64 / n_all.max(1) as f64;
        self.tell(&stage.to_string(), done, Some((n_done, n_all)));
    }

    /// Reports the rendered fraction, 0 to 1, and the finished scenes of all scenes.
    pub fn render(&self, done: f64, scenes: (usize, usize)) {
        self.tell(&Stage::Render.to_string(), done, Some(scenes));
    }

    /// Reports the published fraction, 0 to 1.
    pub fn publish(&self, done: f64) {
        self.tell(PUBLISH, done, None);
    }

    fn tell(&self, stage: &str, done: f64, scenes: Option<(usize, usize)>) {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut state = self.state();
        state.reach(stage, done);
        if let Some((n_done, n_all)) = scenes {
            state.progress.scene_done = count(n_done);
            state.progress.scene_total = count(n_all);
        }
    }

    /// Ends the current stage.
    pub fn end(&self) {
        self.state().end_stage();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn reach(&mut self, stage: &str, done: f64) {
        let at = ENDS.iter().position(|(name, _)| *name == stage);
        let at = at.unwrap_or(ENDS.len() - 1);
        let begin = at.checked_sub(1).map_or(0, |before| ENDS[before].1);
        let span = f64::from(ENDS[at].1 - begin);
        let percent = begin + (span * done.clamp(0.0, 1.0)) as u8;
        self.progress.percent = self.progress.percent.max(percent);
        if self.progress.stage != stage {
            self.end_stage();
            stage.clone_into(&mut self.progress.stage);
        }
    }

    fn end_stage(&mut self) {
        observe::stage(&self.progress.stage, self.since.elapsed());
        self.since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_rises_through_all_stages_and_never_falls() {
        let shown = Shown::new();
        let mut last = 0;
        let mut see = |shown: &Shown| {
            let percent = shown.now().percent;
            assert!(percent >= last, "{percent} after {last}");
            last = percent;
            percent
        };
        for stage in [
            Stage::Script,
            Stage::Scenes,
            Stage::Voice,
            Stage::Pictures,
            Stage::Clips,
            Stage::Timeline,
        ] {
            for n_done in 1..=3 {
                shown.scenes(stage, (n_done, 3));
                see(&shown);
            }
            assert_eq!(shown.now().stage, stage.to_string());
        }
        // A stage that reports late.
        shown.scenes(Stage::Voice, (1, 3));
        see(&shown);
        shown.render(0.5, (1, 4));
        assert_eq!(see(&shown), 71);
        shown.render(1.0, (4, 4));
        assert_eq!(see(&shown), 97);
        shown.publish(1.0);
        assert_eq!(see(&shown), 99);
        let last = shown.now();
        assert_eq!((last.scene_done, last.scene_total), (4, 4));
    }
}
