//! A connection of the tests' own, for what the service has no method for.

use kinora_service::db::DbOptions;
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};

/// Whether nobody holds the write lock of a SQLite file for more than half a second.
pub async fn can_write(file: &std::path::Path) -> bool {
    let options = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(file)
        .busy_timeout(std::time::Duration::from_millis(500));
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    let tried = sqlx::raw_sql("BEGIN IMMEDIATE; ROLLBACK;").execute(&mut connection);
    tried.await.is_ok()
}

#[derive(Debug)]
pub enum Sql {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Sql {
    pub async fn open(options: &DbOptions) -> Sql {
        match options {
            DbOptions::Sqlite(path) => {
                let options = sqlx::sqlite::SqliteConnectOptions::new()
                    .filename(path)
                    .busy_timeout(std::time::Duration::from_secs(20));
                Sql::Sqlite(SqliteConnection::connect_with(&options).await.unwrap())
            }
            DbOptions::Postgres(url) => Sql::Postgres(PgConnection::connect(url).await.unwrap()),
        }
    }

    /// The only number of an answer.
    pub async fn number(&mut self, sql: &str) -> i64 {
        let query = AssertSqlSafe(sql.to_owned());
        match self {
            Sql::Sqlite(c) => sqlx::query_scalar(query).fetch_one(c).await,
            Sql::Postgres(c) => sqlx::query_scalar(query).fetch_one(c).await,
        }
        .unwrap_or_else(|e| panic!("{sql}: {e}"))
    }

    /// The only column of an answer, as text.
    pub async fn texts(&mut self, sql: &str) -> Vec<String> {
        let query = AssertSqlSafe(sql.to_owned());
        match self {
            Sql::Sqlite(c) => sqlx::query_scalar(query).fetch_all(c).await,
            Sql::Postgres(c) => sqlx::query_scalar(query).fetch_all(c).await,
        }
        .unwrap_or_else(|e| panic!("{sql}: {e}"))
    }

    /// The queue's jobs of a kind count as taken up by a process so many seconds ago that was never heard of again.
    pub async fn lose_jobs(&mut self, kind: &str, secs: u32) {
        let at = match self {
            Sql::Sqlite(_) => format!("strftime('%Y-%m-%d %H:%M:%f', 'now', '-{secs} seconds')"),
            Sql::Postgres(_) => format!("clock_timestamp() - INTERVAL '{secs} seconds'"),
        };
        self.run(&format!(
            "UPDATE river_job SET state = 'running', attempted_at = {at}, finalized_at = NULL WHERE kind = '{kind}'"
        ))
        .await;
    }

    /// Statements without an answer.
    pub async fn run(&mut self, sql: &str) {
        let query = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        match self {
            Sql::Sqlite(c) => query.execute(c).await.map(drop),
            Sql::Postgres(c) => query.execute(c).await.map(drop),
        }
        .unwrap_or_else(|e| panic!("{sql}: {e}"));
    }
}
