//! The folder of a model: which files it holds, read with limits on their sizes.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::{LocalError, LocalErrorKind};

/// Bytes of a JSON file or a template at most; the largest tokenizers published are near 40 MB.
const MAX_TEXT_BYTES: u64 = 256 << 20;

/// A model's folder and the words for what such a folder must hold.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    must_hold: &'static str,
}

impl Folder {
    /// The folder at `path`.
    ///
    /// # Errors
    /// `Missing` when there is no such folder.
    pub(crate) fn open(path: &Path, must_hold: &'static str) -> Result<Self, LocalError> {
        if path.is_dir() {
            return Ok(Self {
                path: path.to_path_buf(),
                must_hold,
            });
        }
        Err(LocalError::new(
            LocalErrorKind::Missing,
            format!("there is no folder {}; {must_hold}", path.display()),
        ))
    }

    /// Where a file of the folder is or would be.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The error for a file that is not there.
    pub(crate) fn missing(&self, name: &str) -> LocalError {
        LocalError::new(
            LocalErrorKind::Missing,
            format!(
                "{name} is not in {}; {}",
                self.path.display(),
                self.must_hold
            ),
        )
    }

    /// The bytes of a file, or none when it is not there.
    pub(crate) fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>, LocalError> {
        let path = self.path(name);
        if !path.is_file() {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        File::open(&path)
            .and_then(|file| file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|error| LocalError::file(&path, error))?;
        if bytes.len() as u64 > MAX_TEXT_BYTES {
            return Err(LocalError::file(
                &path,
                format!("it is larger than {MAX_TEXT_BYTES} bytes"),
            ));
        }
        Ok(Some(bytes))
    }

    /// The text of a file, or none when it is not there.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, LocalError> {
        self.bytes(name)?
            .map(|bytes| {
                String::from_utf8(bytes)
                    .map_err(|error| LocalError::file(&self.path(name), error.utf8_error()))
            })
            .transpose()
    }

    /// The JSON object in a file, or none when it is not there.
    pub(crate) fn json(&self, name: &str) -> Result<Option<Value>, LocalError> {
        let Some(bytes) = self.bytes(name)? else {
            return Ok(None);
        };
        let path = self.path(name);
        let value: Value =
            serde_json::from_slice(&bytes).map_err(|error| LocalError::file(&path, error))?;
        if value.is_object() {
            Ok(Some(value))
        } else {
            Err(LocalError::file(&path, "it holds no JSON object"))
        }
    }

    /// The JSON object in a file that must be there.
    pub(crate) fn required_json(&self, name: &str) -> Result<Value, LocalError> {
        self.json(name)?.ok_or_else(|| self.missing(name))
    }

    /// Names of the files that end in `.EXTENSION`, sorted.
    pub(crate) fn files_of(&self, extension: &str) -> Result<Vec<String>, LocalError> {
        let entries =
            fs::read_dir(&self.path).map_err(|error| LocalError::file(&self.path, error))?;
        let mut names = Vec::new();
        for entry in entries {
            let path = entry
                .map_err(|error| LocalError::file(&self.path, error))?
                .path();
            let fits = path.extension().is_some_and(|found| found == extension);
            if let (true, true, Some(name)) = (fits, path.is_file(), path.file_name()) {
                names.push(name.to_string_lossy().into_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Whether the folder holds a file.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).is_file()
    }
}
