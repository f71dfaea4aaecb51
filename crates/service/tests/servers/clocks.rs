//! D10: the clock of a machine jumps while it works (libfaketime, where it is installed).

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kinora_service::db::DbOptions;

use super::fleet::{Fleet, PRICE};
use super::n_trials;
use crate::support::Store;
use crate::support::oracle::{ended, invariants};
use crate::worked::{get, output, under_way};

/// Seconds by which it jumps: an hour, back and forth, and two days.
const JUMPS: [i64; 4] = [-3600, 3600, 172_800, -172_800];

/// The library that lies about the time; `None`, said in a line, where it is not installed.
fn library() -> Option<PathBuf> {
    let found = std::fs::read_dir("/usr/lib").ok().and_then(|folders| {
        let files = folders.flatten().map(|entry| entry.path());
        let mut files = files.map(|folder| folder.join("faketime/libfaketimeMT.so.1"));
        files.find(|file| file.is_file())
    });
    if found.is_none() {
        println!("skipped: libfaketime is not installed (apt-get install faketime)");
    }
    found
}

/// A server's environment in which `file` says how far its clock is off.
fn lie(library: &Path, file: &Path) -> Vec<(&'static str, String)> {
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    vec![
        ("LD_PRELOAD", text(library)),
        ("FAKETIME_TIMESTAMP_FILE", text(file)),
        ("FAKETIME_NO_CACHE", "1".into()),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".into()),
        ("DONT_FAKE_MONOTONIC", "1".into()),
    ]
}

async fn runs_end_whatever_the_clock_says(store: Store) {
    let Some(library) = library() else {
        return;
    };
    let n_cases = n_trials(JUMPS.len());
    let mut fleet = Fleet::new(store, 1, 3 * n_cases as u64 * PRICE).await;
    fleet.told.lease_secs = 5.0;
    let file = fleet.told.data.join("clock");
    let mut off = 0;
    let set = |secs: i64| std::fs::write(&file, format!("{secs:+}")).unwrap();
    set(off);
    let lying = fleet.begin(None, &lie(&library, &file)).await;
    fleet.servers.push(lying);
    if let DbOptions::Postgres(_) = fleet.store.options {
        // Another machine's clock is right, and the database's.
        fleet.start(1).await;
    }
    let mut runs = Vec::new();
    for jump in JUMPS.iter().cycle().take(n_cases) {
        let mut these = Vec::new();
        for i in 0..3 {
            let url = &fleet.servers[i % fleet.servers.len()].url;
            these.push(fleet.caller.create(url, None).await.unwrap().id());
        }
        under_way(&fleet.db, &fleet.owner, &these[0]).await;
        off += jump;
        set(off);
        let begun = Instant::now();
        for id in &these {
            let limit = Duration::from_secs(90);
            while get(&fleet.db, &fleet.owner, id).await.finished_at.is_none() {
                assert!(begun.elapsed() < limit, "{id} does not end ({jump} s)");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            output(get(&fleet.db, &fleet.owner, id).await);
        }
        for server in &fleet.servers {
            assert_eq!(
                fleet
                    .caller
                    .get(&server.url, "/account")
                    .await
                    .unwrap()
                    .status,
                200
            );
        }
        runs.extend(these);
        invariants(&fleet.store.options).await;
    }
    ended(&fleet.store.options, &runs).await;
    let lost = "SELECT count(*) FROM runs WHERE attempt - n_free > 2";
    assert_eq!(fleet.store.sql().await.number(lost).await, 0);
}

on_both!(runs_end_whatever_the_clock_says);
