//! Attempts at a run: taken up, kept alive, given back, found again. A run is *free* when it is queued, or when nobody has it any more; only an attempt
//! that owns it may write about it.

use std::time::Duration;

use riverqueue::InsertOpts;
use riverqueue::jiff::Timestamp;

use super::endings::{end_free, end_unreadable, failure_of_free};
use super::jobs::RunJob;
use super::runs::{Claim, Lease, Progress, of_row};
use super::tx::{Tx, args, transaction};
use super::{Db, DbError};

/// Runs that one sweep looks at.
const SWEEP: u32 = 500;
/// After this, in milliseconds, a queued run's job should have been seen by somebody.
const QUEUED_MS: i64 = 5000;
/// Longer than anything here waits by intent; `in_ten_minutes()` in statements.
const NO_WAIT: Duration = Duration::from_secs(600);

fn ms(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 4)
}

impl Db {
    /// Takes up a run for `lease_for`: the next attempt. `None` when it has ended, another attempt's lease holds, its owner wants it to stop, or this was
    /// the last attempt that it may have (`max_attempts`); the last two fail it (`cancelled`, `too_many_attempts`, hold released), and so does an order that
    /// cannot be read (`internal`): another version wrote it, and no attempt would change that.
    ///
    /// # Errors
    /// The database.
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

    /// Keeps the lease for another `lease_for`, and writes down progress (its percentage never falls). `None` when another attempt has begun or the run
    /// has ended: stop at once; else whether its owner wants it to stop.
    ///
    /// # Errors
    /// The database; the lease holds until its time all the same.
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

    /// Gives a run back unfinished: its lease ends now and a new job is queued, to be taken up after `delay`. Where `is_free`, the attempt does not
    /// count (a worker that was asked to stop). `false`: not ours any more, nothing changed.
    ///
    /// # Errors
    /// The database; the run is found again when its lease ends.
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

    /// Queues anew what lost its worker (its lease has ended) or its job, or fails it after `max_attempts` or when its owner wants it to stop; how many
    /// were found. Several processes may sweep at once. A job that is due later than any wait of ours makes it (ten minutes) is as good as none: the clock was
    /// set back.
    ///
    /// # Errors
    /// The database; what was done before stays done.
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

    /// What lasts too long because the clock was set back is made to last as long as it should: leases, the queue's choice of who keeps it up, and the wait
    /// for a message's first attempt, which is none.
    ///
    /// # Errors
    /// The database.
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
        // The row is locked by this, so that of two that sweep at once the second sees the first one's job.
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
