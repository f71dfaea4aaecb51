//! The store of results under the hash of their requests: a run resumes where it stopped, and nothing is made twice.
//!
//! A step is a folder `steps/STAGE/HASH/` with `result.json` and files. It appears under its name only when it is complete and on disk (write, fsync, rename,
//! fsync of the folder), so a process may be killed at any moment. If machines share steps, each step is also stored in their [`Remote`].

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::remote::{self, Files, Remote};
use crate::failure::{Failure, FailureKind, Stage};

/// Raised when a stage makes something else from the same request.
const VERSION: u32 = 1;
/// The name of a step's value.
const RESULT: &str = "result.json";
/// The name of the file that records a substitute.
const STOOD_IN: &str = "stood-in.json";
/// The name of a run's file that marks its video as finished.
const FINISHED: &str = "finished";

/// A folder of steps. Processes may share it: the first to complete a step wins.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
    /// The run for which steps are made, if any.
    run: Option<Run>,
    /// The store shared with other machines.
    remote: Option<Arc<dyn Remote>>,
}

/// The run for which steps are made.
#[derive(Clone, Debug)]
struct Run {
    /// The same for every attempt.
    name: String,
    folder: PathBuf,
}

/// The substitute that made a step, and the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub(crate) struct StoodIn {
    pub name: String,
    run: Option<String>,
}

/// The key of a step: its stage, and the hash of everything that determines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepKey {
    stage: Stage,
    hash: String,
}

impl StepKey {
    /// Computes the key from the provider and its request, as JSON.
    pub fn of(stage: Stage, ask: &impl Serialize) -> StepKey {
        let ask = serde_json::to_vec(ask).expect("asks hold only what JSON can write");
        let mut hash = Sha256::new();
        hash.update(format!("kinora {VERSION} {stage}\n"));
        hash.update(&ask);
        StepKey {
            stage,
            hash: hex(&hash.finalize()),
        }
    }

    /// Returns the key of the result after the substituted providers were tried again.
    pub(crate) fn again(&self) -> StepKey {
        StepKey {
            stage: self.stage,
            hash: format!("{}-again", self.hash),
        }
    }

    /// Returns the name in the shared store. Steps of the timeline stage (music) are not shared: they are the same on every machine and cost nothing.
    fn shared_name(&self) -> Option<String> {
        (self.stage != Stage::Timeline).then(|| format!("{}/{}", self.stage, self.hash))
    }

