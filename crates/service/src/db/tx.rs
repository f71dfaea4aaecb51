//! One interface to both databases: statements with arguments, rows, transactions. Columns are only texts and 64-bit numbers.

use std::time::Duration;

use sqlx::postgres::{PgPool, PgRow};
use sqlx::sqlite::{SqlitePool, SqliteRow};
use sqlx::{
    AssertSqlSafe, Decode, Postgres, Row as _, SqlSafeStr, SqlStr, Sqlite, Transaction, Type,
};

use super::DbError;
use crate::ids;

/// The longest wait for a server that does not respond; a working server ends statements earlier itself.
const SILENCE: Duration = Duration::from_millis(1900);

/// How often a transaction is retried after a deadlock or a lost race.
const TRIES: u32 = 6;

/// The value of a `$n` in a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg<'a> {
    Text(Option<&'a str>),
    Int(Option<i64>),
}

impl<'a> From<&'a str> for Arg<'a> {
    fn from(text: &'a str) -> Arg<'a> {
        Arg::Text(Some(text))
    }
}
impl<'a> From<&'a String> for Arg<'a> {
    fn from(text: &'a String) -> Arg<'a> {
        Arg::Text(Some(text))
    }
}
impl<'a> From<Option<&'a str>> for Arg<'a> {
    fn from(text: Option<&'a str>) -> Arg<'a> {
        Arg::Text(text)
    }
}
impl<'a> From<&'a Option<String>> for Arg<'a> {
    fn from(text: &'a Option<String>) -> Arg<'a> {
        Arg::Text(text.as_deref())
    }
}
impl From<i64> for Arg<'_> {
    fn from(n: i64) -> Self {
        Arg::Int(Some(n))
    }
}
impl From<Option<i64>> for Arg<'_> {
    fn from(n: Option<i64>) -> Self {
        Arg::Int(n)
    }
}
impl From<u32> for Arg<'_> {
    fn from(n: u32) -> Self {
        Arg::Int(Some(n.into()))
    }
}
impl From<u64> for Arg<'_> {
    fn from(n: u64) -> Self {
        Arg::Int(Some(i64::try_from(n).unwrap_or(i64::MAX)))
    }
}
impl From<bool> for Arg<'_> {
    fn from(flag: bool) -> Self {
        Arg::Int(Some(flag.into()))
    }
}

/// The arguments of a statement.
macro_rules! args {
    ($($value:expr),* $(,)?) => { &[$(crate::db::tx::Arg::from($value)),*] };
}
pub(super) use args;

/// Binds a statement's arguments, for either driver.
macro_rules! bound {
    ($sql:expr, $args:expr) => {{
        let mut query = sqlx::query($sql);
        for arg in $args {
            query = match arg {
                Arg::Text(text) => query.bind(*text),
                Arg::Int(n) => query.bind(*n),
            };
        }
        query
    }};
}

/// The type of a column.
pub(super) trait Column:
    for<'r> Decode<'r, Sqlite> + Type<Sqlite> + for<'r> Decode<'r, Postgres> + Type<Postgres>
{
}
impl<T> Column for T where
    T: for<'r> Decode<'r, Sqlite> + Type<Sqlite> + for<'r> Decode<'r, Postgres> + Type<Postgres>
{
}

