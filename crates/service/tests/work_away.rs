//! D4 and D6: a worker that sleeps past its lease, and a database that is away for a while.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[macro_use]
mod support;
mod worked;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kinora_service::db::{Db, DbOptions, RunStatus};
use kinora_service::state::App;
use kinora_service::work::Workers;
use serde_json::json;
use support::oracle::invariants;
use support::{Store, sample};
use worked::child::{Role, Told, all_tidy};
use worked::{create, ended, get, order, output, plays};

/// A script that takes some seconds to make.
const LONG: &str = "The keeper climbs the stairs. The lamp turns all night. Ships pass far away. A storm comes from the west.";

#[test]
#[ignore = "run by the tests below, in a process of its own"]
fn child() {
    worked::child::work();
}

fn signal(child: &std::process::Child, name: &str) {
    let done = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(done.unwrap().success());
}

/// Stops a worker where it holds no lock of SQLite's file. A lock of a stopped process stays, and everyone else waits for it; PostgreSQL's server ends such a transaction.
async fn stop_outside_a_transaction(child: &std::process::Child, options: &DbOptions) {
    signal(child, "-STOP");
    let DbOptions::Sqlite(file) = options else {
        return;
    };
    while !support::sql::can_write(file).await {
        signal(child, "-CONT");
        tokio::time::sleep(Duration::from_millis(20)).await;
        signal(child, "-STOP");
    }
}

async fn a_sleeper_wakes_up_to_a_run_of_another(store: Store) {
    let temp = tempfile::tempdir().unwrap();
    let mut told = Told::alone(temp.path());
    if let DbOptions::Postgres(url) = &store.options {
        told.database.clone_from(url);
    }
    told.role = Role::WorksOn;
    told.scale_down = 2;
    // Few heartbeats: who is stopped in the middle of one keeps its row locked until the server ends its transaction.
    told.lease_secs = 3.0;
    let options = told.options();
    let db = Db::open(&options).await.unwrap();
    let owner = sample::account(&db, 100).await;
    let request = json!({ "script": LONG, "voiceoverConfig": { "enabled": false } });
    let id = create(&db, &worked::run(&owner, order(&request), 40)).await;
    let mut sleeper = told.start(None, &[]);
    worked::under_way(&db, &owner, &id).await;
    stop_outside_a_transaction(&sleeper, &options).await;
    let mut other = told.start(None, &[]);
    let run = ended(&db, &owner, &id).await;
    assert_eq!(run.attempt, 2);
    let app = App::open(told.config()).await.unwrap();
    let output = output(run.clone());
    let video = plays(&app.media, &output).await;

    signal(&sleeper, "-CONT");
    // It stops as soon as it hears of it, and nothing has changed.
    for child in [&mut sleeper, &mut other] {
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
    }
    let after = get(&db, &owner, &id).await;
    assert_eq!((after.status, after.attempt), (RunStatus::Completed, 2));
    assert_eq!(after.output.as_ref(), Some(&output));
    assert_eq!(plays(&app.media, &output).await, video);
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    all_tidy(&options).await;
    workers.stop().await;
    worked::nothing_else_lies_in(&app.config, &[output]);
    invariants(&options).await;
}

on_both!(a_sleeper_wakes_up_to_a_run_of_another);

/// Between the service and its database; cut, nothing gets through and nobody is let in.
#[derive(Clone)]
struct Proxy {
    port: u16,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    is_cut: bool,
    streams: Vec<TcpStream>,
}

impl Proxy {
    fn start(server: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = Proxy {
            port: listener.local_addr().unwrap().port(),
            state: Arc::default(),
        };
        let state = Arc::clone(&proxy.state);
        std::thread::spawn(move || {
            for here in listener.incoming() {
                let mut state = state.lock().unwrap();
                if state.is_cut {
                    continue;
                }
                let here = here.unwrap();
                let there = TcpStream::connect(("127.0.0.1", server)).unwrap();
                for (from, to) in [(&here, &there), (&there, &here)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    std::thread::spawn(move || pass(from, to));
                }
                state.streams.extend([here, there]);
            }
        });
        proxy
    }

