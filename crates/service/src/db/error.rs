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
    /// It cannot be opened as configured.
    #[error("{0}")]
    Open(String),
}

impl DbError {
    /// Whether it may work later without a change: the database cannot be reached, is locked, or is full.
    pub fn is_unavailable(&self) -> bool {
        use sqlx::Error as E;
        match self {
            DbError::Sql(
                E::Io(_) | E::PoolTimedOut | E::PoolClosed | E::WorkerCrashed | E::Tls(_),
            )
            | DbError::Queue(_) => true,
            // SQLite: busy, locked, i/o error, full, cannot open. PostgreSQL: serialization, deadlock, no connections, shutting down, disk full.
            DbError::Sql(E::Database(e)) => e.code().is_some_and(|code| {
                [
                    "5", "6", "10", "13", "14", "517", "261", "40001", "40P01", "57P01", "57P02",
                    "57P03", "53100", "53200", "53300",
                ]
                .contains(&code.as_ref())
            }),
            _ => false,
        }
    }
}
