//! The one way out: every request to a provider, and every picture or clip that a provider's answer points to, goes through here.
//!
//! Takes: requests and the circumstances of a call. Gives: whole replies within their bounds, or a [`Failure`] in our own words.
//! Never: follows a redirect with a key, waits past a deadline, tells what a provider said, retries what a client's mistake refuses.
//!
//! Threads that call block; the waiting is done by a small runtime of its own, so that any call can be dropped at once. It may be called from a thread of any other
//! runtime that is made for blocking work.

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

/// Longest time for a connection, its TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest file of certificates; a system's own bundle has 0.3 MB.
const MAX_CA_BYTES: u64 = 4 << 20;

/// Looks up a key by the name of its environment variable.
pub type Keys = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What the outside is to the client; the default is the machine's.
#[derive(Clone)]
pub struct HttpOptions {
    /// Measures deadlines and waits between attempts.
    pub clock: Arc<dyn Clock>,
    /// Finds hosts.
    pub lookup: Arc<dyn Lookup>,
    /// Finds keys.
    pub keys: Keys,
    /// Whether requests to providers go through the proxy that the environment names. Media never do: what they connect to is checked here.
    pub uses_proxy: bool,
    /// What relative paths of files with certificates start from.
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

/// The client; one for a process, so that all its calls to a provider share a retry budget and a circuit breaker. Clones are the same client.
#[derive(Clone, Debug)]
pub struct Http(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    runtime: Runtime,
    /// For providers.
    open: Client,
    /// For media anywhere.
    guarded: Client,
    /// For media on hosts that the operator allows.
    direct: Client,
    lanes: Mutex<HashMap<String, Arc<Lane>>>,
    options: HttpOptions,
}

impl Http {
    /// Starts the client's two threads.
    ///
    /// # Errors
    /// `NotConfigured` where the machine has no certificates to trust or no threads to give.
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

    /// A client that believes in the authorities of a file besides the system's; else what is wrong with the file.
    fn believing(&self, file: &Path, uses_proxy: bool) -> Result<Client, String> {
        let options = &self.0.options;
        let path = options.folder.join(file);
        let cannot = |why: &str| format!("ca_file {} {why}", path.display());
        let is_long = std::fs::metadata(&path).is_ok_and(|file| file.len() > MAX_CA_BYTES);
        if is_long {
            return Err(cannot("is longer than certificates are"));
        }
        let text = std::fs::read(&path).map_err(|e| cannot(&format!("cannot be read: {e}")))?;
        let extra = Certificate::from_pem_bundle(&text).unwrap_or_default();
        if extra.is_empty() {
            return Err(cannot(
                "holds no certificate in PEM (-----BEGIN CERTIFICATE-----)",
            ));
        }
        let uses_proxy = uses_proxy && options.uses_proxy;
        client(options, false, uses_proxy, extra)
            .map_err(|_| cannot("holds a certificate that cannot be used"))
    }

    fn lane(&self, provider: &str) -> Arc<Lane> {
        let lanes = self.0.lanes.lock();
        let mut lanes = lanes.unwrap_or_else(PoisonError::into_inner);
        lanes.entry(provider.to_owned()).or_default().clone()
    }

    /// The clock that calls are measured by.
    pub fn clock(&self) -> &dyn Clock {
        &*self.0.options.clock
    }
}

/// Says which implementation of TLS clients of this process use; needed before the first is built.
pub fn install_tls() {
    // Somebody may have installed one before; any will do.
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
    let message = format!("the client for providers cannot be used: {why}");
    Failure::new(Stage::Request, FailureKind::NotConfigured, message)
}

/// Ends without waiting, so that it may be dropped on a thread of another runtime.
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
