//! Webhooks and what was sent to them.

use super::jobs::DeliveryJob;
use super::runs::RunStatus;
use super::tx::{Row, Tx, args, transaction};
use super::{Db, DbError};
use crate::ids;

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
    /// Whose.
    pub account_id: String,
    /// Which run ended.
    pub run_id: String,
    /// `run.completed` or `run.failed`.
    pub event: String,
    /// Where to.
    pub url: String,
    /// What signs it.
    pub secret: String,
    /// The body, JSON; empty before the first attempt, the same in all of them.
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
        let id = ids::prefixed("wh_");
        let sql = "INSERT INTO webhooks (id, account_id, url, secret, created_at)
            VALUES ($1, $2, $3, $4, now_ms()) RETURNING *";
        let args = args![&id, account, url, secret];
        let row = transaction!(self.begin(), tx => { tx.row(sql, args).await })?;
        webhook(&row.ok_or(sqlx::Error::RowNotFound)?)
    }
    /// All of an account.
    pub async fn webhooks(&self, account: &str) -> Result<Vec<Webhook>, DbError> {
        let sql = "SELECT * FROM webhooks WHERE account_id = $1 ORDER BY created_at, id";
        let rows = self.rows(sql, args![account]).await?;
        rows.iter().map(webhook).collect()
    }
    /// Deletes; whether the account had it.
    pub async fn delete_webhook(&self, account: &str, id: &str) -> Result<bool, DbError> {
        let sql = "DELETE FROM webhooks WHERE account_id = $1 AND id = $2";
        Ok(self.execute(sql, args![account, id]).await? > 0)
    }
    /// What was sent to an account's webhooks, the newest first.
    pub async fn deliveries(&self, account: &str, limit: u32) -> Result<Vec<Delivery>, DbError> {
        let sql = "SELECT * FROM deliveries WHERE account_id = $1
            ORDER BY created_at DESC, id LIMIT $2";
        let rows = self.rows(sql, args![account, limit]).await?;
        rows.iter().map(of_row).collect()
    }
    /// One, for the worker that sends it.
    pub async fn delivery(&self, id: &str) -> Result<Option<Delivery>, DbError> {
        let sql = "SELECT * FROM deliveries WHERE id = $1";
        let row = self.row(sql, args![id]).await?;
        row.as_ref().map(of_row).transpose()
    }
    /// The body of a message that has none yet; what is sent from now on.
    pub async fn keep_payload(&self, id: &str, payload: &str) -> Result<String, DbError> {
        let sql = "UPDATE deliveries SET payload = CASE payload WHEN '' THEN $2 ELSE payload END
            WHERE id = $1 RETURNING payload";
        let row = self.row(sql, args![id, payload]).await?;
        row.ok_or(sqlx::Error::RowNotFound)?.get("payload")
    }
    /// How an attempt went.
    pub async fn attempted(
        &self,
        id: &str,
        status: Option<u16>,
        error: Option<&str>,
        is_delivered: bool,
    ) -> Result<(), DbError> {
        let sql = "UPDATE deliveries SET n_attempts = n_attempts + 1, status = $2, error = $3,
            delivered_at = CASE WHEN $4 = 1 THEN now_ms() ELSE delivered_at END WHERE id = $1";
        let status = status.map(i64::from);
        self.execute(sql, args![id, status, error, is_delivered])
            .await?;
        Ok(())
    }
}

/// A run that has just ended, as far as its webhooks are told of it.
#[derive(Debug)]
pub(super) struct Ended<'a> {
    pub run_id: &'a str,
    pub account: String,
    /// The run's own.
    pub webhook_url: Option<String>,
    pub status: RunStatus,
    /// Milliseconds since 1970.
    pub at: i64,
}

impl Ended<'_> {
    fn event(&self) -> &'static str {
        match self.status {
            RunStatus::Completed => "run.completed",
            _ => "run.failed",
        }
    }

    /// One message for each webhook of the account and one for the run's own, and their jobs.
    pub(super) async fn tell(
        &self,
        tx: &mut Tx,
        queue: &riverqueue::Client,
    ) -> Result<(), DbError> {
        let sql = "SELECT url, secret FROM webhooks WHERE account_id = $1
            UNION
            SELECT $2 AS url, webhook_secret AS secret FROM accounts
            WHERE id = $1 AND $2 <> ''
                AND NOT EXISTS (SELECT 1 FROM webhooks WHERE account_id = $1 AND url = $2)";
        let own = self.webhook_url.as_deref().unwrap_or_default();
        let targets = tx.rows(sql, args![&self.account, own]).await?;
        for target in targets {
            let id = ids::prefixed("dlv_");
            let (url, secret): (String, String) = (target.get("url")?, target.get("secret")?);
            let sql = "INSERT INTO deliveries
                (id, account_id, run_id, event, url, secret, payload, n_attempts, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, '', 0, $7)";
            let args = args![
                &id,
                &self.account,
                self.run_id,
                self.event(),
                &url,
                &secret,
                self.at,
            ];
            tx.execute(sql, args).await?;
            let job = DeliveryJob { delivery_id: id };
            tx.insert_job(queue, job, riverqueue::InsertOpts::default())
                .await?;
        }
        Ok(())
    }
}

fn webhook(row: &Row) -> Result<Webhook, DbError> {
    Ok(Webhook {
        id: row.get("id")?,
        url: row.get("url")?,
        secret: row.get("secret")?,
        created_at: row.get("created_at")?,
    })
}

fn of_row(row: &Row) -> Result<Delivery, DbError> {
    let status: Option<i64> = row.get("status")?;
    Ok(Delivery {
        id: row.get("id")?,
        account_id: row.get("account_id")?,
        run_id: row.get("run_id")?,
        event: row.get("event")?,
        url: row.get("url")?,
        secret: row.get("secret")?,
        payload: row.get("payload")?,
        n_attempts: row.small("n_attempts")?,
        status: status.and_then(|n| u16::try_from(n).ok()),
        error: row.get("error")?,
        delivered_at: row.get("delivered_at")?,
        created_at: row.get("created_at")?,
    })
}
