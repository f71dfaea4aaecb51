//! Updates the tables: ours with the files in `migrations/`, the queue's with its own migrations. One process at a time.

use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{ConnectOptions, Connection};

use super::DbError;
use super::tx::{Tx, args};

/// How long to wait for another process that migrates.
const PATIENCE: Duration = Duration::from_secs(60);
/// `kinora` as a number: the name of the lock in PostgreSQL.
const LOCK: i64 = 0x6b69_6e6f_7261;

/// A set of tables.
#[derive(Clone, Copy, Debug)]
pub(super) enum Schema {
    /// All but request rates.
    Main,
    /// Request rates. In SQLite they have their own file.
    Rates,
}

impl Schema {
    /// Returns its migrations, oldest first.
    fn versions(self) -> &'static [&'static str] {
        match self {
            Schema::Main => &[
                include_str!("../../migrations/0001_first.sql"),
                include_str!("../../migrations/0002_open_deliveries.sql"),
                include_str!("../../migrations/0003_measured_characters.sql"),
            ],
            Schema::Rates => &[include_str!("../../migrations/rates_0001_first.sql")],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Schema::Main => "main",
            Schema::Rates => "rates",
        }
    }
}

/// Applies the missing migrations in this transaction, and commits it.
pub(super) async fn up(mut tx: Tx, schema: Schema) -> Result<(), DbError> {
    tx.script(
        "CREATE TABLE IF NOT EXISTS kinora_versions (name TEXT NOT NULL, version BIGINT NOT NULL, PRIMARY KEY (name, version))",
    )
    .await?;
    let sql = "SELECT version FROM kinora_versions WHERE name = $1 ORDER BY version DESC";
    let newest = tx.row(sql, args![schema.name()]).await?;
    let n_applied = newest.map_or(Ok(0), |row| row.small("version"))? as usize;
    let versions = schema.versions();
    if n_applied > versions.len() {
        return Err(DbError::Open(format!(
            "the database was upgraded by a newer version of this program (its tables `{}` have version {n_applied}, this program supports {}): start the newer version",
            schema.name(),
            versions.len(),
        )));
    }
    for (i, sql) in versions.iter().enumerate().skip(n_applied) {
        tx.script(sql).await?;
        let sql = "INSERT INTO kinora_versions (name, version) VALUES ($1, $2)";
        tx.execute(sql, args![schema.name(), i as i64 + 1]).await?;
    }
    tx.end(Ok(())).await
}

/// Migrates a server. The connection that holds the lock is not in a transaction meanwhile.
pub(super) async fn up_postgres(
    lock: PgConnection,
    options: &PgConnectOptions,
) -> Result<(), DbError> {
    let pool = PgPoolOptions::new().max_connections(1);
    let pool = pool.connect_lazy_with(options.clone());
    for schema in [Schema::Main, Schema::Rates] {
        up(Tx::postgres(pool.begin().await?), schema).await?;
    }
    let river = riverqueue::migrate::PostgresMigrator::new(pool.clone());
    river.migrate_up().await.map_err(of_river)?;
    pool.close().await;
    lock.close().await?;
    Ok(())
}

/// Waits for the file's lock, which is held until the file is dropped.
pub(super) async fn lock_file(path: &Path) -> Result<std::fs::File, DbError> {
    let bad = |why: &dyn std::fmt::Display| DbError::Open(format!("{}: {why}", path.display()));
    let mut options = std::fs::OpenOptions::new();
    let file = options.create(true).truncate(false).write(true).open(path);
    let file = file.map_err(|e| bad(&e))?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(std::fs::TryLockError::Error(e)) => return Err(bad(&e)),
            Err(std::fs::TryLockError::WouldBlock) if begun.elapsed() > PATIENCE => {
                return Err(bad(&"another process has locked it for too long"));
            }
            Err(std::fs::TryLockError::WouldBlock) => pause().await,
        }
    }
}

/// Waits for the server's lock, which is held until the connection ends. It polls, because a waiting statement would block statements that build indexes.
pub(super) async fn lock_server(options: &PgConnectOptions) -> Result<PgConnection, DbError> {
    let connecting = async { Ok(options.connect().await?) };
    let mut connection = super::tx::within(connecting).await?;
    let begun = Instant::now();
    loop {
        let asked = sqlx::query_scalar("SELECT pg_try_advisory_lock($1)").bind(LOCK);
        if asked.fetch_one(&mut connection).await? {
            return Ok(connection);
        }
        if begun.elapsed() > PATIENCE {
            let why = "another process has been changing the database's tables for too long";
            return Err(DbError::Open(why.into()));
        }
        pause().await;
    }
}

async fn pause() {
    tokio::time::sleep(Duration::from_millis(30)).await;
}

/// Wraps errors of the queue's migrations.
pub(super) fn of_river(error: riverqueue::migrate::Error) -> DbError {
    DbError::Open(format!("the queue's tables: {error}"))
}
