//! Error responses: a code of the interface, a status, a message, details.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use kinora_studio::request::{FieldProblem, ProblemCode};
use serde_json::{Map, Value, json};

/// An error code of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// `VAL_MISSING_FIELD`.
    MissingField,
    /// `VAL_INVALID_FORMAT`.
    InvalidFormat,
    /// `needs_canonical_rewrite`.
    NeedsCanonicalRewrite,
    /// `AUTH_INVALID_KEY`.
    InvalidKey,
    /// `AUTH_PLAN_REQUIRED`: the plan does not include the requested feature.
    PlanRequired,
    /// `BIZ_INSUFFICIENT_CREDITS`.
    InsufficientCredits,
    /// `RATE_TOO_MANY_REQUESTS`.
    TooManyRequests,
    /// `BIZ_GENERATION_FAILED`.
    GenerationFailed,
    /// `BIZ_RESOURCE_NOT_FOUND`.
    NotFound,
}

impl Code {
    /// All codes.
    pub const ALL: [Code; 9] = [
        Code::MissingField,
        Code::InvalidFormat,
        Code::NeedsCanonicalRewrite,
        Code::InvalidKey,
        Code::PlanRequired,
        Code::InsufficientCredits,
        Code::TooManyRequests,
        Code::GenerationFailed,
        Code::NotFound,
    ];

    /// Returns the value of `error.code`.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::MissingField => "VAL_MISSING_FIELD",
            Code::InvalidFormat => "VAL_INVALID_FORMAT",
            Code::NeedsCanonicalRewrite => "needs_canonical_rewrite",
            Code::InvalidKey => "AUTH_INVALID_KEY",
            Code::PlanRequired => "AUTH_PLAN_REQUIRED",
            Code::InsufficientCredits => "BIZ_INSUFFICIENT_CREDITS",
            Code::TooManyRequests => "RATE_TOO_MANY_REQUESTS",
            Code::GenerationFailed => "BIZ_GENERATION_FAILED",
            Code::NotFound => "BIZ_RESOURCE_NOT_FOUND",
        }
    }
}

/// An error response: the interface's error envelope, with the request's id.
#[derive(Clone, Debug)]
pub struct ApiError {
    /// Its code.
    pub code: Code,
    /// Its HTTP status.
    pub status: StatusCode,
    /// What was wrong and how to fix it.
    pub message: String,
    /// `error.details`.
    pub details: Map<String, Value>,
}

/// A handler's result.
pub type Answer<T> = Result<T, ApiError>;

impl ApiError {
    /// Creates an error with a status and no details.
    pub fn new(code: Code, status: StatusCode, message: impl Into<String>) -> ApiError {
        ApiError {
            code,
            status,
            message: message.into(),
            details: Map::new(),
        }
    }

    /// Adds a detail.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> ApiError {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// 400 for one field.
    pub fn invalid(field: &str, reason: impl Into<String>) -> ApiError {
        ApiError::of_problems(&[FieldProblem::invalid(field, reason)])
    }

    /// 400 for one missing field.
    pub fn missing(field: &str, reason: impl Into<String>) -> ApiError {
        ApiError::of_problems(&[FieldProblem::missing(field, reason)])
    }

    /// 400: the first problem decides the code, `details.field` and `details.reason`; `details.problems` lists all if there are several or the script must be
    /// rewritten.
    pub fn of_problems(problems: &[FieldProblem]) -> ApiError {
        let rewrite = problems
            .iter()
            .find(|p| p.code == ProblemCode::NeedsCanonicalRewrite);
        let Some(first) = rewrite.or(problems.first()) else {
            return ApiError::internal();
        };
        let code = match first.code {
            ProblemCode::MissingField => Code::MissingField,
            ProblemCode::InvalidFormat => Code::InvalidFormat,
            ProblemCode::NeedsCanonicalRewrite => Code::NeedsCanonicalRewrite,
        };
        let message = match code {
            Code::NeedsCanonicalRewrite => {
                format!("{first}; POST /rewrite turns any text into a canonical script")
            }
            _ => first.to_string(),
        };
        let mut error = ApiError::new(code, StatusCode::BAD_REQUEST, message);
        if !first.field.is_empty() {
            error = error
                .with("field", first.field.clone())
                .with("reason", first.reason.clone());
        }
        if problems.len() > 1 || code == Code::NeedsCanonicalRewrite {
            let all = problems
                .iter()
                .map(|p| json!({ "code": p.code, "field": p.field, "reason": p.reason }));
            error = error.with("problems", all.collect::<Vec<_>>());
        }
        error
    }

