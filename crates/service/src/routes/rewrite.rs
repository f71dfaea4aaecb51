//! Turns prose and plays into canonical scripts.

use axum::Extension;
use axum::extract::State;
use kinora_studio::request::fields_of;
use serde_json::Value;

use super::read::{Data, JsonBody};
use crate::app::asker::Asker;
use crate::app::rewrite::{Rewritten, rewrite};
use crate::error::{Answer, ApiError};
use crate::state::App;

pub(super) async fn post(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    JsonBody(body): JsonBody,
) -> Answer<Data<Rewritten>> {
    let body = Value::Object(fields_of(&body)?);
    match &body["text"] {
        Value::String(text) => Ok(Data(rewrite(&app, &asker, text.clone()).await?)),
        Value::Null => Err(ApiError::missing("text", "a text is required")),
        _ => Err(ApiError::invalid("text", "is not a string")),
    }
}
