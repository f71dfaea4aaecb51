//! Saved characters: created from a picture, listed, changed, deleted.

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use kinora_studio::request::fields_of;
use serde_json::Value;

use super::read::{Data, JsonBody, PathId};
use crate::app::asker::Asker;
use crate::app::characters::{
    CharacterList, CharacterRecord, add, change, change_of, delete, find, rules,
};
use crate::app::form::Form;
use crate::error::Answer;
use crate::state::App;

pub(super) async fn post(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    request: Request,
) -> Answer<Data<CharacterList>> {
    let form = Form::read(&app, request, &rules(&app)).await?;
    let (saved, notes) = add(&app, &asker, form).await?;
    Ok(Data(CharacterList::of(&app, saved, notes)))
}

pub(super) async fn get_all(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
) -> Answer<Data<CharacterList>> {
    let all = app.db.characters(&asker.account.id).await?;
    Ok(Data(CharacterList::of(&app, all, Vec::new())))
}

pub(super) async fn get_one(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    PathId(id): PathId,
) -> Answer<Data<CharacterRecord>> {
    let character = find(&app, &asker.account, &id).await?;
    Ok(Data(CharacterRecord::of(&app, character)))
}

pub(super) async fn patch(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    PathId(id): PathId,
    JsonBody(body): JsonBody,
) -> Answer<Data<CharacterRecord>> {
    let body = Value::Object(fields_of(&body)?);
    let character = change(&app, &asker.account, &id, change_of(&body)?).await?;
    Ok(Data(CharacterRecord::of(&app, character)))
}

pub(super) async fn remove(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    PathId(id): PathId,
) -> Answer<StatusCode> {
    delete(&app, &asker.account, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
