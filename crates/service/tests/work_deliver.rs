//! Messages about ended runs: signed, sent again until they are taken, never sent to where nobody allowed it.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[macro_use]
mod support;
mod worked;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kinora_service::app::runs::RunState;
use kinora_service::db::{Account, Delivery};
use kinora_service::state::App;
use kinora_service::work::{Workers, deliver};
use serde_json::{Value, json};
use support::Store;
use support::sample::{created, failure};
use worked::until;

/// A request as it came.
#[derive(Clone, Debug)]
struct Came {
    head: String,
    body: String,
}

impl Came {
    fn header(&self, name: &str) -> String {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        found.next().unwrap().1.to_owned()
    }
}

/// Listens, answers each request with the next of these statuses (the last one for good), and keeps what came.
fn hook(answers: &'static [&'static str]) -> (String, Arc<Mutex<Vec<Came>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook?a=b", listener.local_addr().unwrap());
    let all = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&all);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                assert!(reader.read_line(&mut head).unwrap() > 0);
            }
            let mut came = Came {
                head,
                body: String::new(),
            };
            let length = came.header("content-length").parse().unwrap();
            reader.take(length).read_to_string(&mut came.body).unwrap();
            let mut kept = kept.lock().unwrap();
            let answer = answers[kept.len().min(answers.len() - 1)];
            kept.push(came);
            drop(kept);
            write!(
                stream,
                "HTTP/1.1 {answer}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
            )
            .unwrap();
        }
    });
    (url, all)
}

/// An app whose webhooks may be private or not, and a failed run that a hook of its account is told of.
async fn told(store: &Store, url: &str, is_private: bool) -> (tempfile::TempDir, App, Account) {
    let temp = tempfile::tempdir().unwrap();
    let mut config = worked::config(&store.options, temp.path());
    config.worker.private_webhooks = is_private;
    let (app, owner) = worked::open(config).await;
    app.db.add_webhook(&owner.id, url, "whsec_1").await.unwrap();
    let id = created(&app.db, &owner, 30).await;
    let lease = Duration::from_secs(60);
    let claim = app.db.claim(&id, "w", lease, 3).await.unwrap().unwrap();
    assert!(
        app.db
            .fail(&claim.lease, &failure("refused"))
            .await
            .unwrap()
    );
    (temp, app, owner)
}

async fn tried(app: &App, owner: &Account, n: u32) -> Delivery {
    until("the message is tried", async || {
        let mut all = app.db.deliveries(&owner.id, 10).await.unwrap();
        assert_eq!(all.len(), 1);
        all.pop().filter(|delivery| delivery.n_attempts >= n)
    })
    .await
}

async fn a_message_is_signed_and_sent_until_it_is_taken(store: Store) {
    let (url, came) = hook(&["500 Oops", "200 OK"]);
    let (_temp, app, owner) = told(&store, &url, true).await;
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    let first = tried(&app, &owner, 1).await;
    assert_eq!((first.status, first.delivered_at), (Some(500), None));
    let taken = tried(&app, &owner, 2).await;
    assert_eq!(taken.status, Some(200));
    assert!(taken.delivered_at.is_some() && taken.error.is_none());
    workers.stop().await;

    let body: Value = serde_json::from_str(&taken.payload).unwrap();
    assert_eq!(body["id"], json!(taken.id));
    assert_eq!(body["type"], json!("run.failed"));
    assert_eq!(body["createdAt"], json!(taken.created_at));
    // The rest is what the run's status says.
    let run = app.db.run(&owner.id, &taken.run_id, None).await.unwrap();
    let mut state = serde_json::to_value(RunState::of(&app, &run.unwrap())).unwrap();
    assert_eq!(state["error"]["details"]["reason"], json!("refused"));
    state["runId"] = json!(taken.run_id);
    assert_eq!(body["data"], state);

    let came = came.lock().unwrap().clone();
    assert_eq!(came.len(), 2);
    for request in &came {
        assert!(request.head.starts_with("POST /hook?a=b HTTP/1.1\r\n"));
        assert_eq!(request.header(deliver::DELIVERY), taken.id);
        assert_eq!(request.header("content-type"), "application/json");
        assert_eq!(request.body, taken.payload);
        let signature = request.header(deliver::SIGNATURE);
        let unix = signature[2..].split(',').next().unwrap().parse().unwrap();
        assert_eq!(
            signature,
            deliver::signature("whsec_1", unix, &request.body)
        );
    }
}

