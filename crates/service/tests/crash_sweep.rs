//! D1, D5 and I6: a worker that is killed at any of its durable steps loses nothing, charges once and leaves nothing behind; one that is killed every time ends;
//! another machine goes on where it was, and pays nobody again.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod bucket;
#[macro_use]
mod support;
mod worked;

use std::sync::Mutex;
use std::time::Duration;

use bucket::BucketServer;

use kinora_service::db::{Account, Db, RunStatus};
use kinora_service::media::Media;
use serde_json::{Value, json};
use support::oracle::invariants;
use support::sample;
use worked::child::Told;
use worked::paid::{CALLS_PER_VIDEO, Paid};
use worked::{get, order, output, plays, prompted, silent};

/// Sweeps at a time: a child mostly waits for the lease of the one before.
const AT_ONCE: u32 = 6;

#[test]
#[ignore = "run by the tests below, in a process of its own"]
fn child() {
    worked::child::work();
}

/// A service with one run in a folder of its own.
struct Case {
    temp: tempfile::TempDir,
    told: Told,
    db: Db,
    owner: Account,
    run: String,
}

impl Case {
    async fn new(request: &Value) -> Case {
        let temp = tempfile::tempdir().unwrap();
        let told = Told::alone(temp.path());
        let db = Db::open(&told.options()).await.unwrap();
        let owner = sample::account(&db, 100).await;
        let run = worked::run(&owner, order(request), 40);
        Case {
            run: worked::create(&db, &run).await,
            temp,
            told,
            db,
            owner,
        }
    }

    /// Whether a worker came to its end.
    async fn work(&self, crash_at: Option<u32>) -> bool {
        self.work_with(&self.told, crash_at, &[]).await
    }

    async fn work_with(
        &self,
        told: &Told,
        crash_at: Option<u32>,
        environment: &[(&str, String)],
    ) -> bool {
        let mut child = told.start(crash_at, environment);
        let ended = tokio::task::spawn_blocking(move || child.wait().unwrap());
        ended.await.unwrap().success()
    }

    /// The bytes of the video, once everything was seen to be as it has to be.
    async fn video(&self) -> Vec<u8> {
        let run = get(&self.db, &self.owner, &self.run).await;
        assert_eq!(run.credits_used, Some(5));
        let output = output(run);
        let secret = self.db.secret("signing").await.unwrap();
        let config = self.told.config();
        let media = Media::open(&config, &secret).await.unwrap();
        let video = plays(&media, &output).await;
        drop(media);
        worked::nothing_else_lies_in(&config, &[output]);
        invariants(&self.told.options()).await;
        video
    }
}

