//! What an ended run leaves: messages to webhooks, an output for a time, numbers for operators.

use std::time::Duration;

use kinora_service::db::{Account, Db, Delivery, RunStatus};

use crate::support::Store;
use crate::support::oracle::invariants;
use crate::support::sample::{account, created, failure, output, run};

const LEASE: Duration = Duration::from_secs(60);

async fn completed(db: &Db, owner: &Account) -> String {
    let id = created(db, owner, 1).await;
    let claim = db.claim(&id, "w", LEASE, 3).await.unwrap().unwrap();
    assert!(db.complete(&claim.lease, &output(), 1).await.unwrap());
    id
}

fn targets(deliveries: &[Delivery]) -> Vec<(&str, &str)> {
    let all = deliveries.iter();
    let mut all: Vec<_> = all.map(|d| (d.url.as_str(), d.secret.as_str())).collect();
    all.sort_unstable();
    all
}

async fn messages(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    let other = account(&db, 100).await;
    let (a, b, own) = (
        "https://a.example/",
        "https://b.example/",
        "https://own.example/",
    );
    db.add_webhook(&owner.id, a, "secret a").await.unwrap();
    db.add_webhook(&owner.id, b, "secret b").await.unwrap();
    db.add_webhook(&other.id, own, "theirs").await.unwrap();
    let secret = db.signing_secret(&owner.id).await.unwrap().unwrap();
    assert_ne!(secret, db.signing_secret(&other.id).await.unwrap().unwrap());

    let mut asked = run(&owner, 1);
    asked.webhook_url = Some(own.into());
    db.create_run(&asked).await.unwrap();
    assert!(db.deliveries(&owner.id, 10).await.unwrap().is_empty());
    let claim = db.claim(&asked.id, "w", LEASE, 3).await.unwrap().unwrap();
    assert!(db.fail(&claim.lease, &failure("refused")).await.unwrap());
    let told = db.deliveries(&owner.id, 10).await.unwrap();
    assert_eq!(
        targets(&told),
        [(a, "secret a"), (b, "secret b"), (own, secret.as_str())]
    );
    for one in &told {
        assert_eq!((one.event.as_str(), &one.run_id), ("run.failed", &asked.id));
        assert_eq!((&one.account_id, one.payload.as_str()), (&owner.id, ""));
        // What is first said is what is said in every attempt.
        for said in ["a", "b"] {
            assert_eq!(db.keep_payload(&one.id, said).await.unwrap(), "a");
        }
    }

    invariants(&store.options).await;
}

/// One that an account has anyway is told once; one that was deleted is not told.
async fn one_message_each(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    let (a, b) = ("https://a.example/", "https://b.example/");
    let hook = db.add_webhook(&owner.id, a, "secret a").await.unwrap();
    db.add_webhook(&owner.id, b, "secret b").await.unwrap();
    let mut asked = run(&owner, 1);
    asked.webhook_url = Some(b.into());
    db.create_run(&asked).await.unwrap();
    assert!(db.delete_webhook(&owner.id, &hook.id).await.unwrap());
    let claim = db.claim(&asked.id, "w", LEASE, 3).await.unwrap().unwrap();
    assert!(db.complete(&claim.lease, &output(), 1).await.unwrap());
    let told = db.deliveries(&owner.id, 10).await.unwrap();
    let told: Vec<_> = told.into_iter().filter(|d| d.run_id == asked.id).collect();
    assert_eq!(targets(&told), [(b, "secret b")]);
    assert_eq!(told[0].event, "run.completed");
    let mut sql = store.sql().await;
    let jobs = "SELECT count(*) FROM river_job WHERE kind = 'delivery' AND queue = 'deliveries'";
    assert_eq!(sql.number(jobs).await, 1);
    invariants(&store.options).await;
}

