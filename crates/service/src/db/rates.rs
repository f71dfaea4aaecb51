//! How often a key may call: exactly `limit` requests in any window, over all processes on one database.

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
    /// Takes a request of a key, if fewer than `limit` were taken in the last `window_ms` (a ring of the last `limit` admissions: exact for every
    /// sliding window).
    pub async fn admit(
        &self,
        key_id: &str,
        limit: u32,
        window_ms: i64,
    ) -> Result<Admission, DbError> {
        later()
    }
}

fn later<T>() -> Result<T, DbError> {
    Err(DbError::Open("not yet".into()))
}