/// A row of a result.
#[derive(Debug)]
pub(super) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
    /// Returns a column by its name.
    pub(super) fn get<T: Column>(&self, column: &str) -> Result<T, DbError> {
        Ok(match self {
            Row::Sqlite(row) => row.try_get(column)?,
            Row::Postgres(row) => row.try_get(column)?,
        })
    }

    /// Returns a number that is never negative, as the tables' checks and our own writes ensure.
    pub(super) fn count(&self, column: &str) -> Result<u64, DbError> {
        Ok(self.get::<i64>(column)?.max(0).unsigned_abs())
    }

    /// The same for a small number.
    pub(super) fn small(&self, column: &str) -> Result<u32, DbError> {
        Ok(u32::try_from(self.get::<i64>(column)?.max(0)).unwrap_or(u32::MAX))
    }

    /// Returns a flag.
    pub(super) fn flag(&self, column: &str) -> Result<bool, DbError> {
        Ok(self.get::<i64>(column)? != 0)
    }

    /// Parses a JSON document.
    pub(super) fn json<T: serde::de::DeserializeOwned>(&self, column: &str) -> Result<T, DbError> {
        Ok(serde_json::from_str(&self.get::<String>(column)?)?)
    }

    /// The same for an optional document.
    pub(super) fn opt_json<T: serde::de::DeserializeOwned>(
        &self,
        column: &str,
    ) -> Result<Option<T>, DbError> {
        let text: Option<String> = self.get(column)?;
        Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
    }

    pub(super) async fn all_sqlite(
        pool: &SqlitePool,
        sql: &'static str,
        args: &[Arg<'_>],
    ) -> Result<Vec<Row>, DbError> {
        let rows = bound!(worded(sql, &OF_SQLITE), args)
            .fetch_all(pool)
            .await?;
        Ok(rows.into_iter().map(Row::Sqlite).collect())
    }

    pub(super) async fn all_postgres(
        pool: &PgPool,
        sql: &'static str,
        args: &[Arg<'_>],
    ) -> Result<Vec<Row>, DbError> {
        let rows = bound!(worded(sql, &OF_POSTGRES), args)
            .fetch_all(pool)
            .await?;
        Ok(rows.into_iter().map(Row::Postgres).collect())
    }
}

/// A transaction. It is rolled back on drop.
#[derive(Debug)]
pub(super) struct Tx {
    inner: Inner,
    is_undone: bool,
}

#[derive(Debug)]
enum Inner {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

impl Tx {
    pub(super) fn sqlite(tx: Transaction<'static, Sqlite>) -> Tx {
        let inner = Inner::Sqlite(tx);
        let is_undone = false;
        Tx { inner, is_undone }
    }

    pub(super) fn postgres(tx: Transaction<'static, Postgres>) -> Tx {
        let inner = Inner::Postgres(tx);
        let is_undone = false;
        Tx { inner, is_undone }
    }

    /// Changes rows; returns how many.
    pub(super) async fn execute(
        &mut self,
        sql: &'static str,
        args: &[Arg<'_>],
    ) -> Result<u64, DbError> {
        match &mut self.inner {
            Inner::Sqlite(tx) => {
                let done = bound!(worded(sql, &OF_SQLITE), args)
                    .execute(&mut **tx)
                    .await?;
                Ok(done.rows_affected())
            }
            Inner::Postgres(tx) => {
                let done = bound!(worded(sql, &OF_POSTGRES), args).execute(&mut **tx);
                Ok(within(async { Ok(done.await?) }).await?.rows_affected())
            }
        }
    }

    /// Reads rows, or changes and returns them.
    pub(super) async fn rows(
        &mut self,
        sql: &'static str,
        args: &[Arg<'_>],
    ) -> Result<Vec<Row>, DbError> {
        match &mut self.inner {
            Inner::Sqlite(tx) => {
                let rows = bound!(worded(sql, &OF_SQLITE), args)
                    .fetch_all(&mut **tx)
                    .await?;
                Ok(rows.into_iter().map(Row::Sqlite).collect())
            }
            Inner::Postgres(tx) => {
                let rows = bound!(worded(sql, &OF_POSTGRES), args).fetch_all(&mut **tx);
                let rows = within(async { Ok(rows.await?) }).await?;
                Ok(rows.into_iter().map(Row::Postgres).collect())
            }
        }
    }

    /// Returns the only row.
    pub(super) async fn row(
        &mut self,
        sql: &'static str,
        args: &[Arg<'_>],
    ) -> Result<Option<Row>, DbError> {
        Ok(self.rows(sql, args).await?.into_iter().next())
    }

    /// Runs statements without arguments, one after another.
    pub(super) async fn script(&mut self, sql: &'static str) -> Result<(), DbError> {
        match &mut self.inner {
            Inner::Sqlite(tx) => sqlx::raw_sql(sql).execute(&mut **tx).await.map(drop)?,
            Inner::Postgres(tx) => sqlx::raw_sql(sql).execute(&mut **tx).await.map(drop)?,
        }
        Ok(())
    }

    /// Inserts a job into the queue; it becomes visible when the transaction is committed.
    pub(super) async fn insert_job<J: riverqueue::JobArgs>(
        &mut self,
        queue: &riverqueue::Client,
        job: J,
        opts: riverqueue::InsertOpts,
    ) -> Result<(), DbError> {
        let request = queue.insert(job).opts(opts);
        match &mut self.inner {
            Inner::Sqlite(tx) => request.tx(tx).await.map(drop)?,
            Inner::Postgres(tx) => {
                let request = request.tx(tx);
                within(async { Ok(request.await.map(drop)?) }).await?;
            }
        }
        Ok(())
    }

    /// Discards this transaction, although its body returns a value.
    pub(super) fn undo(&mut self) {
        self.is_undone = true;
    }

    /// Commits, unless it was undone or failed.
    pub(super) async fn end<T>(self, done: Result<T, DbError>) -> Result<T, DbError> {
        if done.is_err() || self.is_undone {
            self.roll_back().await;
            return done;
        }
        match self.inner {
            Inner::Sqlite(tx) => tx.commit().await?,
            Inner::Postgres(tx) => within(async { Ok(tx.commit().await?) }).await?,
        }
        done
    }

    /// Rolls back. If the database cannot be reached, closing the connection does it.
    async fn roll_back(self) {
        let done = match self.inner {
            Inner::Sqlite(tx) => tx.rollback().await.map_err(DbError::from),
            Inner::Postgres(tx) => within(async { Ok(tx.rollback().await?) }).await,
        };
        if let Err(error) = done {
            tracing::debug!(%error, "a rollback was not answered");
        }
    }
}

/// Runs a body in a transaction: commits and returns its value, or returns its error with nothing changed. A lost race is retried. This is a macro because the
/// compiler cannot see that the future of a closure over a borrowed transaction is `Send`.
macro_rules! transaction {
    ($begin:expr, $tx:ident => $body:block) => {{
        let mut n_tries = 0;
        loop {
            let mut begun = $begin.await?;
            let $tx = &mut begun;
            let done: Result<_, crate::db::DbError> = async { $body }.await;
            match begun.end(done).await {
                Err(error) if crate::db::tx::is_to_be_tried_again(&error, n_tries).await => {
                    n_tries += 1;
                }
                done => break done,
            }
        }
    }};
}
pub(super) use transaction;

/// Whether a failed transaction lost a race and may be retried now. Waits first, longer each time and for a random time, so that two do not collide again.
pub(super) async fn is_to_be_tried_again(error: &DbError, n_tries: u32) -> bool {
    if !error.is_lost_race() || n_tries >= TRIES {
        return false;
    }
    let [byte] = ids::random();
    let ms = 5 + u64::from(byte) * u64::from(n_tries + 1) / 8;
    tokio::time::sleep(Duration::from_millis(ms)).await;
    true
}

/// Returns an error if the work takes longer than `SILENCE`.
pub(super) async fn within<T>(
    work: impl Future<Output = Result<T, DbError>>,
) -> Result<T, DbError> {
    match tokio::time::timeout(SILENCE, work).await {
        Ok(done) => done,
        Err(_) => Err(sqlx::Error::PoolTimedOut.into()),
    }
}

/// The clock is the only difference in their SQL: `now_ms()` is milliseconds since 1970; `queue_now()`, `in_ten_minutes()` and `two_minutes_ago()` are in the
/// queue's format.
type Words = [(&'static str, &'static str); 4];

const OF_SQLITE: Words = [
    ("now_ms()", "CAST(unixepoch('subsec') * 1000 AS INTEGER)"),
    ("queue_now()", "strftime('%Y-%m-%d %H:%M:%f', 'now')"),
    (
        "in_ten_minutes()",
        "strftime('%Y-%m-%d %H:%M:%f', 'now', '+600 seconds')",
    ),
    (
        "two_minutes_ago()",
        "strftime('%Y-%m-%d %H:%M:%f', 'now', '-120 seconds')",
    ),
];
const OF_POSTGRES: Words = [
    (
        "now_ms()",
        "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
    ),
    ("queue_now()", "clock_timestamp()"),
    (
        "in_ten_minutes()",
        "(clock_timestamp() + INTERVAL '600 seconds')",
    ),
    (
        "two_minutes_ago()",
        "(clock_timestamp() - INTERVAL '120 seconds')",
    ),
];

fn worded(sql: &'static str, words: &Words) -> SqlStr {
    if !words.iter().any(|(word, _)| sql.contains(word)) {
        return sql.into_sql_str();
    }
    let said = words.iter().fold(sql.to_owned(), |sql, (word, meant)| {
        sql.replace(word, meant)
    });
    AssertSqlSafe(said).into_sql_str()
}
