//! Objects in an S3-compatible bucket. An object appears when its upload is complete; its size is read back before its name is returned.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use kinora_studio::providers::http::install_tls;
use kinora_studio::stages::crash_point;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path as Key;
use object_store::{
    Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt, RetryConfig, WriteMultipart,
};
use tokio::io::AsyncReadExt;

use super::{Bytestream, MediaError};

/// Files up to this size are sent in one piece, larger ones in pieces of this size.
const PIECE: usize = 8 << 20;
/// Pieces in flight at a time.
const N_PIECES: usize = 3;
/// How long a call is retried.
const RETRY_TIME: Duration = Duration::from_secs(60);

/// A bucket, or the objects in it under a prefix.
#[derive(Debug)]
pub(super) struct Bucket {
    store: AmazonS3,
    prefix: String,
}

impl From<Error> for MediaError {
    fn from(e: Error) -> MediaError {
        match e {
            Error::NotFound { .. } => MediaError::NotFound,
            other => MediaError::Store(other.to_string()),
        }
    }
}

impl Bucket {
    /// Opens a bucket. Region, endpoint and credentials come from `AWS_…` variables.
    pub fn open(bucket: &str, prefix: &str) -> Result<Bucket, MediaError> {
        install_tls();
        let retry = RetryConfig {
            max_retries: 6,
            retry_timeout: RETRY_TIME,
            ..RetryConfig::default()
        };
        let store = AmazonS3Builder::from_env()
            .with_bucket_name(bucket)
            .with_retry(retry)
            .build()?;
        Ok(Bucket {
            store,
            prefix: prefix.to_owned(),
        })
    }

    fn key(&self, name: &str) -> Key {
        match self.prefix.as_str() {
            "" => Key::from(name),
            prefix => Key::from(format!("{prefix}/{name}")),
        }
    }

    pub async fn publish(&self, name: &str, file: &Path) -> Result<(), MediaError> {
        let size = tokio::fs::metadata(file).await?.len();
        if size <= PIECE as u64 {
            let bytes = tokio::fs::read(file).await?;
            return self.publish_bytes(name, bytes.into()).await;
        }
        let upload = self.store.put_multipart(&self.key(name)).await?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PIECE);
        match pieces(file, &mut upload).await {
            Ok(()) => {
                crash_point();
                upload.finish().await?;
            }
            Err(e) => {
                // The first error is the one to report.
                let _ = upload.abort().await;
                return Err(e);
            }
        }
        self.check(name, size).await
    }

    pub async fn publish_bytes(&self, name: &str, bytes: Bytes) -> Result<(), MediaError> {
        let size = bytes.len() as u64;
        crash_point();
        self.store.put(&self.key(name), bytes.into()).await?;
        self.check(name, size).await
    }

    /// Stores an object that several machines may write at the same time; the last write wins.
    pub async fn share(&self, name: &str, bytes: Bytes) -> Result<(), MediaError> {
        crash_point();
        self.store.put(&self.key(name), bytes.into()).await?;
        crash_point();
        Ok(())
    }

    /// Checks that the sent bytes have arrived.
    async fn check(&self, name: &str, size: u64) -> Result<(), MediaError> {
        crash_point();
        let found = self.size(name).await?;
        if found == size {
            return Ok(());
        }
        self.delete(name).await?;
        let message = format!("{name} has {found} bytes after {size} were sent");
        Err(MediaError::Store(message))
    }

    pub async fn size(&self, name: &str) -> Result<u64, MediaError> {
        Ok(self.store.head(&self.key(name)).await?.size)
    }

    pub async fn read(&self, name: &str, range: Range<u64>) -> Result<Bytestream, MediaError> {
        if range.is_empty() {
            self.size(name).await?;
            return Ok(futures_util::stream::empty().boxed());
        }
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            ..GetOptions::default()
        };
        let found = self.store.get_opts(&self.key(name), options).await?;
        Ok(found.into_stream().map_err(MediaError::from).boxed())
    }

    /// Returns a whole object of at most `max` bytes.
    pub async fn bytes(&self, name: &str, max: u64) -> Result<Bytes, MediaError> {
        let found = self.store.get(&self.key(name)).await?;
        match found.meta.size <= max {
            true => Ok(found.bytes().await?),
            false => Err(MediaError::Store(format!("{name} is too large"))),
        }
    }

    /// Deletes objects in a folder that were written longer than `age` ago; returns how many.
    pub async fn delete_old(&self, folder: &str, age: Duration) -> Result<usize, MediaError> {
        let until = super::unix_secs().saturating_sub(age.as_secs());
        let folder = self.key(folder);
        let mut found = self.store.list(Some(&folder));
        let mut n_deleted = 0;
        while let Some(object) = found.try_next().await? {
            if u64::try_from(object.last_modified.timestamp()).is_ok_and(|at| at < until) {
                self.store.delete(&object.location).await?;
                n_deleted += 1;
            }
        }
        Ok(n_deleted)
    }

    pub async fn delete(&self, name: &str) -> Result<(), MediaError> {
        Ok(self.store.delete(&self.key(name)).await?)
    }
}

/// Sends a file piece by piece, so that only some pieces are in memory.
async fn pieces(file: &Path, upload: &mut WriteMultipart) -> Result<(), MediaError> {
    let mut file = tokio::fs::File::open(file).await?;
    loop {
        let mut piece = Vec::with_capacity(PIECE);
        let n_read = (&mut file)
            .take(PIECE as u64)
            .read_to_end(&mut piece)
            .await?;
        if n_read == 0 {
            return Ok(());
        }
        upload.wait_for_capacity(N_PIECES).await?;
        upload.put(piece.into());
    }
}
