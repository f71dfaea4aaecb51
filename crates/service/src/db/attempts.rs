//! Attempts at a run: claimed, kept alive, handed back, recovered. A run is *free* when it is queued or no attempt owns it any more; only the attempt that owns
//! a run may write about it.

use std::time::Duration;

use riverqueue::InsertOpts;
use riverqueue::jiff::Timestamp;

use super::endings::{end_free, end_unreadable, failure_of_free};
use super::jobs::RunJob;
use super::runs::{Claim, Lease, Progress, of_row};
use super::tx::{Tx, args, transaction};
use super::{Db, DbError};

/// Maximum number of runs per sweep.
const SWEEP: u32 = 500;
/// Milliseconds after which some worker should have seen a queued run's job.
const QUEUED_MS: i64 = 5000;
/// Longer than any intended wait; `in_ten_minutes()` in statements.
const NO_WAIT: Duration = Duration::from_secs(600);

fn ms(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 4)
}

impl Db {
    /// Claims a run for `lease_for` as its next attempt. Returns `None` if it has ended, if another attempt holds the lease, if its owner cancelled it, or if
    /// it has used all `max_attempts`. The last two fail it (`cancelled`, `too_many_attempts`) and release the hold. So does an unreadable order (`internal`):
    /// another version wrote it, and a retry would not help.
    ///
    /// # Errors
    /// A database error.
    pub async fn claim(
        &self,
        run_id: &str,
        owner: &str,
        lease_for: Duration,
        max_attempts: u32,
    ) -> Result<Option<Claim>, DbError> {
        transaction!(self.begin(), tx => {
            let sql = "UPDATE runs SET status = 'EXECUTING', attempt = attempt + 1, owner = $2,
                lease_until = now_ms() + $3, started_at = COALESCE(started_at, now_ms())
                WHERE id = $1 AND cancel_asked = 0 AND attempt - n_free < $4
                AND (status = 'QUEUED' OR (status = 'EXECUTING' AND (owner IS NULL OR lease_until <= now_ms())))
                RETURNING *, attempt - n_free AS n_counted, now_ms() - started_at AS age";
            let args = args![run_id, owner, ms(lease_for), max_attempts];
            let Some(row) = tx.row(sql, args).await? else {
                end_free(tx, self.queue(), run_id, max_attempts).await?;
                return Ok(None);
            };
            let lease = Lease {
                run_id: run_id.to_owned(),
                attempt: row.small("attempt")?,
            };
            let run = match of_row(&row) {
                Err(DbError::Document(error)) => {
                    tracing::error!(run = run_id, %error, "an order cannot be read");
                    end_unreadable(tx, self.queue(), &lease).await?;
                    return Ok(None);
                }
                run => run?,
            };
            Ok(Some(Claim {
                run,
                lease,
                n_counted: row.small("n_counted")?,
                age: Duration::from_millis(row.count("age")?),
            }))
        })
    }

    /// Extends the lease by `lease_for` and stores progress (its percentage never falls). Returns whether the run's owner cancelled it; `None` if another
    /// attempt has begun or the run has ended, and the caller must stop immediately.
    ///
    /// # Errors
    /// A database error; the lease stays valid until it expires.
    pub async fn heartbeat(
        &self,
        lease: &Lease,
        lease_for: Duration,
        progress: Option<&Progress>,
    ) -> Result<Option<bool>, DbError> {
        transaction!(self.begin(), tx => {
            let sql = "UPDATE runs SET lease_until = now_ms() + $3
                WHERE id = $1 AND attempt = $2 AND status = 'EXECUTING' AND owner IS NOT NULL
                RETURNING cancel_asked, progress";
            let args = args![&lease.run_id, lease.attempt, ms(lease_for)];
            let Some(row) = tx.row(sql, args).await? else {
                return Ok(None);
            };
            if let Some(progress) = progress {
                let before: Option<Progress> = row.opt_json("progress")?;
                let mut progress = progress.clone();
                progress.percent = progress
                    .percent
                    .max(before.map_or(0, |p| p.percent))
                    .min(100);
                let document = serde_json::to_string(&progress)?;
                let sql = "UPDATE runs SET progress = $2 WHERE id = $1";
                tx.execute(sql, args![&lease.run_id, &document]).await?;
            }
            row.flag("cancel_asked").map(Some)
        })
    }

