//! A run's life in the database: attempts, leases, endings, what a late writer may not do.

use std::time::Duration;

use kinora_service::db::{Account, Db, Family, Progress, Run, RunStatus};

use crate::support::Store;
use crate::support::oracle::{ended, invariants};
use crate::support::sample::{account, created, failure, output, run};

const LEASE: Duration = Duration::from_secs(60);

async fn read(db: &Db, owner: &Account, id: &str) -> Run {
    db.run(&owner.id, id, None).await.unwrap().unwrap()
}

async fn completes(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    let id = created(&db, &owner, 30).await;
    invariants(&store.options).await;
    assert_eq!(read(&db, &owner, &id).await.status, RunStatus::Queued);
    let claim = db.claim(&id, "w", LEASE, 3).await.unwrap().unwrap();
    assert_eq!(claim.run.attempt, 1);
    assert!(claim.run.started_at.is_some());
    assert!(db.claim(&id, "other", LEASE, 3).await.unwrap().is_none());
    for (percent, stage) in [(40, "voice"), (10, "pictures")] {
        let progress = Progress {
            percent,
            stage: stage.into(),
            scene_done: 1,
            scene_total: 4,
        };
        let beat = db.heartbeat(&claim.lease, LEASE, Some(&progress));
        assert_eq!(beat.await.unwrap(), Some(false));
    }
    let half = read(&db, &owner, &id).await;
    let progress = half.progress.unwrap();
    assert_eq!(
        (progress.percent, progress.stage.as_str()),
        (40, "pictures")
    );
    assert_eq!(half.status, RunStatus::Executing);
    assert!(db.complete(&claim.lease, &output(), 12).await.unwrap());
    let run = read(&db, &owner, &id).await;
    assert_eq!(run.status, RunStatus::Completed);
    assert_eq!((run.credits_used, run.output), (Some(12), Some(output())));
    let balance = db.account(&owner.id).await.unwrap().unwrap().balance;
    assert_eq!(balance, 88);
    invariants(&store.options).await;
    ended(&store.options, &[id]).await;
}

async fn fails(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    let id = created(&db, &owner, 30).await;
    let claim = db.claim(&id, "w", LEASE, 3).await.unwrap().unwrap();
    let why = failure("refused");
    assert!(db.fail(&claim.lease, &why).await.unwrap());
    let run = read(&db, &owner, &id).await;
    assert_eq!((run.status, run.credits_used), (RunStatus::Failed, None));
    assert_eq!(run.failure, Some(why));
    assert_eq!(db.account(&owner.id).await.unwrap().unwrap().balance, 100);
    assert!(db.claim(&id, "w", LEASE, 3).await.unwrap().is_none());
    invariants(&store.options).await;
}

/// Whatever an attempt writes after another has begun changes nothing.
async fn a_late_writer(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    let id = created(&db, &owner, 30).await;
    let late = db
        .claim(&id, "late", Duration::ZERO, 3)
        .await
        .unwrap()
        .unwrap();
    let now = db.claim(&id, "now", LEASE, 3).await.unwrap().unwrap();
    assert_eq!((late.lease.attempt, now.lease.attempt), (1, 2));
    let progress = Progress {
        percent: 99,
        stage: "publish".into(),
        scene_done: 1,
        scene_total: 1,
    };
    for is_over in [false, true] {
        if is_over {
            assert!(db.complete(&now.lease, &output(), 7).await.unwrap());
        }
        let before = format!("{:?}", read(&db, &owner, &id).await);
        let beat = db.heartbeat(&late.lease, LEASE, Some(&progress)).await;
        assert_eq!(beat.unwrap(), None);
        assert!(!db.complete(&late.lease, &output(), 30).await.unwrap());
        assert!(!db.fail(&late.lease, &failure("late")).await.unwrap());
        let back = db.hand_back(&late.lease, Duration::ZERO, true).await;
        assert!(!back.unwrap());
        assert_eq!(format!("{:?}", read(&db, &owner, &id).await), before);
        invariants(&store.options).await;
    }
    assert!(!db.fail(&now.lease, &failure("twice")).await.unwrap());
    assert!(!db.complete(&now.lease, &output(), 7).await.unwrap());
    assert_eq!(read(&db, &owner, &id).await.credits_used, Some(7));
}

