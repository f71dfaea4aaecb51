//! Videos, pictures and uploads: in a folder or in a bucket.
//!
//! Takes bytes or a finished file. Gives an object's name, which cannot be guessed and whose bytes never change. It never shows a partial object.

mod bucket;
mod folder;
mod name;
mod steps;

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use tokio::io::AsyncWriteExt;

pub use name::content_type;
pub use steps::SharedSteps;

use crate::config::{Config, Storage};
use crate::ids;
use bucket::Bucket;
use folder::Folder;

/// The store of media; clones share it.
#[derive(Clone)]
pub struct Media(Arc<Inner>);

struct Inner {
    back: Back,
    /// The prefix of URLs.
    base: String,
    signed_secs: u64,
    secret: String,
}

/// Where objects are stored.
enum Back {
    Folder(Folder),
    Bucket(Bucket),
}

/// A stream of bytes in order.
pub type Bytestream = BoxStream<'static, Result<Bytes, MediaError>>;

/// An object's metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Size in bytes.
    pub size: u64,
    /// The ETag, in quotes.
    pub etag: String,
}

/// Why a store operation failed.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// There is no such object.
    #[error("there is no such object")]
    NotFound,
    /// The disk or the quota is full.
    #[error("the media store is full")]
    Full,
    /// Anything else.
    #[error("the media store: {0}")]
    Store(String),
}

impl From<io::Error> for MediaError {
    fn from(e: io::Error) -> MediaError {
        match e.kind() {
            io::ErrorKind::NotFound => MediaError::NotFound,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => MediaError::Full,
            _ => MediaError::Store(e.to_string()),
        }
    }
}

impl std::fmt::Debug for Media {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Media")
            .field("base", &self.0.base)
            .finish_non_exhaustive()
    }
}

impl Media {
    /// Opens the store. `secret` signs URLs and derives names that cannot be guessed. It is the same on every machine of a service ([`crate::state::App::open`]
    /// keeps it in the database).
    ///
    /// # Errors
    /// The folder cannot be created, or the environment does not describe the bucket.
    pub async fn open(config: &Config, secret: &str) -> Result<Media, MediaError> {
        let back = match &config.storage {
            Storage::Folder(root) => {
                let root = root.clone();
                Back::Folder(blocking(move || Folder::open(&root)).await?)
            }
            Storage::S3 { bucket, prefix } => Back::Bucket(Bucket::open(bucket, prefix)?),
        };
        Ok(Media(Arc::new(Inner {
            back,
            base: config.public_url(),
            signed_secs: config.server.signed_secs,
            secret: secret.to_owned(),
        })))
    }

    /// Publishes a finished file as `FOLDER/128 random bits.EXTENSION` and returns its name. The file must not change after this. In a folder: write, fsync,
    /// rename, fsync of the folder; in a bucket: a finished upload whose size is read back. `folder` is one of `videos`, `posters`, `words`, `characters`,
    /// `audio`.
    ///
    /// # Errors
    /// The store is full or does not answer; then nothing is published.
    pub async fn publish(
        &self,
        folder: &str,
        extension: &str,
        file: &Path,
    ) -> Result<String, MediaError> {
        let name = name::new(folder, extension);
        self.publish_as(&name, file).await?;
        Ok(name)
    }

    /// Publishes a file under a name from [`Media::name_of`].
    ///
    /// # Errors
    /// As [`Media::publish`].
    pub async fn publish_as(&self, name: &str, file: &Path) -> Result<(), MediaError> {
        let name = name::checked(name)?.to_owned();
        match &self.0.back {
            Back::Folder(back) => {
                let (back, file) = (back.clone(), file.to_owned());
                blocking(move || back.publish(&name, &file)).await
            }
            Back::Bucket(back) => back.publish(&name, file).await,
        }
    }

    /// Publishes bytes under a new name.
    ///
    /// # Errors
    /// As [`Media::publish`].
    pub async fn publish_bytes(
        &self,
        folder: &str,
        extension: &str,
        bytes: Bytes,
    ) -> Result<String, MediaError> {
        let name = name::new(folder, extension);
        name::checked(&name)?;
        match &self.0.back {
            Back::Folder(back) => {
                let (back, name) = (back.clone(), name.clone());
                blocking(move || back.publish_bytes(&name, &bytes)).await?;
            }
            Back::Bucket(back) => back.publish_bytes(&name, bytes).await?,
        }
        Ok(name)
    }

    /// Returns the name for `part` of something that has an id. It is always the same and cannot be guessed without the secret. Objects published under it can
    /// be found again without storing the name.
    pub fn name_of(&self, folder: &str, extension: &str, part: &str) -> String {
        let digits = self.mac(&["name", folder, extension, part]);
        format!("{folder}/{}.{extension}", &digits[..32])
    }

