//! Request rates of keys: exactly `limit` requests in any window, across all processes on one database.

use super::tx::{Tx, args, transaction};
use super::{Db, DbError};

/// Whether a request is admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is admitted.
    Admitted,
    /// It is refused; the time until the next, rounded up, at least 1.
    Refused {
        /// Seconds.
        retry_after: u64,
    },
}

impl Db {
    /// Admits a request of a key if fewer than `limit` were admitted in the last `window_ms`. Admissions are numbered, and the one `limit` before must be older
    /// than the window. This is exact for every sliding window, also after the limit changes: only admissions that had left the window are forgotten.
    ///
    /// # Errors
    /// A database error.
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
    let mut seen = look(tx, key_id, limit).await?;
    if seen.last_ms > seen.now {
        set_back(tx, key_id).await?;
        seen = look(tx, key_id, limit).await?;
    }
    // A full key is refused without waiting for its other requests.
    if limit == 0 || seen.wait_ms(window_ms) > 0 {
        let wait_ms = if limit == 0 {
            window_ms
        } else {
            seen.wait_ms(window_ms)
        };
        return Ok(Admission::after(wait_ms));
    }
    // From here on this transaction holds the row.
    let sql = "INSERT INTO rates (key_id, n_admitted, last_ms) VALUES ($1, 1, now_ms())
        ON CONFLICT (key_id) DO UPDATE SET n_admitted = rates.n_admitted + 1, last_ms = now_ms()
        RETURNING n_admitted, last_ms";
    let row = tx.row(sql, args![key_id]).await?;
    let row = row.ok_or(sqlx::Error::RowNotFound)?;
    let (n, now): (i64, i64) = (row.get::<i64>("n_admitted")? - 1, row.get("last_ms")?);
    if !take_slot(tx, key_id, [n, n - limit], [now, now - window_ms]).await? {
        // Other requests were faster.
        let sql = "SELECT at_ms FROM rate_slots WHERE key_id = $1 AND n = $2";
        let row = tx.row(sql, args![key_id, n - limit]).await?;
        let at_ms = row.map_or(Ok(now), |row| row.get("at_ms"))?;
        tx.undo();
        return Ok(Admission::after(at_ms + window_ms - now));
    }
    Ok(Admission::Admitted)
}

/// The last known requests of a key.
struct Seen {
    now: i64,
    last_ms: i64,
    /// When the request `limit` before the next one was admitted, if still known.
    at_ms: Option<i64>,
}

impl Seen {
    fn wait_ms(&self, window_ms: i64) -> i64 {
        self.at_ms.map_or(0, |at_ms| at_ms + window_ms - self.now)
    }
}

impl Admission {
    fn after(wait_ms: i64) -> Admission {
        let retry_after = wait_ms.max(1).unsigned_abs().div_ceil(1000);
        Admission::Refused { retry_after }
    }
}

async fn look(tx: &mut Tx, key_id: &str, limit: i64) -> Result<Seen, DbError> {
    let sql = "SELECT last_ms, now_ms() AS now, (SELECT at_ms FROM rate_slots
            WHERE rate_slots.key_id = rates.key_id AND n = rates.n_admitted - $2) AS at_ms
        FROM rates WHERE key_id = $1";
    let Some(row) = tx.row(sql, args![key_id, limit]).await? else {
        return Ok(Seen {
            now: 0,
            last_ms: 0,
            at_ms: None,
        });
    };
    Ok(Seen {
        now: row.get("now")?,
        last_ms: row.get("last_ms")?,
        at_ms: row.get("at_ms")?,
    })
}

/// Stores the `n`-th admission in the slot of the one `limit` before if that has left the window or is unknown; returns whether it did.
async fn take_slot(
    tx: &mut Tx,
    key_id: &str,
    [n, before]: [i64; 2],
    [now, window_began]: [i64; 2],
) -> Result<bool, DbError> {
    let sql = "UPDATE rate_slots SET n = $2, at_ms = $3
        WHERE key_id = $1 AND n = $4 AND at_ms <= $5";
    let args = args![key_id, n, now, before, window_began];
    if tx.execute(sql, args).await? > 0 {
        return Ok(true);
    }
    let sql = "INSERT INTO rate_slots (key_id, n, at_ms) SELECT $1, $2, $3
        WHERE NOT EXISTS (SELECT 1 FROM rate_slots WHERE key_id = $1 AND n = $4)";
    Ok(tx.execute(sql, args![key_id, n, now, before]).await? > 0)
}

/// Handles a clock that was set back: the last admission counts as made now, so the limit still holds, but for no longer than a window.
async fn set_back(tx: &mut Tx, key_id: &str) -> Result<(), DbError> {
    let sql = "UPDATE rates SET n_admitted = n_admitted WHERE key_id = $1 AND last_ms > now_ms()
        RETURNING last_ms, now_ms() AS now";
    let Some(row) = tx.row(sql, args![key_id]).await? else {
        return Ok(());
    };
    let (last, now): (i64, i64) = (row.get("last_ms")?, row.get("now")?);
    let sql = "UPDATE rate_slots SET at_ms = at_ms - $2 WHERE key_id = $1";
    tx.execute(sql, args![key_id, last - now]).await?;
    let sql = "UPDATE rates SET last_ms = $2 WHERE key_id = $1";
    tx.execute(sql, args![key_id, now]).await?;
    Ok(())
}
