//! A run whose owner wants it no more, in each of its states.

use std::time::Duration;

use kinora_service::db::{Account, Db, RunStatus};

use crate::support::Store;
use crate::support::oracle::{ended, invariants};
use crate::support::sample::{account, created, failure, output};

const LEASE: Duration = Duration::from_secs(60);

async fn is_cancelled(db: &Db, owner: &Account, id: &str) {
    let run = db.run(&owner.id, id, None).await.unwrap().unwrap();
    assert_eq!(run.status, RunStatus::Failed);
    assert_eq!(run.failure.unwrap().reason, "cancelled");
    assert_eq!(run.credits_used, None);
}

async fn in_each_state(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    let cancel = async |id: &str| db.cancel_run(&owner.id, id).await.unwrap();

    let queued = created(&db, &owner, 10).await;
    assert_eq!(cancel(&queued).await, Some(true));
    is_cancelled(&db, &owner, &queued).await;
    assert_eq!(cancel(&queued).await, Some(false));
    assert!(db.claim(&queued, "w", LEASE, 3).await.unwrap().is_none());

    let lost = created(&db, &owner, 10).await;
    db.claim(&lost, "w", Duration::ZERO, 3)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(cancel(&lost).await, Some(true));
    is_cancelled(&db, &owner, &lost).await;

    let executing = created(&db, &owner, 10).await;
    let claim = db.claim(&executing, "w", LEASE, 3).await.unwrap().unwrap();
    assert_eq!(cancel(&executing).await, Some(true));
    assert_eq!(cancel(&executing).await, Some(true));
    let run = db.run(&owner.id, &executing, None).await.unwrap().unwrap();
    assert_eq!((run.status, run.cancel_asked), (RunStatus::Executing, true));
    let beat = db.heartbeat(&claim.lease, LEASE, None).await.unwrap();
    assert_eq!(beat, Some(true));
    assert!(db.fail(&claim.lease, &failure("cancelled")).await.unwrap());
    is_cancelled(&db, &owner, &executing).await;

    let completed = created(&db, &owner, 10).await;
    let claim = db.claim(&completed, "w", LEASE, 3).await.unwrap().unwrap();
    assert!(db.complete(&claim.lease, &output(), 3).await.unwrap());
    assert_eq!(cancel(&completed).await, Some(false));
    assert_eq!(cancel("run_none").await, None);
    assert_eq!(db.account(&owner.id).await.unwrap().unwrap().balance, 97);
    invariants(&store.options).await;
    ended(&store.options, &[queued, lost, executing, completed]).await;
}

/// Whoever was asked to stop, and did not live to do it.
async fn when_its_worker_is_lost(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    let swept = created(&db, &owner, 10).await;
    let claimed = created(&db, &owner, 10).await;
    let back = created(&db, &owner, 10).await;
    for id in [&swept, &claimed, &back] {
        let claim = db.claim(id, "w", LEASE, 3).await.unwrap().unwrap();
        assert_eq!(db.cancel_run(&owner.id, id).await.unwrap(), Some(true));
        if id == &back {
            let handed = db.hand_back(&claim.lease, LEASE, true).await;
            assert!(handed.unwrap());
        }
    }
    let mut sql = store.sql().await;
    sql.run("UPDATE runs SET lease_until = lease_until - 120000")
        .await;
    assert!(db.claim(&claimed, "w", LEASE, 3).await.unwrap().is_none());
    assert_eq!(db.sweep(3).await.unwrap(), 2);
    for id in [&swept, &claimed, &back] {
        is_cancelled(&db, &owner, id).await;
    }
    invariants(&store.options).await;
    ended(&store.options, &[swept, claimed, back]).await;
}

/// To complete and to cancel at once: one of both.
async fn at_its_very_end(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    for _ in 0..10 {
        let id = created(&db, &owner, 1).await;
        let claim = db
            .claim(&id, "w", Duration::ZERO, 3)
            .await
            .unwrap()
            .unwrap();
        let (output, other) = (output(), store.open().await);
        let completes = db.complete(&claim.lease, &output, 1);
        let (is_done, is_cancelled) = tokio::join!(completes, other.cancel_run(&owner.id, &id));
        let run = db.run(&owner.id, &id, None).await.unwrap().unwrap();
        let status = match is_done.unwrap() {
            true => RunStatus::Completed,
            false => RunStatus::Failed,
        };
        assert_eq!(run.status, status);
        assert_eq!(is_cancelled.unwrap(), Some(status == RunStatus::Failed));
        other.close().await;
    }
    invariants(&store.options).await;
}

on_both!(in_each_state, when_its_worker_is_lost, at_its_very_end);
