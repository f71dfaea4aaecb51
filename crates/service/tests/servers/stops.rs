//! D8: servers are stopped and started in turn under load, and no client and no run notices.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::fleet::{Caller, Fleet, PRICE};
use super::n_trials;
use crate::support::Store;
use crate::support::oracle::{ended, invariants};
use crate::worked::{get, nothing_else_lies_in, output};

/// Ranks of states: none goes back.
const STATES: [&str; 3] = ["QUEUED", "EXECUTING", "COMPLETED"];

/// Which servers take requests.
type Up = Arc<Mutex<Vec<String>>>;

/// Asks for the state of every run all the time, wherever a server is up; never hears of an error.
async fn poll(caller: &Caller, runs: &[String], up: &Up) {
    let mut seen: HashMap<&String, usize> = HashMap::new();
    for i in 0.. {
        let run = &runs[i % runs.len()];
        let url = {
            let up = up.lock().unwrap();
            up[i % up.len()].clone()
        };
        let path = format!("/short?runId={run}");
        // A server that is ending takes no connection: the next one does.
        if let Ok(reply) = caller.get(&url, &path).await {
            assert_eq!(reply.status, 200, "{}", reply.body);
            let state = reply.body["data"]["status"].as_str().unwrap();
            let rank = STATES.iter().position(|known| *known == state).unwrap();
            let last = seen.insert(run, rank).unwrap_or_default();
            assert!(rank >= last, "{state} after {}", STATES[last]);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Stops a server in order and starts another in its place.
async fn roll(fleet: &mut Fleet, at: usize, up: &Up) {
    let mut server = fleet.servers.remove(at);
    let url = server.url.clone();
    up.lock().unwrap().retain(|other| *other != url);
    server.terminate();
    let begun = Instant::now();
    while fleet.caller.is_ready(&url).await {
        assert!(
            begun.elapsed() < Duration::from_secs(1),
            "it is still ready"
        );
    }
    let (code, took) = server.ended().await;
    assert_eq!(code, Some(0));
    assert!(took < Duration::from_secs(30), "{took:?}");
    let next = fleet.begin(None, &[]).await;
    up.lock().unwrap().push(next.url.clone());
    fleet.servers.push(next);
}

async fn nobody_notices_a_stop(store: Store) {
    let n_rounds = n_trials(3);
    let n_runs = 3 * n_rounds;
    let mut fleet = Fleet::new(store, 1, n_runs as u64 * PRICE).await;
    fleet.start(3).await;
    let mut runs = Vec::new();
    for i in 0..n_runs {
        let url = &fleet.servers[i % 3].url;
        runs.push(fleet.caller.create(url, None).await.unwrap().id());
    }
    let up: Up = Arc::new(Mutex::new(
        fleet
            .servers
            .iter()
            .map(|server| server.url.clone())
            .collect(),
    ));
    let polled = {
        let (caller, runs, up) = (fleet.caller.clone(), runs.clone(), Arc::clone(&up));
        tokio::spawn(async move { poll(&caller, &runs, &up).await })
    };
    for _ in 0..n_rounds {
        for _ in 0..3 {
            roll(&mut fleet, 0, &up).await;
        }
    }
    let open = "SELECT count(*) FROM runs WHERE is_tidy = 0";
    let begun = Instant::now();
    while fleet.store.sql().await.number(open).await > 0 {
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "runs do not end"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(!polled.is_finished(), "{:?}", polled.await);
    polled.abort();
    // What was stopped was handed back, and is nobody's failure.
    let lost = "SELECT count(*) FROM runs WHERE attempt - n_free > 1";
    assert_eq!(fleet.store.sql().await.number(lost).await, 0);
    impatient(&mut fleet, &mut runs).await;
    let mut outputs = Vec::new();
    for id in &runs {
        outputs.push(output(get(&fleet.db, &fleet.owner, id).await));
    }
    for mut server in std::mem::take(&mut fleet.servers) {
        server.terminate();
        assert_eq!(server.ended().await.0, Some(0));
    }
    nothing_else_lies_in(&fleet.told.config(), &outputs);
    ended(&fleet.store.options, &runs).await;
    invariants(&fleet.store.options).await;
}

/// A second signal ends a server at once, whatever it does; its run is another's after the lease.
async fn impatient(fleet: &mut Fleet, runs: &mut Vec<String>) {
    fleet
        .db
        .grant(&fleet.owner.id, PRICE as i64, "more")
        .await
        .unwrap();
    let mut server = fleet.servers.remove(0);
    let id = fleet.caller.create(&server.url, None).await.unwrap().id();
    crate::worked::under_way(&fleet.db, &fleet.owner, &id).await;
    server.terminate();
    tokio::time::sleep(Duration::from_millis(20)).await;
    server.terminate();
    let (_, took) = server.ended().await;
    assert!(took < Duration::from_secs(2), "{took:?}");
    crate::worked::ended(&fleet.db, &fleet.owner, &id).await;
    runs.push(id);
}

on_both!(nobody_notices_a_stop);
