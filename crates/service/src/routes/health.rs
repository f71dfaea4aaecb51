//! Liveness and readiness.

use axum::Router;
use axum::extract::State;
use axum::routing::get;

use crate::error::{Answer, ApiError};
use crate::state::App;

pub(crate) fn router(app: App) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .with_state(app)
}

/// Fails while the service stops and while the database is unavailable.
async fn ready(State(app): State<App>) -> Answer<&'static str> {
    match !app.stopping.is_cancelled() && app.db.is_ready().await {
        true => Ok("ready\n"),
        false => Err(ApiError::unavailable()),
    }
}
