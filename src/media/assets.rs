//! Sources of asset bytes: a folder, memory, or an embedder's implementation.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Cursor, Read, Seek};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::clip::ClipLimits;
use super::{Ffmpeg, PictureLimits};

/// A readable, seekable byte stream.
pub trait AssetRead: Read + Seek + Send + Sync {}
impl<T: Read + Seek + Send + Sync> AssetRead for T {}

/// The source of every picture, sound and font that a document names.
pub trait Assets: Send + Sync {
    /// Opens an asset, positioned at its start. May be called several times, from several threads.
    ///
    /// # Errors
    /// Shown to users after `cannot be opened:`, or after `cannot be found:` if the kind is `NotFound`.
    fn open(&self, name: &str) -> io::Result<Box<dyn AssetRead>>;

    /// Returns an asset whose name resembles `name`, to suggest when `name` is not found.
    fn closest(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// Returns the file of an asset if it is a file on this machine, so that another program can read it directly. Other assets are copied for that.
    ///
    /// # Errors
    /// Same as [`Assets::open`].
    fn open_file(&self, name: &str) -> io::Result<Option<fs::File>> {
        let _ = name;
        Ok(None)
    }

    /// Returns the machine's ffmpeg if it may read clips and sounds that kinora cannot. With `None` those are rejected.
    fn ffmpeg(&self) -> Option<&Ffmpeg> {
        None
    }

    /// Returns the limits for pictures from this source.
    fn picture_limits(&self) -> PictureLimits {
        PictureLimits::default()
    }

    /// Returns the limits for clips from this source.
    fn clip_limits(&self) -> ClipLimits {
        ClipLimits::default()
    }
}

/// Assets with different limits for pictures and clips.
#[derive(Clone, Debug)]
pub struct Limited<A> {
    /// Source of the bytes.
    pub assets: A,
    /// Limits for pictures.
    pub pictures: PictureLimits,
    /// Limits for clips.
    pub clips: ClipLimits,
}

impl<A: Assets> Assets for Limited<A> {
    fn open(&self, name: &str) -> io::Result<Box<dyn AssetRead>> {
        self.assets.open(name)
    }

    fn closest(&self, name: &str) -> Option<String> {
        self.assets.closest(name)
    }

    fn open_file(&self, name: &str) -> io::Result<Option<fs::File>> {
        self.assets.open_file(name)
    }

    fn ffmpeg(&self) -> Option<&Ffmpeg> {
        self.assets.ffmpeg()
    }

    fn picture_limits(&self) -> PictureLimits {
        self.pictures
    }

    fn clip_limits(&self) -> ClipLimits {
        self.clips
    }
}

/// Assets in a folder; names are paths relative to it.
#[derive(Clone, Debug)]
pub struct FolderAssets {
    root: PathBuf,
    is_confined: bool,
    ffmpeg: Option<Ffmpeg>,
}

impl FolderAssets {
    /// Returns the assets below `root`, for a user who owns the machine: names may be absolute or lead outside with `..`.
    pub fn new(root: impl Into<PathBuf>) -> FolderAssets {
        FolderAssets {
            root: root.into(),
            is_confined: false,
            ffmpeg: None,
        }
    }

    /// Returns the assets below `root` and nothing else, for untrusted documents: absolute names, `..` and links that lead outside are rejected, and
    /// messages do not reveal the location of the folder.
    ///
    /// Anyone who can change the folder while it is read can still swap in a link; make it writable by its owner only.
    pub fn confined(root: impl Into<PathBuf>) -> FolderAssets {
        FolderAssets {
            root: root.into(),
            is_confined: true,
            ffmpeg: None,
        }
    }

    /// Lets the machine's ffmpeg read the clips and sounds that kinora cannot.
    pub fn with_ffmpeg(self, ffmpeg: Ffmpeg) -> FolderAssets {
        FolderAssets {
            ffmpeg: Some(ffmpeg),
            ..self
        }
    }

    /// Resolves a name to a path.
    fn path_of(&self, name: &str) -> io::Result<PathBuf> {
        if name.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the name is empty",
            ));
        }
        let path = self.root.join(name);
        if !self.is_confined {
            return Ok(path);
        }
        let leads_out = || {
            io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the name leads outside the assets folder",
            )
        };
        let stays = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if !Path::new(name).components().all(stays) {
            return Err(leads_out());
        }
        let path = fs::canonicalize(path).map_err(|e| self.explained(&e))?;
        let root = fs::canonicalize(&self.root).map_err(|e| self.explained(&e))?;
        if path.starts_with(root) {
            Ok(path)
        } else {
            Err(leads_out())
        }
    }

    /// Opens the file of an asset.
    fn file(&self, name: &str) -> io::Result<fs::File> {
        let path = self.path_of(name)?;
        // Checked before opening, because opening a pipe would wait for its writer.
        let about = fs::metadata(&path).map_err(|e| self.explained(&e))?;
        if about.is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a folder, not a file",
            ));
        }
        if !about.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "it is a device or a pipe, not a file",
            ));
        }
        fs::File::open(&path).map_err(|e| self.explained(&e))
    }

    /// Translates a system error into helpful words.
    fn explained(&self, e: &io::Error) -> io::Error {
        let message = match e.kind() {
            io::ErrorKind::NotFound if self.is_confined => {
                "no such file among the assets".to_owned()
            }
            io::ErrorKind::NotFound => format!("no such file (relative to {})", self.shown_root()),
            io::ErrorKind::PermissionDenied => "no permission to read it".to_owned(),
            _ => e.to_string(),
        };
        io::Error::new(e.kind(), message)
    }

    fn shown_root(&self) -> String {
        let root = fs::canonicalize(&self.root);
        root.as_ref().unwrap_or(&self.root).display().to_string()
    }
}

impl Assets for FolderAssets {
    fn open(&self, name: &str) -> io::Result<Box<dyn AssetRead>> {
        Ok(Box::new(self.file(name)?))
    }

    fn open_file(&self, name: &str) -> io::Result<Option<fs::File>> {
        self.file(name).map(Some)
    }

    fn ffmpeg(&self) -> Option<&Ffmpeg> {
        self.ffmpeg.as_ref()
    }

    fn closest(&self, name: &str) -> Option<String> {
        const MOST_FILES: usize = 4096;
        let (folder, file) = match name.rsplit_once('/') {
            Some((folder, file)) => (folder, file),
            None => ("", name),
        };
        let path = self
            .path_of(if folder.is_empty() { "." } else { folder })
            .ok()?;
        let files: Vec<String> = fs::read_dir(path)
            .ok()?
            .take(MOST_FILES)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        let near = closest(file, files.iter().map(String::as_str))?;
        Some(if folder.is_empty() {
            near.to_owned()
        } else {
            format!("{folder}/{near}")
        })
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
                "there is no asset with this name",
            )),
        }
    }

    fn closest(&self, name: &str) -> Option<String> {
        closest(name, self.files.keys().map(String::as_str)).map(str::to_owned)
    }
}

/// Returns the name most similar to `name` by Jaro-Winkler similarity (ignoring case); `None` if none is close. Ties: the alphabetically first one.
fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const LEAST: f64 = 0.8;
    let wanted = name.to_lowercase();
    names
        .map(|n| (strsim::jaro_winkler(&wanted, &n.to_lowercase()), n))
        .filter(|(likeness, _)| *likeness >= LEAST)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)))
        .map(|(_, n)| n)
}
