//! API keys: shown once, kept as hashes.

use super::{Account, Db, DbError};

/// A key as its owner sees it.
#[derive(Clone, Debug)]
pub struct ApiKey {
    /// `key_…`.
    pub id: String,
    /// What its owner calls it.
    pub name: String,
    /// Its first characters.
    pub shown: String,
    /// Whether what it makes costs nothing, is made offline and carries a watermark.
    pub is_sandbox: bool,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
}

/// Who calls.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Whose key it is.
    pub account: Account,
    /// Which key.
    pub key_id: String,
    /// Whether it is a sandbox key.
    pub is_sandbox: bool,
}

impl Db {
    /// Writes down a key by its hash.
    pub async fn add_key(
        &self,
        account: &str,
        name: &str,
        secret: &str,
        is_sandbox: bool,
    ) -> Result<ApiKey, DbError> {
        later()
    }
    /// Who calls with this key (in the clear), unless it is unknown or revoked.
    pub async fn caller(&self, secret: &str) -> Result<Option<Caller>, DbError> {
        later()
    }
    /// An account's keys, the newest first.
    pub async fn keys(&self, account: &str) -> Result<Vec<ApiKey>, DbError> {
        later()
    }
    /// Revokes; whether the account has such a key that was not revoked.
    pub async fn revoke_key(&self, account: &str, id: &str) -> Result<bool, DbError> {
        later()
    }
}

fn later<T>() -> Result<T, DbError> {
    Err(DbError::Open("not yet".into()))
}
