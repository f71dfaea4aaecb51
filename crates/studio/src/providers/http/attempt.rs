//! One attempt at one request: sent, awaited, read within its limits, and dropped when it is cancelled or late.

use std::error::Error;
use std::future::Future;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use kinora::CancelToken;
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, multipart};

use super::ask::{Ask, Body, Part, Reply};
use super::clock::Clock;
use super::guard::NotPublic;

/// How often a waiting thread checks for cancellation.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The outcome of an attempt.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A complete reply of any status.
    Replied(Reply),
    /// The connection failed or broke off.
    Broken(&'static str),
    /// The server could not prove its identity.
    Untrusted(&'static str),
    /// The reply is longer than allowed.
    TooLong,
    /// The host's address is not public.
    NotPublic,
    /// The deadline passed.
    Late,
    /// The caller cancelled.
    Cancelled,
}

/// Runs `work` on the runtime while this thread waits. Drops it, and so closes its connection, at `until` or when cancelled.
pub(super) fn wait_for(
    runtime: &tokio::runtime::Handle,
    work: impl Future<Output = Outcome> + Send + 'static,
    clock: &dyn Clock,
    until: Instant,
    cancel: &CancelToken,
) -> Outcome {
    let (sender, receiver) = mpsc::channel();
    let task = runtime.spawn(async move {
        // After a timeout, the receiver is gone.
        let _ = sender.send(work.await);
    });
    loop {
        if cancel.is_cancelled() {
            task.abort();
            return Outcome::Cancelled;
        }
        let left = until.saturating_duration_since(clock.now());
        if left.is_zero() {
            task.abort();
            return Outcome::Late;
        }
        match receiver.recv_timeout(left.min(LOOK_EVERY)) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Outcome::Broken("could not be called"),
        }
    }
}

/// Sends a request and reads its reply.
pub(super) async fn exchange(request: RequestBuilder, max_bytes: usize) -> Outcome {
    let mut response = match request.send().await {
        Ok(response) => response,
        Err(e) => return broken(&e),
    };
    if response
        .content_length()
        .is_some_and(|n| n > max_bytes as u64)
    {
        return Outcome::TooLong;
    }
    let mut reply = head_of(&response);
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if reply.body.len() + chunk.len() > max_bytes => {
                return Outcome::TooLong;
            }
            Ok(Some(chunk)) => reply.body.extend_from_slice(&chunk),
            Ok(None) => return Outcome::Replied(reply),
            Err(e) => return broken(&e),
        }
    }
}

fn head_of(response: &Response) -> Reply {
    let text = |name: HeaderName| {
        let value = response.headers().get(name)?;
        value.to_str().ok().map(str::to_owned)
    };
    let content_type = text(header::CONTENT_TYPE).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default();
    Reply {
        status: response.status().as_u16(),
        content_type: essence.trim().to_ascii_lowercase(),
        retry_after: text(header::RETRY_AFTER),
        location: text(header::LOCATION),
        body: Vec::new(),
    }
}

/// Classifies an error. Its own text may contain an address with a key, so only its kind is reported.
fn broken(e: &reqwest::Error) -> Outcome {
    let mut source = e.source();
    while let Some(inner) = source {
        if inner.is::<NotPublic>() {
            return Outcome::NotPublic;
        }
        if let Some(why) = inner.downcast_ref().and_then(distrust) {
            return Outcome::Untrusted(why);
        }
        // An I/O error's `source` skips the error it wraps.
        let of_io = inner.downcast_ref::<std::io::Error>();
        let hidden = of_io.and_then(|io| io.get_ref());
        source = hidden
            .map(|hidden| hidden as &(dyn Error + 'static))
            .or_else(|| inner.source());
    }
    Outcome::Broken(match e {
        _ if e.is_timeout() => "did not accept a connection in time",
        _ if e.is_connect() => "could not be reached",
        _ if e.is_body() || e.is_decode() => "broke off its response",
        _ => "did not send a valid HTTP response",
    })
}

/// Returns why a server is not trusted, worded to follow its name; `None` if the connection ended for other reasons.
fn distrust(e: &rustls::Error) -> Option<&'static str> {
    use rustls::CertificateError as Certificate;
    let rustls::Error::InvalidCertificate(why) = e else {
        let is_no_tls = matches!(e, rustls::Error::InvalidMessage(_));
        return is_no_tls.then_some("it does not speak TLS at this address: check base_url");
    };
    Some(match why {
        Certificate::Expired | Certificate::ExpiredContext { .. } => {
            "its certificate has expired (or this machine's clock is wrong)"
        }
        Certificate::NotValidYet | Certificate::NotValidYetContext { .. } => {
            "its certificate is not valid yet (or this machine's clock is wrong)"
        }
        Certificate::NotValidForName | Certificate::NotValidForNameContext { .. } => {
            "its certificate is for another name: check base_url"
        }
        // A signature that does not match is that of another authority of the same name.
        Certificate::UnknownIssuer | Certificate::BadSignature => {
            "its certificate is signed by an unknown authority: if the authority is your own, set ca_file to the authority's certificate"
        }
        Certificate::Revoked => "its certificate has been revoked",
        _ => "its certificate is not valid",
    })
}

/// Builds the request as the client sends it.
pub(super) fn built(client: &Client, ask: &Ask, headers: HeaderMap<HeaderValue>) -> RequestBuilder {
    let request = client
        .request(ask.method.clone(), ask.url.clone())
        .headers(headers);
    match &ask.body {
        Body::Empty => request,
        Body::Json(json) => request.json(json),
        Body::Parts(parts) => request.multipart(form(parts)),
    }
}

fn form(parts: &[Part]) -> multipart::Form {
    parts
        .iter()
        .fold(multipart::Form::new(), |form, part| match part {
            Part::Text(name, text) => form.text(*name, text.clone()),
            Part::File {
                name,
                file_name,
                mime,
                bytes,
            } => {
                let file = multipart::Part::bytes(bytes.to_vec()).file_name(file_name.clone());
                let file = file
                    .mime_str(mime)
                    .expect("content types are written in this crate");
                form.part(*name, file)
            }
        })
}
