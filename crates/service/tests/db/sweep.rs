//! Runs that lost their worker, or their job: found again, once, and given up after enough attempts.

use std::time::Duration;

use kinora_service::db::{Db, DbOptions, RunStatus};

use crate::support::Store;
use crate::support::oracle::invariants;
use crate::support::sample::{account, created, output};
use crate::support::sql::Sql;

const LEASE: Duration = Duration::from_secs(60);

/// A worker takes up a run and is never heard of again.
async fn lost(db: &Db, sql: &mut Sql, id: &str, max_attempts: u32) -> bool {
    let claim = db
        .claim(id, "w", Duration::ZERO, max_attempts)
        .await
        .unwrap();
    sql.run("UPDATE river_job SET state = 'running' WHERE state = 'available'")
        .await;
    claim.is_some()
}

async fn waiting_jobs(sql: &mut Sql) -> i64 {
    sql.number("SELECT count(*) FROM river_job WHERE state = 'available'")
        .await
}

async fn found_once(store: Store) {
    let db = store.open().await;
    let mut sql = store.sql().await;
    let owner = account(&db, 100).await;
    let id = created(&db, &owner, 10).await;
    let alive = created(&db, &owner, 10).await;
    assert!(lost(&db, &mut sql, &id, 3).await);
    let claim = db.claim(&alive, "w", LEASE, 3).await.unwrap().unwrap();
    let processes = [store.open().await, store.open().await, store.open().await];
    let mut waiting = Vec::new();
    for db in processes {
        waiting.push(tokio::spawn(async move { db.sweep(3).await.unwrap() }));
    }
    let mut n_found = 0;
    for one in waiting {
        n_found += one.await.unwrap();
    }
    assert_eq!(n_found, 1);
    assert_eq!(waiting_jobs(&mut sql).await, 1);
    assert_eq!(db.sweep(3).await.unwrap(), 0);
    // Its state does not go back.
    let run = db.run(&owner.id, &id, None).await.unwrap().unwrap();
    assert_eq!(run.status, RunStatus::Executing);
    let again = db.claim(&id, "w2", LEASE, 3).await.unwrap().unwrap();
    assert_eq!(again.lease.attempt, 2);
    assert!(db.complete(&again.lease, &output(), 1).await.unwrap());
    assert!(db.complete(&claim.lease, &output(), 1).await.unwrap());
    assert_eq!(db.sweep(3).await.unwrap(), 0);
    invariants(&store.options).await;
}

async fn given_up_after_enough_attempts(store: Store) {
    let db = store.open().await;
    let mut sql = store.sql().await;
    let owner = account(&db, 100).await;
    let id = created(&db, &owner, 10).await;
    let other = created(&db, &owner, 10).await;
    for _ in 0..3 {
        assert!(lost(&db, &mut sql, &id, 3).await);
        assert!(lost(&db, &mut sql, &other, 3).await);
    }
    // One by the sweep, one by whoever would take it up.
    assert!(!lost(&db, &mut sql, &other, 3).await);
    assert_eq!(db.sweep(3).await.unwrap(), 1);
    for id in [&id, &other] {
        let run = db.run(&owner.id, id, None).await.unwrap().unwrap();
        assert_eq!((run.status, run.attempt), (RunStatus::Failed, 3));
        assert_eq!(run.failure.unwrap().reason, "too_many_attempts");
    }
    assert_eq!(db.account(&owner.id).await.unwrap().unwrap().balance, 100);
    assert_eq!(db.sweep(3).await.unwrap(), 0);
    invariants(&store.options).await;
}

async fn a_queued_run_whose_job_is_lost(store: Store) {
    let db = store.open().await;
    let mut sql = store.sql().await;
    let owner = account(&db, 100).await;
    let id = created(&db, &owner, 10).await;
    assert_eq!(db.sweep(3).await.unwrap(), 0);
    // A worker was killed between its queue and our row.
    sql.run("UPDATE river_job SET state = 'running'").await;
    assert_eq!(db.sweep(3).await.unwrap(), 0, "it may be about to begin");
    sql.run("UPDATE runs SET created_at = created_at - 60000")
        .await;
    assert_eq!(db.sweep(3).await.unwrap(), 1);
    assert_eq!(db.sweep(3).await.unwrap(), 0);
    assert_eq!(waiting_jobs(&mut sql).await, 1);
    assert!(db.claim(&id, "w", LEASE, 3).await.unwrap().is_some());
    invariants(&store.options).await;
}

