//! Webhooks and what was sent to them.

use super::jobs::DeliveryJob;
use super::runs::RunStatus;
use super::tx::{Row, Tx, args, transaction};
use super::{Db, DbError};
use crate::ids;

/// Why messages to a deleted webhook were not taken.
pub const DELETED: &str = "the webhook was deleted";
/// Messages that one sweep looks at.
const SWEEP: u32 = 500;
/// Before this, in milliseconds, nobody misses a message's job.
const NEW_MS: i64 = 5000;

/// Of a delivery: somebody still wants it. Each webhook has a secret of its own; the account's signs what goes to the URLs of runs.
macro_rules! is_wanted {
    () => {
        "secret IN (
            SELECT secret FROM webhooks WHERE account_id = deliveries.account_id
            UNION SELECT webhook_secret FROM accounts WHERE id = deliveries.account_id)"
    };
}

/// Of a job: it is a delivery's, and waits or is in hand.
macro_rules! is_open {
    () => {
        "kind = 'delivery' AND (state IN ('available', 'pending', 'retryable', 'scheduled')
            OR (state = 'running' AND attempted_at BETWEEN two_minutes_ago() AND in_ten_minutes()))"
    };
}

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
    /// Deletes; whether the account had it. Messages to it that were not taken yet are not sent any more ([`Db::delivery`] does not find them).
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
    /// What was sent to an account's webhooks, the newest first.
    pub async fn deliveries(&self, account: &str, limit: u32) -> Result<Vec<Delivery>, DbError> {
        let sql = "SELECT * FROM deliveries WHERE account_id = $1
            ORDER BY created_at DESC, id LIMIT $2";
        let rows = self.rows(sql, args![account, limit]).await?;
        rows.iter().map(of_row).collect()
    }
    /// One, for the worker that sends it; `None` as well where its webhook was deleted.
    pub async fn delivery(&self, id: &str) -> Result<Option<Delivery>, DbError> {
        let sql = concat!("SELECT * FROM deliveries WHERE id = $1 AND ", is_wanted!());
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

    /// Queues anew messages that have lost their job: those that were tried less than `max_attempts` times, and nobody has in hand; how many were
    /// found. Several processes may sweep at once.
    ///
    /// # Errors
    /// The database; what was done before stays done.
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

/// Queues a message that has no job; whether it had none.
async fn send_anew(tx: &mut Tx, queue: &riverqueue::Client, id: &str) -> Result<bool, DbError> {
    // The row is locked by this, so that of two that sweep at once the second sees the first one's job.
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
