//! One request and one reply, as the adapters see them.

use std::fmt;
use std::sync::Arc;

use reqwest::{Method, Url};
use serde_json::Value;

/// Longest body of a reply without media, in bytes: word times of half an hour are about 1 MB.
pub const MAX_JSON_BYTES: usize = 16 << 20;

/// A key. Its value is never printed.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Stores a key without surrounding white space.
    pub fn new(key: &str) -> Secret {
        Secret(key.trim().to_owned())
    }

    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A request's body, which can be sent again.
#[derive(Clone, Debug)]
pub enum Body {
    /// Nothing.
    Empty,
    /// JSON.
    Json(Value),
    /// `multipart/form-data`.
    Parts(Vec<Part>),
}

/// A part of a form.
#[derive(Clone, Debug)]
pub enum Part {
    /// Name and text.
    Text(&'static str, String),
    /// A file.
    File {
        /// The part's name.
        name: &'static str,
        /// With an extension, by which some servers determine the type.
        file_name: String,
        /// Content type.
        mime: &'static str,
        /// Content.
        bytes: Arc<[u8]>,
    },
}

/// A request.
#[derive(Clone, Debug)]
pub struct Ask {
    /// GET, POST …
    pub method: Method,
    /// The address, without a key in it.
    pub url: Url,
    /// The body.
    pub body: Body,
    /// Longest body of the reply, in bytes.
    pub max_bytes: usize,
    /// Distinguishes this request from others of the same call; part of its idempotency key.
    pub step: String,
}

impl Ask {
    /// Creates a GET request.
    pub fn get(url: Url) -> Ask {
        Ask {
            method: Method::GET,
            url,
            body: Body::Empty,
            max_bytes: MAX_JSON_BYTES,
            step: String::new(),
        }
    }

    /// Creates a POST request with JSON.
    pub fn post(url: Url, json: Value) -> Ask {
        Ask {
            method: Method::POST,
            body: Body::Json(json),
            ..Ask::get(url)
        }
    }

    /// Creates a POST request with a form.
    pub fn form(url: Url, parts: Vec<Part>) -> Ask {
        Ask {
            method: Method::POST,
            body: Body::Parts(parts),
            ..Ask::get(url)
        }
    }

    /// Sets another limit for the reply.
    #[must_use]
    pub fn at_most(mut self, max_bytes: usize) -> Ask {
        self.max_bytes = max_bytes;
        self
    }

    /// Names the step of a call that makes several requests.
    #[must_use]
    pub fn step(mut self, step: impl fmt::Display) -> Ask {
        self.step = step.to_string();
        self
    }
}

/// A reply.
#[derive(Clone)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Without parameters, in lower case; empty if missing.
    pub content_type: String,
    /// `Retry-After`.
    pub retry_after: Option<String>,
    /// `Location`.
    pub location: Option<String>,
    /// The whole body.
    pub body: Vec<u8>,
}

impl Reply {
    /// Returns whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns the body as JSON, if it is JSON.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// Returns the machine-readable words of an error body: its codes and types, never its texts.
    pub fn codes(&self) -> Vec<String> {
        let Some(json) = self.json() else {
            return Vec::new();
        };
        let mut codes = Vec::new();
        for place in [
            "/error/code",
            "/error/type",
            "/code",
            "/type",
            "/detail/status",
            "/detail/code",
            "/detail/type",
            "/error_type",
        ] {
            codes.extend(
                json.pointer(place)
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            );
        }
        let details = json.pointer("/detail").and_then(Value::as_array);
        for detail in details.into_iter().flatten() {
            codes.extend(
                detail
                    .get("type")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            );
        }
        codes
    }
}

/// Omits the body, which is untrusted.
impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply")
            .field("status", &self.status)
            .field("n_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}
