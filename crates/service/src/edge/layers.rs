//! Layers around every request: an id, a log line, a guard against panics, headers, and an envelope for bare error responses.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;

use super::body::Paced;
use super::headers::{add_defaults, cors};
use crate::config::Server;
use crate::error::{ApiError, Code};
use crate::request_id::REQUEST_ID;
use crate::{ids, observe};

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Where a route notes the key that was used, for the log.
#[derive(Clone, Debug, Default)]
pub struct KeySlot(Arc<OnceLock<String>>);

impl KeySlot {
    /// Notes a key's id.
    pub fn set(&self, key_id: &str) {
        // The first one counts.
        let _ = self.0.set(key_id.to_owned());
    }
}

/// Adds the edge's layers to a router.
pub fn layered(router: Router, config: &Server) -> Router {
    router
        .layer(cors(config))
        .layer(from_fn_with_state(config.min_body_rate, watched))
}

async fn watched(State(least): State<u64>, mut request: Request, next: Next) -> Response {
    let id = ids::request();
    let begun = Instant::now();
    let method = request.method().clone();
    let path = request.extensions().get::<MatchedPath>().cloned();
    let key = KeySlot::default();
    request.extensions_mut().insert(key.clone());
    let request = request.map(|body| Body::new(Paced::new(body, least)));
    let answer = async {
        let answer = AssertUnwindSafe(next.run(request)).catch_unwind().await;
        let answer = answer.unwrap_or_else(|_| {
            tracing::error!("a route panicked");
            ApiError::internal().into_response()
        });
        enveloped(answer)
    };
    let mut answer = REQUEST_ID.scope(id.clone(), answer).await;
    let headers = answer.headers_mut();
    add_defaults(headers);
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(X_REQUEST_ID, id);
    }
    // The route's pattern: a path as sent may contain anything.
    let route = path.as_ref().map_or("-", |path| path.as_str());
    observe::answered(&method, route, answer.status(), begun.elapsed());
    tracing::info!(
        method = method.as_str(),
        path = route,
        status = answer.status().as_u16(),
        ms = begun.elapsed().as_millis() as u64,
        request_id = id,
        key_id = key.0.get().map_or("-", String::as_str),
        "request"
    );
    answer
}

/// Wraps errors without an envelope (from the router or extractors) in one.
fn enveloped(answer: Response) -> Response {
    let status = answer.status();
    let is_refusal = status.is_client_error() || status.is_server_error();
    if !is_refusal || is_page(answer.headers()) {
        return answer;
    }
    let mut bare = bare_error(status).into_response();
    for name in [header::ALLOW, header::CONTENT_RANGE] {
        if let Some(value) = answer.headers().get(&name) {
            bare.headers_mut().insert(name, value.clone());
        }
    }
    bare
}

fn is_page(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| {
        kind.as_bytes().starts_with(b"application/json")
            || kind.as_bytes().starts_with(b"text/html")
    })
}

/// Returns the error for a status that came without one.
fn bare_error(status: StatusCode) -> ApiError {
    let (field, reason) = match status {
        StatusCode::NOT_FOUND => {
            let reason = "there is nothing at this path; /openapi.json lists all paths";
            let error = ApiError::unfit(status, "path", reason);
            return ApiError {
                code: Code::NotFound,
                ..error
            };
        }
        StatusCode::METHOD_NOT_ALLOWED => ("method", "this path does not support this method"),
        StatusCode::URI_TOO_LONG => ("path", "the path is too long"),
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => ("headers", "the headers are too large"),
        StatusCode::PAYLOAD_TOO_LARGE => ("body", "the body is too large"),
        StatusCode::RANGE_NOT_SATISFIABLE => ("range", "the range is outside the file"),
        _ if status.is_server_error() => {
            return ApiError {
                status,
                ..ApiError::internal()
            };
        }
        _ => ("request", "the request cannot be read"),
    };
    ApiError::unfit(status, field, reason)
}

/// Returns a whole response for a request that is refused before it is parsed. The connection closes.
pub(super) fn bare_refusal(status: StatusCode) -> Vec<u8> {
    let error = bare_error(status);
    let id = ids::request();
    let body = serde_json::json!({
        "error": { "code": error.code.as_str(), "message": error.message, "details": error.details, "requestId": id }
    })
    .to_string();
    tracing::info!(
        status = status.as_u16(),
        request_id = id,
        "a request could not be read"
    );
    format!(
        "HTTP/1.1 {} {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nx-request-id: {id}\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n{body}",
        status.as_u16(),
        status.canonical_reason().unwrap_or("Refused"),
        body.len(),
    )
    .into_bytes()
}