async fn handed_back(store: Store) {
    let db = store.open().await;
    let mut sql = store.sql().await;
    let owner = account(&db, 100).await;
    let id = created(&db, &owner, 10).await;
    for attempt in 1..=5 {
        let claim = db.claim(&id, "w", LEASE, 3).await.unwrap().unwrap();
        assert_eq!(claim.lease.attempt, attempt);
        sql.run("UPDATE river_job SET state = 'running' WHERE state = 'available'")
            .await;
        let back = db.hand_back(&claim.lease, Duration::ZERO, true).await;
        assert!(back.unwrap());
        assert_eq!(waiting_jobs(&mut sql).await, 1);
        // It is not theirs any more, though no other attempt has begun.
        assert_eq!(db.heartbeat(&claim.lease, LEASE, None).await.unwrap(), None);
        assert!(!db.complete(&claim.lease, &output(), 1).await.unwrap());
        let again = db.hand_back(&claim.lease, Duration::ZERO, true).await;
        assert!(!again.unwrap());
        assert_eq!(db.sweep(3).await.unwrap(), 0, "its job is in the queue");
    }
    // The same at the cost of an attempt, and later.
    sql.run("UPDATE river_job SET state = 'running'").await;
    let claim = db.claim(&id, "w", LEASE, 3).await.unwrap().unwrap();
    let back = db.hand_back(&claim.lease, Duration::from_secs(300), false);
    assert!(back.await.unwrap());
    let later = "SELECT count(*) FROM river_job WHERE state = 'scheduled'";
    assert_eq!(sql.number(later).await, 1);
    assert_eq!(db.sweep(3).await.unwrap(), 0, "its job is in the queue");
    assert!(lost(&db, &mut sql, &id, 3).await);
    assert!(lost(&db, &mut sql, &id, 3).await);
    assert!(!lost(&db, &mut sql, &id, 3).await);
    let run = db.run(&owner.id, &id, None).await.unwrap().unwrap();
    assert_eq!((run.status, run.attempt), (RunStatus::Failed, 8));
    invariants(&store.options).await;
}

/// The clock was set back by an hour: what was due is due, and what was to end in a minute ends in a minute.
async fn a_clock_that_was_set_back(store: Store) {
    let db = store.open().await;
    let mut sql = store.sql().await;
    let owner = account(&db, 100).await;
    let waits = created(&db, &owner, 10).await;
    let runs = created(&db, &owner, 10).await;
    let claim = db.claim(&runs, "w", LEASE, 3).await.unwrap().unwrap();
    let url = "https://a.example/";
    db.add_webhook(&owner.id, url, "secret").await.unwrap();
    let told = created(&db, &owner, 10).await;
    let told = db.claim(&told, "w", LEASE, 3).await.unwrap().unwrap();
    db.complete(&told.lease, &output(), 1).await.unwrap();
    let (add, now, soon) = match &store.options {
        DbOptions::Sqlite(_) => (
            "strftime('%Y-%m-%d %H:%M:%f', scheduled_at, '+1 hour')",
            "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
            "julianday(scheduled_at) <= julianday('now')",
        ),
        DbOptions::Postgres(_) => (
            "scheduled_at + INTERVAL '1 hour'",
            "extract(epoch FROM clock_timestamp()) * 1000",
            "scheduled_at <= clock_timestamp()",
        ),
    };
    sql.run(&format!("UPDATE river_job SET scheduled_at = {add}"))
        .await;
    sql.run(
        "UPDATE runs SET created_at = created_at + 3600000, lease_until = lease_until + 3600000",
    )
    .await;
    assert_eq!(db.sweep(3).await.unwrap(), 1);
    assert_eq!(db.sweep(3).await.unwrap(), 0);
    let job = format!("SELECT count(*) FROM river_job WHERE args ->> 'run_id' = '{waits}'");
    assert_eq!(sql.number(&job).await, 2);
    db.mend_times(LEASE).await.unwrap();
    let late = format!(
        "SELECT count(*) FROM runs WHERE lease_until > {now} + 60000 OR lease_until < {now}"
    );
    assert_eq!(sql.number(&late).await, 0);
    let message = format!("kind = 'delivery' AND state = 'available' AND {soon}");
    let message = format!("SELECT count(*) FROM river_job WHERE {message}");
    assert_eq!(sql.number(&message).await, 1);
    assert!(db.complete(&claim.lease, &output(), 1).await.unwrap());
    invariants(&store.options).await;
}

