//! What tests of the workers share: a service at a small scale, orders that are made in a second, and what has to be true of what was made.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    dead_code,
    missing_docs,
    reason = "each test uses a part of it"
)]

pub mod child;
pub mod paid;
#[path = "../../../studio/tests/providers/stub.rs"]
mod stub;

use std::collections::BTreeSet;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use kinora_service::config::{Config, Storage};
use kinora_service::db::{Account, Created, Db, DbOptions, NewRun, Output, Run, RunStatus};
use kinora_service::media::Media;
use kinora_service::order::{Asked, Order};
use kinora_service::state::App;
use kinora_studio::request::ShortRequest;
use serde_json::{Value, json};

use crate::support::sample;

/// A service with its own folder at an eighth of the scale, whose leases end soon.
pub fn config(database: &DbOptions, data: &Path) -> Config {
    let mut config = Config::local(data);
    config.database = database.clone();
    config.storage = Storage::Folder(data.join("media"));
    config.server.public_url = Some("http://127.0.0.1:1".into());
    config.video.scale_down = 8;
    config.worker.lease_secs = 3.0;
    config.worker.heartbeat_secs = 0.5;
    config.worker.stop_secs = 15;
    config
}

/// The request for a video without a voice, which is made in a second; other texts give other pictures.
pub fn silent(script: &str) -> Value {
    json!({ "script": script, "voiceoverConfig": { "enabled": false }, "quality": "low" })
}

/// The same of a prompt, whose script and pictures somebody has to make.
pub fn prompted(prompt: &str) -> Value {
    json!({ "prompt": prompt, "voiceoverConfig": { "enabled": false }, "quality": "low" })
}

/// An order by the Short interface.
pub fn order(request: &Value) -> Order {
    let request = ShortRequest::from_value(request).unwrap().request;
    Order {
        asked: Asked::Short {
            request: Box::new(request),
        },
        watermark: true,
    }
}

/// A run of an order.
pub fn run(account: &Account, order: Order, credits: u64) -> NewRun {
    NewRun {
        order,
        ..sample::run(account, credits)
    }
}

pub async fn create(db: &Db, run: &NewRun) -> String {
    assert_eq!(db.create_run(run).await.unwrap(), Created::New);
    run.id.clone()
}

/// Waits for something.
pub async fn until<T>(what: &str, look: impl AsyncFn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub async fn get(db: &Db, account: &Account, id: &str) -> Run {
    db.run(&account.id, id, None).await.unwrap().unwrap()
}

/// Waits until a worker has taken the run up.
pub async fn under_way(db: &Db, account: &Account, id: &str) {
    until("the run is under way", async || {
        let run = get(db, account, id).await;
        (run.status == RunStatus::Executing).then_some(())
    })
    .await;
}

/// The run when it has ended; its state and percentage never go back on the way.
pub async fn ended(db: &Db, account: &Account, id: &str) -> Run {
    let last = std::sync::Mutex::new((RunStatus::Queued, 0));
    until("the run ends", async || {
        let run = get(db, account, id).await;
        let now = (run.status, run.progress.as_ref().map_or(0, |p| p.percent));
        let mut last = last.lock().unwrap();
        assert!(now >= *last, "{now:?} after {last:?}");
        *last = now;
        (run.status >= RunStatus::Completed).then_some(run)
    })
    .await
}

/// A completed run's output.
pub fn output(run: Run) -> Output {
    assert_eq!(run.status, RunStatus::Completed, "{:?}", run.failure);
    run.output.unwrap()
}

pub async fn bytes(media: &Media, name: &str) -> Vec<u8> {
    let size = media.known(name).await.unwrap().size;
    let parts = media.read(name, 0..size).await.unwrap();
    let parts: Vec<_> = parts.try_collect().await.unwrap();
    parts.concat()
}

/// I4: what an output names is there, as large as it says, and plays.
pub async fn plays(media: &Media, output: &Output) -> Vec<u8> {
    let video = bytes(media, &output.video).await;
    assert_eq!(video.len() as u64, output.size);
    let facts = kinora::mux::check(Cursor::new(&video)).unwrap();
    assert_eq!(facts.problems, Vec::<String>::new());
    let ms = (facts.duration_secs * 1000.0).round() as i64;
    assert_eq!(ms, output.duration_ms);
    assert!(ms >= 500, "{ms} ms");
    let track = facts.tracks.iter().find(|track| track.video.is_some());
    assert!(track.unwrap().n_samples > 0);
    for name in objects(output) {
        assert!(!bytes(media, &name).await.is_empty(), "{name}");
    }
    video
}

/// The names of everything that an output names.
pub fn objects(output: &Output) -> Vec<String> {
    let parts = [&output.poster, &output.srt, &output.vtt, &output.words];
    let parts = parts.into_iter().flatten().chain([&output.video]);
    parts.cloned().collect()
}

/// I5: in the folder of media lie exactly the objects of these outputs, and nothing unfinished is left beside them or in the work folder.
pub fn nothing_else_lies_in(config: &Config, outputs: &[Output]) {
    let Storage::Folder(root) = &config.storage else {
        panic!("only folders can be listed");
    };
    let due: BTreeSet<PathBuf> = outputs
        .iter()
        .flat_map(objects)
        .map(|name| root.join(name))
        .collect();
    let is_lock =
        |path: &PathBuf| path.extension().is_some_and(|e| e == "lock") || path.ends_with(".turn");
    let found = files(root).into_iter().filter(|path| !is_lock(path));
    assert_eq!(found.collect::<BTreeSet<_>>(), due);
    let work = files(&config.data.join("work"));
    let left: Vec<_> = work.into_iter().filter(|path| !is_lock(path)).collect();
    assert_eq!(left, Vec::<PathBuf>::new());
}

/// Every file under a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(files(&path)),
            path => found.push(path),
        }
    }
    found
}

/// An account with credits, and an app to work with.
pub async fn open(config: Config) -> (App, Account) {
    let app = App::open(config).await.unwrap();
    let account = sample::account(&app.db, 1000).await;
    (app, account)
}
