//! Webhooks and the messages sent to them.

use super::jobs::DeliveryJob;
use super::runs::RunStatus;
use super::tx::{Row, Tx, args, transaction};
use super::{Db, DbError};
use crate::ids;

/// Why messages to a deleted webhook were not delivered.
pub const DELETED: &str = "the webhook was deleted";
/// Maximum number of messages per sweep.
const SWEEP: u32 = 500;
/// Age in milliseconds below which a message is not yet checked for a lost job.
const NEW_MS: i64 = 5000;

/// Condition on a delivery: its target still exists. Each webhook has its own secret; the account's secret signs messages to the URLs of runs.
macro_rules! is_wanted {
    () => {
        "secret IN (
            SELECT secret FROM webhooks WHERE account_id = deliveries.account_id
            UNION SELECT webhook_secret FROM accounts WHERE id = deliveries.account_id)"
    };
}

/// Condition on a job: it belongs to a delivery, and waits or is being worked on.
macro_rules! is_open {
    () => {
        "kind = 'delivery' AND (state IN ('available', 'pending', 'retryable', 'scheduled')
            OR (state = 'running' AND attempted_at BETWEEN two_minutes_ago() AND in_ten_minutes()))"
    };
}

/// A URL of an account that is notified of ended runs.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// `wh_…`.
    pub id: String,
    /// Its URL.
    pub url: String,
    /// The secret that signs the messages.
    pub secret: String,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

/// A message to a webhook. It is created in the transaction that ends a run, together with the job that sends it.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// `dlv_…`, the same in every attempt.
    pub id: String,
    /// Its account.
    pub account_id: String,
    /// The run that ended.
    pub run_id: String,
    /// `run.completed` or `run.failed`.
    pub event: String,
    /// The target.
    pub url: String,
    /// The secret that signs it.
    pub secret: String,
    /// The body, JSON; empty before the first attempt, the same in all of them.
    pub payload: String,
    /// The number of attempts.
    pub n_attempts: u32,
    /// The status of the last response.
    pub status: Option<u16>,
    /// The error of the last attempt.
    pub error: Option<String>,
    /// When it was delivered.
    pub delivered_at: Option<i64>,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

impl Db {
    /// Creates a webhook.
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
    /// Returns all webhooks of an account.
    pub async fn webhooks(&self, account: &str) -> Result<Vec<Webhook>, DbError> {
        let sql = "SELECT * FROM webhooks WHERE account_id = $1 ORDER BY created_at, id";
        let rows = self.rows(sql, args![account]).await?;
        rows.iter().map(webhook).collect()
    }
    /// Deletes a webhook; returns whether the account had it. Undelivered messages to it are no longer sent ([`Db::delivery`] does not find them).
    pub async fn delete_webhook(&self, account: &str, id: &str) -> Result<bool, DbError> {
        transaction!(self.begin(), tx => {
            let sql = "DELETE FROM webhooks WHERE account_id = $1 AND id = $2 RETURNING secret";
            let Some(row) = tx.row(sql, args![account, id]).await? else {
                return Ok(false);
            };
            let secret: String = row.get("secret")?;
            let sql = "UPDATE deliveries SET error = $3
                WHERE account_id = $1 AND secret = $2 AND delivered_at IS NULL";
            tx.execute(sql, args![account, &secret, DELETED]).await?;
            Ok(true)
        })
    }
    /// Returns the messages to an account's webhooks, newest first.
    pub async fn deliveries(&self, account: &str, limit: u32) -> Result<Vec<Delivery>, DbError> {
        let sql = "SELECT * FROM deliveries WHERE account_id = $1
            ORDER BY created_at DESC, id LIMIT $2";
        let rows = self.rows(sql, args![account, limit]).await?;
        rows.iter().map(of_row).collect()
    }
    /// Returns one message for the worker that sends it; `None` also if its webhook was deleted.
    pub async fn delivery(&self, id: &str) -> Result<Option<Delivery>, DbError> {
        let sql = concat!("SELECT * FROM deliveries WHERE id = $1 AND ", is_wanted!());
        let row = self.row(sql, args![id]).await?;
        row.as_ref().map(of_row).transpose()
    }
    /// Sets the body of a message that has none yet; returns the body to send from now on.
    pub async fn keep_payload(&self, id: &str, payload: &str) -> Result<String, DbError> {
        let sql = "UPDATE deliveries SET payload = CASE payload WHEN '' THEN $2 ELSE payload END
            WHERE id = $1 RETURNING payload";
        let row = self.row(sql, args![id, payload]).await?;
        row.ok_or(sqlx::Error::RowNotFound)?.get("payload")
    }
    /// Stores the result of an attempt.
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

    /// Requeues messages that have lost their job, were tried fewer than `max_attempts` times and are not being sent; returns how many it found. Several
    /// processes may sweep at the same time.
    ///
    /// # Errors
    /// A database error; what was done before stays done.
    pub async fn sweep_deliveries(&self, max_attempts: u32) -> Result<usize, DbError> {
        let sql = concat!(
            "SELECT id FROM deliveries
            WHERE delivered_at IS NULL AND n_attempts < $1 AND (created_at <= now_ms() - $2 OR created_at > now_ms())
            AND ",
            is_wanted!(),
            " AND id NOT IN (SELECT args ->> 'delivery_id' FROM river_job WHERE ",
            is_open!(),
            ") ORDER BY created_at LIMIT $3"
        );
        let args = args![max_attempts, NEW_MS, SWEEP];
        let mut n_found = 0;
        for row in self.rows(sql, args).await? {
            let id: String = row.get("id")?;
            let found =
                transaction!(self.begin(), tx => { send_anew(tx, self.queue(), &id).await });
            n_found += usize::from(found?);
        }
        Ok(n_found)
    }
}

/// Queues a message that has no job; returns whether it had none.
async fn send_anew(tx: &mut Tx, queue: &riverqueue::Client, id: &str) -> Result<bool, DbError> {
    // This locks the row, so of two concurrent sweeps the second sees the first one's job.
    let sql =
        "UPDATE deliveries SET error = error WHERE id = $1 AND delivered_at IS NULL RETURNING id";
    if tx.row(sql, args![id]).await?.is_none() {
        return Ok(false);
    }
    let sql = concat!(
        "SELECT 1 AS n FROM river_job WHERE args ->> 'delivery_id' = $1 AND ",
        is_open!(),
        " LIMIT 1"
    );
    if tx.row(sql, args![id]).await?.is_some() {
        return Ok(false);
    }
    let job = DeliveryJob {
        delivery_id: id.to_owned(),
    };
    tx.insert_job(queue, job, riverqueue::InsertOpts::default())
        .await?;
    Ok(true)
}

/// A run that has just ended, with what its webhook messages need.
#[derive(Debug)]
pub(super) struct Ended<'a> {
    pub run_id: &'a str,
    pub account: String,
    /// The run's own webhook.
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

    /// Creates one message for each webhook of the account and one for the run's own, with their jobs.
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
