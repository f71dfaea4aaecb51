//! Headers of every answer, and what browsers on other origins may do.

use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::config::Server;

/// Headers that are added unless a route has set them.
const DEFAULTS: &[(HeaderName, &str)] = &[
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'",
    ),
    (header::CACHE_CONTROL, "no-store"),
];

pub(super) fn add_defaults(headers: &mut HeaderMap) {
    for (name, value) in DEFAULTS {
        if !headers.contains_key(name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
}

/// Keys travel in their own header and never in a cookie, so any origin may be allowed.
pub(super) fn cors(config: &Server) -> CorsLayer {
    let origins = match config.cors.iter().any(|origin| origin == "*") {
        true => AllowOrigin::any(),
        false => AllowOrigin::list(
            config
                .cors
                .iter()
                .filter_map(|origin| HeaderValue::from_str(origin).ok()),
        ),
    };
    CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([
            Method::GET,
            Method::HEAD,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
        ])
        .allow_headers([
            header::CONTENT_TYPE,
            header::RANGE,
            header::IF_RANGE,
            HeaderName::from_static("x-api-key"),
            HeaderName::from_static("idempotency-key"),
        ])
        .expose_headers([
            header::RETRY_AFTER,
            header::CONTENT_RANGE,
            header::ACCEPT_RANGES,
            header::ETAG,
            HeaderName::from_static("x-request-id"),
        ])
}
