//! Rendered tracks on disk. A file is either complete or absent, even with concurrent writers.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::mixdown::is_whole;

/// Returns the path of a track in `folder`, if the file is there and complete.
pub(crate) fn find(folder: &Path, slug: &str, fingerprint: u64) -> Option<PathBuf> {
    let path = path(folder, slug, fingerprint);
    let bytes = fs::read(&path).ok()?;
    is_whole(&bytes).then_some(path)
}

/// Writes a track into `folder`, creating the folder if needed. A file of the same name is replaced atomically.
pub(crate) fn store(
    folder: &Path,
    slug: &str,
    fingerprint: u64,
    wav: &[u8],
) -> Result<PathBuf, Error> {
    let path = path(folder, slug, fingerprint);
    let cannot = |source| Error::Io {
        path: path.clone(),
        source,
    };
    fs::create_dir_all(folder).map_err(cannot)?;
    let mut temp = tempfile::Builder::new()
        .prefix(".kinora-")
        .tempfile_in(folder)
        .map_err(cannot)?;
    temp.write_all(wav).map_err(cannot)?;
    temp.persist(&path).map_err(|e| cannot(e.error))?;
    Ok(path)
}

fn path(folder: &Path, slug: &str, fingerprint: u64) -> PathBuf {
    folder.join(format!("{slug}-{fingerprint:016x}.wav"))
}
