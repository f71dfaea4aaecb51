//! Folders for unfinished work: every process has its own, and the next process removes those of killed ones.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::ids;

/// The extension of the lock files, which are locked while their folder's process lives.
const LOCK: &str = "lock";

/// A folder of this process, removed on drop. The kernel releases its lock however the process ends, so cleanup needs no clock.
#[derive(Debug)]
pub struct Scratch {
    parent: PathBuf,
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Creates a folder in `parent` (created if needed) and removes the folders of killed processes.
    ///
    /// # Errors
    /// The folder cannot be created.
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

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folders of processes killed since.
    ///
    /// # Errors
    /// The parent folder cannot be read.
    pub fn sweep(&self) -> io::Result<()> {
        let _turn = turn(&self.parent)?;
        sweep(&self.parent)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is removed by a later sweep.
        let _ = fs::remove_dir_all(&self.path);
        let _ = fs::remove_file(self.path.with_extension(LOCK));
    }
}

/// Creates a folder, and its parents, that only the owner can read.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).recursive(true).create(path)
}

/// Serializes creating and removing folders: a folder has no lock while it is being created.
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
                        tracing::warn!(folder = %folder.display(), error = %e, "files of a killed process could not be removed");
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
        // A killed process leaves its folder and an unlocked file.
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
