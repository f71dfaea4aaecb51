//! A run's progress as a stream of server-sent events, until the run ends.

use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream::unfold;
use tokio::time::{Instant, sleep};

use super::read::PathId;
use crate::app::asker::Asker;
use crate::app::runs::{RunRecord, find};
use crate::error::Answer;
use crate::state::App;

/// Poll interval for the run.
const EVERY: Duration = Duration::from_secs(1);
/// Interval of empty comment lines, which keep proxies from closing the stream.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);
/// Longer than any run may take by default.
const LONGEST: Duration = Duration::from_secs(3600);

/// The state of a stream.
struct Watching {
    app: App,
    asker: Asker,
    id: String,
    /// The last text sent.
    told: String,
    until: Instant,
    is_over: bool,
}

impl Watching {
    /// Returns the next event once something has changed; `None` after the end.
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Watching)> {
        loop {
            if self.is_over || Instant::now() > self.until {
                return None;
            }
            // If the database is briefly unavailable, the stream waits.
            if let Ok(run) = find(&self.app, &self.asker.account, &self.id, None, "id").await {
                self.is_over = run.status >= crate::db::RunStatus::Completed;
                let text = serde_json::to_string(&RunRecord::of(&self.app, &run)).ok()?;
                if text != self.told {
                    let event = Event::default().event("status").data(&text);
                    self.told = text;
                    return Some((Ok(event), self));
                }
            }
            tokio::select! {
                () = sleep(EVERY) => {}
                () = self.app.stopping.cancelled() => return None,
            }
        }
    }
}

/// Opens the stream of one of the caller's runs.
///
/// # Errors
/// 404.
pub async fn stream(
    app: App,
    asker: Asker,
    id: String,
) -> Answer<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    find(&app, &asker.account, &id, None, "id").await?;
    let watching = Watching {
        app,
        asker,
        id,
        told: String::new(),
        until: Instant::now() + LONGEST,
        is_over: false,
    };
    let events = unfold(watching, Watching::next);
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(SIGN_OF_LIFE)))
}

pub(super) async fn get(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    PathId(id): PathId,
) -> Answer<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    stream(app, asker, id).await
}
