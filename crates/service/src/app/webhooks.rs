//! Webhooks of an account, and the messages sent to them.

use serde::Serialize;

use super::webhook_url::webhook_url;
use crate::db::{Account, Delivery, Webhook};
use crate::error::{Answer, ApiError};
use crate::ids;
use crate::state::App;

/// The pattern of allowed URLs.
pub(super) const URL_PATTERN: &str = "^https://";
/// Maximum number of webhooks per account.
const MAX_OF_ACCOUNT: usize = 20;
/// Number of deliveries in a list.
pub(crate) const DELIVERIES: u32 = 100;

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
    /// The webhooks, oldest first.
    pub(crate) webhooks: Vec<WebhookRecord>,
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
    pub(crate) deliveries: Vec<DeliveryRecord>,
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

pub(crate) fn record(webhook: Webhook, is_new: bool) -> WebhookRecord {
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
        let reason = format!("at most {MAX_OF_ACCOUNT} webhooks per account");
        return Err(ApiError::conflict("webhooks", reason));
    }
    let secret = ids::secret("whsec_");
    Ok(app.db.add_webhook(&account.id, &url, &secret).await?)
}

/// Seconds between attempts: eight attempts in about a day.
pub(crate) const WAITS: [u64; 7] = [4, 60, 300, 1800, 7200, 21_600, 43_200];
/// Maximum number of attempts.
pub(crate) const ATTEMPTS: u32 = WAITS.len() as u32 + 1;

/// Returns the approximate time of the next attempt after `n_attempts`, in milliseconds since 1970; `None` if there is none.
pub fn next_attempt(created_at: i64, n_attempts: u32) -> Option<i64> {
    let n = n_attempts as usize;
    let secs: u64 = WAITS.get(..n)?.iter().sum();
    Some(created_at + i64::try_from(secs * 1000).ok()?)
}
