//! Credits: whoever asks at once and however often, no more is spent than was granted.

use std::collections::HashMap;
use std::time::Duration;

use kinora_service::db::{Created, Idempotency, NewRun};
use kinora_service::ids;

use crate::support::Store;
use crate::support::oracle::invariants;
use crate::support::sample::{account, created, failure, output, run};

/// Writes down runs at once, over connections as of three processes.
async fn create_at_once(store: &Store, runs: Vec<NewRun>) -> Vec<Created> {
    let processes = [store.open().await, store.open().await, store.open().await];
    let mut waiting = Vec::new();
    for (i, run) in runs.into_iter().enumerate() {
        let db = processes[i % 3].clone();
        waiting.push(tokio::spawn(
            async move { db.create_run(&run).await.unwrap() },
        ));
    }
    let mut all = Vec::new();
    for one in waiting {
        all.push(one.await.unwrap());
    }
    all
}

async fn exactly_what_is_paid_for(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 7 * 30 + 29).await;
    let runs = (0..200).map(|_| run(&owner, 30)).collect();
    let all = create_at_once(&store, runs).await;
    let n_new = all.iter().filter(|c| **c == Created::New).count();
    let n_poor = all
        .iter()
        .filter(|c| {
            matches!(
                c,
                Created::NoCredits {
                    available: 29..=239
                }
            )
        })
        .count();
    assert_eq!((n_new, n_poor), (7, 193));
    assert_eq!(db.account(&owner.id).await.unwrap().unwrap().balance, 29);
    let mut sql = store.sql().await;
    assert_eq!(sql.number("SELECT count(*) FROM runs").await, 7);
    assert_eq!(sql.number("SELECT count(*) FROM river_job").await, 7);
    invariants(&store.options).await;
}

async fn one_run_for_one_key(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 1000).await;
    let with_key = |body: &str| {
        let mut run = run(&owner, 10);
        run.idempotency = Some(Idempotency {
            name: "order 1".into(),
            body_hash: ids::hash(body),
        });
        run
    };
    let runs: Vec<_> = (0..50).map(|_| with_key("a")).collect();
    let answers: HashMap<String, serde_json::Value> = runs
        .iter()
        .map(|run| (run.id.clone(), run.answer.clone()))
        .collect();
    let all = create_at_once(&store, runs).await;
    assert_eq!(all.iter().filter(|c| **c == Created::New).count(), 1);
    let mut sql = store.sql().await;
    let made = sql.texts("SELECT id FROM runs").await;
    assert_eq!(made.len(), 1);
    let first = &answers[&made[0]];
    for one in all {
        assert!(one == Created::New || one == Created::Repeated(first.clone()));
    }
    let other = db.create_run(&with_key("b")).await.unwrap();
    assert_eq!(other, Created::OtherBody);
    assert_eq!(db.account(&owner.id).await.unwrap().unwrap().balance, 990);

    // The key is its account's own, and is kept for a day.
    let stranger = account(&db, 1000).await;
    let mut theirs = with_key("b");
    theirs.account_id = stranger.id;
    assert_eq!(db.create_run(&theirs).await.unwrap(), Created::New);
    sql.run("UPDATE idempotency SET created_at = created_at - 86400000")
        .await;
    assert_eq!(db.create_run(&with_key("b")).await.unwrap(), Created::New);
    invariants(&store.options).await;
}

async fn no_key_is_kept_of_what_was_not_made(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 5).await;
    let mut run = run(&owner, 10);
    run.idempotency = Some(Idempotency {
        name: "k".into(),
        body_hash: "h".into(),
    });
    let made = db.create_run(&run).await.unwrap();
    assert_eq!(made, Created::NoCredits { available: 5 });
    assert_eq!(db.grant(&owner.id, 5, "gift").await.unwrap(), Some(10));
    assert_eq!(db.create_run(&run).await.unwrap(), Created::New);
    let made = db.create_run(&run).await.unwrap();
    assert_eq!(made, Created::Repeated(run.answer.clone()));
    invariants(&store.options).await;
}

async fn a_sandbox_costs_nothing(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 0).await;
    let mut run = run(&owner, 50);
    run.is_sandbox = true;
    assert_eq!(db.create_run(&run).await.unwrap(), Created::New);
    let lease = Duration::from_secs(60);
    let claim = db.claim(&run.id, "w", lease, 3).await.unwrap().unwrap();
    assert!(claim.run.asked.is_sandbox);
    assert!(db.complete(&claim.lease, &output(), 50).await.unwrap());
    let done = db.run(&owner.id, &run.id, None).await.unwrap().unwrap();
    assert_eq!(done.credits_used, Some(0));
    invariants(&store.options).await;
}

/// 24 runs end at once, over three processes, each told by two: one of them wins, and the ledger adds up.
async fn one_end_for_each_run(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 24 * 10).await;
    let other = store.open().await;
    let mut waiting = Vec::new();
    for i in 0..24 {
        let id = created(&db, &owner, 10).await;
        let lease = Duration::from_secs(60);
        let claim = db.claim(&id, "w", lease, 3).await.unwrap().unwrap();
        for db in [db.clone(), other.clone()] {
            let lease = claim.lease.clone();
            waiting.push(tokio::spawn(async move {
                // More than is held is never captured.
                match i % 2 {
                    0 => db
                        .complete(&lease, &output(), 4 + 10 * (i % 4))
                        .await
                        .unwrap(),
                    _ => db.fail(&lease, &failure("refused")).await.unwrap(),
                }
            }));
        }
    }
    let mut n_won = 0;
    for one in waiting {
        n_won += usize::from(one.await.unwrap());
    }
    assert_eq!(n_won, 24);
    // 12 completed: 6 at 4 credits and 6 at all of their 10.
    let balance = db.account(&owner.id).await.unwrap().unwrap().balance;
    assert_eq!(balance, 240 - 6 * 4 - 6 * 10);
    invariants(&store.options).await;
}

async fn grants(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 10).await;
    assert_eq!(db.grant(&owner.id, -11, "too much").await.unwrap(), None);
    assert_eq!(db.grant(&owner.id, i64::MAX, "all").await.unwrap(), None);
    assert_eq!(db.grant(&owner.id, i64::MIN, "none").await.unwrap(), None);
    assert_eq!(db.grant("acc_none", 5, "nobody").await.unwrap(), None);
    assert_eq!(db.grant(&owner.id, -4, "fix").await.unwrap(), Some(6));
    let id = created(&db, &owner, 6).await;
    let lines = db.ledger(&owner.id, 10).await.unwrap();
    let said: Vec<_> = lines
        .iter()
        .map(|line| (line.kind.as_str(), line.amount, line.balance))
        .collect();
    assert_eq!(said, [("hold", -6, 0), ("grant", -4, 6), ("grant", 10, 10)]);
    assert_eq!(lines[0].run_id.as_ref(), Some(&id));
    assert_eq!(db.ledger(&owner.id, 1).await.unwrap().len(), 1);
    invariants(&store.options).await;
}

on_both!(
    exactly_what_is_paid_for,
    one_run_for_one_key,
    no_key_is_kept_of_what_was_not_made,
    a_sandbox_costs_nothing,
    one_end_for_each_run,
    grants,
);
