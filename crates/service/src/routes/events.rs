//! A run's progress as a stream of server-sent events, until it has ended.

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

/// Between two looks at the run.
const EVERY: Duration = Duration::from_secs(1);
/// A line that says nothing, so that proxies do not close the stream.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);
/// Longer than any run may take.
const LONGEST: Duration = Duration::from_secs(3600);

/// Where a stream is.
struct Watching {
    app: App,
    asker: Asker,
    id: String,
    /// What was told last.
    told: String,
    until: Instant,
    is_over: bool,
}

impl Watching {
    /// The next event, once something has changed; `None` after the end.
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Watching)> {
        loop {
            if self.is_over || Instant::now() > self.until {
                return None;
            }
            // Where the database is away for a moment the stream waits.
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

/// The stream of a run that the asker has.
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
