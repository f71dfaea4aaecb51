//! R2 and R3: servers that are short of disk, of descriptors and of memory refuse whole, say so, and go on when there is more.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use kinora_service::db::DbOptions;
use tokio::net::TcpStream;

use super::fleet::{Fleet, PRICE, Server};
use super::n_trials;
use crate::small_disk::SmallDisk;
use crate::support::Store;
use crate::support::oracle::{ended, invariants};

/// Writes until the disk is full.
fn fill(ballast: &Path) {
    let mut file = fs::File::create(ballast).unwrap();
    while file.write_all(&[1; 512]).is_ok() {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_of_the_database_refuses_orders_whole() {
    let store = Store::sqlite();
    let DbOptions::Sqlite(file) = &store.options else {
        unreachable!("it is asked for")
    };
    let folder = file.parent().unwrap().to_owned();
    let Some(_disk) = SmallDisk::mount(&folder, "8m") else {
        return;
    };
    let mut fleet = Fleet::new(store, 0, 100_000).await;
    fleet.start(1).await;
    let url = fleet.servers[0].url.clone();
    let mut n_made = 0;
    for round in 0..n_trials(3) {
        let ballast = folder.join("ballast");
        fill(&ballast);
        // There is still room in pages and in the log that were written before.
        let refused = loop {
            let reply = fleet.caller.create(&url, None).await.unwrap();
            if reply.status != 200 {
                break reply;
            }
            n_made += 1;
            assert!(n_made < 2_000, "the disk is never full");
        };
        assert_eq!(refused.status, 503, "{}", refused.body);
        assert_eq!(refused.body["error"]["code"], "BIZ_GENERATION_FAILED");
        // What only reads is still answered.
        let list = fleet.caller.get(&url, "/account").await.unwrap();
        assert!([200, 503].contains(&list.status.as_u16()), "{}", list.body);
        fs::remove_file(&ballast).unwrap();
        let reply = fleet.caller.create(&url, None).await.unwrap();
        assert_eq!(reply.status, 200, "round {round}: {}", reply.body);
        n_made += 1;
    }
    let mut sql = fleet.store.sql().await;
    assert_eq!(sql.number("SELECT count(*) FROM runs").await, n_made);
    assert_eq!(sql.number("SELECT count(*) FROM river_job").await, n_made);
    assert_eq!(sql.texts("PRAGMA integrity_check").await, ["ok"]);
    invariants(&fleet.store.options).await;
    fleet.servers.clear();
}

/// Limits a server as `prlimit` does; `false`, said in a line, where that program is absent.
fn limit(server: &Server, limits: &[&str]) -> bool {
    let limited = Command::new("prlimit")
        .arg("--pid")
        .arg(server.process().to_string())
        .args(limits)
        .status();
    if limited.is_ok_and(|status| status.success()) {
        return true;
    }
    println!("skipped: prlimit is absent");
    false
}

/// Ticks of 10 ms of a processor that a process has used.
fn ticks(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let after_name = stat.rsplit_once(')').unwrap().1;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

async fn few_descriptors_and_little_memory(store: Store) {
    let n_runs = n_trials(10);
    let mut fleet = Fleet::new(store, 2, n_runs as u64 * PRICE).await;
    fleet.start(1).await;
    let server = &fleet.servers[0];
    let process = server.process();
    if !limit(server, &["--nofile=64:64", "--as=2147483648"]) {
        return;
    }
    let url = server.url.clone();
    let mut runs = Vec::new();
    for _ in 0..n_runs {
        runs.push(fleet.caller.create(&url, None).await.unwrap().id());
    }
    let n_completed = all_ended(&fleet, &runs).await;
    println!("{n_completed} of {n_runs} runs were completed");
    // More clients than descriptors: the rest wait, and nobody asks for descriptors in a loop.
    let address = url.trim_start_matches("http://").to_owned();
    let mut silent = Vec::new();
    for _ in 0..100 {
        silent.push(TcpStream::connect(&address).await.unwrap());
    }
    let before = ticks(process);
    tokio::time::sleep(Duration::from_secs(3)).await;
    let busy = ticks(process) - before;
    println!("{busy} ticks in 3 s without a descriptor");
    assert!(busy < 60, "{busy} ticks of 10 ms in 3 s");
    drop(silent);
    let reply = fleet.caller.get(&url, "/account").await.unwrap();
    assert_eq!(reply.status, 200, "{}", reply.body);
    fleet.servers.clear();
    invariants(&fleet.store.options).await;
}

/// Waits until all runs have ended, each either way; how many are completed.
async fn all_ended(fleet: &Fleet, runs: &[String]) -> usize {
    let mut n_completed = 0;
    for id in runs {
        let run = crate::worked::ended(&fleet.db, &fleet.owner, id).await;
        match run.failure {
            None => n_completed += 1,
            Some(failure) => assert!(!failure.message.is_empty() && failure.retryable),
        }
    }
    ended(&fleet.store.options, runs).await;
    n_completed
}

on_both!(few_descriptors_and_little_memory);
