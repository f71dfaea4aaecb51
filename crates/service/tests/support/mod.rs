//! What tests of the service share: databases of both kinds, and what has to hold in them whatever happened.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    dead_code,
    missing_docs,
    reason = "each test uses a part of it"
)]

pub mod oracle;
pub mod postgres;
pub mod proxy;
pub mod sample;
pub mod sql;

use kinora_service::db::{Db, DbOptions};

/// An empty database for one test; gone with it.
#[derive(Debug)]
pub struct Store {
    pub options: DbOptions,
    folder: Option<tempfile::TempDir>,
}

impl Store {
    /// A file of SQLite.
    pub fn sqlite() -> Store {
        let folder = tempfile::tempdir().unwrap();
        Store {
            options: DbOptions::Sqlite(folder.path().join("kinora.db")),
            folder: Some(folder),
        }
    }

    /// A database on the PostgreSQL server of this test program; `None`, said in a line, where the programs are absent.
    pub async fn postgres() -> Option<Store> {
        let server = postgres::server()?;
        Some(Store {
            options: DbOptions::Postgres(server.new_database().await),
            folder: None,
        })
    }

    /// Opens it as another process would: with connections of its own.
    pub async fn open(&self) -> Db {
        Db::open(&self.options).await.unwrap()
    }

    /// A connection behind the service's back.
    pub async fn sql(&self) -> sql::Sql {
        sql::Sql::open(&self.options).await
    }

    /// The same where request rates lie.
    pub async fn sql_of_rates(&self) -> sql::Sql {
        let options = match &self.options {
            DbOptions::Sqlite(path) => DbOptions::Sqlite(path.with_file_name("kinora-rates.db")),
            postgres => postgres.clone(),
        };
        sql::Sql::open(&options).await
    }
}

/// Makes two tests of each `async fn NAME(store: Store)`: one on SQLite, one on PostgreSQL. `mod support` has to stand in the root of the test program.
#[macro_export]
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name($crate::support::Store::sqlite()).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                if let Some(store) = $crate::support::Store::postgres().await {
                    super::$name(store).await;
                }
            })*
        }
    };
}
