//! Decodes pictures and clips ahead of the frames that show them, on separate threads, a limited number in advance.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZero;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::feed::{Feed, Reel, reels_of};
use super::refusal::quoted;
use super::schedule::{Job, jobs_of};
use super::{Assets, Picture, load_each};
use crate::caught::caught;
use crate::error::{Error, ErrorKind, Result, Warning};
use crate::scene::draw::PictureId;
use crate::scene::{ClipUse, PictureUse};

/// Number of frames by which a clip's decoding starts before it is first shown.
const PREROLL: u64 = 20;

/// The loaded pictures, in the form that the compositor takes.
type Pictures = HashMap<PictureId, Arc<Picture>>;

/// Keeps the pictures of the current and the next frames in memory.
///
/// Frames are usually requested in ascending order; going back works, but decodes dropped pictures again.
#[derive(Debug)]
pub struct Loader {
    shared: Arc<Shared>,
    current: Pictures,
    threads: Vec<JoinHandle<()>>,
    clips: Vec<Clip>,
}

/// A clip, and its decoding while it is shown.
#[derive(Debug)]
struct Clip {
    reel: Arc<Reel>,
    feed: Option<Feed>,
}

struct Shared {
    jobs: Vec<Job>,
    assets: Arc<dyn Assets>,
    /// How many pictures may be held that no frame needs yet.
    ahead: usize,
    state: Mutex<State>,
    /// Signals that something was finished, or everything stopped.
    finished: Condvar,
    /// Signals that there may be work, or everything stopped.
    wanted: Condvar,
}

struct State {
    frame: u64,
    stopped: bool,
    /// Status of each job.
    status: Vec<Status>,
}

enum Status {
    /// Not loaded, or dropped again.
    Absent,
    /// A thread is loading it.
    Loading,
    /// One picture for each of the job's variants.
    Ready(Vec<Arc<Picture>>),
    /// Error class and message, returned for every frame that needs it.
    Failed(ErrorKind, String),
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("jobs", &self.jobs.len())
            .field("ahead", &self.ahead)
            .finish_non_exhaustive()
    }
}

impl Loader {
    /// Starts to load pictures and clips. A picture's index in `uses` is its [`PictureId`]. At most `ahead` pictures (at least 1) are held for future
    /// frames. A picture that is needed in several sizes from its first frame on is decoded once and counts once.
    ///
    /// # Errors
    /// `Io` when the system cannot create a thread.
    pub fn start(
        (uses, clips): (&[PictureUse], &[ClipUse]),
        assets: Arc<dyn Assets>,
        ahead: usize,
    ) -> Result<Loader> {
        let jobs = jobs_of(uses);
        let status = jobs.iter().map(|_| Status::Absent).collect();
        // A quarter of the cores: decoding comes in bursts, and composing and encoding need the rest.
        let n_cores = thread::available_parallelism().map_or(1, NonZero::get);
        let n_threads = (n_cores / 4).clamp(1, 4).min(ahead.max(1)).min(jobs.len());
        let shared = Arc::new(Shared {
            jobs,
            assets,
            ahead: ahead.max(1),
            state: Mutex::new(State {
                frame: 0,
                stopped: false,
                status,
            }),
            finished: Condvar::new(),
            wanted: Condvar::new(),
        });
        let mut loader = Loader {
            shared,
            current: Pictures::new(),
            threads: Vec::new(),
            clips: reels_of(clips).into_iter().map(Clip::waiting).collect(),
        };
        for i in 0..n_threads {
            let shared = loader.shared.clone();
            let thread = thread::Builder::new()
                .name(format!("pictures-{i}"))
                .spawn(move || shared.work())?;
            loader.threads.push(thread);
        }
        Ok(loader)
    }

    /// Returns warnings about the clips shown so far: how many of their frames were lost.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut lost: BTreeMap<&str, (&str, BTreeSet<usize>)> = BTreeMap::new();
        for Clip { reel, .. } in &self.clips {
            let (name, path) = reel.name_and_path();
            let (_, frames) = lost.entry(name).or_insert((path, BTreeSet::new()));
            frames.extend(&*reel.lost());
        }
        let damaged = lost
            .into_iter()
            .filter(|(_, (_, frames))| !frames.is_empty());
        damaged
            .map(|(name, (path, frames))| {
                let n = match frames.len() {
                    1 => "1 frame".to_owned(),
                    n => format!("{n} frames"),
                };
                let message = format!(
                    "{n} of {} cannot be decoded, so the previous frame stays on screen: save or download the file again",
                    quoted(name)
                );
                Warning::new("lost_frames", path, message)
            })
            .collect()
    }

    /// Starts to decode the clips that `frame` shows or soon will, and collects the pictures that it shows; stops decoding the others.
    fn roll(&mut self, frame: u64) -> Result<()> {
        for Clip { reel, feed } in &mut self.clips {
            let is_near =
                (reel.first_frame().saturating_sub(PREROLL)..reel.end_frame()).contains(&frame);
            if !is_near {
                *feed = None;
                continue;
            }
            let feed = match feed {
                Some(feed) => feed,
                None => feed.insert(Feed::start(
                    reel.clone(),
                    self.shared.assets.clone(),
                    frame,
                )?),
            };
            if reel.shows(frame) {
                self.current.extend(feed.pictures(frame)?);
            }
        }
        Ok(())
    }

    /// Waits for every picture that `frame` shows, drops those that no later frame shows, and returns the loaded ones.
    ///
    /// # Errors
    /// `Media` for a picture that cannot be loaded (the message contains its name and its path in the document).
    pub fn for_frame(&mut self, frame: u64) -> Result<&Pictures> {
        // Released before waiting, so that there are never more pictures in memory than documented.
        self.current.clear();
        let shared = &self.shared;
        let mut state = shared.lock();
        state.frame = frame;
        shared.evict(&mut state);
        shared.wanted.notify_all();
        while !shared.are_ready(&state)? {
            state = shared
                .finished
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        for (job, status) in shared.jobs.iter().zip(&state.status) {
            if let (true, Status::Ready(pictures)) = (job.shows(frame), status) {
                for (variant, picture) in job.variants.iter().zip(pictures) {
                    for &id in &variant.ids {
                        self.current.insert(id, picture.clone());
                    }
                }
            }
        }
        drop(state);
        self.roll(frame)?;
        Ok(&self.current)
    }
}

