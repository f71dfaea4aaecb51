//! Uploaded audio.

use super::{Db, DbError};

/// An uploaded audio file.
#[derive(Clone, Debug)]
pub struct Upload {
    /// `aud_…`: the `voiceoverKey`.
    pub id: String,
    /// What its owner's file was called, shortened and without a path.
    pub name: String,
    /// The object that holds it.
    pub object: String,
    /// Its size.
    pub n_bytes: u64,
    /// Its length.
    pub duration_ms: i64,
    /// What is said in it, if its owner told.
    pub spoken: Option<String>,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

impl Db {
    /// Writes down an upload (its `created_at` is not read).
    pub async fn add_upload(&self, account: &str, upload: &Upload) -> Result<(), DbError> {
        later()
    }
    /// One of an account.
    pub async fn upload(&self, account: &str, id: &str) -> Result<Option<Upload>, DbError> {
        later()
    }
    /// All of an account, the newest first.
    pub async fn uploads(&self, account: &str) -> Result<Vec<Upload>, DbError> {
        later()
    }
    /// Deletes; the object that nobody names now, if the account had it.
    pub async fn delete_upload(&self, account: &str, id: &str) -> Result<Option<String>, DbError> {
        later()
    }
}

fn later<T>() -> Result<T, DbError> {
    Err(DbError::Open("not yet".into()))
}
