//! Bodies: enforces a minimum speed and a maximum size on requests, and notes the end of responses.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::http::header;
use axum::http::{HeaderMap, StatusCode};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use super::socket::Phase;
use crate::error::ApiError;

/// The time over which the speed of a body is measured.
const WINDOW: Duration = Duration::from_secs(15);

/// Why a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// Larger than this many bytes.
    #[error("the body is larger than {0} bytes")]
    TooLarge(u64),
    /// Slower than the minimum speed.
    #[error("the body was sent too slowly")]
    TooSlow,
    /// It ended early, or does not match its headers.
    #[error("the body ended too early")]
    Broken,
    /// It is compressed.
    #[error("compressed bodies are not supported")]
    Encoded,
}

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> ApiError {
        let status = match error {
            BodyError::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            BodyError::TooSlow => StatusCode::REQUEST_TIMEOUT,
            BodyError::Broken => StatusCode::BAD_REQUEST,
            BodyError::Encoded => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        };
        ApiError::unfit(status, "body", error.to_string())
    }
}

impl BodyError {
    /// Finds the cause in a reader's error chain.
    pub fn of(error: &(dyn std::error::Error + 'static)) -> BodyError {
        let mut at = Some(error);
        while let Some(error) = at {
            if let Some(known) = error.downcast_ref::<BodyError>() {
                return *known;
            }
            at = error.source();
        }
        BodyError::Broken
    }
}

/// Checks what the headers say about a body, before any of it is read.
///
/// # Errors
/// `Encoded` and `TooLarge`.
pub fn check_headers(headers: &HeaderMap, max_bytes: u64) -> Result<(), BodyError> {
    let encoding = headers.get(header::CONTENT_ENCODING);
    if encoding.is_some_and(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(BodyError::Encoded);
    }
    let length = headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    match length {
        Some(length) if length > max_bytes => Err(BodyError::TooLarge(max_bytes)),
        _ => Ok(()),
    }
}

/// Reads a whole body of at most `max_bytes`.
///
/// # Errors
/// Every kind of [`BodyError`].
pub async fn read_whole(
    headers: &HeaderMap,
    body: Body,
    max_bytes: usize,
) -> Result<Bytes, BodyError> {
    let max = max_bytes as u64;
    check_headers(headers, max)?;
    let mut body = std::pin::pin!(body);
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| BodyError::of(&error))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if whole.len() + data.len() > max_bytes {
            return Err(BodyError::TooLarge(max));
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole.freeze())
}

/// A request body with a minimum speed.
pub(super) struct Paced {
    body: Body,
    /// Bytes per second.
    least: u64,
    n_in_window: u64,
    window: Option<Pin<Box<Sleep>>>,
}

impl Paced {
    pub(super) fn new(body: Body, least: u64) -> Paced {
        Paced {
            body,
            least,
            n_in_window: 0,
            window: None,
        }
    }
}

impl HttpBody for Paced {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::BoxError>>> {
        let paced = self.get_mut();
        if let Poll::Ready(frame) = Pin::new(&mut paced.body).poll_frame(cx) {
            let n = frame
                .as_ref()
                .and_then(|frame| frame.as_ref().ok()?.data_ref().map(Bytes::len));
            paced.n_in_window += n.unwrap_or(0) as u64;
            return Poll::Ready(frame.map(|frame| frame.map_err(axum::BoxError::from)));
        }
        let window = paced.window.get_or_insert_with(|| Box::pin(sleep(WINDOW)));
        while window.as_mut().poll(cx).is_ready() {
            if paced.n_in_window < paced.least * WINDOW.as_secs() {
                return Poll::Ready(Some(Err(BodyError::TooSlow.into())));
            }
            paced.n_in_window = 0;
            window.as_mut().reset(Instant::now() + WINDOW);
        }
        Poll::Pending
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A response body; dropping it marks the end of the answer.
pub(super) struct Ended {
    body: Body,
    phase: Arc<Phase>,
}

impl Ended {
    /// Starts with an empty body, before there is a response.
    pub(super) fn new(phase: Arc<Phase>) -> Ended {
        Ended {
            body: Body::empty(),
            phase,
        }
    }

    pub(super) fn with(mut self, body: Body) -> Ended {
        self.body = body;
        self
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        self.phase.end();
    }
}

impl HttpBody for Ended {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