/// Kills a worker at each durable step, once or also while it recovers, and compares. How many steps there were.
async fn sweep(request: Value, is_double: bool) -> u32 {
    let whole = Case::new(&request).await;
    assert!(whole.work(None).await);
    let due = whole.video().await;
    let one = async |at: u32| -> bool {
        let case = Case::new(&request).await;
        if case.work(Some(at)).await {
            return false;
        }
        if is_double {
            // Wherever that is now: some steps are made, others have to be made again.
            case.work(Some(1 + at % 7)).await;
        }
        assert!(case.work(None).await, "after a crash at {at}");
        assert_eq!(case.video().await, due, "after a crash at {at}");
        let attempts = get(&case.db, &case.owner, &case.run).await.attempt;
        assert!(
            attempts <= 2 + u32::from(is_double),
            "after a crash at {at}: {attempts} attempts"
        );
        true
    };
    let n_crashes = Mutex::new(0);
    for first in (1..).step_by(AT_ONCE as usize) {
        let batch = (first..first + AT_ONCE).map(&one);
        let crashed = futures_util::future::join_all(batch).await;
        *n_crashes.lock().unwrap() += crashed.iter().filter(|crashed| **crashed).count() as u32;
        if crashed.contains(&false) {
            break;
        }
    }
    let n_crashes = *n_crashes.lock().unwrap();
    println!("{n_crashes} durable steps");
    n_crashes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_step_it_is_made_once() {
    // The claim, a picture's 4 steps, 5 objects' 2 steps each, and 2 around the end.
    let n_crashes = sweep(silent("A lighthouse."), false).await;
    assert_eq!(n_crashes, 1 + 4 + 5 * 2 + 2);
}

// cargo test --workspace --features asm --test crash_sweep -- --ignored killed_twice
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: twice killed, with a voice and more scenes"]
async fn killed_twice_it_is_made_once() {
    let request = json!({
        "script": "A lighthouse stands in the storm. The keeper climbs the stairs. Ships pass far away.",
        "quality": "low",
    });
    assert!(sweep(request, true).await >= 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_every_time_it_ends() {
    let mut case = Case::new(&silent("A lighthouse.")).await;
    case.told.max_attempts = 3;
    for attempt in 1..=3 {
        assert!(!case.work(Some(3)).await);
        let run = get(&case.db, &case.owner, &case.run).await;
        assert_eq!((run.status, run.attempt), (RunStatus::Executing, attempt));
    }
    assert!(case.work(None).await);
    let run = get(&case.db, &case.owner, &case.run).await;
    assert_eq!((run.status, run.attempt), (RunStatus::Failed, 3));
    assert_eq!(run.failure.unwrap().reason, "too_many_attempts");
    let balance = case
        .db
        .account(&case.owner.id)
        .await
        .unwrap()
        .unwrap()
        .balance;
    assert_eq!(balance, 100);
    worked::nothing_else_lies_in(&case.told.config(), &[]);
    invariants(&case.told.options()).await;
    assert!(case.temp.path().is_dir());
}

/// A run whose script and pictures are paid for, in a bucket, by machines with folders of their own: the first one is killed at a step, the other makes the video.
/// Calls that were paid for before that, steps that were in the bucket, and calls made again; `None` where the first came to its end.
async fn goes_on_elsewhere(server: &BucketServer, at: u32) -> Option<[usize; 3]> {
    let mut case = Case::new(&prompted("A lighthouse")).await;
    let (paid, environment) = (Paid::start(), server.environment());
    case.told.providers = paid.config();
    case.told.bucket = Some(format!("case-{at}"));
    let first = Told {
        data: case.temp.path().join("first"),
        ..case.told.clone()
    };
    if case.work_with(&first, Some(at), &environment).await {
        assert_eq!(paid.asked().len(), CALLS_PER_VIDEO);
        return None;
    }
    // What was on its way arrives, or does not.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let n_kept = server.objects_under(&format!("case-{at}/steps/"));
    let n_paid = paid.asked().len();
    let second = Told {
        data: case.temp.path().join("second"),
        ..case.told.clone()
    };
    assert!(
        case.work_with(&second, None, &environment).await,
        "after a crash at {at}"
    );
    let run = get(&case.db, &case.owner, &case.run).await;
    assert_eq!(run.status, RunStatus::Completed, "{:?}", run.failure);
    let asked = paid.asked();
    assert_eq!(
        asked.len(),
        CALLS_PER_VIDEO,
        "after a crash at {at}: {asked:?}"
    );
    let n_again: usize = asked.values().map(|n| n - 1).sum();
    assert!(
        n_again + n_kept <= n_paid,
        "after a crash at {at}: {asked:?}"
    );
    invariants(&case.told.options()).await;
    Some([n_paid, n_kept, n_again])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_machine_goes_on_and_pays_nobody_again() {
    let Some(server) = BucketServer::start() else {
        return;
    };
    let mut crashes = Vec::new();
    for first in (1..).step_by(AT_ONCE as usize) {
        let batch = (first..first + AT_ONCE).map(|at| goes_on_elsewhere(&server, at));
        let batch = futures_util::future::join_all(batch).await;
        crashes.extend(batch.iter().flatten());
        if batch.contains(&None) {
            break;
        }
    }
    println!("paid, kept, again: {crashes:?}");
    // Once all of it was in the bucket, nothing was asked for again.
    assert!(crashes.contains(&[CALLS_PER_VIDEO, CALLS_PER_VIDEO, 0]));
}
