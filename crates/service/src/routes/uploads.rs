//! Uploaded audio: the `voiceoverKey`s of an account.

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::StatusCode;

use super::read::{Data, PathId};
use crate::app::asker::Asker;
use crate::app::form::Form;
use crate::app::uploads::{UploadList, UploadRecord, add, delete, rules};
use crate::error::Answer;
use crate::state::App;

pub(super) async fn post(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    request: Request,
) -> Answer<Data<UploadRecord>> {
    let form = Form::read(&app, request, &rules(&app)).await?;
    Ok(Data(add(&app, &asker.account, form).await?.into()))
}

pub(super) async fn get_all(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
) -> Answer<Data<UploadList>> {
    let uploads = app.db.uploads(&asker.account.id).await?;
    Ok(Data(UploadList {
        uploads: uploads.into_iter().map(UploadRecord::from).collect(),
    }))
}

pub(super) async fn remove(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    PathId(key): PathId,
) -> Answer<StatusCode> {
    delete(&app, &asker.account, &key).await?;
    Ok(StatusCode::NO_CONTENT)
}
