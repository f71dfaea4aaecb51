//! Webhooks of an account, and the messages sent to them.

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use kinora_studio::request::fields_of;
use serde::Serialize;
use serde_json::Value;

use super::create::Asker;
use super::extras::webhook_url;
use super::read::{Data, JsonBody, PathId, is_id};
use crate::db::{Account, Delivery, Webhook};
use crate::error::{Answer, ApiError};
use crate::ids;
use crate::state::App;

/// The pattern of allowed URLs.
pub(super) const URL_PATTERN: &str = "^https://";
/// Maximum number of webhooks per account.
const MAX_OF_ACCOUNT: usize = 20;
/// Number of deliveries in a list.
const DELIVERIES: u32 = 100;

/// A new webhook for ended runs.
#[derive(Debug, schemars::JsonSchema)]
pub struct WebhookWanted {
    /// The URL, beginning with `https://`.
    #[schemars(length(max = 2048), regex(pattern = URL_PATTERN))]
    pub url: String,
}

/// A webhook.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookRecord {
    /// `wh_…`.
    id: String,
    /// Its URL.
    url: String,
    /// The secret that signs the messages; shown only when the webhook is created.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// Milliseconds since 1970.
    created_at: i64,
}

/// All webhooks of an account.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct WebhookList {
    webhooks: Vec<WebhookRecord>,
}

/// A message to a webhook.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryRecord {
    /// `dlv_…`.
    id: String,
    /// The run that ended.
    run_id: String,
    /// `run.completed` or `run.failed`.
    event: String,
    /// The target.
    url: String,
    /// The number of attempts.
    attempts: u32,
    /// The status of the last response.
    status: Option<u16>,
    /// The error of the last attempt.
    error: Option<String>,
    /// When it was delivered.
    delivered_at: Option<i64>,
    /// Milliseconds since 1970.
    created_at: i64,
}

/// The latest messages.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct DeliveryList {
    /// The messages, newest first.
    deliveries: Vec<DeliveryRecord>,
}

impl From<Delivery> for DeliveryRecord {
    fn from(delivery: Delivery) -> DeliveryRecord {
        DeliveryRecord {
            id: delivery.id,
            run_id: delivery.run_id,
            event: delivery.event,
            url: delivery.url,
            attempts: delivery.n_attempts,
            status: delivery.status,
            error: delivery.error,
            delivered_at: delivery.delivered_at,
            created_at: delivery.created_at,
        }
    }
}

fn record(webhook: Webhook, is_new: bool) -> WebhookRecord {
    WebhookRecord {
        id: webhook.id,
        url: webhook.url,
        secret: is_new.then_some(webhook.secret),
        created_at: webhook.created_at,
    }
}

/// Checks a webhook URL and returns its stored form.
///
/// # Errors
/// 400 for an unusable URL.
pub fn check(app: &App, url: &str) -> Answer<String> {
    webhook_url(app, url).map_err(|why| ApiError::invalid("url", why))
}

/// Creates a webhook with its own secret.
///
/// # Errors
/// 400 for an unusable URL.
pub async fn add(app: &App, account: &Account, url: &str) -> Answer<Webhook> {
    let url = check(app, url)?;
    if app.db.webhooks(&account.id).await?.len() >= MAX_OF_ACCOUNT {
        let reason = format!("there are {MAX_OF_ACCOUNT} webhooks already");
        return Err(ApiError::conflict("webhooks", reason));
    }
    let secret = ids::secret("whsec_");
    Ok(app.db.add_webhook(&account.id, &url, &secret).await?)
}

pub(super) async fn post(
    State(app): State<App>,
    Extension(asker): Extension<Asker>,
    JsonBody(body): JsonBody,
) -> Answer<Data<WebhookRecord>> {
    let body = Value::Object(fields_of(&body)?);
    let url = match &body["url"] {
        Value::String(url) => url,
        Value::Null => return Err(ApiError::missing("url", "a URL is needed")),
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
