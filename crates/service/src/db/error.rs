//! Why the database did not do what was asked.

/// Why the database did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// The database refused or could not be reached.
    #[error("{0}")]
    Sql(#[from] sqlx::Error),
    /// The queue refused.
    #[error("{0}")]
    Queue(#[from] riverqueue::Error),
    /// A document in it cannot be read.
    #[error("{0}")]
    Document(#[from] serde_json::Error),
    /// It cannot be opened as configured, or holds what this program never wrote.
    #[error("{0}")]
    Open(String),
}

/// SQLite's: busy, locked, i/o error, full, cannot open. The low byte is the error, what is above only says more of it.
const SQLITE_UNAVAILABLE: [u32; 5] = [5, 6, 10, 13, 14];
/// PostgreSQL's: lost races, timeouts of locks and statements, connections, shutting down, read-only after a switch of servers, disk full.
const POSTGRES_UNAVAILABLE: [&str; 14] = [
    "40001", "40P01", "55P03", "57014", "57P01", "57P02", "57P03", "57P05", "08000", "08003",
    "08006", "25006", "25P03", "53",
];
/// PostgreSQL's: serialization failure, deadlock.
const LOST_RACE: [&str; 2] = ["40001", "40P01"];

impl DbError {
    /// Whether it may work later without a change: the database cannot be reached, is locked, or is full.
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

    /// Whether the same transaction may be begun anew at once: another one stood in its way.
    pub(super) fn is_lost_race(&self) -> bool {
        let Some(sqlx::Error::Database(e)) = self.sql() else {
            return false;
        };
        e.code()
            .is_some_and(|code| LOST_RACE.contains(&code.as_ref()))
    }

    /// What the driver said, also where the queue was between.
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
