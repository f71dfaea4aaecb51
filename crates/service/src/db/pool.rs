//! The database's connections and how it is opened.

use std::path::PathBuf;

use super::DbError;

/// How the database is opened.
#[derive(Clone, Debug)]
pub enum DbOptions {
    /// A file of SQLite, made when it is not there; request rates lie beside it in a file of their own that is not synced.
    Sqlite(PathBuf),
    /// A PostgreSQL server.
    Postgres(String),
}

/// The database; clones share its connections.
#[derive(Clone, Debug)]
pub struct Db {}

impl Db {
    /// Opens it and brings its tables up to date.
    pub async fn open(options: &DbOptions) -> Result<Db, DbError> {
        later()
    }
    /// Whether it answers, within 2 s.
    pub async fn is_ready(&self) -> bool {
        false
    }
    /// The client of the queue that inserts jobs; workers are built by `work::queue` over the same database.
    pub fn queue(&self) -> &riverqueue::Client {
        unreachable!()
    }
}

fn later<T>() -> Result<T, DbError> {
    Err(DbError::Open("not yet".into()))
}
