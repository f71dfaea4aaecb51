//! A run's life in the database: attempts, leases, endings, what a late writer may not do.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[macro_use]
mod support;

use std::time::Duration;

use kinora_service::db::{Progress, RunStatus};
use support::Store;
use support::oracle::{ended, invariants};
use support::sample::{account, created, failure, output};

const LEASE: Duration = Duration::from_secs(60);

async fn completes(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    let id = created(&db, &owner, 30).await;
    invariants(&store.options).await;
    let claim = db.claim(&id, "w", LEASE, 3).await.unwrap().unwrap();
    assert_eq!(claim.run.attempt, 1);
    assert!(db.claim(&id, "other", LEASE, 3).await.unwrap().is_none());
    let progress = |percent| Progress {
        percent,
        stage: "voice".into(),
        scene_done: 1,
        scene_total: 4,
    };
    for percent in [40, 10] {
        let progress = progress(percent);
        let beat = db.heartbeat(&claim.lease, LEASE, Some(&progress));
        assert_eq!(beat.await.unwrap(), Some(false));
    }
    let run = db.run(&owner.id, &id, None).await.unwrap().unwrap();
    assert_eq!(run.progress.unwrap().percent, 40);
    assert_eq!(run.status, RunStatus::Executing);
    assert!(db.complete(&claim.lease, &output(), 12).await.unwrap());
    let run = db.run(&owner.id, &id, None).await.unwrap().unwrap();
    assert_eq!(run.status, RunStatus::Completed);
    assert_eq!((run.credits_used, run.output), (Some(12), Some(output())));
    let balance = db.account(&owner.id).await.unwrap().unwrap().balance;
    assert_eq!(balance, 88);
    assert!(!db.fail(&claim.lease, &failure("late")).await.unwrap());
    invariants(&store.options).await;
    ended(&store.options, &[id]).await;
}

on_both!(completes);

/// Handlers and workers are moved between threads while they wait for the database.
#[test]
fn work_may_move_between_threads() {
    fn may_move<T: Send>(_: impl FnOnce(kinora_service::db::Db) -> T) {}
    may_move(|db| async move { db.sweep(3).await });
    may_move(|db| async move {
        db.create_run(&support::sample::run(&account(&db, 1).await, 1))
            .await
    });
    may_move(|db| async move { db.admit("key", 1, 1000).await });
    may_move(|db| async move { db.cancel_run("a", "b").await });
    may_move(|db| async move {
        db.add_account("a", "b", kinora_service::db::Plan::Free, 1)
            .await
    });
    may_move(|db| async move { db.revoke_key("a", "b").await });
}