    /// Returns an object's metadata.
    ///
    /// # Errors
    /// `NotFound`, also for invalid names.
    pub async fn known(&self, name: &str) -> Result<Known, MediaError> {
        let name = name::checked(name)?;
        let size = match &self.0.back {
            Back::Folder(back) => {
                let (back, name) = (back.clone(), name.to_owned());
                blocking(move || back.size(&name)).await?
            }
            Back::Bucket(back) => back.size(name).await?,
        };
        // Names are never reused, so a name identifies its bytes.
        let stem = name.split(['/', '.']).nth(1).unwrap_or_default();
        let etag = format!("\"{stem}-{size:x}\"");
        Ok(Known { size, etag })
    }

    /// Reads a range of an object, in order.
    ///
    /// # Errors
    /// `NotFound`; the stream may fail later.
    pub async fn read(&self, name: &str, range: Range<u64>) -> Result<Bytestream, MediaError> {
        let name = name::checked(name)?;
        match &self.0.back {
            Back::Folder(back) => back.read(name, range).await,
            Back::Bucket(back) => back.read(name, range).await,
        }
    }

    /// Copies a whole object into a file.
    ///
    /// # Errors
    /// `NotFound`, or the file cannot be written.
    pub async fn fetch(&self, name: &str, to: &Path) -> Result<(), MediaError> {
        let size = self.known(name).await?.size;
        let mut from = self.read(name, 0..size).await?;
        let mut file = tokio::fs::File::create(to).await?;
        let mut n_read = 0;
        while let Some(bytes) = from.next().await {
            let bytes = bytes?;
            n_read += bytes.len() as u64;
            file.write_all(&bytes).await?;
        }
        file.flush().await?;
        match n_read == size {
            true => Ok(()),
            false => Err(MediaError::Store(format!(
                "received {n_read} bytes of {name} instead of {size}"
            ))),
        }
    }

    /// Deletes an object; a missing one counts as deleted.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn delete(&self, name: &str) -> Result<(), MediaError> {
        let Ok(name) = name::checked(name) else {
            return Ok(());
        };
        let deleted = match &self.0.back {
            Back::Folder(back) => {
                let (back, name) = (back.clone(), name.to_owned());
                blocking(move || back.delete(&name)).await
            }
            Back::Bucket(back) => back.delete(name).await,
        };
        match deleted {
            Err(MediaError::NotFound) => Ok(()),
            other => other,
        }
    }

    /// Removes unfinished files of killed processes.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn sweep(&self) -> Result<(), MediaError> {
        match &self.0.back {
            Back::Folder(back) => {
                let back = back.clone();
                blocking(move || back.sweep()).await
            }
            // An incomplete upload is not an object; buckets drop its parts by a lifecycle rule.
            Back::Bucket(_) => Ok(()),
        }
    }

    /// Deletes shared steps older than `age`; returns how many.
    ///
    /// # Errors
    /// The bucket does not answer.
    pub async fn delete_old_steps(&self, age: Duration) -> Result<usize, MediaError> {
        match &self.0.back {
            Back::Folder(_) => Ok(0),
            Back::Bucket(back) => back.delete_old("steps", age).await,
        }
    }

    /// Returns the public URL of an object, valid as long as it exists: `PUBLIC_URL/media/NAME`.
    pub fn url(&self, name: &str) -> String {
        format!("{}/media/{name}", self.0.base)
    }

    /// Returns a URL valid for `server.signed_secs`: `PUBLIC_URL/media/signed/NAME?expires=…&signature=…` (HMAC-SHA256).
    pub fn signed_url(&self, name: &str) -> String {
        let expires = unix_secs() + self.0.signed_secs;
        let signature = self.signature(name, expires);
        format!(
            "{}/media/signed/{name}?expires={expires}&signature={signature}",
            self.0.base
        )
    }

    /// Whether a signature is valid for this object now.
    pub fn is_signed(&self, name: &str, expires: u64, signature: &str) -> bool {
        let due = self.signature(name, expires);
        ids::is_same(&due, signature) && expires >= unix_secs()
    }

    fn signature(&self, name: &str, expires: u64) -> String {
        self.mac(&["signed", name, &expires.to_string()])
    }

    /// Returns an HMAC-SHA256 in hex digits; no part may contain a line break.
    fn mac(&self, parts: &[&str]) -> String {
        ids::mac(&self.0.secret, &parts.join("\n"))
    }
}

/// Returns seconds since 1970.
fn unix_secs() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs())
}

/// Runs work that waits for a disk off the async threads.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, MediaError> {
    let done = tokio::task::spawn_blocking(work).await;
    let done = done.map_err(|e| MediaError::Store(e.to_string()))?;
    Ok(done?)
}
