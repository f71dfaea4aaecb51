//! Database errors.

/// Why a database operation failed.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// The database refused or could not be reached.
    #[error("{0}")]
    Sql(#[from] sqlx::Error),
    /// The queue refused.
    #[error("{0}")]
    Queue(#[from] riverqueue::Error),
    /// A stored document cannot be parsed.
    #[error("{0}")]
    Document(#[from] serde_json::Error),
    /// It cannot be opened as configured, or contains data that this program never wrote.
    #[error("{0}")]
    Open(String),
}

/// SQLite codes: busy, locked, I/O error, full, cannot open. The low byte is the error, the higher bytes are details.
const SQLITE_UNAVAILABLE: [u32; 5] = [5, 6, 10, 13, 14];
/// PostgreSQL codes: lost races, lock and statement timeouts, connections, shutdown, read-only after a failover, disk full.
const POSTGRES_UNAVAILABLE: [&str; 14] = [
    "40001", "40P01", "55P03", "57014", "57P01", "57P02", "57P03", "57P05", "08000", "08003",
    "08006", "25006", "25P03", "53",
];
/// PostgreSQL codes: serialization failure, deadlock.
const LOST_RACE: [&str; 2] = ["40001", "40P01"];

impl DbError {
    /// Whether a retry may work later: the database is unreachable, locked or full.
    pub fn is_unavailable(&self) -> bool {
        use sqlx::Error as E;
        match self.sql() {
            Some(
                E::Io(_)
                | E::Protocol(_)
                | E::PoolTimedOut
                | E::PoolClosed
                | E::WorkerCrashed
                | E::Tls(_),
            ) => true,
            Some(E::Database(e)) => e.code().is_some_and(|code| match code.parse::<u32>() {
                Ok(n) if code.len() < 5 => SQLITE_UNAVAILABLE.contains(&(n & 0xff)),
                _ => POSTGRES_UNAVAILABLE.iter().any(|of| code.starts_with(of)),
            }),
            Some(_) => false,
            None => matches!(self, DbError::Queue(_)),
        }
    }

    /// Whether the transaction may be retried immediately: it conflicted with another one.
    pub(super) fn is_lost_race(&self) -> bool {
        let Some(sqlx::Error::Database(e)) = self.sql() else {
            return false;
        };
        e.code()
            .is_some_and(|code| LOST_RACE.contains(&code.as_ref()))
    }

    /// Returns the driver's error, even if the queue has wrapped it.
    fn sql(&self) -> Option<&sqlx::Error> {
        let mut error: &(dyn std::error::Error + 'static) = self;
        loop {
            if let Some(found) = error.downcast_ref::<sqlx::Error>() {
                return Some(found);
            }
            error = error.source()?;
        }
    }
}
