//! Routes: parse a request, call a function, map its result.
//!
//! Takes requests that have passed the edge. Gives the API's envelopes, pages, media. They know nothing of SQL or of how a video is made.

pub mod account;
mod audio;
mod cast;
pub mod characters;
pub mod create;
pub mod events;
mod extras;
pub mod form;
mod gate;
mod health;
mod in_use;
pub(crate) mod languages;
pub mod lists;
mod media;
pub mod operation;
mod page;
mod params;
mod picture;
mod read;
pub mod rewrite;
pub mod runs;
mod schemas;
pub(crate) mod stand_ins;
mod table;
mod title;
pub mod universes;
pub mod uploads;
pub mod videos;
pub mod webhooks;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};

pub use read::{Data, JsonBody, PathId, QueryValues, is_id};
pub use table::OPERATIONS;

use crate::state::App;
use crate::{edge, observe, web};
use axum::http::StatusCode;

/// The prefix of all API paths.
pub const PREFIX: &str = "/api/v1";

/// Returns the router of the whole service.
pub fn app(app: App) -> Router {
    let config = app.config.clone();
    let router = Router::new()
        .nest(PREFIX, interface(app.clone()))
        .merge(media::router(app.clone()))
        .merge(health::router(app.clone()))
        .merge(page::router(app.clone()))
        .merge(observe::router(app.clone()))
        .merge(web::router(app))
        // Every body reader sets its own limit.
        .layer(DefaultBodyLimit::disable());
    edge::layered(router, &config.server)
}

/// Returns the API's router; requests pass the gate before routing.
fn interface(app: App) -> Router {
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
