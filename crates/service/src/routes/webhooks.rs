//! Webhooks of an account, and the messages sent to them.

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use kinora_studio::request::fields_of;
use serde_json::Value;

use super::read::{Data, JsonBody, PathId};
use crate::app::asker::Asker;
use crate::app::webhooks::{
    DELIVERIES, DeliveryList, DeliveryRecord, WebhookList, WebhookRecord, add, record,
};
use crate::error::{Answer, ApiError};
use crate::ids::is_id;
use crate::state::App;

pub(super) async fn post(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    JsonBody(body): JsonBody,
) -> Answer<Data<WebhookRecord>> {
    let body = Value::Object(fields_of(&body)?);
    let url = match &body["url"] {
        Value::String(url) => url,
        Value::Null => return Err(ApiError::missing("url", "a URL is required")),
        _ => return Err(ApiError::invalid("url", "is not a string")),
    };
    let webhook = add(&app, &asker.account, url).await?;
    Ok(Data(record(webhook, true)))
}

pub(super) async fn get_all(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
) -> Answer<Data<WebhookList>> {
    let webhooks = app.db.webhooks(&asker.account.id).await?.into_iter();
    Ok(Data(WebhookList {
        webhooks: webhooks.map(|webhook| record(webhook, false)).collect(),
    }))
}

pub(super) async fn remove(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    PathId(id): PathId,
) -> Answer<StatusCode> {
    let was_there = is_id(&id) && app.db.delete_webhook(&asker.account.id, &id).await?;
    match was_there {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(ApiError::not_found("webhook", "id", &id)),
    }
}

pub(super) async fn deliveries(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
) -> Answer<Data<DeliveryList>> {
    let all = app.db.deliveries(&asker.account.id, DELIVERIES).await?;
    Ok(Data(DeliveryList {
        deliveries: all.into_iter().map(DeliveryRecord::from).collect(),
    }))
}
