//! Uploaded audio.

use super::tx::{Row, args, transaction};
use super::{Db, DbError};

/// An uploaded audio file.
#[derive(Clone, Debug)]
pub struct Upload {
    /// `aud_…`: the `voiceoverKey`.
    pub id: String,
    /// The name of the uploaded file, shortened and without a path.
    pub name: String,
    /// The object that holds it.
    pub object: String,
    /// Its size.
    pub n_bytes: u64,
    /// Its length.
    pub duration_ms: i64,
    /// Its transcript, if the owner gave one.
    pub spoken: Option<String>,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

impl Db {
    /// Stores an upload (its `created_at` is ignored).
    pub async fn add_upload(&self, account: &str, upload: &Upload) -> Result<(), DbError> {
        let sql = "INSERT INTO uploads
            (id, account_id, name, object, n_bytes, duration_ms, spoken, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, now_ms())";
        let args = args![
            &upload.id,
            account,
            &upload.name,
            &upload.object,
            upload.n_bytes,
            upload.duration_ms,
            &upload.spoken,
        ];
        self.execute(sql, args).await?;
        Ok(())
    }
    /// Returns one upload of an account.
    pub async fn upload(&self, account: &str, id: &str) -> Result<Option<Upload>, DbError> {
        let sql = "SELECT * FROM uploads WHERE account_id = $1 AND id = $2";
        let row = self.row(sql, args![account, id]).await?;
        row.as_ref().map(of_row).transpose()
    }
    /// Returns all uploads of an account, newest first.
    pub async fn uploads(&self, account: &str) -> Result<Vec<Upload>, DbError> {
        let sql = "SELECT * FROM uploads WHERE account_id = $1 ORDER BY created_at DESC, id";
        let rows = self.rows(sql, args![account]).await?;
        rows.iter().map(of_row).collect()
    }
    /// Deletes an upload; returns its object, now unused, if the account had it.
    pub async fn delete_upload(&self, account: &str, id: &str) -> Result<Option<String>, DbError> {
        let sql = "DELETE FROM uploads WHERE account_id = $1 AND id = $2 RETURNING object";
        let row = transaction!(self.begin(), tx => { tx.row(sql, args![account, id]).await })?;
        row.map(|row| row.get("object")).transpose()
    }
}

fn of_row(row: &Row) -> Result<Upload, DbError> {
    Ok(Upload {
        id: row.get("id")?,
        name: row.get("name")?,
        object: row.get("object")?,
        n_bytes: row.count("n_bytes")?,
        duration_ms: row.get("duration_ms")?,
        spoken: row.get("spoken")?,
        created_at: row.get("created_at")?,
    })
}
