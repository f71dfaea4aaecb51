//! The service's part of `kinora.toml`. The providers are set in the same file and read by the studio.
//!
//! ```toml
//! database = "postgres://kinora@db/kinora"   # default: an SQLite file in the data folder
//! storage = "s3://bucket/prefix"             # default: the data folder; keys and endpoint come from `AWS_…` variables
//! [server]
//! listen = "0.0.0.0:8080"
//! public_url = "https://video.example.org"   # prefix of URLs in responses; default: http:// and the listening address, localhost for 0.0.0.0
//! [video]
//! codec = "h264"                             # or "av1"
//! [media]
//! ffmpeg = true                              # this machine's ffmpeg reads uploads that kinora cannot; default: they are refused
//! [credits]                                  # prices: kinora_studio::estimate::Rates
//! minimum = 5
//! ```

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use kinora_studio::estimate::Rates;
use kinora_studio::providers::config::ProvidersConfig;
use kinora_studio::video::Video;
use serde::Deserialize;

use crate::db::DbOptions;

/// Everything that an operator can set.
#[derive(Clone, Debug)]
pub struct Config {
    /// The folder for local state: database, media, the studio's work, a secret that signs URLs.
    pub data: PathBuf,
    /// The database.
    pub database: DbOptions,
    /// Where media are stored.
    pub storage: Storage,
    /// The HTTP side.
    pub server: Server,
    /// The workers.
    pub worker: Worker,
    /// How videos are encoded.
    pub video: Video,
    /// How uploads are read.
    pub media: Media,
    /// Prices.
    pub credits: Rates,
    /// The providers.
    pub providers: ProvidersConfig,
    /// The base of relative paths in `providers`.
    pub folder: PathBuf,
}

/// Where media are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// A folder.
    Folder(PathBuf),
    /// An S3-compatible bucket; its other settings come from the environment.
    S3 {
        /// The bucket.
        bucket: String,
        /// The prefix of all names; may be empty.
        prefix: String,
    },
}

/// The HTTP side.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// Default 127.0.0.1:8080.
    pub listen: SocketAddr,
    /// The prefix of URLs in responses, without a trailing slash.
    pub public_url: Option<String>,
    /// Whether anyone may sign up. Default true.
    pub sign_up: bool,
    /// Credits of a new account. Default 100.
    pub welcome_credits: u64,
    /// The plan of a new account. Default `starter`.
    pub welcome_plan: crate::db::Plan,
    /// Requests per window for each key. Default 100.
    pub requests_per_minute: u32,
    /// The length of that window in seconds. Default 60.
    pub rate_window_secs: u32,
    /// Maximum number of open connections. Default 2048.
    pub connections: usize,
    /// Seconds until a request's header must be complete. Default 10.
    pub header_secs: u64,
    /// Seconds that a connection may be idle between requests. Default 60.
    pub idle_secs: u64,
    /// The minimum speed of a body in bytes per second, measured over 15 s. Default 1024.
    pub min_body_rate: u64,
    /// Largest JSON body, bytes. Default 256 KiB.
    pub max_json: usize,
    /// Largest uploaded audio, bytes. Default 200 MiB.
    pub max_audio: usize,
    /// Largest uploaded picture, bytes. Default 20 MiB.
    pub max_image: usize,
    /// Origins that browsers may call from; `*` for all. Default `*`: keys travel in their own header, never in a cookie.
    pub cors: Vec<String>,
    /// Seconds for which a signed picture URL is valid. Default 3600.
    pub signed_secs: u64,
}

impl Default for Server {
    fn default() -> Server {
        Server {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            public_url: None,
            sign_up: true,
            welcome_credits: 100,
            welcome_plan: crate::db::Plan::Starter,
            requests_per_minute: 100,
            rate_window_secs: 60,
            connections: 2048,
            header_secs: 10,
            idle_secs: 60,
            min_body_rate: 1024,
            max_json: 256 << 10,
            max_audio: 200 << 20,
            max_image: 20 << 20,
            cors: vec!["*".into()],
            signed_secs: 3600,
        }
    }
}

