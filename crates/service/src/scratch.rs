//! Folders for unfinished work: every process has its own, and what a killed one left is removed by whoever comes next.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::ids;

/// Ends the names of the files that are locked as long as their folder's process lives.
const LOCK: &str = "lock";

/// A folder of this process, removed when it is dropped. The kernel unlocks it whichever way the process ends, so that no clock has to tell what is old.
#[derive(Debug)]
pub struct Scratch {
    parent: PathBuf,
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Makes a folder in `parent`, which is made where needed, and removes what killed processes left there.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open(parent: &Path) -> io::Result<Scratch> {
        make_folder(parent)?;
        let _turn = turn(parent)?;
        let id = ids::prefixed("");
        let lock = open_lock(&parent.join(&id).with_extension(LOCK))?;
        lock.lock()?;
        let path = parent.join(id);
        DirBuilder::new().mode(0o700).create(&path)?;
        let scratch = Scratch {
            parent: parent.to_owned(),
            path,
            _lock: lock,
        };
        sweep(parent)?;
        Ok(scratch)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes what processes left that were killed since.
    ///
    /// # Errors
    /// The folder around it cannot be read.
    pub fn sweep(&self) -> io::Result<()> {
        let _turn = turn(&self.parent)?;
        sweep(&self.parent)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is swept later.
        let _ = fs::remove_dir_all(&self.path);
        let _ = fs::remove_file(self.path.with_extension(LOCK));
    }
}

/// Makes a folder that only its owner reads, with those around it.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).recursive(true).create(path)
}

/// Who makes or removes folders waits for its turn: a folder that is being made has no lock yet.
fn turn(parent: &Path) -> io::Result<File> {
    let file = open_lock(&parent.join(".turn"))?;
    file.lock()?;
    Ok(file)
}

fn open_lock(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)
}

fn sweep(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)?.flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != LOCK) {
            continue;
        }
        let Ok(file) = File::open(&path) else {
            continue;
        };
        match file.try_lock() {
            Ok(()) => {
                let folder = path.with_extension("");
                match fs::remove_dir_all(&folder) {
                    Err(e) if e.kind() != io::ErrorKind::NotFound => {
                        tracing::warn!(folder = %folder.display(), error = %e, "what a killed process left stays");
                    }
                    _ => fs::remove_file(&path)?,
                }
            }
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        entries
            .map(|entry| entry.path())
            .filter(|path| path.is_dir())
            .collect()
    }

    #[test]
    fn the_folder_of_who_lives_stays_and_that_of_who_died_goes() {
        let temp = tempfile::tempdir().unwrap();
        let mine = Scratch::open(temp.path()).unwrap();
        fs::write(mine.path().join("part"), "x").unwrap();
        // A process that was killed leaves its folder and an unlocked file.
        let dead = temp.path().join("dead");
        fs::create_dir(&dead).unwrap();
        fs::write(dead.join("part"), "x").unwrap();
        fs::write(dead.with_extension(LOCK), "").unwrap();
        let other = Scratch::open(temp.path()).unwrap();
        assert!(!dead.exists() && mine.path().join("part").exists());
        drop(other);
        assert_eq!(names(temp.path()), [mine.path().to_owned()]);
        drop(mine);
        assert_eq!(names(temp.path()), Vec::<PathBuf>::new());
    }
}
