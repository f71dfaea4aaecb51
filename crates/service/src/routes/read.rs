//! Reading requests and writing answers: the envelope, JSON bodies, query values, the idempotency key.

use axum::extract::{FromRef, FromRequest, FromRequestParts, MatchedPath, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Json, RequestPartsExt};
use bytes::Bytes;
use serde::Serialize;
use serde_json::json;

use crate::edge::read_whole;
use crate::error::ApiError;
use crate::request_id::request_id;
use crate::state::App;

/// An answer: the API's envelope with the request's id.
#[derive(Debug)]
pub struct Data<T>(pub T);

impl<T: Serialize> IntoResponse for Data<T> {
    fn into_response(self) -> Response {
        let Ok(data) = serde_json::to_value(&self.0) else {
            tracing::error!("a response cannot be written as JSON");
            return ApiError::internal().into_response();
        };
        Json(json!({ "data": data, "requestId": request_id() })).into_response()
    }
}

/// A JSON body as unparsed bytes.
#[derive(Debug)]
pub struct JsonBody(pub Bytes);

impl<S> FromRequest<S> for JsonBody
where
    App: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<JsonBody, ApiError> {
        let max = App::from_ref(state).config.server.max_json;
        let (parts, body) = request.into_parts();
        if !is_json(&parts.headers) {
            let message = "the body must be JSON: send content-type: application/json";
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Err(ApiError::unfit(status, "content-type", message));
        }
        Ok(JsonBody(read_whole(&parts.headers, body, max).await?))
    }
}

/// Whether the body is JSON; a missing content type counts as JSON.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(kind) = headers.get(header::CONTENT_TYPE) else {
        return true;
    };
    let kind = kind.to_str().unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// The client's `Idempotency-Key`, if it sent one.
#[derive(Debug)]
pub struct IdempotencyKey(pub Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<IdempotencyKey, ApiError> {
        const NAME: &str = "Idempotency-Key";
        const MAX: usize = 255;
        let mut values = parts.headers.get_all(NAME).iter();
        let (Some(value), more) = (values.next(), values.next()) else {
            return Ok(IdempotencyKey(None));
        };
        let text = value.to_str().ok().filter(|text| {
            (1..=MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
        });
        match text {
            Some(text) if more.is_none() => Ok(IdempotencyKey(Some(text.to_owned()))),
            _ => {
                let reason = format!("must be 1 to {MAX} visible ASCII characters");
                Err(ApiError::invalid(NAME, reason))
            }
        }
    }
}

/// The query's values by name.
#[derive(Debug, Default)]
pub struct QueryValues(Vec<(String, String)>);

impl QueryValues {
    /// The first value of a name, unless it is empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// Returns a required value.
    pub fn need(&self, name: &str, what: &str) -> Result<&str, ApiError> {
        self.get(name)
            .ok_or_else(|| ApiError::missing(name, format!("{what} is required in the query")))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for QueryValues {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<QueryValues, Self::Rejection> {
        let query = parts.uri.query().unwrap_or_default();
        let pairs = url::form_urlencoded::parse(query.as_bytes());
        Ok(QueryValues(pairs.into_owned().collect()))
    }
}

/// A path's only parameter; one that is not valid text is treated as unknown.
#[derive(Debug)]
pub struct PathId(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<PathId, ApiError> {
        let id = parts.extract::<Path<String>>().await;
        id.map(|path| PathId(path.0)).map_err(|_| {
            let (name, sent) = parameter(parts).unwrap_or_default();
            ApiError::not_found("resource", &name, &sent)
        })
    }
}

/// Returns the name and the raw value of a path's only parameter.
fn parameter(parts: &Parts) -> Option<(String, String)> {
    let route = parts.extensions.get::<MatchedPath>()?.as_str();
    // From the end: the prefix of a nested router is in only one of the two.
    let mut pairs = route.rsplit('/').zip(parts.uri.path().rsplit('/'));
    let (name, sent) = pairs.find(|(name, _)| name.starts_with('{'))?;
    Some((name.trim_matches(['{', '}']).to_owned(), sent.to_owned()))
}
