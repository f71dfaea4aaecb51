//! API keys: shown once, stored as hashes.

use super::accounts::account;
use super::tx::{Row, args, transaction};
use super::{Account, Db, DbError};
use crate::ids;

/// Number of characters of a key that stay readable, a small part of its 256 random bits.
const N_SHOWN: usize = 12;

/// A key as its owner sees it.
#[derive(Clone, Debug)]
pub struct ApiKey {
    /// `key_…`.
    pub id: String,
    /// Its owner's name for it.
    pub name: String,
    /// Its first characters.
    pub shown: String,
    /// Whether its runs are free, made offline and watermarked.
    pub is_sandbox: bool,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
}

/// The caller of the API.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The key's account.
    pub account: Account,
    /// The key's id.
    pub key_id: String,
    /// Whether it is a sandbox key.
    pub is_sandbox: bool,
}

impl Db {
    /// Stores a key by its hash.
    pub async fn add_key(
        &self,
        account: &str,
        name: &str,
        secret: &str,
        is_sandbox: bool,
    ) -> Result<ApiKey, DbError> {
        let id = ids::prefixed("key_");
        let hash = ids::hash(secret);
        let shown: String = secret.chars().take(N_SHOWN).collect();
        let sql = "INSERT INTO api_keys (id, account_id, name, hash, shown, is_sandbox, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, now_ms()) RETURNING *";
        let args = args![&id, account, name, &hash, &shown, is_sandbox];
        let row = transaction!(self.begin(), tx => { tx.row(sql, args).await })?;
        key(&row.ok_or(sqlx::Error::RowNotFound)?)
    }
    /// Returns the caller of this key (in the clear), unless it is unknown or revoked.
    pub async fn caller(&self, secret: &str) -> Result<Option<Caller>, DbError> {
        let hash = ids::hash(secret);
        let sql = "SELECT accounts.*, api_keys.id AS key_id, api_keys.hash, api_keys.is_sandbox
            FROM api_keys JOIN accounts ON accounts.id = api_keys.account_id
            WHERE api_keys.hash = $1 AND api_keys.revoked_at IS NULL";
        let Some(row) = self.row(sql, args![&hash]).await? else {
            return Ok(None);
        };
        let kept: String = row.get("hash")?;
        if !ids::is_same(&kept, &hash) {
            return Ok(None);
        }
        Ok(Some(Caller {
            account: account(&row)?,
            key_id: row.get("key_id")?,
            is_sandbox: row.flag("is_sandbox")?,
        }))
    }
    /// Returns an account's keys, newest first.
    pub async fn keys(&self, account: &str) -> Result<Vec<ApiKey>, DbError> {
        let sql = "SELECT * FROM api_keys WHERE account_id = $1 ORDER BY created_at DESC, id";
        let rows = self.rows(sql, args![account]).await?;
        rows.iter().map(key).collect()
    }
    /// Revokes a key; returns whether the account had such a valid key.
    pub async fn revoke_key(&self, account: &str, id: &str) -> Result<bool, DbError> {
        let sql = "UPDATE api_keys SET revoked_at = now_ms()
            WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL";
        Ok(self.execute(sql, args![account, id]).await? > 0)
    }
}

fn key(row: &Row) -> Result<ApiKey, DbError> {
    Ok(ApiKey {
        id: row.get("id")?,
        name: row.get("name")?,
        shown: row.get("shown")?,
        is_sandbox: row.flag("is_sandbox")?,
        created_at: row.get("created_at")?,
        revoked_at: row.get("revoked_at")?,
    })
}