    /// Hands a run back unfinished: its lease ends now and a new job is queued, to start after `delay`. If `is_free`, the attempt does not count (a worker that
    /// is stopping). `false`: no longer ours, nothing changed.
    ///
    /// # Errors
    /// A database error; a sweep finds the run when its lease expires.
    pub async fn hand_back(
        &self,
        lease: &Lease,
        delay: Duration,
        is_free: bool,
    ) -> Result<bool, DbError> {
        transaction!(self.begin(), tx => {
            let sql = "UPDATE runs SET owner = NULL, lease_until = now_ms(), n_free = n_free + $3
                WHERE id = $1 AND attempt = $2 AND status = 'EXECUTING' AND owner IS NOT NULL
                RETURNING now_ms() AS now";
            let args = args![&lease.run_id, lease.attempt, is_free];
            let Some(row) = tx.row(sql, args).await? else {
                return Ok(false);
            };
            let due = row.get::<i64>("now")?.saturating_add(ms(delay));
            let opts = match Timestamp::from_millisecond(due) {
                Ok(due) if !delay.is_zero() => InsertOpts::default().with_scheduled_at(due),
                _ => InsertOpts::default(),
            };
            let run_id = lease.run_id.clone();
            tx.insert_job(self.queue(), RunJob { run_id }, opts).await?;
            Ok(true)
        })
    }

    /// Requeues runs that lost their worker (expired lease) or their job. Runs that are cancelled or have used `max_attempts` fail instead. Returns how many it
    /// handled. Several processes may sweep at the same time. A job scheduled more than ten minutes ahead counts as lost: no wait is that long, so the clock
    /// was set back.
    ///
    /// # Errors
    /// A database error; what was done before stays done.
    pub async fn sweep(&self, max_attempts: u32) -> Result<usize, DbError> {
        let sql = "SELECT id FROM runs
            WHERE ((status = 'QUEUED' AND (created_at <= now_ms() - $1 OR created_at > now_ms()))
                OR (status = 'EXECUTING' AND (owner IS NULL OR lease_until <= now_ms())))
            AND (cancel_asked = 1 OR attempt - n_free >= $2 OR id NOT IN (
                SELECT args ->> 'run_id' FROM river_job
                WHERE kind = 'run' AND state IN ('available', 'pending', 'retryable', 'scheduled')
                    AND scheduled_at <= in_ten_minutes()))
            ORDER BY created_at LIMIT $3";
        let rows = self
            .rows(sql, args![QUEUED_MS, max_attempts, SWEEP])
            .await?;
        let mut n_found = 0;
        for row in rows {
            let id: String = row.get("id")?;
            let found =
                transaction!(self.begin(), tx => { self.queue_anew(tx, &id, max_attempts).await });
            n_found += usize::from(found?);
        }
        Ok(n_found)
    }

    /// Shortens waits that became too long because the clock was set back: leases, the queue's leadership, and the first attempt of messages, which is due
    /// immediately.
    ///
    /// # Errors
    /// A database error.
    pub async fn mend_times(&self, lease_for: Duration) -> Result<(), DbError> {
        let sql = "UPDATE runs SET lease_until = now_ms() + $1
            WHERE status = 'EXECUTING' AND lease_until > now_ms() + $1 + $2";
        self.execute(sql, args![ms(lease_for), ms(NO_WAIT)]).await?;
        let sql = "DELETE FROM river_leader WHERE expires_at > in_ten_minutes()";
        self.execute(sql, &[]).await?;
        let sql = "UPDATE river_job SET scheduled_at = queue_now()
            WHERE kind = 'delivery' AND state = 'available' AND scheduled_at > in_ten_minutes()
            AND args ->> 'delivery_id' IN (SELECT id FROM deliveries WHERE n_attempts = 0)";
        self.execute(sql, &[]).await?;
        Ok(())
    }

    async fn queue_anew(
        &self,
        tx: &mut Tx,
        run_id: &str,
        max_attempts: u32,
    ) -> Result<bool, DbError> {
        // This locks the row, so of two concurrent sweeps the second sees the first one's job.
        if failure_of_free(tx, run_id, max_attempts).await?.is_none() {
            return Ok(false);
        }
        if end_free(tx, self.queue(), run_id, max_attempts).await? {
            return Ok(true);
        }
        let sql = "SELECT 1 AS n FROM river_job WHERE kind = 'run' AND args ->> 'run_id' = $1
            AND state IN ('available', 'pending', 'retryable', 'scheduled')
            AND scheduled_at <= in_ten_minutes() LIMIT 1";
        if tx.row(sql, args![run_id]).await?.is_some() {
            return Ok(false);
        }
        let job = RunJob {
            run_id: run_id.to_owned(),
        };
        tx.insert_job(self.queue(), job, InsertOpts::default())
            .await?;
        Ok(true)
    }
}
