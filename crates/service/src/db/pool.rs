//! Opens the database and keeps its connections.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};

use super::DbError;
use super::migrate::{self, Schema};
use super::tx::{Arg, Row, Tx, transaction, within};

/// Makes a query fail if the database does not answer, before the client has waited 2 s.
const WAIT: Duration = Duration::from_millis(1500);

/// How the database is opened.
#[derive(Clone, Debug)]
pub enum DbOptions {
    /// An SQLite file, created if missing. Request rates have their own file beside it, which is not synced.
    Sqlite(PathBuf),
    /// A PostgreSQL server.
    Postgres(String),
}

/// The database; clones share its connections.
#[derive(Clone, Debug)]
pub struct Db {
    pool: Pool,
    queue: riverqueue::Client,
}

/// Connections by purpose, so that none waits for another: the queue's workers have their own in both.
#[derive(Clone, Debug)]
enum Pool {
    /// One connection writes: writers in this process wait for it instead of for the file's lock.
    Sqlite {
        read: SqlitePool,
        write: SqlitePool,
        rates: SqlitePool,
        workers: SqlitePool,
    },
    Postgres {
        pool: PgPool,
        rates: PgPool,
        workers: PgPool,
    },
}

impl Db {
    /// Opens it and brings its tables up to date. Several processes may do so at the same time.
    ///
    /// # Errors
    /// It is unreachable, or a newer version of the program has changed its tables.
    pub async fn open(options: &DbOptions) -> Result<Db, DbError> {
        let pool = match options {
            DbOptions::Sqlite(path) => open_sqlite(path).await?,
            DbOptions::Postgres(url) => open_postgres(url).await?,
        };
        let builder = match &pool {
            Pool::Sqlite { write, .. } => riverqueue::Client::builder(write),
            Pool::Postgres { pool, .. } => riverqueue::Client::builder(pool),
        };
        let queue = builder.build()?;
        Ok(Db { pool, queue })
    }

    /// Whether it answers, within 2 s.
    pub async fn is_ready(&self) -> bool {
        self.rows("SELECT 1 AS n", &[]).await.is_ok()
    }

    /// Returns the queue's client for inserting jobs; workers are built from [`Db::queue_builder`].
    pub fn queue(&self) -> &riverqueue::Client {
        &self.queue
    }

    /// Returns a builder for a client that works on jobs, with its own connections.
    pub fn queue_builder(&self) -> riverqueue::ClientBuilder {
        match &self.pool {
            Pool::Sqlite { workers, .. } => riverqueue::Client::builder(workers),
            Pool::Postgres { workers, .. } => riverqueue::Client::builder(workers),
        }
    }

    /// Closes all connections after their current work.
    pub async fn close(&self) {
        match &self.pool {
            Pool::Sqlite {
                read,
                write,
                rates,
                workers,
            } => {
                for pool in [workers, read, rates, write] {
                    pool.close().await;
                }
            }
            Pool::Postgres {
                pool,
                rates,
                workers,
            } => {
                for pool in [workers, rates, pool] {
                    pool.close().await;
                }
            }
        }
    }