/// Of many that take it up at once one gets it.
async fn one_owner(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    let id = created(&db, &owner, 30).await;
    let processes = [store.open().await, store.open().await, store.open().await];
    let mut waiting = Vec::new();
    for i in 0..30 {
        let (db, id) = (processes[i % 3].clone(), id.clone());
        let claim = async move { db.claim(&id, &format!("w{i}"), LEASE, 3).await.unwrap() };
        waiting.push(tokio::spawn(claim));
    }
    let mut n_owners = 0;
    for one in waiting {
        n_owners += usize::from(one.await.unwrap().is_some());
    }
    assert_eq!(n_owners, 1);
    assert_eq!(read(&db, &owner, &id).await.attempt, 1);
}

async fn reads_back_what_was_asked(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    let key = db.add_key(&owner.id, "k", "secret", false).await.unwrap();
    let mut asked = run(&owner, 30);
    asked.key_id = Some(key.id);
    asked.family = Family::Universe;
    asked.universe = Some("a-place".into());
    asked.title = "naïve \u{0}-less 🎬 'title\"; DROP TABLE runs".into();
    asked.title.retain(|c| c != '\u{0}');
    asked.warnings = serde_json::json!([{ "code": "w" }]);
    asked.webhook_url = Some("https://example.org/hook".into());
    asked.metadata = Some(serde_json::json!({ "order": [1, null, "é"] }));
    asked.retry_of = Some("run_before".into());
    db.create_run(&asked).await.unwrap();
    asked.answer = serde_json::Value::Null;
    let read = read(&db, &owner, &asked.id).await;
    assert_eq!(format!("{:?}", read.asked), format!("{asked:?}"));
    let of = async |family| {
        let run = db.run(&owner.id, &asked.id, Some(family)).await;
        run.unwrap().is_some()
    };
    assert!(of(Family::Universe).await);
    assert!(!of(Family::Short).await);
}

async fn pages(store: Store) {
    let db = store.open().await;
    let owner = account(&db, 100).await;
    for _ in 0..7 {
        created(&db, &owner, 1).await;
    }
    // All at the same time, which is when a page's end is hard to say.
    let mut sql = store.sql().await;
    sql.run("UPDATE runs SET created_at = 1000").await;
    let mut seen = Vec::new();
    let mut before: Option<(i64, String)> = None;
    loop {
        let at = before.as_ref().map(|(at, id)| (*at, id.as_str()));
        let page = db.runs(&owner.id, at, 3).await.unwrap();
        let Some(last) = page.last() else {
            break;
        };
        before = Some((last.created_at, last.asked.id.clone()));
        seen.extend(page.into_iter().map(|run| run.asked.id));
    }
    assert_eq!(seen.len(), 7);
    assert!(seen.is_sorted_by(|a, b| a > b), "each once, in order");
}

on_both!(
    completes,
    fails,
    a_late_writer,
    one_owner,
    reads_back_what_was_asked,
    pages,
);

/// Handlers and workers are moved between threads while they wait for the database.
#[test]
fn work_may_move_between_threads() {
    fn may_move<T: Send>(_: impl FnOnce(Db) -> T) {}
    may_move(|db| async move { db.sweep(3).await });
    may_move(|db| async move { db.create_run(&run(&account(&db, 1).await, 1)).await });
    may_move(|db| async move { db.admit("key", 1, 1000).await });
    may_move(|db| async move { db.cancel_run("a", "b").await });
    may_move(|db| async move { db.revoke_key("a", "b").await });
}
