//! The only way to the network: every request to a provider, and every download of a picture or clip, goes through here.
//!
//! Takes requests and the circumstances of a call, and gives complete replies within their limits, or a [`Failure`] in our own words. It never follows a
//! redirect with a key, waits past a deadline, repeats a provider's words, or retries a request that was refused as invalid.
//!
//! Calls block the calling thread. A small runtime does the waiting, so that any call can be dropped immediately. Within another async runtime, only its
//! threads for blocking work may call.

mod ask;
mod attempt;
mod clock;
mod endpoint;
mod guard;
mod lane;
mod media;

use std::collections::HashMap;
use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::{Certificate, Client, redirect};

pub use ask::{Ask, Body, MAX_JSON_BYTES, Part, Reply, Secret};
pub use clock::{Clock, MAX_ASKED_WAIT, SystemClock, asked_wait, backoff};
pub use endpoint::{Auth, Endpoint, EndpointSettings};
pub use guard::{
    AllowedHost, Lookup, NotPublic, Resolver, SystemLookup, Way, check_url, is_public,
};
pub use media::{Media, MediaKind};

use crate::failure::{Failure, FailureKind, Stage};
use lane::Lane;

/// Time limit for a connection, including TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Largest file of certificates, in bytes; a system's own bundle has 0.3 MB.
const MAX_CA_BYTES: u64 = 4 << 20;

/// Looks up a key by the name of its environment variable.
pub type Keys = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// External dependencies of the client; by default those of the machine.
#[derive(Clone)]
pub struct HttpOptions {
    /// Measures deadlines and waits between attempts.
    pub clock: Arc<dyn Clock>,
    /// Resolves hosts.
    pub lookup: Arc<dyn Lookup>,
    /// Looks up keys.
    pub keys: Keys,
    /// Whether requests to providers use the proxy of the environment. Media never do, because their addresses are checked here.
    pub uses_proxy: bool,
    /// The base folder for relative paths of certificate files.
    pub folder: PathBuf,
}

impl Default for HttpOptions {
    fn default() -> HttpOptions {
        HttpOptions {
            clock: Arc::new(SystemClock),
            lookup: Arc::new(SystemLookup),
            keys: Arc::new(|name| env::var(name).ok().filter(|key| !key.trim().is_empty())),
            uses_proxy: true,
            folder: PathBuf::new(),
        }
    }
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("clock", &self.clock)
            .field("lookup", &self.lookup)
            .finish_non_exhaustive()
    }
}

/// The client. A process has one, so that all calls to a provider share a retry budget and a circuit breaker. Clones share its state.
#[derive(Clone, Debug)]
pub struct Http(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    runtime: Runtime,
    /// For providers.
    open: Client,
    /// For media anywhere.
    guarded: Client,
    /// For media on hosts allowed by the operator.
    direct: Client,
    lanes: Mutex<HashMap<String, Arc<Lane>>>,
    options: HttpOptions,
}

impl Http {
    /// Starts the client's two threads.
    ///
    /// # Errors
    /// `NotConfigured` if the machine has no trusted certificates or cannot start threads.
    pub fn new(options: HttpOptions) -> Result<Http, Failure> {
        install_tls();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("kinora-http")
            .enable_all()
            .build()
            .map_err(|e| {
                not_started(&format!("its threads could not be started ({})", e.kind()))
            })?;
        let client = |is_guarded, uses_proxy| {
            client(&options, is_guarded, uses_proxy, Vec::new()).map_err(|_| {
                not_started("TLS could not be set up: install the system's certificates (the package ca-certificates)")
            })
        };
        Ok(Http(Arc::new(Inner {
            open: client(false, options.uses_proxy)?,
            guarded: client(true, false)?,
            direct: client(false, false)?,
            runtime: Runtime(Some(runtime)),
            lanes: Mutex::default(),
            options,
        })))
    }

    /// Builds a client that trusts the authorities of a file in addition to the system's; else returns what is wrong with the file.
    fn believing(&self, file: &Path, uses_proxy: bool) -> Result<Client, String> {
        let options = &self.0.options;
        let path = options.folder.join(file);
        let cannot = |why: &str| format!("ca_file {} {why}", path.display());
        let is_long = std::fs::metadata(&path).is_ok_and(|file| file.len() > MAX_CA_BYTES);
        if is_long {
            return Err(cannot("is too large for a certificate"));
        }
        let text = std::fs::read(&path).map_err(|e| cannot(&format!("cannot be read: {e}")))?;
        let extra = Certificate::from_pem_bundle(&text).unwrap_or_default();
        if extra.is_empty() {
            return Err(cannot(
                "contains no PEM certificate (-----BEGIN CERTIFICATE-----)",
            ));
        }
        let uses_proxy = uses_proxy && options.uses_proxy;
        client(options, false, uses_proxy, extra)
            .map_err(|_| cannot("contains an unusable certificate"))
    }

    fn lane(&self, provider: &str) -> Arc<Lane> {
        let lanes = self.0.lanes.lock();
        let mut lanes = lanes.unwrap_or_else(PoisonError::into_inner);
        lanes.entry(provider.to_owned()).or_default().clone()
    }

    /// Returns the clock for deadlines.
    pub fn clock(&self) -> &dyn Clock {
        &*self.0.options.clock
    }
}

/// Installs the TLS implementation for this process; needed before the first client is built.
pub fn install_tls() {
    // If another one is already installed, that is fine too.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

fn client(
    options: &HttpOptions,
    is_guarded: bool,
    uses_proxy: bool,
    extra: Vec<Certificate>,
) -> reqwest::Result<Client> {
    let builder = Client::builder()
        .redirect(redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("kinora/", env!("CARGO_PKG_VERSION")))
        .retry(reqwest::retry::never())
        .tls_certs_merge(extra)
        .dns_resolver(Resolver {
            lookup: options.lookup.clone(),
            is_guarded,
        });
    match uses_proxy {
        true => builder.build(),
        false => builder.no_proxy().build(),
    }
}

fn not_started(why: &str) -> Failure {
    let message = format!("the HTTP client for providers cannot be used: {why}");
    Failure::new(Stage::Request, FailureKind::NotConfigured, message)
}

/// A runtime that shuts down without waiting, so that it may be dropped on a thread of another runtime.
#[derive(Debug)]
struct Runtime(Option<tokio::runtime::Runtime>);

impl Runtime {
    fn handle(&self) -> &tokio::runtime::Handle {
        self.0
            .as_ref()
            .expect("it is taken only when dropped")
            .handle()
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