    /// Reads rows outside a transaction.
    pub(super) async fn rows(
        &self,
        sql: &'static str,
        args: &[Arg<'_>],
    ) -> Result<Vec<Row>, DbError> {
        match &self.pool {
            Pool::Sqlite { read, .. } => Row::all_sqlite(read, sql, args).await,
            Pool::Postgres { pool, .. } => within(Row::all_postgres(pool, sql, args)).await,
        }
    }

    /// Reads the only row outside a transaction.
    pub(super) async fn row(
        &self,
        sql: &'static str,
        args: &[Arg<'_>],
    ) -> Result<Option<Row>, DbError> {
        Ok(self.rows(sql, args).await?.into_iter().next())
    }

    /// Writes with one statement; returns the number of changed rows.
    pub(super) async fn execute(
        &self,
        sql: &'static str,
        args: &[Arg<'_>],
    ) -> Result<u64, DbError> {
        transaction!(self.begin(), tx => { tx.execute(sql, args).await })
    }

    /// Begins a transaction.
    pub(super) async fn begin(&self) -> Result<Tx, DbError> {
        match &self.pool {
            Pool::Sqlite { write, .. } => begin_sqlite(write).await,
            Pool::Postgres { pool, .. } => begin_postgres(pool).await,
        }
    }

    /// Begins a transaction on the request rates, whose commits do not wait for the disk.
    pub(super) async fn begin_rates(&self) -> Result<Tx, DbError> {
        match &self.pool {
            Pool::Sqlite { rates, .. } => begin_sqlite(rates).await,
            Pool::Postgres { rates, .. } => begin_postgres(rates).await,
        }
    }
}

async fn begin_postgres(pool: &PgPool) -> Result<Tx, DbError> {
    let begun = riverqueue::database::begin_postgres(pool);
    Ok(Tx::postgres(within(async { Ok(begun.await?) }).await?))
}

async fn begin_sqlite(pool: &SqlitePool) -> Result<Tx, DbError> {
    let begun = riverqueue::database::begin_sqlite_write(pool);
    Ok(Tx::sqlite(within(async { Ok(begun.await?) }).await?))
}

async fn open_sqlite(path: &Path) -> Result<Pool, DbError> {
    let rates_path = beside(path, "-rates.db");
    let full = sqlite_options(path, SqliteSynchronous::Full)?;
    let normal = sqlite_options(&rates_path, SqliteSynchronous::Normal)?;
    let of_size = |n: u32| {
        SqlitePoolOptions::new()
            .max_connections(n)
            .acquire_timeout(WAIT)
            // Opening a connection costs more than keeping it, and the last one to close rewrites the file.
            .idle_timeout(None)
            .max_lifetime(None)
            .after_release(|connection, _| Box::pin(is_sound(connection)))
    };
    let write = of_size(1).connect_lazy_with(full.clone());
    let rates = of_size(1).connect_lazy_with(normal);
    let _lock = migrate::lock_file(&beside(path, "-lock")).await?;
    migrate::up(begin_sqlite(&write).await?, Schema::Main).await?;
    migrate::up(begin_sqlite(&rates).await?, Schema::Rates).await?;
    let river = riverqueue::migrate::SqliteMigrator::new(write.clone());
    river.migrate_up().await.map_err(migrate::of_river)?;
    Ok(Pool::Sqlite {
        read: of_size(4).connect_lazy_with(full.clone()),
        workers: of_size(4)
            .acquire_timeout(Duration::from_secs(10))
            .connect_lazy_with(full),
        write,
        rates,
    })
}

/// Whether a connection may be reused. SQLite ends a transaction by itself if the disk is full or fails; sqlx still counts it as open and begins no other on
/// this connection.
async fn is_sound(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // This waits for a rollback in progress.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

/// Returns the path beside `NAME.db` with another ending: `NAME` plus `ending`.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

fn sqlite_options(
    path: &Path,
    synchronous: SqliteSynchronous,
) -> Result<SqliteConnectOptions, DbError> {
    make_private(path)
        .map_err(|why| DbError::Open(format!("the database {}: {why}", path.display())))?;
    Ok(SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5)))
}

/// Creates the file before SQLite does, readable only by its owner; SQLite's other files get the same rights.
fn make_private(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        // An existing file is not opened: closing it would release SQLite's locks in this process.
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop),
    }
}

async fn open_postgres(url: &str) -> Result<Pool, DbError> {
    let wait_ms = WAIT.as_millis();
    let options = PgConnectOptions::from_str(url)?
        .application_name("kinora")
        .options([("default_transaction_isolation", "read committed")]);
    let lock = migrate::lock_server(&options).await?;
    migrate::up_postgres(lock, &options).await?;
    let patient = options.options([("statement_timeout", 60_000)]);
    let hurried = patient.clone().options([
        ("statement_timeout", wait_ms),
        ("lock_timeout", wait_ms),
        ("idle_in_transaction_session_timeout", 30_000),
    ]);
    let of_size = |n: u32, options: PgConnectOptions, is_durable: &str| {
        PgPoolOptions::new()
            .max_connections(n)
            .acquire_timeout(WAIT)
            .connect_lazy_with(options.options([("synchronous_commit", is_durable)]))
    };
    Ok(Pool::Postgres {
        pool: of_size(12, hurried.clone(), "on"),
        rates: of_size(6, hurried, "off"),
        workers: of_size(6, patient, "on"),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Ends a transaction as SQLite does when it cannot write.
    async fn ended_by_itself(db: &Db) -> Result<(), DbError> {
        transaction!(db.begin(), tx => {
            tx.script("ROLLBACK").await?;
            tx.script("COMMIT").await
        })
    }

    #[tokio::test]
    async fn sqlite_goes_on_after_a_transaction_that_it_ended_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let options = DbOptions::Sqlite(folder.path().join("kinora.db"));
        let db = Db::open(&options).await.unwrap();
        ended_by_itself(&db).await.unwrap_err();
        let made = db.execute("CREATE TABLE made (n INTEGER)", &[]).await;
        made.unwrap();
    }

    /// Checks that every writing connection is synced except the one for request rates.
    #[tokio::test]
    async fn sqlite_is_synced() {
        let folder = tempfile::tempdir().unwrap();
        let options = DbOptions::Sqlite(folder.path().join("kinora.db"));
        let db = Db::open(&options).await.unwrap();
        let Pool::Sqlite {
            read,
            write,
            rates,
            workers,
        } = &db.pool
        else {
            return;
        };
        const FULL: i64 = 2;
        const NORMAL: i64 = 1;
        for (pool, expected) in [
            (read, FULL),
            (write, FULL),
            (workers, FULL),
            (rates, NORMAL),
        ] {
            let asked = sqlx::query_scalar::<_, i64>("PRAGMA synchronous").fetch_one(pool);
            assert_eq!(asked.await.unwrap(), expected);
            let asked = sqlx::query_scalar::<_, i64>("PRAGMA foreign_keys").fetch_one(pool);
            assert_eq!(asked.await.unwrap(), 1);
        }
    }
}