    fn set_cut(&self, is_cut: bool) {
        let mut state = self.state.lock().unwrap();
        state.is_cut = is_cut;
        for stream in state.streams.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    let mut bytes = [0; 4096];
    while let Ok(n @ 1..) = from.read(&mut bytes) {
        if to.write_all(&bytes[..n]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_away_costs_no_attempt() {
    let Some(store) = Store::postgres().await else {
        return;
    };
    let DbOptions::Postgres(url) = &store.options else {
        panic!("a server has a URL");
    };
    if std::env::var_os("KINORA_TEST_LOUD").is_some() {
        kinora_service::observe::start_logs(false);
    }
    let port = support::postgres::server().unwrap().port;
    let proxy = Proxy::start(port);
    let through = url.replace(&format!(":{port}/"), &format!(":{}/", proxy.port));
    let temp = tempfile::tempdir().unwrap();
    let mut config = worked::config(&DbOptions::Postgres(through), temp.path());
    config.worker.lease_secs = 60.0;
    config.video.scale_down = 2;
    let app = App::open(config).await.unwrap();
    let db = store.open().await;
    let owner = sample::account(&db, 100).await;
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    let request = json!({ "script": LONG, "voiceoverConfig": { "enabled": false } });
    let id = create(&db, &worked::run(&owner, order(&request), 40)).await;
    worked::under_way(&db, &owner, &id).await;
    // Longer than the video takes: its end has to wait for the database.
    proxy.set_cut(true);
    tokio::time::sleep(Duration::from_secs(8)).await;
    assert_eq!(get(&db, &owner, &id).await.status, RunStatus::Executing);
    proxy.set_cut(false);
    let run = ended(&db, &owner, &id).await;
    assert_eq!(run.attempt, 1);
    plays(&app.media, &output(run)).await;

    // And the next one is taken up.
    let id = create(
        &db,
        &worked::run(&owner, order(&worked::silent("A lamp.")), 40),
    )
    .await;
    output(ended(&db, &owner, &id).await);
    workers.stop().await;
    invariants(&store.options).await;
}

/// The end of a run is written down, and its worker does not hear of it: nothing that was published is taken back, and nothing is done twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_whose_answer_is_lost_is_done() {
    let Some(store) = Store::postgres().await else {
        return;
    };
    let DbOptions::Postgres(url) = &store.options else {
        panic!("a server has a URL");
    };
    let port = support::postgres::server().unwrap().port;
    let proxy = support::proxy::Proxy::that_loses(port, "{\"video\":\"videos/").await;
    let own = format!(":{port}/");
    let through = url.replace(&own, &format!(":{}/", proxy.address.port()));
    let temp = tempfile::tempdir().unwrap();
    let config = worked::config(&DbOptions::Postgres(through), temp.path());
    let app = App::open(config).await.unwrap();
    let db = store.open().await;
    let owner = sample::account(&db, 100).await;
    let hook = "https://127.0.0.1/";
    db.add_webhook(&owner.id, hook, "s").await.unwrap();
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    let request = worked::silent("A lamp.");
    let id = create(&db, &worked::run(&owner, order(&request), 40)).await;
    let run = ended(&db, &owner, &id).await;
    assert!(proxy.has_lost());
    // Long enough for its worker to ask again, and for the leftovers of its attempts to be deleted.
    all_tidy(&store.options).await;
    workers.stop().await;
    let output = output(run);
    plays(&app.media, &output).await;
    worked::nothing_else_lies_in(&app.config, std::slice::from_ref(&output));
    assert_eq!(db.deliveries(&owner.id, 9).await.unwrap().len(), 1);
    assert_eq!(get(&db, &owner, &id).await.output, Some(output));
    invariants(&store.options).await;
}
