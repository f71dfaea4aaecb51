//! Whether the service lives, and whether it should be sent requests.

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

/// Not while it stops, nor while the database is away.
async fn ready(State(app): State<App>) -> Answer<&'static str> {
    match !app.stopping.is_cancelled() && app.db.is_ready().await {
        true => Ok("ready\n"),
        false => Err(ApiError::unavailable()),
    }
}
