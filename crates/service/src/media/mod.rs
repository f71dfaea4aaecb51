//! Videos, pictures and uploads: in a folder or in a bucket.
//!
//! Takes: bytes or a finished file. Gives: an object's name, which cannot be guessed and whose bytes never change. Never: shows half of one.

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
    /// What URLs begin with.
    base: String,
    signed_secs: u64,
    secret: String,
}

/// Where objects are.
enum Back {
    Folder(Folder),
    Bucket(Bucket),
}

/// Bytes on their way to somebody, in order.
pub type Bytestream = BoxStream<'static, Result<Bytes, MediaError>>;

/// What is known of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Bytes.
    pub size: u64,
    /// Of its bytes, in quotes.
    pub etag: String,
}

/// Why the store did not do what was asked.
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
    /// Opens the store. `secret` signs URLs and makes names that cannot be guessed: the same on every machine of a service
    /// ([`crate::state::App::open`] keeps it in the database).
    ///
    /// # Errors
    /// The folder cannot be made, or the bucket is not described by the environment.
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

    /// Publishes a finished file, which nobody may change any more, as `FOLDER/128 random bits.EXTENSION` (write, fsync, rename, fsync of the folder;
    /// or a finished upload whose size was read back) and gives its name. `folder` is one of `videos`, `posters`, `words`, `characters`, `audio`.
    ///
    /// # Errors
    /// The store is full or does not answer; nothing is there under any name then.
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

    /// The same under a name of [`Media::name_of`].
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

    /// The same of bytes, under a new name.
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

    /// The name for `part` of something that has an id: always the same, and nobody without the secret can tell it. What was published under such a
    /// name is found again without a note of it.
    pub fn name_of(&self, folder: &str, extension: &str, part: &str) -> String {
        let digits = self.mac(&["name", folder, extension, part]);
        format!("{folder}/{}.{extension}", &digits[..32])
    }

    /// What is known of an object.
    ///
    /// # Errors
    /// `NotFound`, also for what is no name at all.
    pub async fn known(&self, name: &str) -> Result<Known, MediaError> {
        let name = name::checked(name)?;
        let size = match &self.0.back {
            Back::Folder(back) => {
                let (back, name) = (back.clone(), name.to_owned());
                blocking(move || back.size(&name)).await?
            }
            Back::Bucket(back) => back.size(name).await?,
        };
        // A name is given once, so it stands for its bytes.
        let stem = name.split(['/', '.']).nth(1).unwrap_or_default();
        let etag = format!("\"{stem}-{size:x}\"");
        Ok(Known { size, etag })
    }

    /// A part of it, in order.
    ///
    /// # Errors
    /// `NotFound`; the stream may break later.
    pub async fn read(&self, name: &str, range: Range<u64>) -> Result<Bytestream, MediaError> {
        let name = name::checked(name)?;
        match &self.0.back {
            Back::Folder(back) => back.read(name, range).await,
            Back::Bucket(back) => back.read(name, range).await,
        }
    }

    /// All of it, into a file.
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
                "{n_read} bytes of {name} came instead of {size}"
            ))),
        }
    }

    /// Deletes it; one that is not there is deleted.
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

    /// Removes what killed processes left unfinished.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn sweep(&self) -> Result<(), MediaError> {
        match &self.0.back {
            Back::Folder(back) => {
                let back = back.clone();
                blocking(move || back.sweep()).await
            }
            // An upload that was not completed is no object; buckets drop its parts by a lifecycle rule.
            Back::Bucket(_) => Ok(()),
        }
    }

    /// Deletes steps that machines shared longer ago than `age`, and says how many.
    ///
    /// # Errors
    /// The bucket does not answer.
    pub async fn delete_old_steps(&self, age: Duration) -> Result<usize, MediaError> {
        match &self.0.back {
            Back::Folder(_) => Ok(0),
            Back::Bucket(back) => back.delete_old("steps", age).await,
        }
    }

    /// The public URL of an object, which opens as long as it is there: `PUBLIC_URL/media/NAME`.
    pub fn url(&self, name: &str) -> String {
        format!("{}/media/{name}", self.0.base)
    }

    /// A URL that opens for `server.signed_secs` only: `PUBLIC_URL/media/signed/NAME?expires=…&signature=…` (HMAC-SHA256).
    pub fn signed_url(&self, name: &str) -> String {
        let expires = unix_secs() + self.0.signed_secs;
        let signature = self.signature(name, expires);
        format!(
            "{}/media/signed/{name}?expires={expires}&signature={signature}",
            self.0.base
        )
    }

    /// Whether a signature opens this object now.
    pub fn is_signed(&self, name: &str, expires: u64, signature: &str) -> bool {
        let due = self.signature(name, expires);
        ids::is_same(&due, signature) && expires >= unix_secs()
    }

    fn signature(&self, name: &str, expires: u64) -> String {
        self.mac(&["signed", name, &expires.to_string()])
    }

    /// HMAC-SHA256 in hex digits; no part holds a line break.
    fn mac(&self, parts: &[&str]) -> String {
        ids::mac(&self.0.secret, &parts.join("\n"))
    }
}

/// Seconds since 1970.
fn unix_secs() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs())
}

/// Runs what waits for a disk where it holds up nobody.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, MediaError> {
    let done = tokio::task::spawn_blocking(work).await;
    let done = done.map_err(|e| MediaError::Store(e.to_string()))?;
    Ok(done?)
}
