//! Videos, pictures and uploads: in a folder or in a bucket.
//!
//! Takes: bytes or a finished file. Gives: an object's name, which cannot be guessed and whose bytes never change. Never: shows half of one.

use std::ops::Range;
use std::path::Path;

use bytes::Bytes;
use futures_util::stream::BoxStream;

use crate::config::Config;

/// The store of media; clones share it.
#[derive(Clone, Debug)]
pub struct Media {}

/// What is known of an object.
#[derive(Clone, Debug)]
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

impl Media {
    /// Opens the store.
    pub async fn open(config: &Config) -> Result<Media, MediaError> {
        let _ = config;
        Err(MediaError::NotFound)
    }
    /// Publishes a finished file as `FOLDER/128 random bits.EXTENSION` (write, fsync, rename, fsync of the folder; or a finished upload whose size was
    /// read back) and gives its name. `folder` is one of `videos`, `posters`, `words`, `characters`, `audio`.
    pub async fn publish(
        &self,
        folder: &str,
        extension: &str,
        file: &Path,
    ) -> Result<String, MediaError> {
        let _ = (folder, extension, file);
        Err(MediaError::NotFound)
    }
    /// The same of bytes.
    pub async fn publish_bytes(
        &self,
        folder: &str,
        extension: &str,
        bytes: Bytes,
    ) -> Result<String, MediaError> {
        let _ = (folder, extension, bytes);
        Err(MediaError::NotFound)
    }
    /// What is known of an object.
    pub async fn known(&self, name: &str) -> Result<Known, MediaError> {
        let _ = name;
        Err(MediaError::NotFound)
    }
    /// A part of it, in order.
    pub async fn read(
        &self,
        name: &str,
        range: Range<u64>,
    ) -> Result<BoxStream<'static, Result<Bytes, MediaError>>, MediaError> {
        let _ = (name, range);
        Err(MediaError::NotFound)
    }
    /// All of it, into a file.
    pub async fn fetch(&self, name: &str, to: &Path) -> Result<(), MediaError> {
        let _ = (name, to);
        Err(MediaError::NotFound)
    }
    /// Deletes it; one that is not there is deleted.
    pub async fn delete(&self, name: &str) -> Result<(), MediaError> {
        let _ = name;
        Err(MediaError::NotFound)
    }
    /// The public URL of an object, which opens as long as it is there: `PUBLIC_URL/media/NAME`.
    pub fn url(&self, name: &str) -> String {
        name.to_owned()
    }
    /// A URL that opens for `server.signed_secs` only: `PUBLIC_URL/media/signed/NAME?expires=…&signature=…` (HMAC-SHA256).
    pub fn signed_url(&self, name: &str) -> String {
        name.to_owned()
    }
    /// Whether a signature opens this object now.
    pub fn is_signed(&self, name: &str, expires: u64, signature: &str) -> bool {
        let _ = (name, expires, signature);
        false
    }
}
