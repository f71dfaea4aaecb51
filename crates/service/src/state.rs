//! The state shared by all handlers and workers.

use std::sync::Arc;

use axum::extract::FromRef;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::db::Db;
use crate::media::{Media, SharedSteps};
use crate::scratch::Scratch;
use crate::studios::Studios;

/// The service's parts; clones share them.
#[derive(Clone, Debug)]
pub struct App {
    /// As configured.
    pub config: Arc<Config>,
    /// Accounts, runs and everything else that is written down.
    pub db: Db,
    /// Videos, pictures and uploads.
    pub media: Media,
    /// Who writes, speaks and paints.
    pub studios: Studios,
    /// Where uploads wait to be checked.
    pub arrivals: Arc<Scratch>,
    /// Cancelled when the service is to stop.
    pub stopping: CancellationToken,
}

impl App {
    /// Opens the database and the media store.
    ///
    /// # Errors
    /// The part that cannot be opened, and why.
    pub async fn open(config: Config) -> Result<App, String> {
        let db = Db::open(&config.database).await;
        let db = db.map_err(|e| format!("the database: {e}"))?;
        let secret = db.secret("signing").await;
        let secret = secret.map_err(|e| format!("the database: {e}"))?;
        let media = Media::open(&config, &secret).await;
        let media = media.map_err(|e| e.to_string())?;
        let arrivals = Scratch::open(&config.data.join("arrivals"));
        let arrivals = arrivals.map_err(|e| format!("the data folder: {e}"))?;
        let config = Arc::new(config);
        Ok(App {
            studios: Studios::new(Arc::clone(&config), SharedSteps::of(&media)),
            config,
            db,
            media,
            arrivals: Arc::new(arrivals),
            stopping: CancellationToken::new(),
        })
    }
}

impl FromRef<App> for Db {
    fn from_ref(app: &App) -> Db {
        app.db.clone()
    }
}
