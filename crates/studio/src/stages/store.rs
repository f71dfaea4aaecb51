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

use super::remote::{self, Remote};
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
    /// The folder of the run that steps are made for, if they are made for one.
    run: Option<PathBuf>,
    /// Where other machines find what this one made.
    remote: Option<Arc<dyn Remote>>,
}

/// Who made a step in place of somebody else, and in which run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub(crate) struct StoodIn {
    pub name: String,
    run: Option<PathBuf>,
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

    /// The same steps, made for a run.
    pub(crate) fn of_run(&self, folder: &Path) -> Store {
        let whole = std::path::absolute(folder);
        Store {
            run: Some(whole.unwrap_or_else(|_| folder.to_owned())),
            ..self.clone()
        }
    }

    /// Who stood in when a step was made, if that was in another run, or the video of this one is finished: then those before may be asked once more.
    /// A run that goes on after a crash takes what it has.
    pub(crate) fn stood_in<T>(&self, step: &Step<T>) -> Option<String> {
        let run = self.run.as_ref()?;
        let text = fs::read(step.folder.join(STOOD_IN)).ok()?;
        let who: StoodIn = serde_json::from_slice(&text).ok()?;
        let is_over = || run.join(FINISHED).is_file();
        (who.run.as_ref() != Some(run) || is_over()).then_some(who.name)
    }

    /// Notes that a run's video is finished.
    pub(crate) fn finish(run_folder: &Path) -> io::Result<()> {
        File::create(run_folder.join(FINISHED))?.sync_all()
    }

    /// What is kept beside a step that a substitute made: a file's name and bytes.
    pub(crate) fn stand_in(&self, name: &str) -> (&'static str, Vec<u8>) {
        let who = StoodIn {
            name: name.to_owned(),
            run: self.run.clone(),
        };
        let text = serde_json::to_vec(&who).expect("two texts");
        (STOOD_IN, text)
    }

    /// Where it lies.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A step that was completed before, here or on a machine that shares its steps. One that cannot be read is as one that was never made.
    pub fn get<T: DeserializeOwned>(&self, key: &StepKey) -> Option<Step<T>> {
        self.first(&[key])
    }

    /// The first of these that there is, before those that lie elsewhere.
    pub(super) fn first<T: DeserializeOwned>(&self, keys: &[&StepKey]) -> Option<Step<T>> {
        let here = keys.iter().find_map(|key| self.lies_here(key));
        here.or_else(|| keys.iter().find_map(|key| self.bring(key)))
    }

    /// Brings a step here that another machine completed.
    fn bring<T: DeserializeOwned>(&self, key: &StepKey) -> Option<Step<T>> {
        let remote = self.remote.as_ref()?;
        let files = remote::unpacked(&remote.fetch(&key.shared_name()?)?).ok()?;
        let (_, result) = files.iter().find(|(name, _)| name == RESULT)?;
        let value = serde_json::from_slice(result).ok()?;
        let files = files.iter();
        let files: Vec<StepFile<'_>> = files.map(|(n, bytes)| (n.as_str(), &bytes[..])).collect();
        let folder = self.folder(key);
        let theirs = self.write(key, &files).ok()?;
        Some(theirs.unwrap_or(Step { value, folder }))
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
                .filter(|step| fs::remove_dir_all(step.path()).is_ok())
                .count();
        }
        sweep(&self.root)?;
        Ok(n_removed)
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
        let unfinished = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(self.root.join("steps"))?;
        for (name, bytes) in files {
            let mut file = File::create(unfinished.path().join(name))?;
            file.write_all(bytes)?;
            file.sync_all()?;
        }
        crash_point();
        match fs::rename(unfinished.path(), &folder) {
            Ok(()) => drop(unfinished.keep()),
            Err(_) if folder.join(RESULT).is_file() => {
                if let Some(theirs) = self.lies_here(key) {
                    return Ok(Some(theirs));
                }
                // An unreadable step is in the way.
                fs::remove_dir_all(&folder)?;
                fs::rename(unfinished.keep(), &folder)?;
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
mod tests {
    use std::collections::HashMap;
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_step_is_found_again_by_what_was_asked() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(temp.path().join("work")).expect("a new folder");
        let key = StepKey::of(Stage::Voice, &("text", "slt"));
        assert_eq!(store.get::<f64>(&key), None);
        let step = store
            .put(&key, 1.5, &[("voice.wav", b"RIFF")])
            .expect("room for it");
        assert_eq!(
            fs::read(step.folder.join("voice.wav")).expect("it is there"),
            b"RIFF"
        );
        assert_eq!(
            Store::open(store.root()).expect("again").get(&key),
            Some(step.clone())
        );
        // Making it again changes nothing; anything else has another address.
        assert_eq!(
            store
                .put(&key, 1.5, &[("voice.wav", b"RIFF")])
                .expect("again"),
            step
        );
        assert_ne!(StepKey::of(Stage::Voice, &("text", "rms")), key);
        assert_ne!(StepKey::of(Stage::Pictures, &("text", "slt")), key);
    }

    #[test]
    fn a_broken_step_is_made_again() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(temp.path()).expect("a new folder");
        let key = StepKey::of(Stage::Script, &"prompt");
        let step = store.put(&key, vec![1, 2], &[]).expect("room for it");
        fs::write(step.folder.join(RESULT), "[1,").expect("it can be cut");
        assert_eq!(store.get::<Vec<i32>>(&key), None);
        store.put(&key, vec![1, 2], &[]).expect("it is replaced");
        assert_eq!(
            store.get(&key).map(|step: Step<Vec<i32>>| step.value),
            Some(vec![1, 2])
        );
        let left = fs::read_dir(temp.path().join("steps"))
            .expect("a folder")
            .count();
        assert_eq!(left, 1, "nothing unfinished is left");
    }

    #[test]
    fn who_is_second_takes_what_the_first_made() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(temp.path()).expect("a new folder");
        let key = StepKey::of(Stage::Voice, &"text");
        let first = store
            .put(&key, 1.5, &[("a.wav", b"first")])
            .expect("room for it");
        let second = store
            .put(&key, 2.5, &[("a.wav", b"second")])
            .expect("it is there");
        assert_eq!(second, first);
        assert_eq!(
            fs::read(first.folder.join("a.wav")).expect("it is there"),
            b"first"
        );
    }

    #[test]
    fn only_what_nobody_asked_for_lately_is_removed() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(temp.path()).expect("a new folder");
        let [asked, forgotten] = ["asked", "forgotten"].map(|ask| StepKey::of(Stage::Voice, &ask));
        let (hour, age) = (Duration::from_secs(3600), Duration::from_secs(60));
        for key in [&asked, &forgotten] {
            let step = store.put(key, 1, &[]).expect("room for it");
            let folder = File::open(&step.folder).expect("it is there");
            folder
                .set_modified(SystemTime::now() - hour)
                .expect("it is ours");
        }
        assert!(store.get::<i32>(&asked).is_some());
        assert_eq!(store.remove_unused(age).expect("it can be read"), 1);
        assert!(store.get::<i32>(&asked).is_some());
        assert_eq!(store.get::<i32>(&forgotten), None);
    }

    /// What machines share, in memory.
    #[derive(Debug, Default)]
    struct Shelf(Mutex<HashMap<String, Vec<u8>>>);

    impl Remote for Shelf {
        fn fetch(&self, name: &str) -> Option<Vec<u8>> {
            self.0.lock().expect("no panic").get(name).cloned()
        }

        fn keep(&self, name: &str, packed: Vec<u8>) {
            let mut kept = self.0.lock().expect("no panic");
            kept.insert(name.to_owned(), packed);
        }
    }

    #[test]
    fn another_machine_goes_on_with_what_was_shared() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let shelf = Arc::new(Shelf::default());
        let [here, there] = ["here", "there"].map(|machine| {
            let store = Store::open(temp.path().join(machine)).expect("a new folder");
            store.shared(Arc::clone(&shelf) as Arc<dyn Remote>)
        });
        let key = StepKey::of(Stage::Voice, &"text");
        assert_eq!(there.get::<f64>(&key), None);
        here.put(&key, 1.5, &[("voice.wav", b"RIFF")])
            .expect("room for it");
        let step = there.get::<f64>(&key).expect("it was shared");
        assert_eq!(step.value, 1.5);
        assert!(step.folder.starts_with(there.root()));
        assert_eq!(
            fs::read(step.folder.join("voice.wav")).expect("it came along"),
            b"RIFF"
        );
        // It stays when nobody shares it any more; what cannot be read is nothing; music stays at home.
        let name = key.shared_name().expect("voices are shared");
        shelf.keep(&name, b"no archive".to_vec());
        assert_eq!(there.get::<f64>(&key), Some(step));
        let third = Store::open(temp.path().join("third")).expect("a new folder");
        let third = third.shared(Arc::clone(&shelf) as Arc<dyn Remote>);
        assert_eq!(third.get::<f64>(&key), None);
        let music = StepKey::of(Stage::Timeline, &"music");
        here.put(&music, (), &[("music.wav", b"RIFF")])
            .expect("room for it");
        assert_eq!(there.get::<()>(&music), None);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_told() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let file = temp.path().join("file");
        fs::write(&file, "").expect("a file");
        let failure = Store::open(file.join("work")).expect_err("a file is no folder");
        assert_eq!(failure.kind, FailureKind::Storage);
        assert!(failure.message.contains("file/work"), "{failure}");
    }
}
