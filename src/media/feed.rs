//! Delivers a clip's frames: decoded ahead on a separate thread, a few at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::ffmpeg::Stop;
use super::footage::Footage;
use super::refusal::Refusal;
use super::{Assets, Picture, conform};
use crate::caught::caught;
use crate::error::{Error, ErrorKind, Result};
use crate::scene::draw::PictureId;
use crate::scene::{ClipUse, Played};

/// Frames held in addition to the one on screen.
const FRAMES_AHEAD: u32 = 3;

/// Uses of one clip that show the same frames at the same time, so that it is decoded once.
#[derive(Debug)]
pub(super) struct Reel {
    /// At least one; all of one asset, all with the same [`Played`].
    uses: Vec<ClipUse>,
    /// Frames of the clip that were requested and could not be decoded.
    lost: Mutex<BTreeSet<usize>>,
}

/// Groups uses that are decoded together, in the order of their first appearance.
pub(super) fn reels_of(uses: &[ClipUse]) -> Vec<Reel> {
    let mut reels: Vec<Reel> = Vec::new();
    for wanted in uses {
        let same = |reel: &&mut Reel| Arc::ptr_eq(&reel.uses[0].played, &wanted.played);
        match reels.iter_mut().rev().find(same) {
            Some(reel) => reel.uses.push(wanted.clone()),
            None => reels.push(Reel {
                uses: vec![wanted.clone()],
                lost: Mutex::default(),
            }),
        }
    }
    reels.sort_by_key(Reel::first_frame);
    reels
}

impl Reel {
    /// Returns the first frame that shows any of it.
    pub fn first_frame(&self) -> u64 {
        let first = self.uses.iter().map(|used| used.look.first_frame);
        first.min().unwrap_or(0)
    }

    /// Returns the end of the frames that show any of it (exclusive).
    pub fn end_frame(&self) -> u64 {
        let end = self.uses.iter().map(|used| used.look.end_frame);
        end.max().unwrap_or(0)
    }

    /// Returns whether `frame` shows any of it.
    pub fn shows(&self, frame: u64) -> bool {
        (self.first_frame()..self.end_frame()).contains(&frame)
    }

    /// Returns the asset's name, and the path where the document first names it.
    pub fn name_and_path(&self) -> (&str, &str) {
        let look = &self.uses[0].look;
        (&look.asset, &look.path)
    }

    /// Returns the frames of the clip that could not be decoded so far and were replaced by another.
    pub fn lost(&self) -> MutexGuard<'_, BTreeSet<usize>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn played(&self) -> &Played {
        &self.uses[0].played
    }

    fn open<'a>(&'a self, assets: &'a dyn Assets, stop: &Stop) -> Result<Footage<'a>> {
        let opened = Footage::open_until(&self.uses[0].look.asset, assets, stop);
        opened.map_err(|refusal| self.refused(&refusal))
    }

    fn refused(&self, refusal: &Refusal) -> Error {
        let look = &self.uses[0].look;
        refusal.error(&look.asset, &look.path)
    }

    /// Returns the pictures of a run, one for each use.
    fn pictures(
        &self,
        (reader, run): (&mut Footage<'_>, u32),
        assets: &dyn Assets,
    ) -> Result<Vec<Arc<Picture>>> {
        let index = self.played().index_of(run).unwrap_or(0) as usize;
        let frame = reader
            .frame(index)
            .map_err(|refusal| self.refused(&refusal))?;
        if reader.is_lost(index) {
            self.lost().insert(index);
        }
        let shown = (reader.facts().width, reader.facts().height);
        let (source, limits) = (frame.to_rgba(), assets.picture_limits());
        let looks = self.uses.iter().map(|used| &used.look);
        looks
            .map(|look| conform::conform_frame(&source, shown, look, &limits).map(Arc::new))
            .collect()
    }

    /// Returns the ids of a run that `frame` shows, with their pictures.
    fn ids<'a>(
        &'a self,
        (run, frame): (u32, u64),
        pictures: &'a [Arc<Picture>],
    ) -> impl Iterator<Item = (PictureId, Arc<Picture>)> + 'a {
        let uses = self.uses.iter().zip(pictures);
        uses.filter(move |(used, _)| (used.look.first_frame..used.look.end_frame).contains(&frame))
            .map(move |(used, picture)| (PictureId(used.first_id.0 + run), picture.clone()))
    }

    /// Returns the pictures of a single frame, decoded only for it.
    pub fn alone(&self, frame: u64, assets: &dyn Assets) -> Result<Vec<(PictureId, Arc<Picture>)>> {
        let run = self.played().run_at(frame);
        let pictures = self.pictures((&mut self.open(assets, &Stop::default())?, run), assets)?;
        Ok(self.ids((run, frame), &pictures).collect())
    }
}

