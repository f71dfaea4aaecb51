//! D3: a server that is killed while it takes an order. What it said yes to is there; whoever asks again with the same key gets the same run, once.

use std::time::{Duration, Instant};

use super::fleet::{Fleet, PRICE};
use super::n_trials;
use crate::support::Store;
use crate::support::oracle::invariants;
use crate::support::sample::Random;

/// How an order ended at the client whose server was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It came too late to be written down.
    Never,
    /// It was written down, and nobody said so.
    Unsaid,
    /// The client has its answer.
    Said,
}

async fn n_runs(fleet: &Fleet) -> i64 {
    fleet
        .store
        .sql()
        .await
        .number("SELECT count(*) FROM runs")
        .await
}

/// Orders from a server that is killed so long after the request is sent, or crashes by itself at a durable step.
async fn trial(fleet: &mut Fleet, name: Option<&str>, kill: Kill) -> Fate {
    let before = n_runs(fleet).await;
    let mut server = match kill {
        Kill::At(step) => fleet.begin(Some(step), &[]).await,
        Kill::After(_) => fleet.servers.pop().unwrap(),
    };
    let url = server.url.clone();
    let asked = fleet.caller.create(&url, name);
    let killed = async {
        if let Kill::After(wait) = kill {
            tokio::time::sleep(wait).await;
            server.kill();
        }
    };
    let (first, ()) = tokio::join!(asked, killed);
    drop(server);
    let said = first.ok().map(|reply| reply.id());
    let is_there = n_runs(fleet).await > before;
    assert!(is_there || said.is_none(), "a run that was said is lost");
    if fleet.servers.is_empty() {
        fleet.start(1).await;
    }
    let url = &fleet.servers[0].url;
    let id = match name {
        Some(_) => fleet.caller.create(url, name).await.unwrap().id(),
        None => said.clone().unwrap_or_default(),
    };
    if let Some(said) = &said {
        assert_eq!(said, &id);
    }
    if !id.is_empty() {
        let found = fleet.caller.get(url, &format!("/runs/{id}")).await.unwrap();
        assert_eq!(found.status, 200, "{}", found.body);
    }
    let n_made = n_runs(fleet).await - before;
    assert_eq!(n_made, i64::from(is_there || name.is_some()));
    invariants(&fleet.store.options).await;
    match (said, is_there) {
        (Some(_), _) => Fate::Said,
        (None, true) => Fate::Unsaid,
        (None, false) => Fate::Never,
    }
}

/// When a server ends.
#[derive(Clone, Copy, Debug)]
enum Kill {
    /// SIGKILL, so long after the request.
    After(Duration),
    /// By itself, at a durable step.
    At(u32),
}

async fn what_was_said_is_kept(store: Store) {
    let n_trials = n_trials(10);
    let mut fleet = Fleet::new(store, 0, (n_trials as u64 + 5) * PRICE).await;
    fleet.start(1).await;
    // Before the transaction ends, and when it has just ended.
    for (step, name, fate) in [
        (1, Some("a"), Fate::Never),
        (1, None, Fate::Never),
        (2, Some("b"), Fate::Unsaid),
        (2, None, Fate::Unsaid),
    ] {
        assert_eq!(trial(&mut fleet, name, Kill::At(step)).await, fate);
    }
    // How long it takes to be answered here and now.
    let begun = Instant::now();
    let url = fleet.servers[0].url.clone();
    fleet.caller.create(&url, None).await.unwrap().id();
    let usual = begun.elapsed().as_micros() as u64;
    let mut random = Random(5);
    let mut fates = Vec::new();
    for i in 0..n_trials {
        let wait = Duration::from_micros(random.below(usual * 3 / 2));
        let name = format!("trial-{i}");
        let name = (i % 3 > 0).then_some(name.as_str());
        fates.push(trial(&mut fleet, name, Kill::After(wait)).await);
    }
    let n = |fate| fates.iter().filter(|other| **other == fate).count();
    println!(
        "{n_trials} kills within {} µs: {} orders never came, {} were written down unsaid, {} were said",
        usual * 3 / 2,
        n(Fate::Never),
        n(Fate::Unsaid),
        n(Fate::Said)
    );
}

on_both!(what_was_said_is_kept);