impl Clip {
    fn waiting(reel: Reel) -> Clip {
        Clip {
            reel: Arc::new(reel),
            feed: None,
        }
    }
}

impl Drop for Loader {
    /// Waits only for the pictures that are being decoded.
    fn drop(&mut self) {
        self.shared.stop();
        for thread in self.threads.drain(..) {
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

    fn stop(&self) {
        self.lock().stopped = true;
        self.finished.notify_all();
        self.wanted.notify_all();
    }

    /// Runs a loading thread.
    fn work(&self) {
        let mut state = self.lock();
        while !state.stopped {
            let Some(i) = self.next(&state) else {
                state = self
                    .wanted
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.status[i] = Status::Loading;
            drop(state);
            let result = self.load(&self.jobs[i]);
            state = self.lock();
            state.status[i] = match result {
                Ok(pictures) => Status::Ready(pictures),
                Err(e) => Status::Failed(e.kind(), e.to_string()),
            };
            // The current frame may have advanced in the meantime.
            self.evict(&mut state);
            self.finished.notify_all();
        }
    }

    fn load(&self, job: &Job) -> Result<Vec<Arc<Picture>>> {
        let wanted: Vec<&PictureUse> = job.variants.iter().map(|v| &v.wanted).collect();
        // Decoders are guarded already; this covers an embedder's `Assets`.
        let path = wanted.first().map_or("", |wanted| wanted.path.as_str());
        caught(|| load_each(&wanted, &*self.assets)).map_err(|e| {
            match e.to_string().starts_with(path) {
                true => e,
                // A panic does not know the path.
                false => e.at(path),
            }
        })
    }

    /// Returns the jobs to hold at `frame`, in the order in which they are needed: those shown now and the next `ahead`.
    fn window(&self, frame: u64) -> impl Iterator<Item = usize> {
        let mut n_ahead = 0;
        let not_over = self.jobs.iter().enumerate();
        not_over
            .filter(move |(_, job)| job.end_frame > frame)
            .take_while(move |(_, job)| {
                n_ahead += usize::from(job.first_frame > frame);
                n_ahead <= self.ahead
            })
            .map(|(i, _)| i)
    }

    fn next(&self, state: &State) -> Option<usize> {
        self.window(state.frame)
            .find(|&i| matches!(state.status[i], Status::Absent))
    }

    /// Drops pictures outside the window.
    fn evict(&self, state: &mut State) {
        let mut keep = self.window(state.frame).peekable();
        for (i, status) in state.status.iter_mut().enumerate() {
            if keep.next_if_eq(&i).is_none() && matches!(status, Status::Ready(_)) {
                *status = Status::Absent;
            }
        }
    }

    /// Returns whether everything that the current frame shows is loaded.
    fn are_ready(&self, state: &State) -> Result<bool> {
        let mut are_ready = true;
        for (job, status) in self.jobs.iter().zip(&state.status) {
            if job.shows(state.frame) {
                match status {
                    Status::Failed(kind, message) => return Err(Error::new(*kind, message)),
                    Status::Ready(_) => {}
                    Status::Absent | Status::Loading => are_ready = false,
                }
            }
        }
        Ok(are_ready)
    }
}

/// Loads only what one frame shows, to make a single picture of a video.
///
/// # Errors
/// Same as [`super::load`].
pub fn load_frame(
    (uses, clips): (&[PictureUse], &[ClipUse]),
    frame: u64,
    assets: &dyn Assets,
) -> Result<Pictures> {
    let mut pictures = Pictures::new();
    for job in jobs_of(uses).iter().filter(|job| job.shows(frame)) {
        let wanted: Vec<&PictureUse> = job.variants.iter().map(|v| &v.wanted).collect();
        for (variant, picture) in job.variants.iter().zip(load_each(&wanted, assets)?) {
            pictures.extend(variant.ids.iter().map(|&id| (id, picture.clone())));
        }
    }
    pictures.extend(load_clips(clips, frame, assets)?);
    Ok(pictures)
}

/// Loads what one frame shows of clips.
///
/// # Errors
/// `Media` for a clip that cannot be decoded.
pub fn load_clips(clips: &[ClipUse], frame: u64, assets: &dyn Assets) -> Result<Pictures> {
    let mut pictures = Pictures::new();
    for reel in reels_of(clips).iter().filter(|reel| reel.shows(frame)) {
        pictures.extend(reel.alone(frame, assets)?);
    }
    Ok(pictures)
}
