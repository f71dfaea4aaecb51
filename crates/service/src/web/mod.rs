//! The dashboard: pages for people over the same functions as the interface.
//!
//! Takes: forms of a browser. Gives: pages that do without a script; the little script there is makes them live. Never: takes a form without its token; shows
//! a row of another account; puts a script or a style into a page.

mod account;
mod assets;
mod characters;
mod composer;
mod create;
mod credits;
mod form;
mod guard;
mod home;
mod keys;
mod multipart;
mod notice;
mod page;
mod preview;
mod run;
mod runs;
mod session;
mod short_form;
mod sign;
mod text;
mod universe_form;
mod universe_video;
mod universes;
mod uploads;
mod voices;
mod webhooks;
mod words;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;

use crate::state::App;
use preview::Previews;

/// Largest form without a file, bytes: the longest script takes a third of it, every character written as twelve.
const MAX_FORM: usize = 2 << 20;

/// The service's parts and what pages keep in memory.
#[derive(Clone, Debug)]
pub(crate) struct Web {
    app: App,
    previews: Arc<Previews>,
}

/// All pages, beside `/api/v1`.
pub fn router(app: App) -> Router {
    let web = Web {
        previews: Arc::default(),
        app,
    };
    let signed_in_pages = Router::new()
        .merge(home::routes())
        .merge(runs::routes())
        .merge(run::routes())
        .merge(create::routes())
        .merge(universes::routes())
        .merge(universe_video::routes())
        .merge(characters::routes())
        .merge(uploads::routes())
        .merge(keys::routes())
        .merge(credits::routes())
        .merge(webhooks::routes())
        .merge(account::routes())
        .merge(preview::routes())
        .merge(voices::routes());
    signed_in_pages
        .merge(sign::routes())
        .layer(DefaultBodyLimit::max(MAX_FORM))
        .layer(from_fn_with_state(web.clone(), guard::check))
        .merge(assets::routes())
        .fallback(guard::nothing_here)
        .with_state(web)
}