/// The workers.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Worker {
    /// Concurrent runs in `kinora serve`; 0 leaves all to `kinora worker`. Default 1 with SQLite and with PostgreSQL.
    pub n_in_server: usize,
    /// Concurrent runs in `kinora worker`. Default 1: a render uses every core.
    pub n_runs: usize,
    /// Seconds after which a silent worker loses its run to another. Default 60.
    pub lease_secs: f64,
    /// Seconds between heartbeats. Default 10.
    pub heartbeat_secs: f64,
    /// Attempts before a run fails. Default 3.
    pub max_attempts: u32,
    /// Seconds within which a run must end. Default 1800.
    pub run_secs: u64,
    /// Seconds that a worker has to stop. Default 25.
    pub stop_secs: u64,
    /// Days for which videos are kept; 0 for forever. Default 30.
    pub retention_days: u32,
    /// Threads of a render, 0 for all cores.
    pub threads: usize,
    /// Whether webhooks may go to private addresses and over plain HTTP, for tests and closed networks. Default false.
    pub private_webhooks: bool,
}

impl Default for Worker {
    fn default() -> Worker {
        Worker {
            n_in_server: 1,
            n_runs: 1,
            lease_secs: 60.0,
            heartbeat_secs: 10.0,
            max_attempts: 3,
            run_secs: 1800,
            stop_secs: 25,
            retention_days: 30,
            threads: 0,
            private_webhooks: false,
        }
    }
}

/// How untrusted files are read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Media {
    /// Whether this machine's ffmpeg reads uploaded audio that kinora cannot. Default false: its hundreds of C decoders are unsafe for untrusted files.
    pub ffmpeg: bool,
}

/// The service's own tables of `kinora.toml`; the studio reads the others.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Own {
    database: Option<String>,
    storage: Option<String>,
    server: Server,
    worker: Worker,
    video: Video,
    media: Media,
    credits: Rates,
}

impl Config {
    /// Returns the built-in defaults for a data folder.
    pub fn local(data: impl Into<PathBuf>) -> Config {
        let data = data.into();
        Config {
            database: DbOptions::Sqlite(data.join("kinora.db")),
            storage: Storage::Folder(data.join("media")),
            server: Server::default(),
            worker: Worker::default(),
            video: Video::default(),
            media: Media::default(),
            credits: Rates::default(),
            providers: ProvidersConfig::default(),
            folder: PathBuf::new(),
            data,
        }
    }

    /// Reads `kinora.toml`; `file` is its path, for messages and relative paths.
    ///
    /// # Errors
    /// Every problem with the file, one per line.
    pub fn read(text: &str, file: &Path, data: impl Into<PathBuf>) -> Result<Config, String> {
        let bad = |why: &dyn std::fmt::Display| format!("{}: {why}", file.display());
        let providers = ProvidersConfig::read(text).map_err(|problems| {
            let problems = problems.iter().map(|problem| bad(problem));
            problems.collect::<Vec<_>>().join("\n")
        })?;
        let own: Own = toml::from_str(text).map_err(|e| bad(&e))?;
        let mut config = Config::local(data);
        if let Some(url) = own.database {
            config.database = database(&url).map_err(|why| bad(&why))?;
        }
        if let Some(url) = own.storage {
            config.storage = storage(&url).map_err(|why| bad(&why))?;
        }
        config.server = own.server;
        config.worker = own.worker;
        config.video = own.video;
        config.media = own.media;
        config.credits = own.credits;
        config.providers = providers;
        config.folder = file.parent().unwrap_or(Path::new("")).to_owned();
        match config.problems() {
            problems if problems.is_empty() => Ok(config),
            problems => {
                let problems = problems.iter().map(|problem| bad(problem));
                Err(problems.collect::<Vec<_>>().join("\n"))
            }
        }
    }

    /// Returns the settings that cannot work, one message each.
    pub fn problems(&self) -> Vec<String> {
        let (server, worker) = (&self.server, &self.worker);
        let mut problems = Vec::new();
        let at_least_1 = [
            (
                "server.requests_per_minute",
                u64::from(server.requests_per_minute),
            ),
            (
                "server.rate_window_secs",
                u64::from(server.rate_window_secs),
            ),
            ("server.connections", server.connections as u64),
            ("server.header_secs", server.header_secs),
            ("worker.max_attempts", u64::from(worker.max_attempts)),
            ("worker.run_secs", worker.run_secs),
            ("video.scale_down", u64::from(self.video.scale_down)),
        ];
        for (name, value) in at_least_1 {
            if value == 0 {
                problems.push(format!(
                    "{name}: must be at least 1; with 0, nothing would run"
                ));
            }
        }
        let (lease, heartbeat) = (worker.lease_secs, worker.heartbeat_secs);
        let is_kept = heartbeat > 0.0 && lease > heartbeat && lease.is_finite();
        if !is_kept {
            problems.push(format!(
                "worker.lease_secs: {lease} must be greater than worker.heartbeat_secs ({heartbeat}), which must be greater than 0: otherwise runs lose their workers"
            ));
        }
        if let Some(url) = &server.public_url
            && !is_web_url(url)
        {
            problems.push(format!(
                "server.public_url: {url:?} does not begin with https:// or http:// and a host"
            ));
        }
        problems
    }

