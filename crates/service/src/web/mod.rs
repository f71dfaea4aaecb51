//! The dashboard: pages for people, built on the same functions as the API.
//!
//! Takes forms from a browser. Gives pages that work without JavaScript; a small script makes them live. It never accepts a form without its token, shows
//! another account's rows, or puts inline scripts or styles into a page.

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

/// Maximum size of a form without a file, in bytes: the longest script takes a third of it, with every character encoded as twelve.
const MAX_FORM: usize = 2 << 20;

/// The service's parts and the pages' in-memory state.
#[derive(Clone, Debug)]
pub(crate) struct Web {
    app: App,
    previews: Arc<Previews>,
}

/// Returns the router of all pages, besides `/api/v1`.
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
