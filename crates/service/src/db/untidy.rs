//! Ended runs whose attempts may have left objects in the media store, and objects that are still needed.

use std::time::Duration;

use super::runs::Output;
use super::tx::{Row, args};
use super::{Db, DbError};
use crate::order::Order;

/// A run that has ended.
#[derive(Clone, Debug)]
pub struct Untidy {
    /// The run's id.
    pub run_id: String,
    /// Its account.
    pub account_id: String,
    /// The number of its attempts.
    pub n_attempts: u32,
    /// Its output.
    pub output: Option<Output>,
    /// The stored objects that it used.
    pub taken: Vec<String>,
}

impl Db {
    /// Returns runs that ended more than `age` ago and have not been cleaned up yet.
    ///
    /// # Errors
    /// A database error.
    pub async fn untidy(&self, age: Duration, limit: u32) -> Result<Vec<Untidy>, DbError> {
        let sql = "SELECT id, account_id, attempt, output, asked FROM runs
            WHERE is_tidy = 0 AND finished_at <= now_ms() - $1 ORDER BY finished_at LIMIT $2";
        let ms = i64::try_from(age.as_millis()).unwrap_or(i64::MAX / 4);
        let rows = self.rows(sql, args![ms, limit]).await?;
        rows.iter().map(of_row).collect()
    }

    /// Whether an object is an upload or a character's picture, or is used by an open run.
    ///
    /// # Errors
    /// A database error.
    pub async fn is_needed(&self, account: &str, object: &str) -> Result<bool, DbError> {
        // Object names consist of digits, so they contain no wildcards.
        let sql = "SELECT 1 AS n FROM uploads WHERE account_id = $1 AND object = $2
            UNION SELECT 1 AS n FROM characters WHERE account_id = $1 AND image = $2
            UNION SELECT 1 AS n FROM runs WHERE account_id = $1 AND status IN ('QUEUED', 'EXECUTING')
                AND asked LIKE '%' || $2 || '%'";
        let found = self.row(sql, args![account, object]).await?;
        Ok(found.is_some())
    }

    /// Marks a run as cleaned up: only its output is left.
    ///
    /// # Errors
    /// A database error.
    pub async fn tidied(&self, run_id: &str) -> Result<(), DbError> {
        let sql = "UPDATE runs SET is_tidy = 1 WHERE id = $1";
        self.execute(sql, args![run_id]).await?;
        Ok(())
    }
}

fn of_row(row: &Row) -> Result<Untidy, DbError> {
    // The order of another version may not parse; its objects stay.
    let order: Option<Order> = row.json("asked").ok();
    Ok(Untidy {
        run_id: row.get("id")?,
        account_id: row.get("account_id")?,
        n_attempts: row.small("attempt")?,
        output: row.opt_json("output")?,
        taken: order.map_or_else(Vec::new, |order| order.objects()),
    })
}
