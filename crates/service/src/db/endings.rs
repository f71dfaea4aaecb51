//! Ends a run, once: its state, its hold, the ledger, the balance and its webhook messages in one transaction.

use super::credits::Line;
use super::runs::{Lease, Output, Progress, RunFailure, RunStatus};
use super::tx::{Row, Tx, args, transaction};
use super::webhooks::Ended;
use super::{Db, DbError};

/// How a run ends.
#[derive(Clone, Copy, Debug)]
enum Ending<'a> {
    Completed(&'a Output, u64),
    Failed(&'a RunFailure),
}

/// The party that ends it.
#[derive(Clone, Copy, Debug)]
enum By<'a> {
    /// The attempt that owns it.
    Owner(&'a Lease),
    /// Anyone, as long as no attempt owns it.
    Anybody(&'a str),
}

impl Db {
    /// Sets COMPLETED: captures `credits_used` (at most the hold), returns the rest, creates deliveries and their jobs. `false`: no longer ours, nothing changed.
    ///
    /// # Errors
    /// A database error; the run is then still ours, or this call has completed it.
    pub async fn complete(
        &self,
        lease: &Lease,
        output: &Output,
        credits_used: u64,
    ) -> Result<bool, DbError> {
        let ending = Ending::Completed(output, credits_used);
        transaction!(self.begin(), tx => { end(tx, self.queue(), By::Owner(lease), ending).await })
    }

    /// Whether this attempt has completed the run with this output: the check after a [`Db::complete`] that was not acknowledged.
    ///
    /// # Errors
    /// A database error.
    pub async fn is_completed_with(&self, lease: &Lease, output: &Output) -> Result<bool, DbError> {
        let sql = "SELECT output FROM runs WHERE id = $1 AND attempt = $2 AND status = 'COMPLETED'";
        let row = self.row(sql, args![&lease.run_id, lease.attempt]).await?;
        let kept: Option<Output> = row.map_or(Ok(None), |row| row.opt_json("output"))?;
        Ok(kept.is_some_and(|kept| kept.video == output.video))
    }

    /// Sets FAILED: releases the hold, creates deliveries and their jobs. `false` as for `complete`.
    ///
    /// # Errors
    /// As for `complete`.
    pub async fn fail(&self, lease: &Lease, failure: &RunFailure) -> Result<bool, DbError> {
        let ending = Ending::Failed(failure);
        transaction!(self.begin(), tx => { end(tx, self.queue(), By::Owner(lease), ending).await })
    }

    /// Asks the run's worker to stop, or ends the run immediately if it has no worker (FAILED, reason `cancelled`, hold released). `None`: no such run;
    /// `Some(false)`: it had already ended.
    ///
    /// # Errors
    /// A database error.
    pub async fn cancel_run(&self, account: &str, id: &str) -> Result<Option<bool>, DbError> {
        transaction!(self.begin(), tx => {
            let sql = "UPDATE runs SET cancel_asked = 1
                WHERE account_id = $1 AND id = $2 AND status IN ('QUEUED', 'EXECUTING')";
            if tx.execute(sql, args![account, id]).await? == 0 {
                let sql = "SELECT 1 AS n FROM runs WHERE account_id = $1 AND id = $2";
                let there = tx.row(sql, args![account, id]).await?;
                return Ok(there.map(|_| false));
            }
            end_free(tx, self.queue(), id, u32::MAX).await?;
            Ok(Some(true))
        })
    }
}

/// Returns the failure of a free run that must not be claimed again; `Some(None)` if it may be. `None`: it is owned or has ended. This locks its row.
pub(super) async fn failure_of_free(
    tx: &mut Tx,
    run_id: &str,
    max_attempts: u32,
) -> Result<Option<Option<RunFailure>>, DbError> {
    let sql = "UPDATE runs SET cancel_asked = cancel_asked
        WHERE id = $1 AND (status = 'QUEUED'
            OR (status = 'EXECUTING' AND (owner IS NULL OR lease_until <= now_ms())))
        RETURNING cancel_asked, attempt - n_free AS n_counted, progress";
    let Some(row) = tx.row(sql, args![run_id]).await? else {
        return Ok(None);
    };
    let n_counted = row.small("n_counted")?;
    let (reason, message) = if row.flag("cancel_asked")? {
        ("cancelled", "the run was cancelled by its owner".to_owned())
    } else if n_counted >= max_attempts {
        let message =
            format!("the run was started {n_counted} times and lost its worker each time");
        ("too_many_attempts", message)
    } else {
        return Ok(Some(None));
    };
    let progress: Option<Progress> = row.opt_json("progress")?;
    Ok(Some(Some(RunFailure {
        message,
        reason: reason.to_owned(),
        stage: progress.map(|progress| progress.stage),
        provider: None,
        provider_status: None,
        retryable: true,
    })))
}

/// Fails a free run that must not be claimed again; returns whether it did.
pub(super) async fn end_free(
    tx: &mut Tx,
    queue: &riverqueue::Client,
    run_id: &str,
    max_attempts: u32,
) -> Result<bool, DbError> {
    match failure_of_free(tx, run_id, max_attempts).await?.flatten() {
        Some(failure) => end(tx, queue, By::Anybody(run_id), Ending::Failed(&failure)).await,
        None => Ok(false),
    }
}

/// Fails a run whose order cannot be read.
pub(super) async fn end_unreadable(
    tx: &mut Tx,
    queue: &riverqueue::Client,
    lease: &Lease,
) -> Result<bool, DbError> {
    let failure = RunFailure {
        message: "the run was accepted by another version of the service and cannot be read by this one; nothing was charged: create it again".to_owned(),
        reason: "internal".to_owned(),
        stage: None,
        provider: None,
        provider_status: None,
        retryable: false,
    };
    end(tx, queue, By::Owner(lease), Ending::Failed(&failure)).await
}

async fn end(
    tx: &mut Tx,
    queue: &riverqueue::Client,
    by: By<'_>,
    ending: Ending<'_>,
) -> Result<bool, DbError> {
    let Some(row) = write_end(tx, by, ending).await? else {
        return Ok(false);
    };
    let run_id: String = row.get("id")?;
    let status = match ending {
        Ending::Completed(_, credits_used) => {
            let captured = settle(tx, &run_id, "captured", credits_used).await?;
            let sql = "UPDATE runs SET credits_used = $2 WHERE id = $1";
            tx.execute(sql, args![&run_id, captured]).await?;
            RunStatus::Completed
        }
        Ending::Failed(_) => {
            settle(tx, &run_id, "released", 0).await?;
            RunStatus::Failed
        }
    };
    let ended = Ended {
        run_id: &run_id,
        account: row.get("account_id")?,
        webhook_url: row.get("webhook_url")?,
        status,
        at: row.get("finished_at")?,
    };
    ended.tell(tx, queue).await?;
    Ok(true)
}

/// Updates the run's row; `None` if this party may not end it.
async fn write_end(tx: &mut Tx, by: By<'_>, ending: Ending<'_>) -> Result<Option<Row>, DbError> {
    let (status, output, failure) = match ending {
        Ending::Completed(output, _) => (
            RunStatus::Completed,
            Some(serde_json::to_string(output)?),
            None,
        ),
        Ending::Failed(failure) => (
            RunStatus::Failed,
            None,
            Some(serde_json::to_string(failure)?),
        ),
    };
    let status = status.as_str();
    match by {
        By::Owner(lease) => {
            let sql =
                "UPDATE runs SET status = $3, output = $4, failure = $5, finished_at = now_ms(),
                owner = NULL, lease_until = NULL
                WHERE id = $1 AND attempt = $2 AND status = 'EXECUTING' AND owner IS NOT NULL
                RETURNING *";
            let args = args![&lease.run_id, lease.attempt, status, &output, &failure];
            tx.row(sql, args).await
        }
        By::Anybody(run_id) => {
            let sql =
                "UPDATE runs SET status = $2, output = $3, failure = $4, finished_at = now_ms(),
                owner = NULL, lease_until = NULL
                WHERE id = $1 AND (status = 'QUEUED'
                    OR (status = 'EXECUTING' AND (owner IS NULL OR lease_until <= now_ms())))
                RETURNING *";
            tx.row(sql, args![run_id, status, &output, &failure]).await
        }
    }
}

/// Ends a run's hold and returns the captured amount. The rest goes back to the account.
async fn settle(tx: &mut Tx, run_id: &str, state: &'static str, used: u64) -> Result<u64, DbError> {
    let sql = "UPDATE holds SET state = $2,
        captured = CASE WHEN amount < $3 THEN amount ELSE $3 END
        WHERE run_id = $1 AND state = 'open' RETURNING account_id, amount, captured";
    let hold = tx.row(sql, args![run_id, state, used]).await?;
    let hold = hold.ok_or_else(|| DbError::Open(format!("no open hold of {run_id}")))?;
    let account: String = hold.get("account_id")?;
    let back = hold.get::<i64>("amount")? - hold.get::<i64>("captured")?;
    let sql = "UPDATE accounts SET balance = balance + $2 WHERE id = $1 RETURNING balance";
    let row = tx.row(sql, args![&account, back]).await?;
    let row = row.ok_or(sqlx::Error::RowNotFound)?;
    let (kind, note) = match state {
        "captured" => ("capture", "held but not used"),
        _ => ("release", "nothing was charged"),
    };
    let line = Line {
        account: &account,
        run: Some(run_id),
        kind,
        amount: back,
        balance: row.get("balance")?,
        note,
    };
    line.write(tx).await?;
    hold.count("captured")
}
