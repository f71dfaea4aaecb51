//! How often a key may call: exactly `limit` requests in any window, over all processes on one database.

use super::tx::{Tx, args, transaction};
use super::{Db, DbError};

/// Whether a request is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is.
    Admitted,
    /// It is not; the next is in so many seconds, rounded up, at least 1.
    Refused {
        /// Seconds.
        retry_after: u64,
    },
}

impl Db {
    /// Takes a request of a key, if fewer than `limit` were taken in the last `window_ms`: the admissions are numbered, and the one `limit` before has
    /// to be older than the window. This is exact for every sliding window, and stays so when the limit is changed: what is forgotten is what had left
    /// the window.
    ///
    /// # Errors
    /// The database.
    pub async fn admit(
        &self,
        key_id: &str,
        limit: u32,
        window_ms: i64,
    ) -> Result<Admission, DbError> {
        transaction!(self.begin_rates(), tx => { admit(tx, key_id, limit.into(), window_ms).await })
    }
}

async fn admit(
    tx: &mut Tx,
    key_id: &str,
    limit: i64,
    window_ms: i64,
) -> Result<Admission, DbError> {
    // Writes nothing new, but the row is ours from here on.
    let sql = "INSERT INTO rates (key_id, n_admitted, last_ms) VALUES ($1, 0, 0)
        ON CONFLICT (key_id) DO UPDATE SET n_admitted = rates.n_admitted
        RETURNING n_admitted, last_ms, now_ms() AS now";
    let row = tx.row(sql, args![key_id]).await?;
    let row = row.ok_or(sqlx::Error::RowNotFound)?;
    let (n, last, now): (i64, i64, i64) =
        (row.get("n_admitted")?, row.get("last_ms")?, row.get("now")?);
    if last > now {
        // The clock was set back. The last admission counts as one of now, so that the limit still holds, for one window.
        let sql = "UPDATE rate_slots SET at_ms = at_ms - $2 WHERE key_id = $1";
        tx.execute(sql, args![key_id, last - now]).await?;
        let sql = "UPDATE rates SET last_ms = $2 WHERE key_id = $1";
        tx.execute(sql, args![key_id, now]).await?;
    }
    let sql = "SELECT at_ms FROM rate_slots WHERE key_id = $1 AND n = $2";
    let before = tx.row(sql, args![key_id, n - limit]).await?;
    let free_at = match before {
        _ if limit == 0 => now + window_ms,
        Some(row) => row.get::<i64>("at_ms")? + window_ms,
        None => now,
    };
    if free_at > now {
        let retry_after = (free_at - now).unsigned_abs().div_ceil(1000);
        return Ok(Admission::Refused { retry_after });
    }
    let sql = "INSERT INTO rate_slots (key_id, n, at_ms) VALUES ($1, $2, $3)";
    tx.execute(sql, args![key_id, n, now]).await?;
    let sql = "DELETE FROM rate_slots WHERE key_id = $1 AND n <= $2";
    tx.execute(sql, args![key_id, n - limit]).await?;
    let sql = "UPDATE rates SET n_admitted = $2, last_ms = $3 WHERE key_id = $1";
    tx.execute(sql, args![key_id, n + 1, now]).await?;
    Ok(Admission::Admitted)
}
