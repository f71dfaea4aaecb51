//! Webhooks and what was sent to them.

use super::{Db, DbError};

/// Where an account wants to be told of ended runs.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// `wh_…`.
    pub id: String,
    /// Where.
    pub url: String,
    /// What signs the messages.
    pub secret: String,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

/// A message to a webhook. It is made in the transaction that ends a run, together with the job that sends it.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// `dlv_…`, the same in every attempt.
    pub id: String,
    /// Which run ended.
    pub run_id: String,
    /// `run.completed` or `run.failed`.
    pub event: String,
    /// Where to.
    pub url: String,
    /// What signs it.
    pub secret: String,
    /// The body, JSON.
    pub payload: String,
    /// How often it was tried.
    pub n_attempts: u32,
    /// The last answer's status.
    pub status: Option<u16>,
    /// What was wrong with the last attempt.
    pub error: Option<String>,
    /// When it was taken.
    pub delivered_at: Option<i64>,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

impl Db {
    /// A new webhook.
    pub async fn add_webhook(
        &self,
        account: &str,
        url: &str,
        secret: &str,
    ) -> Result<Webhook, DbError> {
        later()
    }
    /// All of an account.
    pub async fn webhooks(&self, account: &str) -> Result<Vec<Webhook>, DbError> {
        later()
    }
    /// Deletes; whether the account had it.
    pub async fn delete_webhook(&self, account: &str, id: &str) -> Result<bool, DbError> {
        later()
    }
    /// What was sent to an account's webhooks, the newest first.
    pub async fn deliveries(&self, account: &str, limit: u32) -> Result<Vec<Delivery>, DbError> {
        later()
    }
    /// One, for the worker that sends it.
    pub async fn delivery(&self, id: &str) -> Result<Option<Delivery>, DbError> {
        later()
    }
    /// How an attempt went.
    pub async fn attempted(
        &self,
        id: &str,
        status: Option<u16>,
        error: Option<&str>,
        is_delivered: bool,
    ) -> Result<(), DbError> {
        later()
    }
}

fn later<T>() -> Result<T, DbError> {
    Err(DbError::Open("not yet".into()))
}
