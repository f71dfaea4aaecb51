//! One provider on the network: its address, its key, and the loop that calls it up to three times.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kinora::CancelToken;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};
use sha2::{Digest, Sha256};

use super::Http;
use super::ask::{Ask, Reply, Secret};
use super::attempt::{Outcome, built, exchange, wait_for};
use super::clock::{MAX_ASKED_WAIT, asked_wait, backoff};
use super::guard::AllowedHost;
use super::lane::Lane;
use crate::failure::{Failure, FailureKind, Stage};
use crate::providers::Call;

/// Attempts at one request.
const MAX_ATTEMPTS: u32 = 3;
/// Statuses after which the same request may succeed.
const RETRYABLE: &[u16] = &[408, 425, 429, 500, 502, 503, 504];
/// How often a wait between attempts checks for cancellation.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Codes and types by which vendors refuse content, as far as they are documented.
const REFUSALS: &[&str] = &[
    "content_policy_violation",
    "content_filter",
    "moderation_blocked",
    "image_generation_user_error",
    "safety_violation",
    "content_moderation",
    "sentinel_block",
];
/// Codes of a 429 that no wait resolves.
const SPENT: &[&str] = &[
    "insufficient_quota",
    "quota_exceeded",
    "billing_hard_limit_reached",
];

/// How a key is sent to a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Auth {
    /// `Authorization: SCHEME KEY`, such as `Bearer` or `Key`.
    Scheme(String),
    /// `NAME: KEY`, such as `xi-api-key`.
    Header(&'static str),
}

/// The address of a provider and how to call it.
#[derive(Clone, Debug)]
pub struct EndpointSettings {
    /// The name in configuration and messages.
    pub name: String,
    /// Without a trailing slash.
    pub base_url: Url,
    /// The environment variable that contains the key; `None` if no key is needed.
    pub key_env: Option<String>,
    /// How the key is sent.
    pub auth: Auth,
    /// Time limit of a whole request: all attempts, waits, and every byte of the reply.
    pub timeout: Duration,
    /// Hosts from which media may come although they are not public or not https.
    pub allowed: Vec<AllowedHost>,
    /// The header for idempotency keys, if the provider supports them.
    pub idempotency_header: Option<&'static str>,
    /// A file with certificates (PEM) of authorities that are trusted here in addition to the system's.
    pub ca_file: Option<PathBuf>,
}

/// A provider that can be called. Clones share its state.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub(super) http: Http,
    pub(super) settings: Arc<EndpointSettings>,
    pub(super) lane: Arc<Lane>,
    key: Option<Secret>,
    /// The client that trusts `ca_file`, or why there is none.
    own: Option<Result<Client, String>>,
}

/// How an attempt failed.
struct Setback {
    failure: Failure,
    may_retry: bool,
    asked_wait: Option<Duration>,
}

impl Endpoint {
    /// Creates an endpoint. A missing key is reported by [`Endpoint::ready`] and by every call.
    pub fn new(http: &Http, mut settings: EndpointSettings) -> Endpoint {
        let keys = &http.0.options.keys;
        let key = settings.key_env.as_ref().and_then(|name| keys(name));
        settings
            .allowed
            .extend(AllowedHost::origin_of(&settings.base_url));
        let own = settings
            .ca_file
            .as_ref()
            .map(|file| http.believing(file, !is_here(&settings.base_url)));
        Endpoint {
            own,
            http: http.clone(),
            lane: http.lane(&settings.name),
            key: key.map(|key| Secret::new(&key)),
            settings: Arc::new(settings),
        }
    }

    /// Returns the provider's name.
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// Returns the time of the client's clock.
    pub fn now(&self) -> Instant {
        self.http.clock().now()
    }