/// A reel that is being decoded. Dropping it stops the thread after its current frame.
#[derive(Debug)]
pub(super) struct Feed {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    reel: Arc<Reel>,
    assets: Arc<dyn Assets>,
    state: Mutex<State>,
    changed: Condvar,
    stop: Stop,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("reel", &self.reel)
            .finish_non_exhaustive()
    }
}

struct State {
    /// The run on screen, or the first one.
    run: u32,
    ready: BTreeMap<u32, Vec<Arc<Picture>>>,
    stopped: bool,
    failed: Option<(ErrorKind, String)>,
}

impl Feed {
    /// Starts decoding for `frame`.
    pub fn start(reel: Arc<Reel>, assets: Arc<dyn Assets>, frame: u64) -> Result<Feed> {
        let state = State {
            run: reel.played().run_at(frame),
            ready: BTreeMap::new(),
            stopped: false,
            failed: None,
        };
        let shared = Arc::new(Shared {
            reel,
            assets,
            state: Mutex::new(state),
            changed: Condvar::new(),
            stop: Stop::default(),
        });
        let worker = shared.clone();
        let thread = thread::Builder::new()
            .name("clip".into())
            .spawn(move || worker.work())?;
        Ok(Feed {
            shared,
            thread: Some(thread),
        })
    }

    /// Waits for the pictures of `frame`.
    pub fn pictures(&self, frame: u64) -> Result<Vec<(PictureId, Arc<Picture>)>> {
        let (shared, run) = (&self.shared, self.shared.reel.played().run_at(frame));
        let mut state = shared.lock();
        state.run = run;
        state
            .ready
            .retain(|ready, _| (run..=run + FRAMES_AHEAD).contains(ready));
        shared.changed.notify_all();
        loop {
            if let Some(pictures) = state.ready.get(&run) {
                return Ok(shared.reel.ids((run, frame), pictures).collect());
            }
            if let Some((kind, message)) = &state.failed {
                return Err(Error::new(*kind, message));
            }
            state = shared.wait(state);
        }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.stop.stop();
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // Its panics were caught and reported as errors.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Locks the state. Every write leaves it consistent, so a panic elsewhere does not corrupt it.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the thread.
    fn work(&self) {
        let Err(e) = caught(|| self.decode()) else {
            return;
        };
        self.lock().failed = Some((e.kind(), e.to_string()));
        self.changed.notify_all();
    }

    /// Decodes wanted runs until the feed is stopped.
    fn decode(&self) -> Result<()> {
        let mut reader = self.reel.open(&*self.assets, &self.stop)?;
        while let Some(run) = self.next() {
            let pictures = self.reel.pictures((&mut reader, run), &*self.assets)?;
            let mut state = self.lock();
            // The screen may have advanced in the meantime; the consumer then drops this run.
            state.ready.insert(run, pictures);
            drop(state);
            self.changed.notify_all();
        }
        Ok(())
    }

    /// Waits for a wanted run that is missing; returns `None` when the feed is stopped.
    fn next(&self) -> Option<u32> {
        let n_runs = self.reel.played().n_runs();
        let mut state = self.lock();
        while !state.stopped {
            let mut wanted = state.run..n_runs.min(state.run + 1 + FRAMES_AHEAD);
            if let Some(run) = wanted.find(|run| !state.ready.contains_key(run)) {
                return Some(run);
            }
            state = self.wait(state);
        }
        None
    }
}
