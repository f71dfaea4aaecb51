//! What was made, kept under the hash of what was asked for: a run resumes where it stopped, and nothing is made twice.
//!
//! A step is a folder `steps/STAGE/HASH/` that holds `result.json` and files. It appears under its name only when it is complete and on the disk
//! (write, fsync, rename, fsync of the folder), so a process may be killed at any instant. Where machines share steps, each is also kept in their [`Remote`].

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

/// Raised when a stage makes something else of the same ask.
const VERSION: u32 = 1;
/// The name of a step's value.
const RESULT: &str = "result.json";
/// The name of the file beside it that tells who stood in.
const STOOD_IN: &str = "stood-in.json";
/// The name of a run's file that tells that its video is finished.
const FINISHED: &str = "finished";

/// A folder of steps. Processes may share one: the first to complete a step keeps it.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
    /// The run that steps are made for, if they are made for one.
    run: Option<Run>,
    /// Where other machines find what this one made.
    remote: Option<Arc<dyn Remote>>,
}

/// What steps are made for.
#[derive(Clone, Debug)]
struct Run {
    /// The same whenever it is tried again.
    name: String,
    folder: PathBuf,
}

/// Who made a step in place of somebody else, and in which run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub(crate) struct StoodIn {
    pub name: String,
    run: Option<String>,
}

/// The address of a step: its stage, and the hash of all that decides on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepKey {
    stage: Stage,
    hash: String,
}

impl StepKey {
    /// Of what is asked of whom, as JSON.
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

    /// The address of what is made when those for whom somebody stood in are asked once more.
    pub(crate) fn again(&self) -> StepKey {
        StepKey {
            stage: self.stage,
            hash: format!("{}-again", self.hash),
        }
    }

    /// How it is called where machines share it. What the last stage keeps, the music, sounds the same wherever it is made, and nobody is paid for it.
    fn shared_name(&self) -> Option<String> {
        (self.stage != Stage::Timeline).then(|| format!("{}/{}", self.stage, self.hash))
    }

    /// The hash, also the key under which a provider may recognize a repeated call.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

/// The sha256 of bytes, in hex digits.
pub fn address(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A complete step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step<T> {
    /// What was made.
    pub value: T,
    /// Where its files lie.
    pub folder: PathBuf,
}

/// A file of a step: its name and bytes.
pub type StepFile<'a> = (&'a str, &'a [u8]);

impl Store {
    /// A store in `root`, which is made when needed.
    ///
    /// # Errors
    /// `Storage` when the folder cannot be made or written.
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

    /// The same, shared with other machines.
    #[must_use]
    pub fn shared(self, remote: Arc<dyn Remote>) -> Store {
        Store {
            remote: Some(remote),
            ..self
        }
    }

    /// The same steps, made for the run of this name, in its folder.
    pub(crate) fn of_run(&self, name: &str, folder: &Path) -> Store {
        Store {
            run: Some(Run {
                name: name.to_owned(),
                folder: folder.to_owned(),
            }),
            ..self.clone()
        }
    }

    /// Who stood in when a step was made, if that was in another run, or the video of this one is finished: then those before may be asked once more.
    /// A run that goes on after a crash takes what it has.
    pub(crate) fn stood_in<T>(&self, step: &Step<T>) -> Option<String> {
        let run = self.run.as_ref()?;
        let text = fs::read(step.folder.join(STOOD_IN)).ok()?;
        let who: StoodIn = serde_json::from_slice(&text).ok()?;
        let is_over = || run.folder.join(FINISHED).is_file();
        (who.run.as_ref() != Some(&run.name) || is_over()).then_some(who.name)
    }

    /// Notes that a run's video is finished.
    pub(crate) fn finish(run_folder: &Path) -> io::Result<()> {
        File::create(run_folder.join(FINISHED))?.sync_all()
    }

    /// What is kept beside a step that a substitute made: a file's name and bytes.
    pub(crate) fn stand_in(&self, name: &str) -> (&'static str, Vec<u8>) {
        let who = StoodIn {
            name: name.to_owned(),
            run: self.run.as_ref().map(|run| run.name.clone()),
        };
        let text = serde_json::to_vec(&who).expect("two texts");
        (STOOD_IN, text)
    }

    /// Where it lies.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A step that was completed before, here or on a machine that shares its steps. One that cannot be read is as one that was never made.
    ///
    /// # Errors
    /// `Storage` when it lies elsewhere and cannot be written here: it is not made once more for that.
    pub fn get<T: DeserializeOwned>(&self, key: &StepKey) -> Result<Option<Step<T>>, Failure> {
        match self.lies_here(key) {
            Some(step) => Ok(Some(step)),
            None => self.bring(key),
        }
    }

    /// The step of `key`; in its place what was made when those for whom somebody stood in were asked once more, here or elsewhere.
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

    /// Brings a step here that another machine completed.
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

    /// The files of a step that lies elsewhere, and its value.
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
        // What is still asked for is not old; a folder that is not ours to touch stays as it is.
        let _ = File::open(&folder).and_then(|folder| folder.set_modified(SystemTime::now()));
        Some(Step { value, folder })
    }

    /// Completes a step. Where somebody else completed it meanwhile, theirs is kept and given: others may read its files already.
    ///
    /// # Errors
    /// `Storage` when it cannot be written; nothing is left under its name then.
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
            // First where it outlives this machine: what was paid for is kept also when this disk is full.
            if let (Some(remote), Some(name)) = (&self.remote, key.shared_name()) {
                remote.keep(&name, remote::packed(&files)?);
            }
            self.write(key, &files)
        });
        let theirs = written.map_err(|e| storage(key.stage, &folder, &e))?;
        Ok(theirs.unwrap_or(Step { value, folder }))
    }

    /// Removes the steps that nobody asked for in the last `age`, and what killed processes left; how many. A later run makes them again.
    ///
    /// # Errors
    /// The folder of steps cannot be read.
    pub fn remove_unused(&self, age: Duration) -> io::Result<usize> {
        let mut n_removed = 0;
        for stage in fs::read_dir(self.root.join("steps"))?.flatten() {
            let Ok(steps) = fs::read_dir(stage.path()) else {
                continue;
            };
            let old = steps.flatten().filter(|step| is_older(step, age));
            // Another process may remove the same.
            n_removed += old
                .filter(|step| self.take_away(&step.path()).is_ok())
                .count();
        }
        sweep(&self.root)?;
        Ok(n_removed)
    }

    /// Removes a step's folder, at once under its name: one that is half removed would be in the way.
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

    /// Writes a step's files; the step that was there already, where somebody was faster.
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
                // An unreadable step is in the way.
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

/// Removes what killed processes left, when it is a day old.
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
            "no space is left for {}: free some and run again; what was made is kept",
            path.display()
        ),
        _ => format!("{} cannot be written: {e}", path.display()),
    };
    Failure::new(stage, kind, message)
}

/// Ends the process at the instant that `KINORA_CRASH_AT` counts to, in builds for tests only. Whoever runs the studio counts its own durable steps with it.
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

/// Nothing, in builds that are shipped.
#[cfg(not(feature = "crash-points"))]
pub fn crash_point() {}

#[cfg(test)]
mod tests;