    /// Returns the base address plus these path segments, each escaped so that it stays one segment.
    pub fn url(&self, parts: &[&str]) -> Url {
        let mut url = self.settings.base_url.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(parts);
        }
        url
    }

    /// Returns whether an address from the provider is on the provider's own host, so that the key may be sent there.
    pub fn is_own(&self, url: &Url) -> bool {
        url.origin() == self.settings.base_url.origin()
            && url.username().is_empty()
            && url.password().is_none()
    }

    /// Creates a failure of this provider.
    pub fn failure(&self, stage: Stage, kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure::new(stage, kind, message).by(self.name(), None)
    }

    /// Creates a failure for an answer that does not match the provider's documented interface.
    pub fn bad_answer(&self, stage: Stage, what: &str) -> Failure {
        self.failure(stage, FailureKind::BadAnswer, what)
    }

    /// Checks that it can be called at all.
    ///
    /// # Errors
    /// `NotConfigured`, with the name of the variable whose key is missing or cannot be sent, or of the file without certificates.
    pub fn ready(&self, stage: Stage) -> Result<(), Failure> {
        self.auth_headers(stage).map(|_| ())
    }

    fn auth_headers(&self, stage: Stage) -> Result<HeaderMap, Failure> {
        if let Some(Err(why)) = &self.own {
            return Err(self.failure(stage, FailureKind::NotConfigured, why));
        }
        let mut headers = HeaderMap::new();
        let Some(variable) = &self.settings.key_env else {
            return Ok(headers);
        };
        let unusable = |what| {
            let message = format!("the environment variable {variable} {what}");
            self.failure(stage, FailureKind::NotConfigured, message)
        };
        let key = self
            .key
            .as_ref()
            .ok_or_else(|| unusable("is not set: put the provider's key into it"))?;
        let (name, value) = match &self.settings.auth {
            Auth::Scheme(scheme) => ("authorization", format!("{scheme} {}", key.reveal())),
            Auth::Header(name) => (*name, key.reveal().to_owned()),
        };
        let mut value =
            HeaderValue::from_str(&value).map_err(|_| unusable("does not contain a valid key"))?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
        Ok(headers)
    }

    fn headers(&self, ask: &Ask, stage: Stage, call: &Call) -> Result<HeaderMap, Failure> {
        let mut headers = self.auth_headers(stage)?;
        if let (Some(name), false) = (self.settings.idempotency_header, ask.method.is_safe()) {
            let hash = Sha256::digest(format!("{}\n{}\n{}", call.key, ask.url.path(), ask.step));
            let hex: String = hash.iter().take(16).map(|b| format!("{b:02x}")).collect();
            let value = HeaderValue::from_str(&hex).expect("hexadecimal digits");
            headers.insert(HeaderName::from_static(name), value);
        }
        Ok(headers)
    }

    /// Sends a request and returns the reply if its status is 2xx.
    ///
    /// # Errors
    /// A failure of `stage`, in our own words; `Refused` if the provider's code says so.
    pub fn call(&self, ask: &Ask, stage: Stage, call: &Call) -> Result<Reply, Failure> {
        let reply = self.exchange(ask, stage, call)?;
        match reply.is_success() {
            true => Ok(reply),
            false => Err(self.refusal(&reply, stage)),
        }
    }

    /// Sends a request and returns any reply that is not worth a retry, for callers that can send a different request next.
    ///
    /// # Errors
    /// As [`Endpoint::call`].
    pub fn exchange(&self, ask: &Ask, stage: Stage, call: &Call) -> Result<Reply, Failure> {
        let headers = self.headers(ask, stage, call)?;
        let client = self.client();
        let until = call.deadline.min(self.now() + self.settings.timeout);
        self.attempts(stage, until, &call.cancel, || {
            let request = built(client, ask, headers.clone());
            self.once(request, ask.max_bytes, until, &call.cancel)
        })
    }

    fn client(&self) -> &Client {
        match (&self.own, is_here(&self.settings.base_url)) {
            (Some(Ok(own)), _) => own,
            (_, true) => &self.http.0.direct,
            (_, false) => &self.http.0.open,
        }
    }

    /// Returns the client for files that may come from a private address.
    pub(super) fn client_for_media(&self, url: &Url) -> &Client {
        match &self.own {
            Some(Ok(own)) if self.is_own(url) => own,
            _ => &self.http.0.direct,
        }
    }

    /// Sends a request once, in the background, for at most `patience`.
    pub fn tell(&self, ask: &Ask, stage: Stage, call: &Call, patience: Duration) {
        let Ok(headers) = self.headers(ask, stage, call) else {
            return;
        };
        let request = built(self.client(), ask, headers).timeout(patience);
        self.http
            .0
            .runtime
            .handle()
            .spawn(exchange(request, ask.max_bytes));
    }

    pub(super) fn once(
        &self,
        request: reqwest::RequestBuilder,
        max_bytes: usize,
        until: Instant,
        cancel: &CancelToken,
    ) -> Outcome {
        let runtime = self.http.0.runtime.handle();
        wait_for(
            runtime,
            exchange(request, max_bytes),
            self.http.clock(),
            until,
            cancel,
        )
    }

    /// Makes up to three attempts, as far as budget, breaker, deadline and cancellation allow.
    pub(super) fn attempts(
        &self,
        stage: Stage,
        until: Instant,
        cancel: &CancelToken,
        attempt: impl Fn() -> Outcome,
    ) -> Result<Reply, Failure> {
        self.lane.begin(self.now());
        let mut last = None;
        for n in 1..=MAX_ATTEMPTS {
            if cancel.is_cancelled() {
                return Err(self.cancelled(stage));
            }
            if !self.lane.admits(self.now()) {
                let resting = "paused after repeated failures; try again soon";
                return Err(
                    last.unwrap_or_else(|| self.failure(stage, FailureKind::Unavailable, resting))
                );
            }
            let setback = match self.judged(attempt(), stage) {
                Ok(reply) => return Ok(reply),
                Err(setback) => setback,
            };
            let wait = setback.asked_wait.unwrap_or_default().max(backoff(n));
            let now = self.now();
            let goes_on = setback.may_retry
                && n < MAX_ATTEMPTS
                && wait <= MAX_ASKED_WAIT
                && now + wait < until;
            if !goes_on || self.lane.is_open() || !self.lane.take_retry(now) {
                return Err(setback.failure);
            }
            last = Some(setback.failure);
            self.sleep(wait, stage, cancel)?;
        }
        Err(last.unwrap_or_else(|| self.bad_answer(stage, "it was not called")))
    }

    /// Waits between requests.
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn sleep(&self, wait: Duration, stage: Stage, cancel: &CancelToken) -> Result<(), Failure> {
        let clock = self.http.clock();
        let end = clock.now() + wait;
        loop {
            if cancel.is_cancelled() {
                return Err(self.cancelled(stage));
            }
            let left = end.saturating_duration_since(clock.now());
            if left.is_zero() {
                return Ok(());
            }
            clock.sleep(left.min(LOOK_EVERY));
        }
    }

    fn judged(&self, outcome: Outcome, stage: Stage) -> Result<Reply, Setback> {
        let setback = |kind, message: &str, may_retry| Setback {
            failure: self.failure(stage, kind, message),
            may_retry,
            asked_wait: None,
        };
        // A reply that is only too long, or an address that is refused here, does not mean that the server is down.
        let is_down = match &outcome {
            Outcome::Replied(reply) => reply.status >= 500,
            Outcome::Broken(_) | Outcome::Untrusted(_) | Outcome::Late => true,
            Outcome::TooLong | Outcome::NotPublic | Outcome::Cancelled => false,
        };
        if !matches!(outcome, Outcome::Cancelled) {
            self.lane.report(!is_down, self.now());
        }
        match outcome {
            Outcome::Replied(reply) if RETRYABLE.contains(&reply.status) => {
                let is_spent = reply
                    .codes()
                    .iter()
                    .any(|code| SPENT.contains(&code.as_str()));
                let failure = self.refusal(&reply, stage);
                Err(Setback {
                    may_retry: !is_spent && failure.kind != FailureKind::Refused,
                    failure,
                    asked_wait: reply
                        .retry_after
                        .as_deref()
                        .and_then(|header| asked_wait(header, self.http.clock().time_of_day())),
                })
            }
            Outcome::Replied(reply) => Ok(reply),
            Outcome::Broken(what) => Err(setback(FailureKind::Unavailable, what, true)),
            Outcome::Untrusted(why) => Err(setback(FailureKind::Unavailable, why, false)),
            Outcome::TooLong => Err(setback(
                FailureKind::BadAnswer,
                "its response is too long",
                false,
            )),
            Outcome::NotPublic => Err(setback(
                FailureKind::BadAnswer,
                "it returned an address that is not public",
                false,
            )),
            Outcome::Late => Err(setback(
                FailureKind::TimedOut,
                "did not answer in time",
                false,
            )),
            Outcome::Cancelled => Err(Setback {
                failure: self.cancelled(stage),
                may_retry: false,
                asked_wait: None,
            }),
        }
    }

    /// Creates the failure of a cancelled call.
    pub fn cancelled(&self, stage: Stage) -> Failure {
        self.failure(
            stage,
            FailureKind::Cancelled,
            "cancelled during the request",
        )
    }

    /// Returns the failure for a status other than 2xx.
    pub fn refusal(&self, reply: &Reply, stage: Stage) -> Failure {
        let codes = reply.codes();
        let has = |list: &[&str]| codes.iter().any(|code| list.contains(&code.as_str()));
        let (kind, message) = match reply.status {
            _ if has(REFUSALS) => (FailureKind::Refused, "it refuses this content; reword it"),
            429 if has(SPENT) => (FailureKind::RateLimited, "its account has no credit left"),
            401 | 403 => (
                FailureKind::Unauthorized,
                "it rejected the API key, or the key is not allowed to use this model",
            ),
            402 => (FailureKind::Unauthorized, "its account has no credit left"),
            404 | 410 => (
                FailureKind::NotConfigured,
                "it has no such address or model: check base_url, model and the table of models",
            ),
            429 => (FailureKind::RateLimited, "too many requests"),
            408 | 425 => (FailureKind::Unavailable, "it could not accept the request"),
            500.. => (FailureKind::Unavailable, "server error"),
            300..=399 => (
                FailureKind::BadAnswer,
                "it redirects, and redirects are not followed: check base_url",
            ),
            _ => (
                FailureKind::BadAnswer,
                "it rejected the request: check the model and its settings",
            ),
        };
        Failure::new(stage, kind, message).by(self.name(), Some(reply.status))
    }
}

/// Returns whether a server is on this machine, and so behind no proxy.
fn is_here(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost" | "[::1]") => true,
        host => host.is_some_and(|host| host.starts_with("127.")),
    }
}
