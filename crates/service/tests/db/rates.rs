//! Request rates: exact in every window. Tests move the time of what was written down, not the clock.

use std::time::Duration;

use kinora_service::db::{Admission, Db};

use crate::support::Store;

const MINUTE: i64 = 60_000;

/// Asks until refused, at most `most` times: how often it was admitted, and the seconds to wait.
async fn admitted(db: &Db, limit: u32, most: u32) -> (u32, u64) {
    for n in 0..most {
        if let Admission::Refused { retry_after } = db.admit("key", limit, MINUTE).await.unwrap() {
            return (n, retry_after);
        }
    }
    (most, 0)
}

/// As if so many seconds had passed.
async fn pass(store: &Store, secs: i64) {
    let mut sql = store.sql_of_rates().await;
    let ms = secs * 1000;
    sql.run(&format!("UPDATE rate_slots SET at_ms = at_ms - {ms}"))
        .await;
    sql.run(&format!("UPDATE rates SET last_ms = last_ms - {ms}"))
        .await;
}

async fn exact_at_once(store: Store) {
    let processes = [store.open().await, store.open().await, store.open().await];
    let mut waiting = Vec::new();
    for i in 0..500 {
        let db = processes[i % 3].clone();
        waiting.push(tokio::spawn(async move {
            loop {
                match db.admit("key", 100, MINUTE).await {
                    // On a machine that is busy with other tests.
                    Err(error) if error.is_unavailable() => {}
                    answer => break answer.unwrap(),
                }
            }
        }));
    }
    let mut n_admitted = 0;
    for one in waiting {
        match one.await.unwrap() {
            Admission::Admitted => n_admitted += 1,
            Admission::Refused { retry_after } => assert!((1..=60).contains(&retry_after)),
        }
    }
    assert_eq!(n_admitted, 100);
    let other = processes[0].admit("other key", 100, MINUTE).await.unwrap();
    assert_eq!(other, Admission::Admitted);
}

async fn the_window_slides(store: Store) {
    let db = store.open().await;
    assert_eq!(admitted(&db, 10, 4).await, (4, 0));
    pass(&store, 40).await;
    let (n, wait) = admitted(&db, 10, 20).await;
    assert_eq!(n, 6);
    assert!((1..=20).contains(&wait), "{wait}");
    pass(&store, 20).await;
    // The first four have left the window, the six have not.
    let (n, wait) = admitted(&db, 10, 20).await;
    assert_eq!(n, 4);
    assert!((1..=40).contains(&wait), "{wait}");
    pass(&store, 60).await;
    assert_eq!(admitted(&db, 10, 20).await.0, 10);
}

async fn what_it_says_is_true(store: Store) {
    let db = store.open().await;
    for _ in 0..5 {
        let mut wait = 0;
        for _ in 0..4 {
            if let Admission::Refused { retry_after } = db.admit("key", 3, 300).await.unwrap() {
                wait = retry_after;
            }
        }
        // Refused once, unless this took longer than the window.
        tokio::time::sleep(Duration::from_secs(wait)).await;
        let next = db.admit("key", 3, 300).await.unwrap();
        assert_eq!(next, Admission::Admitted);
    }
}

async fn the_limit_may_change(store: Store) {
    let db = store.open().await;
    assert_eq!(admitted(&db, 10, 20).await.0, 10);
    assert_eq!(admitted(&db, 5, 20).await.0, 0);
    assert_eq!(admitted(&db, 15, 20).await.0, 5);
    pass(&store, 60).await;
    assert_eq!(admitted(&db, 5, 20).await.0, 5);
    assert_eq!(admitted(&db, 10, 20).await.0, 5);
    assert_eq!(admitted(&db, 0, 20).await, (0, 60));
}

async fn the_clock_may_be_set_back(store: Store) {
    let db = store.open().await;
    assert_eq!(admitted(&db, 10, 20).await.0, 10);
    pass(&store, -3600).await;
    let (n, wait) = admitted(&db, 10, 20).await;
    assert_eq!(n, 0);
    assert!((1..=60).contains(&wait), "{wait}");
    pass(&store, 60).await;
    assert_eq!(admitted(&db, 10, 20).await.0, 10);
}

async fn what_is_not_used_is_forgotten(store: Store) {
    let db = store.open().await;
    assert_eq!(admitted(&db, 10, 3).await.0, 3);
    db.clean().await.unwrap();
    let mut sql = store.sql_of_rates().await;
    assert_eq!(sql.number("SELECT count(*) FROM rate_slots").await, 3);
    pass(&store, 24 * 3600).await;
    db.clean().await.unwrap();
    assert_eq!(sql.number("SELECT count(*) FROM rate_slots").await, 0);
    assert_eq!(sql.number("SELECT count(*) FROM rates").await, 0);
    // Nor is more than the limit ever kept.
    for _ in 0..3 {
        admitted(&db, 5, 20).await;
        pass(&store, 60).await;
    }
    assert_eq!(sql.number("SELECT count(*) FROM rate_slots").await, 5);
}

on_both!(
    exact_at_once,
    the_window_slides,
    what_it_says_is_true,
    the_limit_may_change,
    the_clock_may_be_set_back,
    what_is_not_used_is_forgotten,
);
