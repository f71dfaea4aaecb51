//! Routes: parse a request, call a function, map its result.
//!
//! Takes requests that have passed the edge. Gives the API's envelopes, pages, media. They know nothing of SQL or of how a video is made.

pub mod account;
pub mod characters;
pub mod events;
mod gate;
pub(crate) mod health;
pub mod lists;
pub(crate) mod media;
pub mod operation;
mod params;
mod read;
pub mod rewrite;
pub mod runs;
mod table;
pub mod universes;
pub mod uploads;
pub mod videos;
pub mod webhooks;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};

pub use read::{Data, JsonBody, PathId, QueryValues};
pub use table::OPERATIONS;

use crate::state::App;
use axum::http::StatusCode;

/// The prefix of all API paths.
pub const PREFIX: &str = "/api/v1";

/// Returns the API's router; requests pass the gate before routing.
pub fn interface(app: App) -> Router {
    let mut router = Router::new();
    for operation in OPERATIONS {
        router = router.route(operation.path, (operation.handler)());
    }
    router
        .fallback(nothing_here)
        .layer(from_fn_with_state(app.clone(), gate::pass))
        .with_state(app)
}

async fn nothing_here() -> Response {
    StatusCode::NOT_FOUND.into_response()
}
