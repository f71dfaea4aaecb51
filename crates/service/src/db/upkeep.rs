//! Queue metrics for operators, and deletion of expired data.

use std::time::Duration;

use super::create::KEY_MS;
use super::runs::{Output, RunStatus};
use super::tx::{args, transaction};
use super::{Db, DbError};

/// How long deliveries are kept, in milliseconds: 30 days.
const DELIVERY_MS: i64 = 30 * 24 * 3600 * 1000;
/// How long after its run's end a job that still counts as running is considered lost, in milliseconds: ten minutes.
const LOST_MS: i64 = 600 * 1000;
/// Milliseconds after which an unused key has no request left in any window: a day.
const RATE_MS: i64 = 24 * 3600 * 1000;

impl Db {
    /// Returns the number of queued and of executing runs, and the age of the oldest queued one in milliseconds.
    ///
    /// # Errors
    /// A database error.
    pub async fn queue_depth(&self) -> Result<(Vec<(RunStatus, u64)>, i64), DbError> {
        let sql = "SELECT status, count(*) AS n FROM runs
            WHERE status IN ('QUEUED', 'EXECUTING') GROUP BY status";
        let mut depths = Vec::new();
        for row in self.rows(sql, &[]).await? {
            let status = RunStatus::from_name(&row.get::<String>("status")?)?;
            depths.push((status, row.count("n")?));
        }
        depths.sort();
        let sql = "SELECT COALESCE(now_ms() - MIN(created_at), 0) AS age
            FROM runs WHERE status = 'QUEUED'";
        let row = self.row(sql, &[]).await?;
        let age = row.map_or(Ok(0), |row| row.get("age"))?;
        Ok((depths, age))
    }

    /// Deletes idempotency keys after 24 h, expired sessions, deliveries after 30 days, request rates of unused keys, and jobs that still count as running
    /// although their process is gone.
    ///
    /// # Errors
    /// A database error.
    pub async fn clean(&self) -> Result<(), DbError> {
        let sql = "DELETE FROM idempotency WHERE created_at <= now_ms() - $1";
        self.execute(sql, args![KEY_MS]).await?;
        let sql = "DELETE FROM sessions WHERE expires_at <= now_ms()";
        self.execute(sql, &[]).await?;
        let sql = "DELETE FROM deliveries WHERE created_at <= now_ms() - $1";
        self.execute(sql, args![DELIVERY_MS]).await?;
        // The queue itself never gives up a job that has no time limit.
        let sql =
            "DELETE FROM river_job WHERE state = 'running' AND attempted_at <= two_minutes_ago()
            AND (kind = 'delivery' OR (kind = 'run' AND args ->> 'run_id' IN (
                SELECT id FROM runs WHERE finished_at <= now_ms() - $1)))";
        self.execute(sql, args![LOST_MS]).await?;
        transaction!(self.begin_rates(), tx => {
            let sql = "DELETE FROM rates WHERE last_ms <= now_ms() - $1";
            tx.execute(sql, args![RATE_MS]).await?;
            let sql = "DELETE FROM rate_slots WHERE at_ms <= now_ms() - $1";
            tx.execute(sql, args![RATE_MS]).await?;
            Ok(())
        })
    }

    /// Returns the outputs of runs that ended more than `age` ago, oldest first. Retention deletes them and then calls `forget_output`.
    ///
    /// # Errors
    /// A database error.
    pub async fn old_outputs(
        &self,
        age: Duration,
        limit: u32,
    ) -> Result<Vec<(String, Output)>, DbError> {
        let sql = "SELECT id, output FROM runs
            WHERE status = 'COMPLETED' AND output IS NOT NULL AND finished_at <= now_ms() - $1
            ORDER BY finished_at LIMIT $2";
        let ms = i64::try_from(age.as_millis()).unwrap_or(i64::MAX / 4);
        let rows = self.rows(sql, args![ms, limit]).await?;
        rows.iter()
            .map(|row| Ok((row.get("id")?, row.json("output")?)))
            .collect()
    }

    /// Removes the output of a run after its objects were deleted.
    ///
    /// # Errors
    /// A database error.
    pub async fn forget_output(&self, run_id: &str) -> Result<(), DbError> {
        let sql = "UPDATE runs SET output = NULL WHERE id = $1 AND status = 'COMPLETED'";
        self.execute(sql, args![run_id]).await?;
        Ok(())
    }
}
