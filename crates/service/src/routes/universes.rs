//! Universes: listing, creating, changing, deleting.

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;

use super::read::{Data, JsonBody, PathId};
use crate::app::asker::Asker;
use crate::app::universes::{UniverseList, UniverseRecord, add, all, delete, find, record, set};
use crate::error::Answer;
use crate::state::App;

pub(super) async fn get_all(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
) -> Answer<Data<UniverseList>> {
    let mut universes = Vec::new();
    for universe in all(&app, &asker.account).await? {
        universes.push(record(&app, &asker, universe).await);
    }
    Ok(Data(UniverseList { universes }))
}

pub(super) async fn post(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    JsonBody(body): JsonBody,
) -> Answer<Data<UniverseRecord>> {
    Ok(Data(add(&app, &asker.account, &body).await?))
}

pub(super) async fn get_one(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    PathId(slug): PathId,
) -> Answer<Data<UniverseRecord>> {
    let universe = find(&app, &asker.account, &slug).await?;
    Ok(Data(record(&app, &asker, universe).await))
}

pub(super) async fn put(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    PathId(slug): PathId,
    JsonBody(body): JsonBody,
) -> Answer<Data<UniverseRecord>> {
    Ok(Data(set(&app, &asker.account, &slug, &body).await?))
}

pub(super) async fn remove(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    PathId(slug): PathId,
) -> Answer<StatusCode> {
    delete(&app, &asker.account, &slug).await?;
    Ok(StatusCode::NO_CONTENT)
}
