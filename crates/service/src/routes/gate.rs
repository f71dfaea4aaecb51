//! Access control: the key, then the plan, then the rate, before the body is read and before routing.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::asker::Asker;
use crate::db::{Admission, Caller};
use crate::edge::KeySlot;
use crate::error::{Answer, ApiError, Code};
use crate::state::App;

const X_API_KEY: &str = "x-api-key";
/// Maximum length of a key.
const MAX_KEY: usize = 200;

/// The access control layer of all API routes.
pub(super) async fn pass(State(app): State<App>, mut request: Request, next: Next) -> Response {
    match caller(&app, request.headers()).await {
        Ok(caller) => {
            if let Some(slot) = request.extensions().get::<KeySlot>() {
                slot.set(&caller.key_id);
            }
            if let Err(refusal) = admitted(&app, &caller).await {
                return refusal.into_response();
            }
            request.extensions_mut().insert(Asker::from(caller));
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

/// Returns the caller of a request that carries exactly one key.
async fn caller(app: &App, headers: &HeaderMap) -> Answer<Caller> {
    let mut keys = headers.get_all(X_API_KEY).iter();
    let (Some(key), None) = (keys.next(), keys.next()) else {
        return Err(ApiError::invalid_key());
    };
    let key = key.to_str().ok().filter(|key| {
        (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic())
    });
    let key = key.ok_or_else(ApiError::invalid_key)?;
    let caller = app.db.caller(key).await?;
    caller.ok_or_else(ApiError::invalid_key)
}

async fn admitted(app: &App, caller: &Caller) -> Answer<()> {
    if !caller.account.plan.has_api() && !caller.is_sandbox {
        let message =
            "this account's plan does not include API access; a sandbox key works on every plan";
        return Err(ApiError::new(
            Code::PlanRequired,
            StatusCode::FORBIDDEN,
            message,
        ));
    }
    let server = &app.config.server;
    let limit = caller.account.requests_per_minute;
    let limit = limit.unwrap_or(server.requests_per_minute);
    let window_ms = i64::from(server.rate_window_secs) * 1000;
    match app.db.admit(&caller.key_id, limit, window_ms).await? {
        Admission::Admitted => Ok(()),
        Admission::Refused { retry_after } => Err(ApiError::too_many(retry_after.max(1))),
    }
}
