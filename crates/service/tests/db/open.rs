//! How a database is opened: by several at once, by one that is too old, and by its owner only.

use std::os::unix::fs::PermissionsExt;

use kinora_service::db::{Db, DbError, DbOptions};

use crate::support::Store;
use crate::support::sample::account;

async fn by_several_at_once(store: Store) {
    let mut waiting = Vec::new();
    for _ in 0..6 {
        let options = store.options.clone();
        waiting.push(tokio::spawn(
            async move { Db::open(&options).await.unwrap() },
        ));
    }
    let mut all = Vec::new();
    for one in waiting {
        all.push(one.await.unwrap());
    }
    let owner = account(&all[0], 5).await;
    let mut secrets = Vec::new();
    for db in &all {
        assert!(db.is_ready().await);
        assert_eq!(db.account(&owner.id).await.unwrap().unwrap().balance, 5);
        secrets.push(db.secret("urls").await.unwrap());
    }
    secrets.dedup();
    assert_eq!(secrets.len(), 1, "each of them has the same secret");
    assert_ne!(secrets[0], all[0].secret("other").await.unwrap());
    // Again, now that there is nothing to do.
    assert!(store.open().await.is_ready().await);
}

async fn not_by_an_older_program(store: Store) {
    store.open().await.close().await;
    let mut sql = store.sql().await;
    sql.run("INSERT INTO kinora_versions (name, version) VALUES ('main', 1000)")
        .await;
    match Db::open(&store.options).await {
        Err(DbError::Open(why)) => assert!(why.contains("newer version"), "{why}"),
        other => panic!("{other:?}"),
    }
}

async fn as_it_is_configured(store: Store) {
    let db = store.open().await;
    account(&db, 1).await;
    let mut sql = store.sql().await;
    let DbOptions::Sqlite(path) = &store.options else {
        return;
    };
    assert_eq!(sql.texts("PRAGMA journal_mode").await, ["wal"]);
    let folder = std::fs::read_dir(path.parent().unwrap()).unwrap();
    let mut n_files = 0;
    for file in folder.flatten() {
        if file.file_name().to_string_lossy().contains(".db") {
            n_files += 1;
            let mode = file.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{:?}", file.file_name());
        }
    }
    assert!(n_files >= 4, "two files and their logs, not {n_files}");
}

#[tokio::test]
async fn not_what_is_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kinora.db");
    std::fs::write(&file, "this is a text and no database".repeat(100)).unwrap();
    assert!(Db::open(&DbOptions::Sqlite(file)).await.is_err());
    let below_a_file = folder.path().join("kinora.db/kinora.db");
    assert!(Db::open(&DbOptions::Sqlite(below_a_file)).await.is_err());
    let wrong = DbOptions::Postgres("postgres://:::".into());
    assert!(Db::open(&wrong).await.is_err());
}

on_both!(
    by_several_at_once,
    not_by_an_older_program,
    as_it_is_configured
);
