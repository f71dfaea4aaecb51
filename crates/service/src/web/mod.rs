//! The dashboard.

use axum::Router;

use crate::state::App;

/// Its pages.
pub fn router(app: App) -> Router {
    Router::new().with_state(app)
}
