//! D2: three workers on one PostgreSQL and an S3-compatible server share runs; whoever is killed, nothing is lost, charged or paid twice, or left behind.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod bucket;
#[macro_use]
mod support;
mod worked;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use bucket::BucketServer;
use kinora_service::db::{Account, Db, DbOptions, Output};
use kinora_service::media::Media;
use support::oracle::invariants;
use support::sample::Random;
use support::{Store, sample};
use worked::child::{Role, Told};
use worked::paid::{CALLS_PER_VIDEO, Paid};
use worked::{get, objects, order, output, plays, prompted};

#[test]
#[ignore = "run by the tests below, in a process of its own"]
fn child() {
    worked::child::work();
}

/// Three workers with a data folder each.
struct Crew {
    told: Vec<Told>,
    environment: Vec<(&'static str, String)>,
    children: Vec<Child>,
}

impl Crew {
    fn start(database: &str, folder: &Path, (server, paid): (&BucketServer, &Paid)) -> Crew {
        let told = (0..3).map(|i| Told {
            data: folder.join(i.to_string()),
            database: database.to_owned(),
            bucket: Some(String::new()),
            providers: paid.config(),
            lease_secs: 3.0,
            max_attempts: 20,
            scale_down: 8,
            per_minute: 100,
            role: Role::WorksOn,
        });
        let told: Vec<Told> = told.collect();
        let environment = server.environment();
        let children = told.iter().map(|told| told.start(None, &environment));
        Crew {
            children: children.collect(),
            told,
            environment,
        }
    }

    /// SIGKILL, and another begins in its place.
    fn kill(&mut self, i: usize) {
        self.children[i].kill().unwrap();
        self.children[i].wait().unwrap();
        self.children[i] = self.told[i].start(None, &self.environment);
    }

    /// Ends them in order.
    fn stop(self) {
        for mut child in self.children {
            drop(child.stdin.take());
            let begun = Instant::now();
            let status = child.wait().unwrap();
            assert!(status.success(), "{status}");
            assert!(begun.elapsed() < Duration::from_secs(20));
        }
    }
}

/// `n_runs` runs are made by three workers of which one is killed every now and then, `n_kills` times.
async fn shared(n_runs: usize, n_kills: usize, seed: u64) {
    let Some(server) = BucketServer::start() else {
        return;
    };
    let Some(store) = Store::postgres().await else {
        return;
    };
    let DbOptions::Postgres(database) = &store.options else {
        panic!("a server has a URL");
    };
    println!("seed {seed}");
    let mut random = Random(seed);
    let temp = tempfile::tempdir().unwrap();
    let db = store.open().await;
    let owner = sample::account(&db, 100_000).await;
    let paid = Paid::start();
    let mut runs = Vec::new();
    for i in 0..n_runs {
        let run = worked::run(&owner, order(&prompted(&format!("Lighthouse {i}"))), 40);
        runs.push(worked::create(&db, &run).await);
    }
    let mut crew = Crew::start(database, temp.path(), (&server, &paid));
    let begun = Instant::now();
    let patience = Duration::from_secs(90 + 3 * n_runs as u64 + 3 * n_kills as u64);
    let mut n_killed = 0;
    loop {
        let n_open = store
            .sql()
            .await
            .number("SELECT count(*) FROM runs WHERE is_tidy = 0")
            .await;
        if n_open == 0 && n_killed == n_kills {
            break;
        }
        assert!(begun.elapsed() < patience, "{n_open} runs are not done");
        if n_killed < n_kills {
            tokio::time::sleep(Duration::from_millis(200 + random.below(1800))).await;
            crew.kill(random.below(3) as usize);
            n_killed += 1;
            if n_open == 0 {
                // More to do, as long as there are kills to come.
                let prompt = format!("Lighthouse {}", runs.len());
                let run = worked::run(&owner, order(&prompted(&prompt)), 40);
                runs.push(worked::create(&db, &run).await);
            }
        } else {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
    crew.stop();
    println!(
        "{} runs, {n_killed} kills, {:?}",
        runs.len(),
        begun.elapsed()
    );
    check(&db, &owner, &runs, &server).await;
    paid_once(&db, &owner, &runs, &paid).await;
    invariants(&store.options).await;
}

/// I6: no call is another than it would have been, and an attempt that was cut off made those anew that were on their way, which are a script or the pictures.
async fn paid_once(db: &Db, owner: &Account, runs: &[String], paid: &Paid) {
    let asked = paid.asked();
    assert_eq!(asked.len(), CALLS_PER_VIDEO * runs.len());
    let mut n_cut_off = 0;
    for id in runs {
        n_cut_off += get(db, owner, id).await.attempt as usize - 1;
    }
    let n_again: usize = asked.values().map(|n| n - 1).sum();
    println!("{n_cut_off} attempts were cut off, {n_again} calls made again");
    assert!(
        n_again <= n_cut_off * (CALLS_PER_VIDEO - 1),
        "{n_again} after {n_cut_off}"
    );
}

/// Every run completed, its video plays, and the bucket holds nothing else.
async fn check(db: &Db, owner: &Account, runs: &[String], server: &BucketServer) {
    for (name, value) in server.environment() {
        // SAFETY: the tests of this program that get here are run one at a time, and nothing else reads the environment now.
        unsafe { std::env::set_var(name, value) };
    }
    let temp = tempfile::tempdir().unwrap();
    let mut told = Told::alone(temp.path());
    told.bucket = Some(String::new());
    let secret = db.secret("signing").await.unwrap();
    let media = Media::open(&told.config(), &secret).await.unwrap();
    let mut due = BTreeSet::new();
    for id in runs {
        let run = get(db, owner, id).await;
        let output: Output = output(run);
        plays(&media, &output).await;
        due.extend(objects(&output));
    }
    assert_eq!(server.objects_outside("steps/"), due);
    let used: u64 = 5 * runs.len() as u64;
    let balance = db.account(&owner.id).await.unwrap().unwrap().balance;
    assert_eq!(balance, 100_000 - used);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_share_runs_and_may_be_killed() {
    shared(30, 3, 1).await;
}

/// A number from the environment.
fn told(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

// KINORA_TEST_SEED=7 cargo test --workspace --features asm --test crash_workers -- --ignored --nocapture five_hundred
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "ten minutes: 500 kills, or as many as KINORA_TEST_KILLS says"]
async fn five_hundred_kills() {
    let n_kills = told("KINORA_TEST_KILLS").unwrap_or(500);
    let seed = told("KINORA_TEST_SEED").unwrap_or(7);
    shared(200, n_kills as usize, seed).await;
}
