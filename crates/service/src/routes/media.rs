//! Media by URL: videos, posters and subtitles under unguessable names, character pictures by signed URL, audio never.

use std::ops::Range;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{HeaderName, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::read::QueryValues;
use crate::error::{Answer, ApiError, Code};
use crate::media::{Known, MediaError, content_type};
use crate::state::App;

/// Folders whose objects need no signature.
const PUBLIC: &[&str] = &["videos", "posters", "words"];
/// Folders whose objects need a signature.
const SIGNED: &[&str] = &["characters"];

/// The policy for the page that a browser puts around a video or picture.
const POLICY: &str =
    "default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'";

pub(crate) fn router(app: App) -> Router {
    Router::new()
        .route("/media/{folder}/{name}", get(public))
        .route("/media/signed/{folder}/{name}", get(signed))
        .with_state(app)
}

async fn public(
    State(app): State<App>,
    method: Method,
    path: Option<Path<(String, String)>>,
    headers: HeaderMap,
) -> Answer<Response> {
    let (object, kind) = named(path, PUBLIC)?;
    let cache = "public, max-age=31536000, immutable";
    send(&app, (&object, kind, cache), &method, &headers).await
}

async fn signed(
    State(app): State<App>,
    method: Method,
    path: Option<Path<(String, String)>>,
    query: QueryValues,
    headers: HeaderMap,
) -> Answer<Response> {
    let (object, kind) = named(path, SIGNED)?;
    let expires = query.get("expires").and_then(|text| text.parse().ok());
    let signature = query.get("signature").unwrap_or_default();
    let is_open = expires.is_some_and(|expires| app.media.is_signed(&object, expires, signature));
    if !is_open {
        let message = "this URL has expired or was changed; request a new one";
        return Err(ApiError::new(
            Code::InvalidKey,
            StatusCode::FORBIDDEN,
            message,
        ));
    }
    send(
        &app,
        (&object, kind, "private, max-age=300"),
        &method,
        &headers,
    )
    .await
}

fn unknown() -> ApiError {
    let message = "file not found or expired";
    ApiError::new(Code::NotFound, StatusCode::NOT_FOUND, message)
}

/// Returns the object and content type of a path, if it may be the name of a stored object.
fn named(path: Option<Path<(String, String)>>, folders: &[&str]) -> Answer<(String, &'static str)> {
    let Path((folder, name)) = path.ok_or_else(unknown)?;
    let object = format!("{folder}/{name}");
    let kind = content_type(&object).filter(|_| folders.contains(&folder.as_str()));
    kind.map(|kind| (object, kind)).ok_or_else(unknown)
}

async fn send(
    app: &App,
    (object, kind, cache): (&str, &'static str, &'static str),
    method: &Method,
    headers: &HeaderMap,
) -> Answer<Response> {
    let known = app.media.known(object).await.map_err(told)?;
    let etag = HeaderValue::from_str(&known.etag).map_err(|_| ApiError::internal())?;
    let name = object.rsplit('/').next().unwrap_or(object);
    let mut response = match part(headers, &known) {
        Part::Unchanged => StatusCode::NOT_MODIFIED.into_response(),
        Part::Outside => {
            let mut refusal = ApiError::unfit(
                StatusCode::RANGE_NOT_SATISFIABLE,
                "range",
                "the range is outside the file",
            )
            .into_response();
            set(
                &mut refusal,
                header::CONTENT_RANGE,
                &format!("bytes */{}", known.size),
            );
            return Ok(refusal);
        }
        Part::Whole => body(app, object, 0..known.size, method).await?,
        Part::Some(range) => {
            let told = format!("bytes {}-{}/{}", range.start, range.end - 1, known.size);
            let mut response = body(app, object, range, method).await?;
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            set(&mut response, header::CONTENT_RANGE, &told);
            response
        }
    };
    let added = response.headers_mut();
    added.insert(header::ETAG, etag);
    added.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    added.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    added.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    added.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(POLICY),
    );
    added.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("cross-origin"),
    );
    let disposition = format!("inline; filename=\"kinora-{name}\"");
    set(&mut response, header::CONTENT_DISPOSITION, &disposition);
    Ok(response)
}

fn set(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

fn told(error: MediaError) -> ApiError {
    match error {
        MediaError::NotFound => unknown(),
        error => error.into(),
    }
}

async fn body(app: &App, object: &str, range: Range<u64>, method: &Method) -> Answer<Response> {
    let length = range.end - range.start;
    let body = match method == Method::HEAD || length == 0 {
        true => Body::empty(),
        false => Body::from_stream(app.media.read(object, range).await.map_err(told)?),
    };
    let mut response = Response::new(body);
    response
        .headers_mut()
        .insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    Ok(response)
}

/// The requested part of a file.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Whole,
    Some(Range<u64>),
    Outside,
    Unchanged,
}

/// Evaluates conditions and ranges by RFC 9110, sections 13 and 14: cached copies and a single range.
fn part(headers: &HeaderMap, known: &Known) -> Part {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(have) = text(header::IF_NONE_MATCH) {
        let same = |tag: &str| tag == "*" || tag.trim_start_matches("W/") == known.etag;
        if have.split(',').any(|tag| same(tag.trim())) {
            return Part::Unchanged;
        }
    }
    let is_same = text(header::IF_RANGE).is_none_or(|tag| tag == known.etag);
    let range = text(header::RANGE).filter(|_| is_same);
    range.map_or(Part::Whole, |range| range_of(range, known.size))
}

/// Parses one range; several ranges and invalid ones get the whole file.
fn range_of(text: &str, size: u64) -> Part {
    let Some((first, last)) = text
        .strip_prefix("bytes=")
        .and_then(|range| range.trim().split_once('-'))
    else {
        return Part::Whole;
    };
    let range = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => first..last.saturating_add(1).min(size),
        (Ok(first), Err(_)) if last.is_empty() => first..size,
        (Err(_), Ok(last)) if first.is_empty() => size.saturating_sub(last)..size,
        _ => return Part::Whole,
    };
    match range.start < range.end {
        true => Part::Some(range),
        false => Part::Outside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_the_rfc() {
        let cases = [
            ("bytes=0-0", Part::Some(0..1)),
            ("bytes=5-", Part::Some(5..10)),
            ("bytes=-3", Part::Some(7..10)),
            ("bytes=-30", Part::Some(0..10)),
            ("bytes=8-99", Part::Some(8..10)),
            ("bytes=10-", Part::Outside),
            ("bytes=-0", Part::Outside),
            ("bytes=3-2", Part::Whole),
            ("bytes=0-1,3-4", Part::Whole),
            ("bytes=a-b", Part::Whole),
            ("lines=0-1", Part::Whole),
        ];
        for (text, expected) in cases {
            assert_eq!(range_of(text, 10), expected, "{text}");
        }
        assert_eq!(range_of("bytes=0-", 0), Part::Outside);
    }
}
