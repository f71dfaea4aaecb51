//! Servers that share a database and a data folder, an account, and a client that calls them.

use std::process::Child;
use std::time::{Duration, Instant};

use kinora_service::db::{Account, Db};
use kinora_service::ids;
use kinora_studio::providers::http::install_tls;
use reqwest::{Client, StatusCode};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Store, sample};
use crate::worked::child::{Role, Told, port_file};
use crate::worked::silent;

/// What a run costs that [`Caller::create`] asks for.
pub const PRICE: u64 = 5;
/// How long a server may take to begin on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Fleet {
    pub store: Store,
    pub told: Told,
    pub db: Db,
    pub owner: Account,
    pub servers: Vec<Server>,
    pub caller: Caller,
    _temp: TempDir,
}

/// Calls servers by a key.
#[derive(Clone)]
pub struct Caller {
    key: String,
    client: Client,
}

/// A process; killed when dropped.
pub struct Server {
    child: Child,
    pub url: String,
}

/// An answer as it came.
pub struct Reply {
    pub status: StatusCode,
    pub retry_after: Option<u64>,
    pub body: Value,
}

impl Reply {
    pub fn id(&self) -> String {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body["data"]["id"].as_str().unwrap().to_owned()
    }
}

impl Fleet {
    /// No server yet; each is to work on `n_runs` runs at a time.
    pub async fn new(store: Store, n_runs: usize, credits: u64) -> Fleet {
        install_tls();
        let temp = tempfile::tempdir().unwrap();
        let mut told = Told::alone(temp.path());
        told.database = match &store.options {
            kinora_service::db::DbOptions::Sqlite(path) => path.to_str().unwrap().to_owned(),
            kinora_service::db::DbOptions::Postgres(url) => url.clone(),
        };
        told.lease_secs = 3.0;
        told.role = Role::Serves(n_runs);
        let db = store.open().await;
        let owner = sample::account(&db, credits).await;
        Fleet {
            caller: Caller::new(&db, &owner).await,
            store,
            told,
            db,
            owner,
            servers: Vec::new(),
            _temp: temp,
        }
    }

    /// Starts so many servers more.
    pub async fn start(&mut self, n: usize) {
        for _ in 0..n {
            let server = self.begin(None, &[]).await;
            self.servers.push(server);
        }
    }

    /// A server that takes requests; `crash_at` is the durable step at which it ends itself.
    pub async fn begin(&self, crash_at: Option<u32>, environment: &[(&str, String)]) -> Server {
        let mut child = self.told.start(crash_at, environment);
        let file = port_file(&self.told.data, child.id());
        let begun = Instant::now();
        let port = loop {
            if let Ok(port) = std::fs::read_to_string(&file) {
                break port;
            }
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "a server ended at once: {ended:?}");
            assert!(begun.elapsed() < PATIENCE, "a server does not begin");
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        std::fs::remove_file(file).unwrap();
        Server {
            child,
            url: format!("http://127.0.0.1:{port}"),
        }
    }
}

impl Caller {
    /// By a new key of the account.
    pub async fn new(db: &Db, owner: &Account) -> Caller {
        let key = ids::secret("kin_live_");
        db.add_key(&owner.id, "a key", &key, false).await.unwrap();
        let client = Client::builder().no_proxy().timeout(PATIENCE);
        Caller {
            key,
            client: client.build().unwrap(),
        }
    }

    /// Asks the server at `url` for a video.
    pub async fn create(&self, url: &str, name: Option<&str>) -> Result<Reply, reqwest::Error> {
        let mut asked = self.client.post(format!("{url}/api/v1/short"));
        if let Some(name) = name {
            asked = asked.header("idempotency-key", name);
        }
        // A video that is made in a second.
        self.send(asked.json(&silent("A lighthouse."))).await
    }

    /// A GET below `/api/v1`.
    pub async fn get(&self, url: &str, path: &str) -> Result<Reply, reqwest::Error> {
        self.send(self.client.get(format!("{url}/api/v1{path}")))
            .await
    }

    async fn send(&self, asked: reqwest::RequestBuilder) -> Result<Reply, reqwest::Error> {
        let answer = asked.header("x-api-key", &self.key).send().await?;
        let retry_after = answer.headers().get("retry-after");
        Ok(Reply {
            retry_after: retry_after.map(|secs| secs.to_str().unwrap().parse().unwrap()),
            status: answer.status(),
            body: answer.json().await?,
        })
    }

    /// Whether a load balancer would send this server requests.
    pub async fn is_ready(&self, url: &str) -> bool {
        let asked = self.client.get(format!("{url}/readyz"));
        asked
            .send()
            .await
            .is_ok_and(|answer| answer.status() == 200)
    }
}

impl Server {
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Its process's id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// SIGTERM.
    pub fn terminate(&self) {
        let line = format!("kill -TERM {}", self.process());
        let told = std::process::Command::new("sh")
            .args(["-c", &line])
            .status();
        assert!(told.unwrap().success());
    }

    /// Waits for its end: the exit status, and how long it took.
    pub async fn ended(&mut self) -> (Option<i32>, Duration) {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status.code(), begun.elapsed());
            }
            assert!(begun.elapsed() < PATIENCE, "a server does not end");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
