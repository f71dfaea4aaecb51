//! Runs: listing, status, cancelling, retrying.

use axum::Extension;
use axum::extract::State;
use serde_json::Value;

use super::read::{Data, IdempotencyKey, PathId, QueryValues};
use crate::app::asker::Asker;
use crate::app::create;
use crate::app::runs::{PAGE, RunPage, RunRecord, cursor, find, stop};
use crate::error::Answer;
use crate::state::App;

pub(super) async fn get_all(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    query: QueryValues,
) -> Answer<Data<RunPage>> {
    let before = query.get("before").map(cursor).transpose()?;
    let before = before.as_ref().map(|(at, id)| (*at, id.as_str()));
    let runs = app.db.runs(&asker.account.id, before, PAGE).await?;
    let next = (runs.len() == PAGE as usize)
        .then(|| {
            runs.last()
                .map(|run| format!("{}-{}", run.created_at, run.asked.id))
        })
        .flatten();
    let runs = runs.iter().map(|run| RunRecord::of(&app, run)).collect();
    Ok(Data(RunPage { runs, next }))
}

pub(super) async fn get_one(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    PathId(id): PathId,
) -> Answer<Data<RunRecord>> {
    let run = find(&app, &asker.account, &id, None, "id").await?;
    Ok(Data(RunRecord::of(&app, &run)))
}

pub(super) async fn cancel(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    PathId(id): PathId,
) -> Answer<Data<RunRecord>> {
    let run = stop(&app, &asker.account, &id).await?;
    Ok(Data(RunRecord::of(&app, &run)))
}

pub(super) async fn retry(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    PathId(id): PathId,
    IdempotencyKey(key): IdempotencyKey,
) -> Answer<Data<Value>> {
    let made = create::retry(&app, &asker, &id, key.as_deref()).await?;
    Ok(Data(made))
}
