//! A worker in a process of its own: this test program again, with only its test `child`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use kinora_service::config::{Config, Storage};
use kinora_service::db::DbOptions;
use kinora_service::serve;
use kinora_service::state::App;
use kinora_service::work::Workers;
use kinora_studio::providers::config::ProvidersConfig;
use serde::{Deserialize, Serialize};

use crate::support::sql::Sql;

/// Holds the [`Told`] of a child.
const TOLD: &str = "KINORA_TEST_CHILD";

/// What a child is told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Told {
    pub data: PathBuf,
    /// A URL of PostgreSQL, or a file of SQLite.
    pub database: String,
    /// Objects go into the bucket `kinora` under this prefix, else into the data folder.
    pub bucket: Option<String>,
    /// The part of `kinora.toml` that names providers; empty for none but the offline ones.
    pub providers: String,
    pub lease_secs: f64,
    pub max_attempts: u32,
    /// `video.scale_down`.
    pub scale_down: u32,
    /// Requests a minute for each key.
    pub per_minute: u32,
    pub role: Role,
}

/// What a child does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Works until every run has ended and is tidied.
    WorksToTheEnd,
    /// Works until its input ends.
    WorksOn,
    /// Serves on a free port, which [`port_file`] tells, and works on so many runs at a time, until a signal comes.
    Serves(usize),
}

/// Where a child that serves says at which port.
pub fn port_file(data: &Path, process: u32) -> PathBuf {
    data.join(format!("{process}.port"))
}

impl Told {
    /// Alone on a file of SQLite, until all runs have ended.
    pub fn alone(data: &Path) -> Told {
        Told {
            data: data.to_owned(),
            database: data.join("kinora.db").to_str().unwrap().to_owned(),
            bucket: None,
            providers: String::new(),
            lease_secs: 1.0,
            max_attempts: 20,
            scale_down: 8,
            per_minute: 100_000,
            role: Role::WorksToTheEnd,
        }
    }

    pub fn options(&self) -> DbOptions {
        match self.database.starts_with("postgres:") {
            true => DbOptions::Postgres(self.database.clone()),
            false => DbOptions::Sqlite(self.database.clone().into()),
        }
    }

    pub fn config(&self) -> Config {
        let mut config = super::config(&self.options(), &self.data);
        config.worker.lease_secs = self.lease_secs;
        config.worker.heartbeat_secs = self.lease_secs / 5.0;
        config.worker.max_attempts = self.max_attempts;
        config.video.scale_down = self.scale_down;
        config.server.requests_per_minute = self.per_minute;
        config.server.listen = ([127, 0, 0, 1], 0).into();
        if let Some(prefix) = &self.bucket {
            config.storage = Storage::S3 {
                bucket: "kinora".into(),
                prefix: prefix.clone(),
            };
        }
        config.providers = ProvidersConfig::read(&self.providers).unwrap();
        config
    }

    /// Starts it; `crash_at` is the durable step at which it ends itself.
    pub fn start(&self, crash_at: Option<u32>, environment: &[(&str, String)]) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["child", "--exact", "--ignored", "--nocapture"])
            .env(TOLD, serde_json::to_string(self).unwrap())
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        if std::env::var_os("KINORA_TEST_LOUD").is_none() {
            command.stderr(Stdio::null());
        }
        if let Some(at) = crash_at {
            command.env("KINORA_CRASH_AT", at.to_string());
        }
        command.spawn().unwrap()
    }
}

/// The child's work; not a test by itself.
pub fn work() {
    let told = std::env::var(TOLD).unwrap();
    let told: Told = serde_json::from_str(&told).unwrap();
    kinora_service::observe::start_logs(false);
    if let Role::Serves(n_runs) = told.role {
        let mut config = told.config();
        config.server.public_url = None;
        config.worker.n_in_server = n_runs;
        let told = serve::run(config, |started| say_port(&told.data, &started.url));
        return told.unwrap();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let app = App::open(told.config()).await.unwrap();
        let workers = Workers::start(app, 1).await.unwrap();
        match told.role {
            Role::WorksToTheEnd => all_tidy(&told.options()).await,
            _ => input_ends().await,
        }
        workers.stop().await;
    });
}

/// Whole or not at all, as it is looked for all the time.
fn say_port(data: &Path, url: &str) {
    let file = port_file(data, std::process::id());
    let unfinished = file.with_extension("part");
    std::fs::write(&unfinished, url.rsplit(':').next().unwrap()).unwrap();
    std::fs::rename(unfinished, file).unwrap();
}

/// Every run has ended and nothing is left of its attempts.
pub async fn all_tidy(options: &DbOptions) {
    let mut sql = Sql::open(options).await;
    while sql
        .number("SELECT count(*) FROM runs WHERE is_tidy = 0")
        .await
        > 0
    {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn input_ends() {
    let ended = tokio::task::spawn_blocking(|| {
        let _ = std::io::read_to_string(std::io::stdin());
    });
    ended.await.unwrap();
}