    /// Returns the hash, which is also the idempotency key for providers.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

/// Returns the sha256 of bytes, in hex digits.
pub fn address(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A complete step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step<T> {
    /// Its value.
    pub value: T,
    /// The folder of its files.
    pub folder: PathBuf,
}

/// A file of a step: its name and bytes.
pub type StepFile<'a> = (&'a str, &'a [u8]);

impl Store {
    /// Opens a store in `root`, which is created when needed.
    ///
    /// # Errors
    /// `Storage` if the folder cannot be created or written.
    pub fn open(root: impl Into<PathBuf>) -> Result<Store, Failure> {
        let root = root.into();
        let made = fs::create_dir_all(root.join("steps")).and_then(|()| sweep(&root));
        made.map_err(|e| storage(Stage::Request, &root, &e))?;
        Ok(Store {
            root,
            run: None,
            remote: None,
        })
    }

    /// Shares the store with other machines.
    #[must_use]
    pub fn shared(self, remote: Arc<dyn Remote>) -> Store {
        Store {
            remote: Some(remote),
            ..self
        }
    }

    /// Returns the same store for the run of this name, in its folder.
    pub(crate) fn of_run(&self, name: &str, folder: &Path) -> Store {
        Store {
            run: Some(Run {
                name: name.to_owned(),
                folder: folder.to_owned(),
            }),
            ..self.clone()
        }
    }

    /// Returns the substitute that made a step, if that was in another run or if this run's video is finished: then the substituted providers may be tried
    /// again. A run that continues after a crash reuses what it has.
    pub(crate) fn stood_in<T>(&self, step: &Step<T>) -> Option<String> {
        let run = self.run.as_ref()?;
        let text = fs::read(step.folder.join(STOOD_IN)).ok()?;
        let who: StoodIn = serde_json::from_slice(&text).ok()?;
        let is_over = || run.folder.join(FINISHED).is_file();
        (who.run.as_ref() != Some(&run.name) || is_over()).then_some(who.name)
    }

    /// Marks a run's video as finished.
    pub(crate) fn finish(run_folder: &Path) -> io::Result<()> {
        File::create(run_folder.join(FINISHED))?.sync_all()
    }

    /// Returns the file that records a substitute: its name and bytes.
    pub(crate) fn stand_in(&self, name: &str) -> (&'static str, Vec<u8>) {
        let who = StoodIn {
            name: name.to_owned(),
            run: self.run.as_ref().map(|run| run.name.clone()),
        };
        let text = serde_json::to_vec(&who).expect("two texts");
        (STOOD_IN, text)
    }

    /// Returns its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns a step that was completed before, here or on a machine that shares its steps. An unreadable step counts as missing.
    ///
    /// # Errors
    /// `Storage` if a shared step cannot be written here: that is no reason to make it again.
    pub fn get<T: DeserializeOwned>(&self, key: &StepKey) -> Result<Option<Step<T>>, Failure> {
        match self.lies_here(key) {
            Some(step) => Ok(Some(step)),
            None => self.bring(key),
        }
    }

    /// Returns the step of `key`, or the newer result made when the substituted providers were tried again, here or elsewhere.
    pub(super) fn newest<T: DeserializeOwned>(
        &self,
        key: &StepKey,
    ) -> Result<Option<Step<T>>, Failure> {
        let again = key.again();
        if let Some(step) = self.lies_here(&again) {
            return Ok(Some(step));
        }
        let Some(step) = self.get(key)? else {
            return Ok(None);
        };
        let newer = match step.folder.join(STOOD_IN).is_file() {
            true => self.bring(&again)?,
            false => None,
        };
        Ok(Some(newer.unwrap_or(step)))
    }

    /// Fetches a step that another machine completed, and stores it here.
    fn bring<T: DeserializeOwned>(&self, key: &StepKey) -> Result<Option<Step<T>>, Failure> {
        let Some((files, value)) = self.fetched(key) else {
            return Ok(None);
        };
        let files = files.iter();
        let files: Vec<StepFile<'_>> = files.map(|(n, bytes)| (n.as_str(), &bytes[..])).collect();
        let folder = self.folder(key);
        let theirs = self.write(key, &files);
        let theirs = theirs.map_err(|e| storage(key.stage, &folder, &e))?;
        Ok(Some(theirs.unwrap_or(Step { value, folder })))
    }

    /// Returns the files and the value of a shared step.
    fn fetched<T: DeserializeOwned>(&self, key: &StepKey) -> Option<(Files, T)> {
        let remote = self.remote.as_ref()?;
        let files = remote::unpacked(&remote.fetch(&key.shared_name()?)?).ok()?;
        let (_, result) = files.iter().find(|(name, _)| name == RESULT)?;
        let value = serde_json::from_slice(result).ok()?;
        Some((files, value))
    }

    fn lies_here<T: DeserializeOwned>(&self, key: &StepKey) -> Option<Step<T>> {
        let folder = self.folder(key);
        let text = fs::read(folder.join(RESULT)).ok()?;
        let value = serde_json::from_slice(&text).ok()?;
        // A step in use is not old. If the folder's time cannot be set, it stays as it is.
        let _ = File::open(&folder).and_then(|folder| folder.set_modified(SystemTime::now()));
        Some(Step { value, folder })
    }

    /// Completes a step. If another process has completed it meanwhile, that step is kept and returned, because its files may already be in use.
    ///
    /// # Errors
    /// `Storage` if it cannot be written; nothing is then left under its name.
    pub fn put<T: Serialize + DeserializeOwned>(
        &self,
        key: &StepKey,
        value: T,
        files: &[StepFile<'_>],
    ) -> Result<Step<T>, Failure> {
        let folder = self.folder(key);
        let written = serde_json::to_vec(&value).map_err(io::Error::from);
        let written = written.and_then(|result| {
            let files = [files, &[(RESULT, &result)]].concat();
            // The shared store comes first: paid results are kept even if this disk is full.
            if let (Some(remote), Some(name)) = (&self.remote, key.shared_name()) {
                remote.keep(&name, remote::packed(&files)?);
            }
            self.write(key, &files)
        });
        let theirs = written.map_err(|e| storage(key.stage, &folder, &e))?;
        Ok(theirs.unwrap_or(Step { value, folder }))
    }

    /// Removes the steps unused for `age`, and what killed processes left; returns the number removed. A later run makes them again.
    ///
    /// # Errors
    /// An error if the folder of steps cannot be read.
    pub fn remove_unused(&self, age: Duration) -> io::Result<usize> {
        let mut n_removed = 0;
        for stage in fs::read_dir(self.root.join("steps"))?.flatten() {
            let Ok(steps) = fs::read_dir(stage.path()) else {
                continue;
            };
            let old = steps.flatten().filter(|step| is_older(step, age));
            // Another process may remove the same step.
            n_removed += old
                .filter(|step| self.take_away(&step.path()).is_ok())
                .count();
        }
        sweep(&self.root)?;
        Ok(n_removed)
    }

    /// Removes a step's folder. A rename frees its name first, because a half-removed folder would block it.
    fn take_away(&self, folder: &Path) -> io::Result<()> {
        let gone = self.unfinished()?;
        fs::rename(folder, gone.path())?;
        gone.close()
    }

    fn unfinished(&self) -> io::Result<tempfile::TempDir> {
        let folder = self.root.join("steps");
        tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(folder)
    }

    fn folder(&self, key: &StepKey) -> PathBuf {
        let stage = key.stage.to_string();
        self.root.join("steps").join(stage).join(&key.hash)
    }

    /// Writes a step's files. Returns the existing step if another process was faster.
    fn write<T: DeserializeOwned>(
        &self,
        key: &StepKey,
        files: &[StepFile<'_>],
    ) -> io::Result<Option<Step<T>>> {
        let folder = self.folder(key);
        let parent = folder.parent().expect("a step lies in its stage's folder");
        fs::create_dir_all(parent)?;
        let unfinished = self.unfinished()?;
        for (name, bytes) in files {
            let mut file = File::create(unfinished.path().join(name))?;
            file.write_all(bytes)?;
            file.sync_all()?;
        }
        crash_point();
        match fs::rename(unfinished.path(), &folder) {
            Ok(()) => drop(unfinished.keep()),
            Err(_) if folder.is_dir() => {
                if let Some(theirs) = self.lies_here(key) {
                    return Ok(Some(theirs));
                }
                // An unreadable step is replaced.
                self.take_away(&folder)?;
                fs::rename(unfinished.path(), &folder)?;
                drop(unfinished.keep());
            }
            Err(e) => return Err(e),
        }
        File::open(parent)?.sync_all()?;
        crash_point();
        Ok(None)
    }
}

/// Prefix of folders that are being written.
const UNFINISHED: &str = "unfinished-";

/// Removes leftovers of killed processes that are more than a day old.
fn sweep(root: &Path) -> io::Result<()> {
    const DAY: Duration = Duration::from_secs(86_400);
    for entry in fs::read_dir(root.join("steps"))?.flatten() {
        let is_unfinished = entry.file_name().to_string_lossy().starts_with(UNFINISHED);
        if is_unfinished && is_older(&entry, DAY) {
            // Another process may sweep at the same time.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

fn is_older(entry: &fs::DirEntry, age: Duration) -> bool {
    let at = entry.metadata().and_then(|m| m.modified()).ok();
    at.and_then(|at| at.elapsed().ok())
        .is_some_and(|since| since > age)
}

fn storage(stage: Stage, path: &Path, e: &io::Error) -> Failure {
    let kind = FailureKind::of_io(e);
    let message = match kind {
        FailureKind::StorageFull => format!(
            "no space is left for {}: free some space and run again; what was made is kept",
            path.display()
        ),
        _ => format!("{} cannot be written: {e}", path.display()),
    };
    Failure::new(stage, kind, message)
}

/// Aborts the process at the crash point counted by `KINORA_CRASH_AT`, in test builds only. Callers of the studio count their own durable steps with it.
#[cfg(feature = "crash-points")]
pub fn crash_point() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static PASSED: AtomicU32 = AtomicU32::new(0);
    let passed = PASSED.fetch_add(1, Ordering::SeqCst) + 1;
    let wanted = std::env::var("KINORA_CRASH_AT")
        .ok()
        .and_then(|at| at.parse().ok());
    if wanted == Some(passed) {
        std::process::abort();
    }
}

/// Does nothing in release builds.
#[cfg(not(feature = "crash-points"))]
pub fn crash_point() {}

#[cfg(test)]
mod tests;
