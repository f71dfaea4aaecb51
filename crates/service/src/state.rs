//! What every handler and worker has in its hand.

use std::sync::Arc;

use axum::extract::FromRef;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::db::Db;
use crate::media::Media;

/// The service's parts; clones share them.
#[derive(Clone, Debug)]
pub struct App {
    /// As configured.
    pub config: Arc<Config>,
    /// Accounts, runs and everything else that is written down.
    pub db: Db,
    /// Videos, pictures and uploads.
    pub media: Media,
    /// Cancelled when the service is to stop.
    pub stopping: CancellationToken,
}

impl FromRef<App> for Db {
    fn from_ref(app: &App) -> Db {
        app.db.clone()
    }
}
