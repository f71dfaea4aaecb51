//! A bucket that takes calls and answers none: it holds up neither a stop nor the search for lost runs.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::fleet::Fleet;
use crate::support::Store;
use crate::support::sample::{created, failure};
use crate::worked::{get, until};

/// Takes connections and keeps them; how many there were.
fn silent_server() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let n_calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&n_calls);
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        for stream in listener.incoming() {
            kept.push(stream);
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    (url, n_calls)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_bucket_holds_up_nothing_else() {
    let mut fleet = Fleet::new(Store::sqlite(), 1, 100).await;
    fleet.told.bucket = Some(String::new());
    let (url, n_calls) = silent_server();
    let environment = [
        ("AWS_ENDPOINT_URL", url),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
        ("AWS_REGION", "us-east-1".to_owned()),
        ("AWS_ACCESS_KEY_ID", "test".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "test".to_owned()),
    ];
    // A run that ended and left something: what it left is to be deleted.
    let ended = created(&fleet.db, &fleet.owner, 5).await;
    let lease = Duration::from_secs(60);
    let claim = fleet.db.claim(&ended, "w", lease, 3).await;
    let lease = claim.unwrap().unwrap().lease;
    assert!(fleet.db.fail(&lease, &failure("refused")).await.unwrap());
    let mut sql = fleet.store.sql().await;
    sql.run("UPDATE runs SET finished_at = finished_at - 3600000")
        .await;
    let is_called = async || (n_calls.load(Ordering::SeqCst) > 0).then_some(());
    let mut server = fleet.begin(None, &environment).await;
    until("the bucket is called", &is_called).await;
    server.terminate();
    let (code, took) = server.ended().await;
    assert_eq!(code, Some(0));
    assert!(took < Duration::from_secs(5), "{took:?}");

    // Another server waits for the bucket, and a run loses its worker.
    let lost = created(&fleet.db, &fleet.owner, 5).await;
    let lease = Duration::from_secs(3600);
    let claim = fleet.db.claim(&lost, "w", lease, 3).await;
    assert!(claim.unwrap().is_some());
    sql.lose_jobs("run", 0).await;
    n_calls.store(0, Ordering::SeqCst);
    let _server = fleet.begin(None, &environment).await;
    until("the bucket is called again", &is_called).await;
    sql.run("UPDATE runs SET lease_until = 0 WHERE lease_until IS NOT NULL")
        .await;
    let begun = Instant::now();
    until("the lost run is found", async || {
        let run = get(&fleet.db, &fleet.owner, &lost).await;
        (run.attempt > 1).then_some(())
    })
    .await;
    assert!(begun.elapsed() < Duration::from_secs(10));
}