    /// Returns the prefix of URLs in responses, without a trailing slash. A server that listens on every address and has no configured URL uses `localhost`: a
    /// request's `Host` header is not trusted.
    pub fn public_url(&self) -> String {
        let listen = self.server.listen;
        match &self.server.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None if self.is_local_only() => format!("http://localhost:{}", listen.port()),
            None => format!("http://{listen}"),
        }
    }

    /// Whether it listens on every address without a URL that works on other machines.
    pub fn is_local_only(&self) -> bool {
        self.server.public_url.is_none() && self.server.listen.ip().is_unspecified()
    }
}

fn is_web_url(url: &str) -> bool {
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    is_web && url::Url::parse(url).is_ok_and(|url| url.has_host())
}

fn database(url: &str) -> Result<DbOptions, String> {
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(DbOptions::Postgres(url.to_owned()));
    }
    let path = url
        .strip_prefix("sqlite:")
        .map(|path| path.trim_start_matches("//"));
    let path = path.filter(|path| !path.is_empty());
    path.map(|path| DbOptions::Sqlite(path.into()))
        .ok_or_else(|| "database: must be postgres://… or sqlite:PATH".to_owned())
}

fn storage(url: &str) -> Result<Storage, String> {
    if let Some(rest) = url.strip_prefix("s3://") {
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err("storage: s3:// must be followed by a bucket's name".to_owned());
        }
        let prefix = prefix.trim_matches('/').to_owned();
        return Ok(Storage::S3 {
            bucket: bucket.to_owned(),
            prefix,
        });
    }
    if url.is_empty() || url.contains("://") {
        return Err("storage: must be s3://BUCKET/PREFIX or a folder".to_owned());
    }
    Ok(Storage::Folder(url.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_begin_with_an_address_that_opens() {
        for (listen, public_url, due) in [
            ("127.0.0.1:8080", None, "http://127.0.0.1:8080"),
            ("0.0.0.0:8105", None, "http://localhost:8105"),
            ("[::]:8105", None, "http://localhost:8105"),
            (
                "0.0.0.0:80",
                Some("https://a.example/"),
                "https://a.example",
            ),
        ] {
            let mut config = Config::local("data");
            config.server.listen = listen.parse().expect("an address");
            config.server.public_url = public_url.map(str::to_owned);
            assert_eq!(config.public_url(), due);
        }
    }

    fn read(text: &str) -> Result<Config, String> {
        Config::read(text, Path::new("kinora.toml"), "data")
    }

    #[test]
    fn values_with_which_nothing_would_work_are_refused() {
        for (text, told) in [
            ("[server]\nrequests_per_minute = 0", "requests_per_minute"),
            ("[server]\npublic_url = \"video.example.org\"", "public_url"),
            ("[server]\npublic_url = \"ftp://example.org\"", "public_url"),
            ("[server]\npublic_url = \"https://\"", "public_url"),
            ("[worker]\nlease_secs = 0", "lease_secs"),
            ("[worker]\nlease_secs = nan", "lease_secs"),
            ("[worker]\nheartbeat_secs = 60", "lease_secs"),
        ] {
            let refused = read(text).expect_err(text);
            assert!(
                refused.starts_with("kinora.toml: ") && refused.contains(told),
                "{refused}"
            );
        }
        let both = "[server]\nrequests_per_minute = 0\n[worker]\nlease_secs = 0";
        assert_eq!(read(both).expect_err(both).lines().count(), 2);
        let mut config = Config::local("data");
        assert_eq!(config.problems(), Vec::<String>::new());
        config.server.public_url = Some("video.example.org".into());
        assert_eq!(config.problems().len(), 1);
        for text in [
            "",
            "[server]\npublic_url = \"https://video.example.org/kinora/\"",
            "[worker]\nlease_secs = 6\nheartbeat_secs = 2",
        ] {
            assert!(read(text).is_ok(), "{text}");
        }
    }
}