/// Who was not answered asks again, and hears that it is done; another attempt, and another output, is not.
async fn a_lost_answer(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    let id = created(&db, &owner, 10).await;
    let lost = db.claim(&id, "w", Duration::ZERO, 3).await.unwrap();
    let lost = lost.unwrap().lease;
    let lease = db.claim(&id, "w", LEASE, 3).await.unwrap().unwrap().lease;
    assert!(!db.is_completed_with(&lease, &output()).await.unwrap());
    assert!(db.complete(&lease, &output(), 4).await.unwrap());
    assert!(!db.complete(&lease, &output(), 4).await.unwrap());
    assert!(db.is_completed_with(&lease, &output()).await.unwrap());
    assert!(!db.is_completed_with(&lost, &output()).await.unwrap());
    let mut other = output();
    other.video = "videos/4567.mp4".into();
    assert!(!db.is_completed_with(&lease, &other).await.unwrap());
    assert_eq!(db.account(&owner.id).await.unwrap().unwrap().balance, 96);
    invariants(&store.options).await;
}

async fn attempts_of_a_message(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    db.add_webhook(&owner.id, "https://a.example/", "s")
        .await
        .unwrap();
    completed(&db, &owner).await;
    let id = db.deliveries(&owner.id, 1).await.unwrap()[0].id.clone();
    db.attempted(&id, None, Some("no route"), false)
        .await
        .unwrap();
    let one = db.delivery(&id).await.unwrap().unwrap();
    assert_eq!(
        (one.n_attempts, one.status, one.delivered_at),
        (1, None, None)
    );
    assert_eq!(one.error.as_deref(), Some("no route"));
    db.attempted(&id, Some(204), None, true).await.unwrap();
    let one = db.delivery(&id).await.unwrap().unwrap();
    assert_eq!(
        (one.n_attempts, one.status, one.error),
        (2, Some(204), None)
    );
    assert!(one.delivered_at.is_some());
    assert!(db.delivery("dlv_none").await.unwrap().is_none());
    db.clean().await.unwrap();
    assert!(db.delivery(&id).await.unwrap().is_some());
    let mut sql = store.sql().await;
    sql.run("UPDATE deliveries SET created_at = created_at - 2592000000")
        .await;
    db.clean().await.unwrap();
    assert!(db.delivery(&id).await.unwrap().is_none());
}

async fn outputs_for_a_time(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    let old = completed(&db, &owner).await;
    let mut sql = store.sql().await;
    sql.run("UPDATE runs SET finished_at = finished_at - 7200000")
        .await;
    completed(&db, &owner).await;
    let hour = Duration::from_secs(3600);
    let found = db.old_outputs(hour, 10).await.unwrap();
    assert_eq!(found, [(old.clone(), output())]);
    assert_eq!(db.old_outputs(Duration::ZERO, 1).await.unwrap().len(), 1);
    db.forget_output(&old).await.unwrap();
    assert!(db.old_outputs(hour, 10).await.unwrap().is_empty());
    let run = db.run(&owner.id, &old, None).await.unwrap().unwrap();
    assert_eq!((run.status, run.output), (RunStatus::Completed, None));
    assert_eq!(run.credits_used, Some(1));
    invariants(&store.options).await;
}

async fn numbers_for_operators(store: Store) {
    let db = store.open().await;
    let (depths, age) = db.queue_depth().await.unwrap();
    assert!(depths.is_empty() && age == 0);
    let owner = account(&db, 100).await;
    completed(&db, &owner).await;
    created(&db, &owner, 1).await;
    created(&db, &owner, 1).await;
    let mut sql = store.sql().await;
    sql.run("UPDATE runs SET created_at = created_at - 60000")
        .await;
    let (depths, age) = db.queue_depth().await.unwrap();
    // What has ended is no load.
    assert_eq!(depths, [(RunStatus::Queued, 2)]);
    assert!(age >= 60_000, "{age}");
}

on_both!(
    messages,
    one_message_each,
    a_lost_answer,
    attempts_of_a_message,
    outputs_for_a_time,
    numbers_for_operators,
);