async fn a_message_whose_process_was_lost_is_sent(store: Store) {
    let (url, came) = hook(&["200 OK"]);
    let (_temp, app, owner) = told(&store, &url, true).await;
    let mut sql = store.sql().await;
    sql.lose_jobs("delivery", 300).await;
    sql.run("UPDATE deliveries SET created_at = created_at - 300000")
        .await;
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    let taken = tried(&app, &owner, 1).await;
    assert!(taken.delivered_at.is_some());
    workers.stop().await;
    assert_eq!(came.lock().unwrap().len(), 1);
}

/// Waits until the jobs of all messages are over.
async fn no_job_is_open(store: &Store) {
    let mut sql = store.sql().await;
    let open = "SELECT count(*) FROM river_job WHERE kind = 'delivery' AND state <> 'completed'";
    while sql.number(open).await > 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn a_deleted_webhook_is_told_nothing_more(store: Store) {
    let (url, came) = hook(&["500 Oops", "200 OK"]);
    let (_temp, app, owner) = told(&store, &url, true).await;
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    tried(&app, &owner, 1).await;
    let hook = app.db.webhooks(&owner.id).await.unwrap().remove(0);
    assert!(app.db.delete_webhook(&owner.id, &hook.id).await.unwrap());
    no_job_is_open(&store).await;
    workers.stop().await;
    assert_eq!(came.lock().unwrap().len(), 1);
    let left = app.db.deliveries(&owner.id, 1).await.unwrap().remove(0);
    assert_eq!((left.n_attempts, left.delivered_at), (1, None));
    assert_eq!(left.error.as_deref(), Some("the webhook was deleted"));
}

async fn a_redirect_is_not_followed(store: Store) {
    let (canary, seen) = hook(&["200 OK"]);
    let answer: &'static str = format!("302 Found\r\nlocation: {canary}").leak();
    let (url, came) = hook(vec![answer].leak());
    let (_temp, app, owner) = told(&store, &url, true).await;
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    let delivery = tried(&app, &owner, 1).await;
    assert_eq!((delivery.status, delivery.delivered_at), (Some(302), None));
    workers.stop().await;
    assert_eq!(came.lock().unwrap().len(), 1);
    assert_eq!(seen.lock().unwrap().len(), 0);
}

async fn private_addresses_are_not_connected_to(store: Store) {
    let (url, seen) = hook(&["200 OK"]);
    for url in [url.replace("http:", "https:"), url] {
        let (_temp, app, owner) = told(&store, &url, false).await;
        let workers = Workers::start(app.clone(), 1).await.unwrap();
        let delivery = tried(&app, &owner, 1).await;
        assert_eq!((delivery.status, delivery.delivered_at), (None, None));
        assert_eq!(
            delivery.error.as_deref(),
            Some("the address is not allowed")
        );
        workers.stop().await;
    }
    assert_eq!(seen.lock().unwrap().len(), 0);
}

async fn it_is_given_up_in_the_end(store: Store) {
    let (url, came) = hook(&["410 Gone"]);
    let (_temp, app, owner) = told(&store, &url, true).await;
    let id = app.db.deliveries(&owner.id, 1).await.unwrap().remove(0).id;
    for _ in 0..7 {
        app.db
            .attempted(&id, Some(410), Some("no"), false)
            .await
            .unwrap();
    }
    let workers = Workers::start(app.clone(), 1).await.unwrap();
    let last = tried(&app, &owner, 8).await;
    assert_eq!((last.status, last.delivered_at), (Some(410), None));
    // Its job is over: nothing is due any more.
    no_job_is_open(&store).await;
    workers.stop().await;
    assert_eq!(came.lock().unwrap().len(), 1);
}

on_both!(
    a_message_is_signed_and_sent_until_it_is_taken,
    a_message_whose_process_was_lost_is_sent,
    a_deleted_webhook_is_told_nothing_more,
    a_redirect_is_not_followed,
    private_addresses_are_not_connected_to,
    it_is_given_up_in_the_end,
);
