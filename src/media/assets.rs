//! Where bytes come from: a folder, memory, or whatever an embedder brings.

use std::collections::HashMap;
use std::io::{self, Cursor, Read, Seek};
use std::path::PathBuf;
use std::sync::Arc;

/// A readable, seekable byte stream.
pub trait AssetRead: Read + Seek + Send + Sync {}
impl<T: Read + Seek + Send + Sync> AssetRead for T {}

/// The source of every picture, sound and font that a document names.
pub trait Assets: Send + Sync {
    /// Opens an asset from its start. May be called several times, from several threads.
    fn open(&self, name: &str) -> io::Result<Box<dyn AssetRead>>;
}

/// Assets in a folder; names are paths relative to it (or absolute).
#[derive(Clone, Debug)]
pub struct FolderAssets {
    root: PathBuf,
}

impl FolderAssets {
    /// Assets below `root`.
    pub fn new(root: impl Into<PathBuf>) -> FolderAssets {
        FolderAssets { root: root.into() }
    }
}

impl Assets for FolderAssets {
    fn open(&self, name: &str) -> io::Result<Box<dyn AssetRead>> {
        let path = self.root.join(name);
        let file = std::fs::File::open(&path)?;
        if file.metadata()?.is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "is a folder, not a file",
            ));
        }
        Ok(Box::new(file))
    }
}

/// Assets held in memory, by name.
#[derive(Clone, Debug, Default)]
pub struct MemoryAssets {
    files: HashMap<String, Arc<[u8]>>,
}

impl MemoryAssets {
    /// Adds (or replaces) an asset.
    pub fn insert(&mut self, name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) {
        self.files.insert(name.into(), bytes.into());
    }
}

impl Assets for MemoryAssets {
    fn open(&self, name: &str) -> io::Result<Box<dyn AssetRead>> {
        match self.files.get(name) {
            Some(bytes) => Ok(Box::new(Cursor::new(bytes.clone()))),
            None => Err(io::Error::new(
                io::ErrorKind::NotFound,
                "is not among the assets",
            )),
        }
    }
}