/// Messages whose process was lost while it sent them: queued anew, once, and not while somebody may be sending them.
async fn messages_found_once(store: Store) {
    let db = store.open().await;
    let mut sql = store.sql().await;
    let owner = account(&db, 100).await;
    let hook = db.add_webhook(&owner.id, "https://a.example/", "a").await;
    let other = db.add_webhook(&owner.id, "https://b.example/", "b").await;
    let told = created(&db, &owner, 10).await;
    let told = db.claim(&told, "w", LEASE, 3).await.unwrap().unwrap();
    db.complete(&told.lease, &output(), 1).await.unwrap();
    assert_eq!(db.sweep_deliveries(8).await.unwrap(), 0, "they are new");
    sql.run("UPDATE deliveries SET created_at = created_at - 60000")
        .await;
    assert_eq!(db.sweep_deliveries(8).await.unwrap(), 0, "they have jobs");
    sql.lose_jobs("delivery", 60).await;
    assert_eq!(db.sweep_deliveries(8).await.unwrap(), 0, "still at work");
    sql.lose_jobs("delivery", 300).await;
    let id = other.unwrap().id;
    assert!(db.delete_webhook(&owner.id, &id).await.unwrap());
    let mut waiting = Vec::new();
    for db in [store.open().await, store.open().await, store.open().await] {
        waiting.push(tokio::spawn(async move {
            db.sweep_deliveries(8).await.unwrap()
        }));
    }
    let mut n_found = 0;
    for one in waiting {
        n_found += one.await.unwrap();
    }
    assert_eq!(n_found, 1);
    assert_eq!(db.sweep_deliveries(8).await.unwrap(), 0);
    // What is deleted is neither found nor sent, nor is what was taken or tried often enough.
    let all = db.deliveries(&owner.id, 9).await.unwrap();
    let is_of = |url: &'static str| all.iter().find(move |d| d.url == url).unwrap();
    let (open, gone) = (is_of("https://a.example/"), is_of("https://b.example/"));
    assert!(db.delivery(&gone.id).await.unwrap().is_none());
    assert_eq!(gone.error.as_deref(), Some("the webhook was deleted"));
    assert!(db.delivery(&open.id).await.unwrap().is_some());
    sql.lose_jobs("delivery", 300).await;
    assert_eq!(db.sweep_deliveries(0).await.unwrap(), 0);
    db.attempted(&open.id, Some(200), None, true).await.unwrap();
    assert_eq!(db.sweep_deliveries(8).await.unwrap(), 0);
    assert_eq!(hook.unwrap().url, open.url);
}

/// Jobs that were lost are no rows for ever.
async fn lost_jobs_are_forgotten(store: Store) {
    let db = store.open().await;
    let mut sql = store.sql().await;
    let owner = account(&db, 100).await;
    let url = "https://a.example/";
    db.add_webhook(&owner.id, url, "a").await.unwrap();
    let ended = created(&db, &owner, 10).await;
    let open = created(&db, &owner, 10).await;
    let claim = db.claim(&ended, "w", LEASE, 3).await.unwrap().unwrap();
    db.complete(&claim.lease, &output(), 1).await.unwrap();
    for secs in [60, 300] {
        sql.lose_jobs("run", secs).await;
        sql.lose_jobs("delivery", secs).await;
        db.clean().await.unwrap();
    }
    let left = "SELECT count(*) FROM river_job WHERE kind = 'run'";
    assert_eq!(sql.number(left).await, 2, "its run has only just ended");
    sql.run("UPDATE runs SET finished_at = finished_at - 3600000")
        .await;
    db.clean().await.unwrap();
    let left = sql.texts("SELECT args ->> 'run_id' FROM river_job").await;
    assert_eq!(left, [open]);
}

async fn an_order_that_cannot_be_read(store: Store) {
    let db = store.open().await;
    let mut sql = store.sql().await;
    let owner = account(&db, 100).await;
    let id = created(&db, &owner, 10).await;
    sql.run("UPDATE runs SET asked = '{}'").await;
    assert!(db.claim(&id, "w", LEASE, 3).await.unwrap().is_none());
    let ended = sql.texts("SELECT status FROM runs").await;
    assert_eq!(ended, ["FAILED"]);
    assert_eq!(db.account(&owner.id).await.unwrap().unwrap().balance, 100);
    assert_eq!(db.sweep(3).await.unwrap(), 0);
    invariants(&store.options).await;
}

on_both!(
    a_clock_that_was_set_back,
    an_order_that_cannot_be_read,
    found_once,
    messages_found_once,
    lost_jobs_are_forgotten,
    given_up_after_enough_attempts,
    a_queued_run_whose_job_is_lost,
    handed_back,
);