    /// 401, the same for every invalid key.
    pub fn invalid_key() -> ApiError {
        let message = "the header x-api-key does not contain a valid key; create one in the dashboard, under API keys";
        ApiError::new(Code::InvalidKey, StatusCode::UNAUTHORIZED, message)
    }

    /// 404 for a resource that does not exist or belongs to another account.
    pub fn not_found(what: &str, name: &str, id: &str) -> ApiError {
        let message = format!("there is no such {what}");
        ApiError::new(Code::NotFound, StatusCode::NOT_FOUND, message).with(name, id)
    }

    /// 402.
    pub fn no_credits(required: u64, available: u64) -> ApiError {
        let message = format!(
            "this requires {required} credits, but {available} are left; the server's operator grants more, and a sandbox key needs none"
        );
        ApiError::new(
            Code::InsufficientCredits,
            StatusCode::PAYMENT_REQUIRED,
            message,
        )
        .with("required", required)
        .with("available", available)
    }

    /// `VAL_INVALID_FORMAT` with a status other than 400; `field` names the part of the request.
    pub fn unfit(status: StatusCode, field: &str, reason: impl Into<String>) -> ApiError {
        let reason = reason.into();
        ApiError::new(Code::InvalidFormat, status, reason.clone())
            .with("field", field)
            .with("reason", reason)
    }

    /// 409: the current state does not allow the request.
    pub fn conflict(field: &str, reason: impl Into<String>) -> ApiError {
        ApiError::unfit(StatusCode::CONFLICT, field, reason)
    }

    /// 429; `retry_after` in seconds, at least 1.
    pub fn too_many(retry_after: u64) -> ApiError {
        let message = format!("too many requests with this key; retry in {retry_after} s");
        ApiError::new(
            Code::TooManyRequests,
            StatusCode::TOO_MANY_REQUESTS,
            message,
        )
        .with("retryAfter", retry_after)
    }

    /// 503: the database or the store is not reachable.
    pub fn unavailable() -> ApiError {
        let message = "the service cannot reach its storage now; try again in a few seconds";
        ApiError::new(
            Code::GenerationFailed,
            StatusCode::SERVICE_UNAVAILABLE,
            message,
        )
        .with("reason", "storage_unavailable")
    }

    /// 500: an internal error; the log has its cause under the request's id.
    pub fn internal() -> ApiError {
        let message = "unexpected error in the service; report the requestId to its operator";
        ApiError::new(
            Code::GenerationFailed,
            StatusCode::INTERNAL_SERVER_ERROR,
            message,
        )
        .with("reason", "internal")
    }
}

impl From<Vec<FieldProblem>> for ApiError {
    fn from(problems: Vec<FieldProblem>) -> ApiError {
        ApiError::of_problems(&problems)
    }
}

impl From<crate::db::DbError> for ApiError {
    fn from(error: crate::db::DbError) -> ApiError {
        tracing::error!(%error, "database");
        if error.is_unavailable() {
            ApiError::unavailable()
        } else {
            ApiError::internal()
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let retry_after = self.details.get("retryAfter").and_then(Value::as_u64);
        let mut body = json!({ "code": self.code.as_str(), "message": self.message });
        body["details"] = Value::Object(self.details);
        body["requestId"] = crate::request_id::request_id().into();
        let mut response = (self.status, Json(json!({ "error": body }))).into_response();
        if let Some(secs) = retry_after {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(secs));
        }
        response
    }
}

impl From<crate::media::MediaError> for ApiError {
    fn from(error: crate::media::MediaError) -> ApiError {
        tracing::error!(%error, "media");
        ApiError::unavailable()
    }
}
