//! Objects as files. A file appears under its name when it is complete and on disk: write, fsync, rename, fsync of the folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use kinora_studio::stages::crash_point;
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use tokio_util::io::ReaderStream;

use super::{Bytestream, MediaError};
use crate::ids;
use crate::scratch::{Scratch, make_folder};

/// Bytes per read.
const CHUNK: usize = 64 << 10;

/// A folder of objects; clones share it.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    root: PathBuf,
    unfinished: Arc<Scratch>,
}

impl Folder {
    pub fn open(root: &Path) -> io::Result<Folder> {
        make_folder(root)?;
        // In the same file system, so that a file can be renamed into its final folder.
        let unfinished = Scratch::open(&root.join(".unfinished"))?;
        Ok(Folder {
            root: root.to_owned(),
            unfinished: Arc::new(unfinished),
        })
    }

    pub fn publish(&self, name: &str, file: &Path) -> io::Result<()> {
        self.place(name, |unfinished| {
            // A hard link if the file system supports it, else a copy.
            match fs::hard_link(file, unfinished) {
                Ok(()) => OpenOptions::new().write(true).open(unfinished),
                Err(_) => {
                    let mut to = create(unfinished)?;
                    io::copy(&mut File::open(file)?, &mut to)?;
                    Ok(to)
                }
            }
        })
    }

    pub fn publish_bytes(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.place(name, |unfinished| {
            let mut to = create(unfinished)?;
            to.write_all(bytes)?;
            Ok(to)
        })
    }

    /// Moves a file made by `write` to its name.
    fn place(&self, name: &str, write: impl FnOnce(&Path) -> io::Result<File>) -> io::Result<()> {
        let path = self.root.join(name);
        let folder = path.parent().unwrap_or(&self.root);
        make_folder(folder)?;
        let unfinished = self.unfinished.path().join(ids::prefixed(""));
        let placed = write(&unfinished).and_then(|file| {
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
            file.sync_all()?;
            crash_point();
            fs::rename(&unfinished, &path)?;
            crash_point();
            File::open(folder)?.sync_all()?;
            File::open(&self.root)?.sync_all()
        });
        if placed.is_err() {
            // The file may not exist, so errors are ignored.
            let _ = fs::remove_file(&unfinished);
        }
        placed
    }

    pub fn size(&self, name: &str) -> io::Result<u64> {
        Ok(fs::metadata(self.root.join(name))?.len())
    }

    pub async fn read(&self, name: &str, range: Range<u64>) -> Result<Bytestream, MediaError> {
        let mut file = tokio::fs::File::open(self.root.join(name)).await?;
        file.seek(io::SeekFrom::Start(range.start)).await?;
        let part = file.take(range.end.saturating_sub(range.start));
        let stream = ReaderStream::with_capacity(part, CHUNK);
        let stream = stream.map(|bytes: io::Result<Bytes>| Ok(bytes?));
        Ok(stream.boxed())
    }

    pub fn delete(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.root.join(name))
    }

    pub fn sweep(&self) -> io::Result<()> {
        self.unfinished.sweep()
    }
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}
